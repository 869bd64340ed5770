/**
 * `bun run screenshots`: a scripted first run on a real server, then every page of a console in use; in both languages,
 * light and dark, on a phone and on a desktop. Into `dist/screenshots`, with a contact sheet. With `--docs` it renews the
 * pictures of the gallery: each page in English and light, small, in `docs/images/console/after`.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { type Json, newFolder, programIn, ROOT, Server, StubCarrier } from '../binary/support'
import { until } from '../support/until'
import { hasLoaded } from './accessible'
import { goThrough } from './first-run'
import { atTheEnd } from './layout/measure'
import { callFrom } from './open-console'
import { launch, openPage } from './support'

const isForDocs = process.argv.includes('--docs')
const FOLDER = join(ROOT, isForDocs ? 'docs/images/console/after' : 'dist/screenshots')
const LOCALES = { en: 'en-US', ko: 'ko-KR' }
const HEIGHT = 800
/** Every page, and those that are looked at most. */
const WIDTHS = [360, 1280]
const ALL_WIDTHS = isForDocs ? WIDTHS : [360, 768, 1280, 1600]
const COLOR_SCHEMES = isForDocs ? (['light'] as const) : (['light', 'dark'] as const)
const ISSUES = 12
/** Charts measure themselves once more after they have been drawn, and a frame or two later. */
const QUIET_FRAMES = 10

const MAIN = ['overview', 'issues', 'usage', 'try-it', 'wallet']
const PAGES = {
  overview: '/',
  issues: '/issues',
  usage: '/usage',
  protection: '/protection',
  inbox: '/inbox',
  'try-it': '/try-it',
  apps: '/apps',
  keys: '/keys',
  relays: '/relays',
  templates: '/templates',
  template: '/templates/edit?template=otp_default_kr',
  webhooks: '/webhooks',
  wallet: '/wallet',
  carriers: '/providers',
  operators: '/operators',
  audit: '/audit',
  privacy: '/privacy',
  system: '/system',
  account: '/account',
}

/** File names below the folder of their language, by what they show. */
const taken = new Map<string, string[]>()

async function takePictures(page: Page, language: string, name: string, widths: readonly number[]): Promise<void> {
  for (const width of widths)
    for (const colorScheme of COLOR_SCHEMES) {
      await page.setViewportSize({ width, height: HEIGHT })
      await page.emulateMedia({ colorScheme })
      await page.evaluate(atTheEnd)
      await page.evaluate(drawn, QUIET_FRAMES)
      if (isForDocs) {
        await Bun.write(join(FOLDER, `${name}-${width}.webp`), await smallPicture(page, width))
        continue
      }
      const file = `${language}/${name}-${width}-${colorScheme}.png`
      // What opens over the page is centred in the window.
      const fullPage = (await page.getByRole('dialog').count()) === 0
      await page.screenshot({ path: join(FOLDER, file), fullPage })
      taken.set(name, [...(taken.get(name) ?? []), file])
    }
  await page.setViewportSize({ width: 1280, height: HEIGHT })
}

/** What a reader of the guide looks at; a list goes on below it. */
const DOCS_HEIGHT = 1_200

/** The window is as high as the page. WebP is by the browser itself: Playwright does not offer it. */
async function smallPicture(page: Page, width: number): Promise<Buffer> {
  const fullHeight = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ width, height: Math.min(fullHeight, DOCS_HEIGHT) })
  await page.evaluate(drawn, QUIET_FRAMES)
  const browser = await page.context().newCDPSession(page)
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 50 })
  await browser.detach()
  return Buffer.from(data, 'base64')
}

