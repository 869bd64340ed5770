/** Where no browser keeps who is signed in, the console says why and what to do, instead of asking for a password. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { newFolder, programIn, Server } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { faultsOf, launch, openPage, stub } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const HOST = 'watchword.test'
const SIGNED_OUT = { needsSetup: false, organization: 'Example', version: '0.1.0' }

const folder = newFolder()
let server: Server
let browser: Browser
/** The same server, by a name that no browser trusts. */
let elsewhere: string
let setUp: string

beforeAll(async () => {
  server = await Server.start(programIn(folder.path))
  browser = await launch(`--host-resolver-rules=MAP ${HOST} 127.0.0.1`)
  elsewhere = `http://${HOST}:${new URL(server.url).port}`
  setUp = new URL(JSON.parse(server.stdout.split('\n')[0] ?? '').setUp).hash
})
afterAll(async () => {
  await browser?.close()
  await server?.stop('SIGKILL')
  folder.remove()
})
afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
})

describe('over plain http from another machine', () => {
  test.each(['/sign-in', '/invitation#a-token-of-an-invitation', '/set-up#a-token-of-a-set-up-link'])(
    '%s explains, gives the command, and links to the same page through it',
    async (path) => {
      const { page, requests, complaints } = await openPage(browser)
      await page.goto(`${elsewhere}/console${path}`)
      await page.getByRole('heading', { level: 1, name: 'Signing in needs https' }).waitFor()
      const { port } = new URL(server.url)
      const command = page.getByRole('region', { name: 'On your own machine' })
      expect(await command.textContent()).toBe(`ssh -L ${port}:127.0.0.1:${port} ${HOST}`)
      const link = page.getByRole('link', { name: '127.0.0.1' })
      expect(await link.getAttribute('href')).toBe(`http://127.0.0.1:${port}/console${path}`)
      await page.getByText(`WATCHWORD_PUBLIC_URL=https://${HOST}`).waitFor()
      expect(await page.getByRole('textbox').count()).toBe(0)
      expect(requests.filter((url) => url.includes('/rpc/'))).toEqual([])
      expect(await faultsOf(page)).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  test('every other page leads there, and the link knows where one was going', async () => {
    const { page } = await openPage(browser, { locale: 'ko-KR' })
    await page.goto(`${elsewhere}/console/keys`)
    await page.getByRole('heading', { level: 1, name: '로그인하려면 https가 필요합니다' }).waitFor()
    const link = await page.getByRole('link', { name: '127.0.0.1' }).getAttribute('href')
    expect(new URL(link ?? '').searchParams.get('from')).toBe('/keys')
  })

  test('the link of the explanation leads on to a new account', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${elsewhere}/console/set-up${setUp}`)
    await page.getByRole('link', { name: '127.0.0.1' }).click()
    await page.getByLabel('Your name').fill('Ann')
    await page.getByLabel('E-mail address').fill('ann@example.com')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  })
})

describe('where the browser keeps no cookie', () => {
  test('signing in says so, and the form stays', async () => {
    const { page } = await openPage(browser)
    await stub(page, { 'session/current': SIGNED_OUT, 'session/signIn': { ok: true } })
    await page.goto(`${server.url}/console/sign-in`)
    await page.getByLabel('E-mail address').fill('ann@example.com')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Your browser did not keep you signed in').waitFor()
    expect(await page.getByRole('button', { name: 'Sign in', exact: true }).isEnabled()).toBe(true)
    expect(await faultsOf(page)).toEqual([])
  })

  test('a new account is told of, and how to go on', async () => {
    const { page } = await openPage(browser)
    await stub(page, { 'session/current': { ...SIGNED_OUT, needsSetup: true }, 'session/setUp': { ok: true } })
    await page.goto(`${server.url}/console/set-up#a-token-of-a-set-up-link`)
    await page.getByLabel('Your name').fill('Ann')
    await page.getByLabel('E-mail address').fill('ann@example.com')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Your browser did not keep you signed in').waitFor()
    await page.getByRole('link', { name: 'Your account is created: sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  })
})
