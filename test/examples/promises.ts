/** What every example promises, whatever it is written in: to a person at a browser, and to whoever means ill. */
import { strict as assert } from 'node:assert'
import { createHmac } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { faultsOf, type Opened, openPage } from '../console/support'
import type { Site } from './site'

const NUMBER = '+44 7700 900000'
const E164 = '+447700900000'
const RIGHT = '000000'
const REFUSED = 'That did not work. Please ask for another code.'

export type Promised = (site: Site, opened: Opened) => Promise<void>

async function opened(site: Site, { page }: Opened): Promise<Page> {
  await page.goto(site.url)
  return page
}

/** What a server has rendered is there before it does anything: then the countries are. */
export async function asked(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Country: / }).waitFor()
  await page.getByLabel('Phone number').fill(NUMBER)
  await page.keyboard.press('Enter')
  await page.getByLabel('Verification code').waitFor()
}

async function typed(page: Page, code = RIGHT): Promise<void> {
  await page.getByLabel('Verification code').fill(code)
}

const isSignedIn = (page: Page) => page.getByText(`You are signed in as ${E164}.`).waitFor()
const isRefused = (page: Page) => page.getByRole('alert').filter({ hasText: REFUSED }).waitFor()
const isAskedAgain = (page: Page) => page.getByLabel('Phone number').waitFor()

async function signUp(page: Page): Promise<void> {
  await asked(page)
  await typed(page)
  await isSignedIn(page)
}

const cookieIn = async (context: BrowserContext) => (await context.cookies()).find(({ name }) => name === 'session')

/** A proof as the service answers it to whoever has a secret key. */
export async function proofFor({ service }: Site, key = service.secretKey, purpose = 'signup'): Promise<string> {
  const issued = await service.server.issue(key, NUMBER, { purpose })
  const { issueId } = issued.body
  const verified = await service.server.call('POST', '/v1/verify', key, { issueId, code: RIGHT, phoneNumber: NUMBER })
  assert.match(verified.body.proof, /^[\w-]+\.[\w-]+\.[\w-]+$/)
  return verified.body.proof
}

/** The page brings another proof than the service has answered it. */
const bring = (page: Page, proof: string) =>
  page.route('**/rpc/otp/verify', async (route) => {
    const response = await route.fetch()
    if (route.request().method() !== 'POST') return route.fulfill({ response })
    const { json } = await response.json()
    await route.fulfill({ response, json: { json: { ...json, proof } } })
  })

async function refuses(site: Site, visit: Opened, proof: string): Promise<void> {
  const page = await opened(site, visit)
  await bring(page, proof)
  await asked(page)
  await typed(page)
  await isRefused(page)
  await isAskedAgain(page)
  assert.equal(await cookieIn(page.context()), undefined)
  await page.unroute('**/rpc/otp/verify')
  await page.reload()
  await isAskedAgain(page)
}

const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')
const read = (text = '') => JSON.parse(Buffer.from(text, 'base64url').toString())

/** The proof of another number, with the signature of the one it was. */
function altered(proof: string): string {
  const [head, body, signature] = proof.split('.')
  return `${head}.${part({ ...read(body), phone_number: '+447700900099' })}.${signature}`
}

/** What a proof says, in the name of the same key, with the signature that a careless reader takes for that key's. */
function forged(proof: string, alg: string, signed: (text: string) => string): string {
  const [head, body] = proof.split('.')
  const text = `${part({ ...read(head), alg })}.${body}`
  return `${text}.${signed(text)}`
}

/** With the public key, which everybody knows, as a secret. */
async function signedWithPublicKey({ service }: Site, proof: string): Promise<string> {
  const { keys } = await (await fetch(`${service.server.url}/.well-known/jwks.json`)).json()
  const { kid } = read(proof.split('.')[0])
  const { x } = keys.find((key: { kid: string }) => key.kid === kid)
  const secret = Buffer.from(x, 'base64url')
  return forged(proof, 'HS256', (text) => createHmac('sha256', secret).update(text).digest('base64url'))
}

