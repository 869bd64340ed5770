/** "Put it into your app", followed word for word; then its backends keep what the page says of them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { launch, WAITS_AT_MOST_MS } from '../console/support'
import { HANGS_AFTER_MS } from '../support/until'
import { APP_PROMISES } from './app-promises'
import { type Block, blocksOf } from './pages'
import { Reader } from './reader'
import { APPS } from './stories'

setDefaultTimeout(HANGS_AFTER_MS)

const PAGE = 'docs/app.md'

/** Next.js, as far as route handlers need it: a file for each path, behind a proxy that says whom it serves. */
const NEXT = `
  import { createServer } from 'node:http'
  createServer(async (asked, answered) => {
    const { default: _, ...handlers } = await import('./app' + asked.url + '/route.js').catch(() => ({}))
    const chunks = await asked.toArray()
    const headers = { ...asked.headers, 'x-forwarded-for': '203.0.113.7, ' + asked.socket.remoteAddress }
    const body = asked.method === 'POST' ? Buffer.concat(chunks) : undefined
    const request = new Request('http://localhost' + asked.url, { method: asked.method, headers, body })
    const response = (await handlers[asked.method]?.(request)) ?? new Response(null, { status: 404 })
    answered.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  }).listen(3000)`

const block = (marks: Record<string, string>, text: string): Block => ({ ...madeHere, marks, text })
const madeHere = { page: 'app.test.ts', line: 0, under: [], language: 'sh' }
const next = [block({ file: 'next.mjs' }, NEXT), block({ serve: '3000' }, 'OTP_KEY=sk_test_… node next.mjs\n')]

describe.each([
  ['Express', []],
  ['Hono', []],
  ['Next.js', next],
] as const)('with %s', (name, more) => {
  let reader: Reader
  beforeAll(async () => {
    reader = new Reader()
    await reader.follow([...blocksOf(PAGE, APPS[name]), ...more])
  })
  afterAll(() => reader.stop())

  if (name === 'Express') {
    test('somebody logs in with a browser', async () => {
      const browser = await launch()
      try {
        const page = await browser.newPage()
        page.setDefaultTimeout(WAITS_AT_MOST_MS)
        const complaints: string[] = []
        page.on('pageerror', (error) => complaints.push(error.message))
        await page.goto(reader.url('3000'))
        await page.getByLabel('Phone').fill('+82 10-0000-0000')
        await page.getByRole('button', { name: 'Send a code' }).click()
        await page.getByRole('button', { name: /^Send another \(\d+\)$/ }).waitFor()
        expect(await page.getByRole('button', { name: /^Send another/ }).isDisabled()).toBe(true)
        await page.getByLabel('Code', { exact: true }).fill('123456')
        await page.getByRole('button', { name: 'Log in' }).click()
        await page.getByText('Tries left: 4').waitFor()
        await page.getByLabel('Code', { exact: true }).fill('000000')
        await page.getByRole('button', { name: 'Log in' }).click()
        await page.getByText('You are logged in.').waitFor()
        expect(await page.evaluate(async () => (await fetch('/api/account')).json())).toEqual({
          phone: '+821000000000',
        })
        expect(await page.evaluate(() => document.cookie)).toBe('')
        expect(complaints).toEqual([])
      } finally {
        await browser.close()
      }
    })

    test('over https the cookie is Secure, and no other subdomain can set it', async () => {
      const script = `import { start } from './phone-login.mjs'
        const origin = 'https://shop.example.com'
        console.log((await start({ origin, ip: '192.0.2.1', body: { phone: '+821000000000' } })).cookie)`
      const env = `APP_ORIGIN=https://shop.example.com OTP_KEY=${await reader.printed('sk_test_')}`
      const cookie = await reader.run(`${env} node --input-type=module -e "${script}"`)
      // Until the code's end, of which some has passed where the machine is slow.
      const [, left] =
        /^__Host-sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=(\d+); Secure$/.exec(cookie.trim()) ?? []
      expect(Number(left)).toBeGreaterThan(0)
      expect(Number(left)).toBeLessThanOrEqual(900)
    })
  }

  test.each([...APP_PROMISES])('%s', (_, keep) => keep(reader.url('3000')))

  test('no number and no code is in its log', async () => {
    const log = await reader.logs()
    expect(log).toContain('Watchword answered 402')
    expect(log).not.toMatch(/\+?82 ?10|010-?0000|000000|111111/)
  })
})
