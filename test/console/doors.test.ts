/** Cookies, origins and pauses as a real browser meets them: two installations on one host, one behind https. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { newFolder, programIn, run, Server } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { CERT, KEY } from '../system/certificate'
import { callFrom } from './open-console'
import { faultsOf, launch, openPage, stub, WAITS_AT_MOST_MS } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const PERSON = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }
const folders = [newFolder(), newFolder(), newFolder()]

let browser: Browser
let first: Server
let second: Server
let behindTls: Server
let tls: Bun.Server<undefined>

/** What ends TLS in front of a server, and says so, or not. */
const proxyTo = (target: () => string) =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key: KEY, cert: CERT },
    async fetch(request) {
      const url = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.set('x-forwarded-for', '203.0.113.5')
      headers.delete('accept-encoding')
      const body = request.method === 'POST' ? await request.arrayBuffer() : null
      return fetch(`${target()}${url.pathname}${url.search}`, { method: request.method, headers, body })
    },
  })

beforeAll(async () => {
  tls = proxyTo(() => behindTls.url)
  const env = { WATCHWORD_PUBLIC_URL: `https://127.0.0.1:${tls.port}`, WATCHWORD_TRUSTED_PROXIES: '127.0.0.1/32' }
  const [one, two, three] = folders.map(({ path }) => path) as [string, string, string]
  ;[first, second, behindTls, browser] = await Promise.all([
    Server.start(programIn(one)),
    Server.start(programIn(two)),
    Server.start(programIn(three, env)),
    launch(),
  ])
})
afterAll(async () => {
  await browser?.close()
  for (const server of [first, second, behindTls]) await server?.stop('SIGKILL')
  await tls?.stop(true)
  for (const folder of folders) folder.remove()
})

const tokenOf = (server: Server) => String(JSON.parse(server.stdout.split('\n')[0] ?? '').setUp).split('#')[1]

async function setUp(page: Page, origin: string, server: Server): Promise<void> {
  await page.goto(`${origin}/console/sign-in`)
  const { status } = await callFrom(page, 'session/setUp', { token: tokenOf(server), ...PERSON })
  expect(status).toBe(200)
}

const whoIsIn = async (page: Page) =>
  JSON.parse((await callFrom(page, 'session/current', {})).body).json.operator?.email

describe('two installations on one host', () => {
  let context: BrowserContext
  let ours: Page
  let theirs: Page

  beforeAll(async () => {
    context = await browser.newContext({ reducedMotion: 'reduce' })
    context.setDefaultTimeout(WAITS_AT_MOST_MS)
    ours = await context.newPage()
    theirs = await context.newPage()
    await setUp(ours, first.url, first)
    await setUp(theirs, second.url, second)
  })

  test('sign nobody out of the other, though the browser sends both the cookies of both', async () => {
    expect(await whoIsIn(ours)).toBe(PERSON.email)
    expect(await whoIsIn(theirs)).toBe(PERSON.email)
    const names = (await context.cookies()).map(({ name }) => name)
    expect(new Set(names).size).toBe(2)
    await callFrom(theirs, 'session/signOut', {})
    expect(await whoIsIn(theirs)).toBeUndefined()
    expect(await whoIsIn(ours)).toBe(PERSON.email)
  })

  test('a page of one cannot use the session of the other', async () => {
    // A page without a policy of its own that would keep it from asking.
    await theirs.goto(`${second.url}/healthz`)
    const answered = await theirs.evaluate(async (url) => {
      const call = (mode: RequestMode, type: string) =>
        fetch(`${url}/console/rpc/apps/list`, {
          method: 'POST',
          mode,
          credentials: 'include',
          headers: { 'content-type': type },
          body: '{"json":{}}',
        }).then(
          ({ type: kind, status }) => `${kind} ${status}`,
          () => 'refused',
        )
      return [
        await call('cors', 'application/json'),
        await call('cors', 'text/plain'),
        await call('no-cors', 'text/plain'),
      ]
    }, first.url)
    // The last of them arrives, cookie and all, and is refused for its origin; no page may read the answer.
    expect(answered).toEqual(['refused', 'refused', 'opaque 0'])
    const refused = await fetch(`${first.url}/console/rpc/apps/list`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: second.url,
        cookie: (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; '),
      },
      body: '{"json":{}}',
    })
    expect(refused.status).toBe(403)
  })

  test('no script of a page reads the cookie', async () => {
    expect(await ours.evaluate(() => document.cookie)).toBe('')
  })
})

