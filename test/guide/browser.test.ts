/** The guide as people read it: at every width, in both lights, by keyboard, with no server but ours. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { renderGuide } from '../../src/guide/render'
import { programIn, Server } from '../binary/support'
import { atRest } from '../console/accessible'
import { faultsOf, launch, openPage } from '../console/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const WIDTHS = [360, 768, 1280, 1600]
const PAGES = renderGuide().pages.map(({ name }) => (name === 'index' ? '/docs/guide' : `/docs/guide/${name}`))

let server: Server
let browser: Browser
beforeAll(async () => {
  ;[server, browser] = await Promise.all([Server.start(programIn('.')), launch()])
})
afterAll(async () => {
  await browser.close()
  await server.stop('SIGKILL')
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

test.each(['light', 'dark'] as const)(
  'every page reads well in the %s, and by a screen reader',
  async (colorScheme) => {
    const { page } = await openPage(browser, { colorScheme })
    for (const path of PAGES) {
      await page.goto(server.url + path)
      await page.evaluate(atRest)
      expect({ path, faults: await faultsOf(page) }).toEqual({ path, faults: [] })
    }
  },
)

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
