/**
 * `bun run docs:languages`: the backends of "Put it into your app" that are not JavaScript, followed word for word. Needs
 * python3 with pip and go, and fetches FastAPI; that is why it is no part of CI.
 */
import { APP_PROMISES } from './app-promises'
import { blocksOf } from './pages'
import { Reader } from './reader'
import { LANGUAGES } from './stories'

async function keepsPromises(name: keyof typeof LANGUAGES): Promise<boolean> {
  const reader = new Reader()
  let isKept = true
  try {
    await reader.follow(blocksOf('docs/app.md', LANGUAGES[name].sections))
    for (const [promise, keep] of APP_PROMISES) {
      const broken = await keep(reader.url('3000')).then(
        () => undefined,
        (error: unknown) => error,
      )
      process.stdout.write(`${broken ? 'broken' : 'kept'}  ${name}: ${promise}\n`)
      if (broken) process.stdout.write(`${broken}\n`)
      isKept &&= broken === undefined
    }
    if (/\+82 ?10|000000|111111/.test(await reader.logs())) throw new Error('A number or a code is in its log')
  } finally {
    await reader.stop()
  }
  return isKept
}

if (import.meta.main) {
  let isKept = true
  for (const name of ['FastAPI', 'Go'] as const) {
    for (const program of LANGUAGES[name].programs) if (!Bun.which(program)) throw new Error(`${name} needs ${program}`)
    isKept = (await keepsPromises(name)) && isKept
  }
  process.exit(isKept ? 0 : 1)
}
