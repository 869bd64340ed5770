/** What pages are made of, in a browser, under the console's own policy. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { extname } from 'node:path'
import type { Browser } from 'playwright-core'
import { newFolder, programIn, Server } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { faultsOf, launch, type Opened, openPage, PHONE, StubFailure, stub } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
let browser: Browser
let server: Server
let files: Bun.BuildArtifact[]

beforeAll(async () => {
  const built = await Bun.build({
    entrypoints: [`${import.meta.dir}/gallery.tsx`],
    target: 'browser',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  files = built.outputs
  server = await Server.start(programIn(folder.path))
  browser = await launch()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop('SIGKILL')
  folder.remove()
})
afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
})

const row = (issueId: string) => ({ issueId, price: 12, createdAt: Date.UTC(2026, 0, 2, 3, 4, 5) })
const ROWS = { rows: Array.from({ length: 50 }, (_, n) => row(`issue-${n}`)), next: 'cursor' }

async function open(options = {}, answers: Record<string, object> = {}): Promise<Opened> {
  const opened = await openPage(browser, { timezoneId: 'Asia/Seoul', ...options })
  const { page } = opened
  await stub(page, { 'issues/list': ROWS, 'keys/revoke': { ok: true }, ...answers })
  // The sheet too: the names of its classes depend on where it was bundled.
  for (const file of files)
    await page.route(`**/console/assets/index-*${extname(file.path)}`, async (route) =>
      route.fulfill({ body: await file.text(), contentType: file.type }),
    )
  await page.goto(`${server.url}/console`)
  await page.getByRole('heading', { level: 1, name: 'Gallery' }).waitFor()
  return opened
}

describe('the parts of a page', () => {
  test.each(['light', 'dark'] as const)('have no faults that axe can find when it is %s', async (colorScheme) => {
    const { page, complaints } = await open({ colorScheme })
    await page.getByRole('link', { name: 'issue-49' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('textbox').waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test('fit a phone, with the lesser columns left out', async () => {
    const { page } = await open({ viewport: PHONE, hasTouch: true, isMobile: true })
    await page.getByRole('columnheader', { name: 'Price' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Made' }).count()).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
  })

  test('a time is local, and UTC when it is focused', async () => {
    const { page } = await open()
    const time = page.locator('time').first()
    expect(await time.textContent()).toContain('12:04:05')
    await time.focus()
    const tip = page.getByRole('tooltip')
    await tip.waitFor()
    expect(await tip.textContent()).toMatch(/3:04:05.*UTC/)
  })

  test('a table loads the next page where the last one ended', async () => {
    const { page } = await open()
    await page.getByText('50 shown').waitFor()
    await page.unroute('**/console/rpc/**')
    let asked: unknown
    await page.route('**/console/rpc/issues/list', async (route) => {
      asked = route.request().postDataJSON()
      await route.fulfill({ json: { json: { rows: [row('issue-last')] } } })
    })
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText('51, all shown').waitFor()
    expect(asked).toEqual({ json: { appId: 'a1', mode: 'test', after: 'cursor' } })
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'issue-last' }).getAttribute('href')).toBe('/console/#issue-last')
  })

  test('a table that cannot be filled says why', async () => {
    const failure = new StubFailure(503, 'SERVICE_UNAVAILABLE', 'The database rests', 'request-7')
    const { page } = await open({}, { 'issues/list': failure })
    await page.getByRole('alert').getByText('request-7').waitFor()
    await page.getByText('The server cannot do this at the moment').waitFor()
  })

  test('what cannot be undone is done once its name has been typed', async () => {
    const { page, complaints, requests } = await open()
    await page.getByRole('button', { name: 'Revoke' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke the key' })
    const action = dialog.getByRole('button', { name: 'Revoke' })
    expect(await action.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('sk_live')
    await page.keyboard.press('Enter')
    expect(await action.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('sk_live_…abcd')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    expect(requests.filter((url) => url.endsWith('/keys/revoke'))).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  test('a refusal is told where it was confirmed', async () => {
    const failure = new StubFailure(403, 'FORBIDDEN', 'Your role does not allow this', 'request-8')
    const { page } = await open({}, { 'keys/revoke': failure })
    await page.getByRole('button', { name: 'Revoke' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('sk_live_…abcd')
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByText('Your role does not allow this').waitFor()
    await dialog.getByText('request-8').waitFor()
  })

  test('news stand in the corner', async () => {
    const failure = new StubFailure(409, 'CONFLICT', 'It has changed in the meantime', 'request-9')
    const { page } = await open({}, { 'keys/revoke': failure })
    await page.getByRole('button', { name: 'Tell' }).click()
    await page.getByText('It is done').waitFor()
    await page.getByRole('button', { name: 'Fail' }).click()
    await page.getByText(/It has changed in the meantime.*request-9/).waitFor()
  })

  test.each([
    ['a secure origin', true],
    ['any other', false],
  ])('a secret is shown once and can be copied on %s', async (_, isSecure) => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    if (!isSecure) await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await page.getByRole('button', { name: 'Copy: Secret key' }).click()
    await page.getByRole('button', { name: 'Copied: Secret key' }).waitFor()
    if (isSecure) expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('sk_test_secret')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    expect(await page.getByText('sk_test_secret', { exact: true }).count()).toBe(0)
  })
})
