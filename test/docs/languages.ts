/**
 * `bun run docs:languages [language]`: the backends of "Put it into your app" that are not JavaScript, and the clients made from
 * the description, and SDKs of Twilio, followed word for word. Needs python3 with pip, go, php with Guzzle and java, and fetches what they are made
 * with; that is why it is no part of CI.
 */
import { APP_PROMISES } from './app-promises'
import { blocksOf } from './pages'
import { Reader } from './reader'
import { blocksOfStory, CLIENTS, clientStories, LANGUAGES, type Story, TWILIO } from './stories'

async function keepsPromises(name: keyof typeof LANGUAGES): Promise<boolean> {
  const reader = new Reader()
  let isKept = true
  try {
    await reader.follow(blocksOf('docs/app.md', LANGUAGES[name].sections))
    for (const [promise, keep] of APP_PROMISES)
      isKept = (await tell(`${name}: ${promise}`, keep(reader.url('3000')))) && isKept
    if (/\+82 ?10|000000|111111/.test(await reader.logs())) throw new Error('A number or a code is in its log')
  } finally {
    await reader.stop()
  }
  return isKept
}

/** The page says what each prints. */
async function follows(stories: readonly Story[]): Promise<void> {
  const reader = new Reader()
  try {
    await reader.follow(stories.flatMap(blocksOfStory))
  } finally {
    await reader.stop()
  }
}

async function tell(what: string, kept: Promise<unknown>): Promise<boolean> {
  const broken = await kept.then(
    () => undefined,
    (error: unknown) => error,
  )
  process.stdout.write(`${broken ? 'broken' : 'kept'}  ${what}\n`)
  if (broken) process.stdout.write(`${broken}\n`)
  return broken === undefined
}

const namesOf = <T extends object>(all: T) => Object.keys(all) as Array<keyof T & string>

if (import.meta.main) {
  const asked = process.argv.slice(2)
  const isAsked = (name: string) => asked.length === 0 || asked.includes(name)
  let isKept = true
  for (const [name, { programs }] of [
    ...Object.entries(LANGUAGES),
    ...Object.entries(CLIENTS),
    ...Object.entries(TWILIO),
  ])
    for (const program of programs)
      if (isAsked(name) && !Bun.which(program)) throw new Error(`${name} needs ${program}`)
  for (const name of namesOf(LANGUAGES).filter(isAsked)) isKept = (await keepsPromises(name)) && isKept
  for (const name of namesOf(CLIENTS).filter(isAsked))
    isKept = (await tell(`the client in ${name} does what its page says`, follows(clientStories(name)))) && isKept
  for (const name of namesOf(TWILIO).filter(isAsked))
    isKept = (await tell(`Twilio's SDK in ${name} works with another address`, follows([TWILIO[name]]))) && isKept
  process.exit(isKept ? 0 : 1)
}