/** The request that brought a proof, to be made again by somebody else. */
async function bringing(site: Site, visit: Opened, act: (page: Page) => Promise<unknown>) {
  const page = await opened(site, visit)
  const brought = page.waitForRequest(
    (request) =>
      request.method() === 'POST' && request.url().startsWith(site.url) && /\w{20}\.\w/.test(request.postData() ?? ''),
  )
  await act(page)
  const request = await brought
  const { 'content-length': _, cookie: __, host: ___, ...headers } = await request.allHeaders()
  const mine = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))
  const body = request.postData() ?? ''
  return (proof: string, more: Record<string, string> = {}) =>
    fetch(request.url(), {
      ...{ method: 'POST', redirect: 'manual', headers: { ...mine, ...more } },
      body: body.replace(/[\w-]{20,}\.[\w-]{20,}\.[\w-]{86}/, proof),
    })
}

export const PROMISES: Readonly<Record<string, Promised>> = {
  'from zero to signed in, with a keyboard, and out again': async (site, visit) => {
    const page = await opened(site, visit)
    await asked(page)
    await page.keyboard.type('123456')
    await page.getByText('That is not the code. Tries left: 4.').waitFor()
    await page.keyboard.type(RIGHT)
    await isSignedIn(page)
    await page.reload()
    await isSignedIn(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await isAskedAgain(page)
    assert.equal(await cookieIn(page.context()), undefined)
    await signUp(page)
    assert.deepEqual(visit.complaints, [])
  },

  'a session has an id of its own, that scripts and other sites do not get, and that ends with it': async (
    site,
    visit,
  ) => {
    const context = visit.page.context()
    await context.addCookies([{ name: 'session', value: 'planted', url: site.url }])
    const page = await opened(site, visit)
    await signUp(page)
    const cookie = await cookieIn(context)
    assert.notEqual(cookie?.value, 'planted')
    assert.equal((cookie?.value.length ?? 0) >= 43, true)
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Lax'])
    const seenWith = async (value: string) => {
      const response = await fetch(site.url, { headers: { cookie: `session=${value}` } })
      return (await response.text()).includes(E164)
    }
    assert.equal(await seenWith('planted'), false)
    assert.equal(await seenWith(cookie?.value ?? ''), true)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await isAskedAgain(page)
    assert.equal(await seenWith(cookie?.value ?? ''), false)
  },

  'a made-up proof signs nobody in': (site, visit) => refuses(site, visit, 'made-up'),
  'nor does one without a signature': async (site, visit) =>
    refuses(
      site,
      visit,
      forged(await proofFor(site), 'none', () => ''),
    ),
  'nor one that is signed with what everybody knows': async (site, visit) =>
    refuses(site, visit, await signedWithPublicKey(site, await proofFor(site))),
  'nor one whose number was changed': async (site, visit) => refuses(site, visit, altered(await proofFor(site))),
  'nor one for something else': async (site, visit) =>
    refuses(site, visit, await proofFor(site, site.service.secretKey, 'newsletter')),
  'nor one of another app': async (site, visit) =>
    refuses(site, visit, await proofFor(site, site.service.otherApp.secretKey)),
  'nor one that was used': async (site, visit) => {
    const again = await openPage(site.service.browser)
    const proof = await proofFor(site)
    const page = await opened(site, again)
    await bring(page, proof)
    await signUp(page)
    await again.page.context().close()
    await refuses(site, visit, proof)
  },

  'a page of another site signs nobody in': async (site, visit) => {
    const post = await bringing(site, visit, signUp)
    const own = await post(await proofFor(site))
    assert.match(own.headers.get('set-cookie') ?? '', /session=[\w-]{43}/)
    for (const origin of ['https://elsewhere.example', 'null', 'http://localhost:1']) {
      const theirs = await post(await proofFor(site), { origin })
      assert.equal(theirs.headers.get('set-cookie'), null, origin)
      assert.equal(theirs.status >= 400, true, origin)
    }
  },

  'while the code is on its way a reload loses nothing': async (site, visit) => {
    const page = await opened(site, visit)
    await asked(page)
    await page.reload()
    await typed(page)
    await isSignedIn(page)
  },

  'it is accessible and fits every screen': async (site, visit) => {
    const page = await opened(site, visit)
    await isAskedAgain(page)
    await looksRight(page)
    await asked(page)
    await looksRight(page)
    await typed(page)
    await isSignedIn(page)
    await looksRight(page)
  },
}

async function looksRight(page: Page): Promise<void> {
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await faultsOf(page), [])
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  }
}

export async function hold(promised: Promised, site: Site): Promise<void> {
  const visit = await openPage(site.service.browser)
  try {
    await promised(site, visit)
  } finally {
    await visit.page.context().close()
  }
}