/** For the page: every chart is within its frame, and stays as large as it is for some frames. */
async function drawn(quietFrames: number): Promise<void> {
  const sizes = () =>
    [...document.querySelectorAll('[role=img]')].map((frame) => {
      const { width } = frame.getBoundingClientRect()
      const drawings = [...frame.getElementsByTagName('svg')].map((drawing) => drawing.getBoundingClientRect())
      const isWithin = drawings.every((drawing) => drawing.width < width + 1)
      return isWithin ? drawings.map((drawing) => `${drawing.width} × ${drawing.height}`) : 'too wide'
    })
  for (let quiet = 0, before = ''; quiet < quietFrames; ) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    const now = sizes().join()
    quiet = now === before && !now.includes('too wide') ? quiet + 1 : 0
    before = now
  }
}

const rpc = async (page: Page, procedure: string, input: object): Promise<Json> => {
  const { status, body } = await callFrom(page, procedure, input)
  if (status !== 200) throw new Error(`${procedure} answered ${status}: ${body}`)
  return JSON.parse(body).json
}

/** A day of codes, test and live; answers one that was verified. */
async function furnish(page: Page, server: Server, carrier: StubCarrier): Promise<{ issueId: string }> {
  const { apps } = await rpc(page, 'apps/list', {})
  const [{ appId }] = apps
  const { key } = await rpc(page, 'keys/create', { appId, kind: 'sk', mode: 'live' })
  await rpc(page, 'operators/invite', { role: 'developer' })
  for (let number = 0; number < ISSUES; number++) {
    const phoneNumber = `010-0000-00${String(number).padStart(2, '0')}`
    await callFrom(page, 'inbox/tryIt', { appId, phoneNumber, purpose: 'signup' })
    const purpose = number % 3 ? 'login' : 'signup'
    const live = await server.issue(key, `010-2345-67${10 + number}`, { purpose })
    const code = () => carrier.codeFor(`+8210234567${10 + number}`)
    await until(code, `the message of issue ${number}`)
    if (number % 4) await server.verify(key, live.body.issueId, code())
  }
  const { rows } = await rpc(page, 'issues/list', { appId, mode: 'live' })
  return rows[0]
}

async function takeAll(browser: Browser, language: keyof typeof LOCALES): Promise<void> {
  const { path, remove } = newFolder()
  const carrier = new StubCarrier()
  const allowLoopback = { WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true', WATCHWORD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' }
  const program = programIn(path, allowLoopback)
  const server = await Server.start(program)
  const { page } = await openPage(browser, { locale: LOCALES[language] })
  const picture = async (name: string) => {
    if (!isForDocs) await takePictures(page, language, `first-run/${name}`, WIDTHS)
  }
  await goThrough({ page, server, carrier, picture })
  const { issueId } = await furnish(page, server, carrier)
  for (const [name, path] of Object.entries({ ...PAGES, issue: `/issues/${issueId}` })) {
    await page.goto(`${server.url}/console${path}?mode=live`.replace(/\?(.*)\?/, '?$1&'))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForFunction(hasLoaded)
    await takePictures(page, language, name, MAIN.includes(name) ? ALL_WIDTHS : WIDTHS)
  }
  await server.stop('SIGKILL')
  await carrier.stop()
  remove()
}

/** All pictures of one page in one row. */
const contactSheet = () => `<!doctype html>
<meta charset="utf-8">
<title>Watchword, pictures</title>
<style>
  body { margin: 2rem; font: 14px system-ui; color-scheme: light dark }
  figure { display: inline-block; margin: 0 1rem 1rem 0; vertical-align: top }
  img { height: 320px; border: 1px solid #8888 }
</style>
${[...taken]
  .map(
    ([name, files]) => `<h2>${name}</h2>
${files.map((file) => `<figure><a href="${file}"><img src="${file}" loading="lazy" alt=""></a><figcaption>${file}</figcaption></figure>`).join('\n')}`,
  )
  .join('\n')}
`

rmSync(FOLDER, { recursive: true, force: true })
const browser = await launch()
const languages = isForDocs ? (['en'] as const) : (['en', 'ko'] as const)
await Promise.all(languages.map((language) => takeAll(browser, language)))
await browser.close()
if (!isForDocs) await Bun.write(join(FOLDER, 'index.html'), contactSheet())
process.stdout.write(`${FOLDER}\n`)
