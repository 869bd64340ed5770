/**
 * `bun run examples [name]`: each example, started by the one command of its README, in a real browser; that of Next.js is also
 * built for production. Pictures of each page are in `dist/examples`. It installs from npm and PyPI, and wants `python3` with venv;
 * that is why it is no part of CI, which has `express.test.ts` and `read.test.ts`.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run } from '../binary/support'
import { openPage } from '../console/support'
import { asked, hold, PROMISES } from './promises'
import { commandOf, EXAMPLES, type Example, folderOf, openService, type Service, type Site, start } from './site'

const PICTURES = join(ROOT, 'dist/examples')

async function keepsPromises(example: Example, service: Service): Promise<boolean> {
  const site = await start(service, commandOf(example), folderOf(example))
  let isKept = true
  try {
    for (const [promise, promised] of Object.entries(PROMISES)) {
      const broken = await hold(promised, site).then(
        () => undefined,
        (error: unknown) => error,
      )
      process.stdout.write(`${broken ? 'broken' : 'kept'}  ${example}: ${promise}\n`)
      if (broken) process.stdout.write(`${broken}\n`)
      isKept &&= broken === undefined
    }
    if (!isKept) process.stdout.write(site.said())
    await takePictures(site, example)
  } finally {
    await site.stop()
  }
  return isKept
}

async function takePictures(site: Site, example: Example): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  for (const [width, colorScheme] of [
    [360, 'light'],
    [360, 'dark'],
    [1280, 'light'],
  ] as const) {
    const { page } = await openPage(site.service.browser, { viewport: { width, height: 800 }, colorScheme })
    const take = (name: string) =>
      page.screenshot({ path: join(PICTURES, `${example}-${name}-${width}-${colorScheme}.png`) })
    await page.goto(site.url)
    await page.getByLabel('Phone number').waitFor()
    await take('1-number')
    await asked(page)
    await page.getByLabel('Verification code').fill('123456')
    await page.getByText('Tries left').waitFor()
    await take('2-wrong-code')
    await page.getByLabel('Verification code').fill('000000')
    await page.getByText('You are signed in').waitFor()
    await take('3-signed-in')
    await page.context().close()
  }
}

async function isBuilt({ publicKey, appId }: Service): Promise<boolean> {
  const { exitCode, stdout, stderr } = await run({
    ...{ command: ['npm', 'run', 'build'], cwd: folderOf('nextjs') },
    env: { ...(process.env as Record<string, string>), OTP_PUBLIC_KEY: publicKey, OTP_APP_ID: appId },
  })
  process.stdout.write(
    exitCode === 0 ? 'kept  nextjs: it is built\n' : `broken  nextjs: it is built\n${stdout}${stderr}`,
  )
  return exitCode === 0
}

if (import.meta.main) {
  const chosen = EXAMPLES.filter((name) => process.argv.length < 3 || process.argv.includes(name))
  const service = await openService()
  let isKept = chosen.length > 0
  try {
    for (const example of chosen) isKept = (await keepsPromises(example, service)) && isKept
    if (chosen.includes('nextjs')) isKept = (await isBuilt(service)) && isKept
  } finally {
    await service.close()
  }
  process.exit(isKept ? 0 : 1)
}
