/** The guide as people read it: at every width, in both lights, by keyboard, with no server but ours. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { renderGuide } from '../../src/guide/render'
import { newFolder, programIn, runJson, Server } from '../binary/support'
import { atRest } from '../console/accessible'
import { faultsOf, launch, openPage } from '../console/support'
import { Reader } from '../docs/reader'
import { changedFiles } from '../support/changed-files'
import { isNightly } from '../support/depth'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const WIDTHS = isNightly ? [360, 768, 1280, 1600] : [360, 1280]
const PAGES = renderGuide().pages.map(({ name }) => (name === 'index' ? '/docs/guide' : `/docs/guide/${name}`))

const folder = newFolder()
const program = programIn(folder.path)
let server: Server
let browser: Browser
beforeAll(async () => {
  ;[server, browser] = await Promise.all([Server.start(program), launch()])
})
afterAll(async () => {
  await browser.close()
  await server.stop('SIGKILL')
  folder.remove()
})

test('no page is wider than the window, from 360 to 1,600 pixels', async () => {
  const { page, complaints } = await openPage(browser)
  const wide: string[] = []
  for (const path of PAGES) {
    await page.goto(server.url + path)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      const tooMuch = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      if (tooMuch > 0) wide.push(`${path} at ${width}: ${tooMuch}`)
    }
  }
  expect(wide).toEqual([])
  expect(complaints).toEqual([])
})

const ONE_OF_EACH_KIND = ['index', 'getting-started', 'errors', 'carriers', 'command-line', 'threat-model']
const changed = isNightly ? undefined : changedFiles()

/** Pages of one kind have the same parts, so `ci` measures one of each kind and those that changed. */
const MEASURED = PAGES.filter((path) => {
  const name = /guide\/(.+)/.exec(path)?.[1] ?? 'index'
  return changed === undefined || changed.includes(`docs/${name}.md`) || ONE_OF_EACH_KIND.includes(name)
})

test.each(['light', 'dark'] as const)('pages read well in the %s, and by a screen reader', async (colorScheme) => {
  const { page } = await openPage(browser, { colorScheme })
  for (const path of MEASURED) {
    await page.goto(server.url + path)
    await page.evaluate(atRest)
    expect({ path, faults: await faultsOf(page) }).toEqual({ path, faults: [] })
  }
})

test('a search by keyboard leads to what it found', async () => {
  const { page, complaints } = await openPage(browser)
  await page.goto(`${server.url}/docs/guide`)
  await page.keyboard.press('/')
  await page.keyboard.type('litestream')
  await page.waitForSelector('#found [role=option]')
  expect(await page.evaluate(atRest).then(() => faultsOf(page))).toEqual([])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/guide\/backups#/)
  expect(complaints).toEqual([])
})

test('what is no page is answered as such', async () => {
  expect((await fetch(`${server.url}/docs/guide/none`)).status).toBe(404)
  expect((await fetch(`${server.url}/docs/guide/..%2fREADME`)).status).toBe(404)
})

test('the reference begins with lines that paste, knows console and guide, and links each reason', async () => {
  const { appId } = await runJson(program, 'app', 'create', 'Shop')
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')
  const { page, complaints } = await openPage(browser)
  await page.goto(`${server.url}/docs#key=${key}`)
  const lines = page.locator('pre', { hasText: 'curl' })
  await lines.nth(1).waitFor()
  const reader = new Reader()
  try {
    expect(await reader.run((await lines.allInnerTexts()).join('\n'))).toContain('"verified":true')
  } finally {
    await reader.stop()
  }
  const addresses = await page.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  expect(addresses).toEqual(expect.arrayContaining(['/console', '/docs/guide', '/docs/guide/errors']))
  expect(complaints).toEqual([])
})