describe('behind https', () => {
  test('the browser keeps the __Host- cookie, and sends it back', async () => {
    const { page } = await openPage(browser, { ignoreHTTPSErrors: true })
    await setUp(page, `https://127.0.0.1:${tls.port}`, behindTls)
    await page.reload()
    expect(await whoIsIn(page)).toBe(PERSON.email)
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ path: '/', secure: true, httpOnly: true, sameSite: 'Strict' })
    expect(cookie?.name).toStartWith('__Host-watchword-')
  })
})

describe('at an address the server was not told of', () => {
  test.each(['/sign-in', '/', '/keys'])('%s says what to set', async (path) => {
    // A name that browsers keep on this machine, and trust.
    const elsewhere = `http://otp.localhost:${new URL(first.url).port}`
    const { page } = await openPage(browser)
    await page.goto(`${elsewhere}/console${path}`)
    await page.getByRole('heading', { level: 1, name: 'The server is not configured for this address' }).waitFor()
    await page.getByText(`WATCHWORD_PUBLIC_URL=${elsewhere}`).waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(await faultsOf(page)).toEqual([])
  })
})

describe('who failed too often', () => {
  test.each([
    ['en-US', 30_000, 'Try again in 30 seconds.'],
    ['en-US', 60_001, 'Try again in 2 minutes.'],
    ['en-US', 3_600_000, 'Try again in 1 hour.'],
    ['ko-KR', 30_000, '30초 후에 다시 시도하세요.'],
    ['ko-KR', 240_000, '4분 후에 다시 시도하세요.'],
  ])('reads in %s of %i ms: %s', async (locale, retryAfterMs, told) => {
    const { page } = await openPage(browser, { locale })
    await stub(page, { 'session/current': { needsSetup: false, organization: 'Example', version: '0.1.0' } })
    await page.route('**/session/signIn', (route) =>
      route.fulfill({
        status: 429,
        json: { json: { defined: true, code: 'TOO_MANY_REQUESTS', status: 429, message: '', data: { retryAfterMs } } },
      }),
    )
    await page.goto(`${first.url}/console/sign-in`)
    await page.locator('input[type=email]').fill('ann@example.com')
    await page.locator('input[type=password]').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText(told).waitFor()
  })
})

describe('an owner', () => {
  test('lifts pauses on the page of the operators, and reads of a log that was cut off on the page of the log', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${first.url}/console/sign-in`)
    await callFrom(page, 'session/signIn', { email: PERSON.email, password: PERSON.password })
    await page.goto(`${first.url}/console/operators`)
    await page.getByRole('button', { name: 'Actions for Ann' }).click()
    await page.getByRole('menuitem', { name: 'Lift sign-in lockout' }).click()
    await page.getByText('Ann can sign in again from anywhere.').waitFor()
    await page.goto(`${first.url}/console/audit`)
    await page.getByRole('cell', { name: 'operator.unlock' }).waitFor()
    expect(await page.getByText('The newest entries are missing').count()).toBe(0)
    const { Database } = await import('bun:sqlite')
    const db = new Database(`${folders[0]?.path}/watchword-data/watchword.db`)
    db.run('PRAGMA busy_timeout = 60000')
    db.run('DELETE FROM audit_entries WHERE seq > 1')
    db.close()
    await page.reload()
    await page.getByText('The newest entries are missing').waitFor()
    await page.getByText('recorded in the file watchword.audit').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('The log is broken').waitFor()
    expect((await run(programIn(folders[0]?.path ?? ''), 'audit', 'accept')).exitCode).toBe(0)
    await page.reload()
    await page.getByRole('cell', { name: 'audit.accept' }).waitFor()
    expect(await page.getByText('The newest entries are missing').count()).toBe(0)
  })
})
