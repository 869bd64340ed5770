/** The frame of the console, from source and in the binary: everything around a page, before there is anything in it. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { PERMISSIONS } from '../../src/domain/access/operator'
import { alone, compile } from '../binary/compiled'
import { fromSource, newFolder, type Program, Server } from '../binary/support'
import { isNightly } from '../support/depth'
import { HANGS_AFTER_MS } from '../support/until'
import { LIGHTS } from './accessible'
import { FULL } from './layout/answers'
import { faultsOf, launch, type Opened, openPage, PHONE, StubFailure, stub } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const OWNER = {
  operatorId: 'o1',
  email: 'owner@example.com',
  name: 'Kim Owner',
  role: 'owner',
  hasTotp: false,
  createdAt: 1_760_000_000_000,
  permissions: PERMISSIONS,
}
const SIGNED_OUT = { needsSetup: false, organization: 'Example', version: '0.1.0' }
const SIGNED_IN = { ...SIGNED_OUT, operator: OWNER }
const APPS = {
  apps: [
    { appId: 'a1', name: 'Shop', createdAt: 1_760_000_000_000 },
    { appId: 'a2', name: 'Clinic', createdAt: 1_760_000_000_000 },
  ],
  defaultRegion: 'KR',
  liveRetentionDays: 180,
}
/** Pages with nothing in them. */
const EMPTY = {
  'templates/list': { templates: [] },
  'webhooks/list': { endpoints: [] },
  'carriers/list': { providers: [] },
  'carriers/routes': { routes: [] },
  'usage/report': {
    total: {
      ...{ issued: 0, sent: 0, delivered: 0, failed: 0, verified: 0, spent: 0, messages: 0, unpriced: 0 },
      cost: [],
    },
    rows: [],
  },
}
const STORY = {
  issueId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77',
  appId: 'a1',
  mode: 'test',
  purpose: 'signup',
  templateId: 'otp_default_kr',
  channel: 'sms',
  leg: 'sms',
  overallStatus: 'in_progress',
  verificationStatus: 'issued',
  deliveryStatus: 'queued',
  isAmbiguous: false,
  billingStatus: 'reserved',
  price: 0,
  attemptsUsed: 0,
  maxAttempts: 5,
  createdAt: 1_760_000_000_000,
  expiresAt: 1_760_000_180_000,
  updatedAt: 1_760_000_000_000,
  metadata: {},
  wrongAt: [],
  attempts: [],
  ledger: [],
  webhooks: [],
}
const ANSWERS = {
  ...EMPTY,
  'session/current': SIGNED_IN,
  'apps/list': APPS,
  'session/signOut': { ok: true },
  'keys/list': { keys: [] },
  'issues/list': { rows: [] },
  'issues/story': STORY,
  'inbox/list': { rows: [] },
  'wallet/show': { balance: 10, reserved: 0, available: 10, overdraftLimit: 0, currency: 'CREDIT' },
  'wallet/ledger': { rows: [] },
}

const PAGES = {
  '': 'Overview',
  issues: 'Issues',
  'issues/01a1': 'Issue for “signup”',
  usage: 'Usage',
  inbox: 'Test inbox',
  'try-it': 'Try it',
  apps: 'Apps',
  keys: 'API keys',
  templates: 'Templates',
  webhooks: 'Webhooks',
  wallet: 'Wallet',
  providers: 'Carriers',
  operators: 'Operators',
  audit: 'Audit log',
  system: 'System',
  account: 'Account',
}

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())
afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
})

const source = newFolder()
type Start = [string, () => Promise<{ program: Program; remove: () => void }>]
const fromTree: Start = ['from source', async () => ({ program: fromSource(source.path), remove: source.remove })]
const STARTS: Start[] = [['in the binary', async () => alone(await compile())], ...(isNightly ? [fromTree] : [])]

describe.each(STARTS)('the console %s', (how, start) => {
  let server: Server
  let remove = () => {}
  beforeAll(async () => {
    const started = await start()
    remove = started.remove
    server = await Server.start(started.program)
  })
  afterAll(async () => {
    await server?.stop('SIGKILL')
    remove()
  })

  async function open(
    path: string,
    answers: Record<string, object> = ANSWERS,
    options: BrowserContextOptions = {},
  ): Promise<Opened> {
    const opened = await openPage(browser, options)
    await stub(opened.page, answers)
    await opened.page.goto(`${server.url}/console${path}`)
    return opened
  }

  const heading = ({ page }: Opened, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

  const get = (path: string, encoding = 'gzip') =>
    fetch(`${server.url}${path}`, { headers: { 'accept-encoding': encoding }, decompress: false })

  test('answers every path with the one page, never kept, under a strict policy', async () => {
    const nonces = new Set<string>()
    for (const path of ['/console', '/console/', '/console/keys', '/console/no/such/page']) {
      const response = await get(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('x-frame-options')).toBe('DENY')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('referrer-policy')).toBe('no-referrer')
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("script-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
      expect(await response.text()).toContain(`nonce="${nonce}"`)
      nonces.add(nonce)
    }
    expect(nonces.size).toBe(4)
  })

  test('answers files for ever, compressed as the browser takes them; the first page is small', async () => {
    const html = await (await get('/console')).text()
    const files = [...html.matchAll(/\/console\/assets\/[^"]+/g)].map(([path]) => path)
    expect(files.length).toBeGreaterThanOrEqual(3)
    const sizes: Record<string, number> = { br: 0, gzip: 0 }
    for (const path of files) {
      const plain = await get(path, 'identity')
      expect(plain.headers.get('content-encoding')).toBeNull()
      const text = await plain.text()
      for (const encoding of ['br', 'gzip']) {
        const response = await get(path, encoding)
        expect(response.headers.get('content-encoding')).toBe(encoding)
        expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
        expect(response.headers.get('x-content-type-options')).toBe('nosniff')
        expect(response.headers.get('vary')).toBe('accept-encoding')
        sizes[encoding] = (sizes[encoding] ?? 0) + (await response.arrayBuffer()).byteLength
        expect(await (await fetch(`${server.url}${path}`, { headers: { 'accept-encoding': encoding } })).text()).toBe(
          text,
        )
      }
      expect((await get(path, 'gzip;q=0, br;q=0')).headers.get('content-encoding')).toBeNull()
      expect((await get(path, 'gzip, deflate, br, zstd')).headers.get('content-encoding')).toBe('br')
    }
    expect(sizes.gzip).toBeLessThan(400_000)
    expect(sizes.br).toBeLessThan(400_000)
  })

  test.each(['/console/assets/', '/console/assets/index.html', '/console/assets/../../etc/passwd', '/consolette'])(
    'has nothing at %s',
    async (path) => {
      expect((await get(path)).status).toBe(404)
    },
  )

  test('leads from the heading of a page to its page of the guide, which is there', async () => {
    const { page } = await open('', { ...ANSWERS, ...FULL })
    const guides: [string, number | undefined][] = []
    for (const name of [...Object.values(PAGES), 'Protection', 'Privacy']) {
      if (name === 'Account' || name.startsWith('Issue for')) continue
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      const link = page.getByRole('link', { name: 'Documentation of this page' })
      const href = (await link.count()) === 1 ? await link.getAttribute('href') : undefined
      guides.push([name, href ? (await get(href)).status : undefined])
    }
    expect(guides.filter(([, status]) => status !== 200)).toEqual([['Usage', undefined]])
    expect(guides.length).toBeGreaterThan(14)
  })

  test('leads to every page by its link and by its address, each loaded on its own, nothing from elsewhere', async () => {
    const { page, complaints, requests } = await open('')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    const first = requests.filter((url) => url.endsWith('.js')).length
    for (const name of Object.values(PAGES).filter((name) => name !== 'Account' && !name.startsWith('Issue for'))) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      expect(await page.title()).toBe(`${name} · Watchword`)
    }
    expect(requests.filter((url) => url.endsWith('.js')).length).toBeGreaterThan(first + 8)
    for (const [path, name] of Object.entries(PAGES)) {
      await page.goto(`${server.url}/console/${path}`)
      await page.getByRole('heading', { level: 1, name }).waitFor()
    }
    expect(requests.filter((url) => !url.startsWith(`${server.url}/console`))).toEqual([])
    expect(complaints).toEqual([])
  })

  // The pages are the same files: what they do is seen of those that are released.
  if (how === 'from source' && !isNightly) return

  test('says of a message at the carrier that it is there, and of an interrupted one that the server was', async () => {
    const attempt = { number: 1, leg: 'sms', provider: 'main', calledAt: STORY.createdAt + 20 }
    const atCarrier = { ...STORY, mode: 'live', attempts: [attempt] }
    const asked = await open('/issues/01a1?mode=live', { ...ANSWERS, 'issues/story': atCarrier })
    await asked.page.getByText('A carrier has been asked to send the message').waitFor()
    await asked.page.getByText('Waiting for the carrier’s answer').waitFor()
    expect(await asked.page.getByText('Waiting to be sent').count()).toBe(0)

    const end = { outcome: 'ambiguous', code: 'INTERRUPTED', answeredAt: STORY.createdAt + 30_020, latencyMs: 30_000 }
    const interrupted = {
      ...{ ...atCarrier, deliveryStatus: 'sent', isAmbiguous: true, outcomeCode: 'INTERRUPTED' },
      attempts: [{ ...attempt, ...end }],
    }
    const told = await open('/issues/01a1?mode=live', { ...ANSWERS, 'issues/story': interrupted })
    await told.page.getByText('The server was interrupted while it sent the message').waitFor()
    const timeline = await told.page.getByRole('list', { name: 'Timeline' }).textContent()
    expect(timeline).toContain('The server was interrupted before the carrier’s answer')
    // It is the lease of who was killed.
    expect(timeline).not.toContain('30,000 ms')
  })

  test('leads whoever is not signed in to the way in, and knows where they wanted to go', async () => {
    const opened = await open('/keys?app=a2', { 'session/current': SIGNED_OUT })
    await heading(opened, 'Sign in')
    expect(new URL(opened.page.url()).searchParams.get('from')).toBe('/keys?app=a2')
    expect(opened.complaints).toEqual([])
    expect(await faultsOf(opened.page)).toEqual([])
  })

  test('signs out', async () => {
    const answers: Record<string, object> = { ...ANSWERS }
    const opened = await open('/keys', answers)
    await opened.page.getByRole('button', { name: 'Menu of Kim Owner' }).click()
    answers['session/current'] = SIGNED_OUT
    await opened.page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(opened, 'Sign in')
    expect(opened.complaints).toEqual([])
  })

  test('shows a failure in the place of the page, with the id to look it up by, and tries again', async () => {
    const answers: Record<string, object> = {
      ...ANSWERS,
      'apps/list': new StubFailure(503, 'SERVICE_UNAVAILABLE', 'The database rests', 'request-42'),
    }
    const { page } = await open('/keys', answers)
    const alert = page.getByRole('alert')
    await alert.getByText('The server cannot do this at the moment').waitFor()
    await alert.getByText('request-42').waitFor()
    answers['apps/list'] = APPS
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
  })

  test('asks for no more than a name to make the first app', async () => {
    const { page } = await open('', {
      ...ANSWERS,
      'apps/list': { apps: [], defaultRegion: 'KR', liveRetentionDays: 180 },
    })
    await page.getByRole('textbox', { name: 'Name of the app' }).waitFor()
    const form = page.locator('form').filter({ hasText: 'Name of the app' })
    expect(await form.locator('input').count()).toBe(1)
  })

  test('says on the overview which server is silent, and of no other', async () => {
    const nodes = (['working', 'silent', 'leaving', 'replaced'] as const).map((state) => ({
      ...{ id: state, name: `${state}:1`, version: '0.1.0', state, startedAt: 1, seenAt: 2, lagMs: 0 },
    }))
    const system = { ...FULL['system/show'], nodes, queue: [] }
    const { page } = await open('', { ...FULL, ...ANSWERS, 'system/show': system })
    await page.getByText('Server silent:1 has sent no heartbeat').waitFor()
    for (const name of ['working', 'leaving', 'replaced'])
      expect(await page.getByText(`Server ${name}:1`).count()).toBe(0)
  })

  test('says on the overview that webhook events wait, where they are many', async () => {
    const queue = [{ kind: 'webhook', waiting: 152_933, due: 0, oldestDueMs: 0 }]
    const system = { ...FULL['system/show'], nodes: [], queue }
    const { page } = await open('', { ...FULL, ...ANSWERS, 'system/show': system })
    await page.getByText('152,933 webhook events are waiting for delivery').waitFor()
  })

  test('says what to do first where there is no app', async () => {
    const { page } = await open('/keys', {
      ...ANSWERS,
      'apps/list': { apps: [], defaultRegion: 'KR', liveRetentionDays: 180 },
    })
    await page.getByText('No app yet').waitFor()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    await page.getByRole('link', { name: 'Create an app' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
  })

  test('keeps app and mode in the address, from page to page', async () => {
    const { page } = await open('/keys')
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    await page.getByRole('combobox', { name: 'App' }).click()
    await page.getByRole('option', { name: 'Clinic' }).click()
    await page.getByText('Live', { exact: true }).click()
    await page.waitForURL(/app=a2.*mode=live/)
    await page.getByRole('link', { name: 'Issues' }).click()
    await page.waitForURL(/\/console\/issues\?app=a2&mode=live/)
  })

  test.each([
    ['', { app: true, mode: true }],
    ['keys', { app: true, mode: true }],
    ['protection', { app: true, mode: false }],
    ['inbox', { app: true, mode: false }],
    ['try-it', { app: true, mode: false }],
    ['wallet', { app: true, mode: false }],
    ['issues/01a1', { app: false, mode: false }],
    ['providers', { app: false, mode: false }],
    ['system', { app: false, mode: false }],
  ])('offers app and mode on /%s only if they change what it shows: %j', async (path, offered) => {
    const { page } = await open(`/${path}`, FULL as Record<string, object>)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const count = (role: 'combobox' | 'radiogroup', name: string) =>
      page.getByRole('banner').getByRole(role, { name, exact: true }).count()
    expect({ app: (await count('combobox', 'App')) === 1, mode: (await count('radiogroup', 'Mode')) === 1 }).toEqual(
      offered,
    )
  })

  test('names the app at 360 pixels, and offers all apps together where a page shows them so', async () => {
    const { page } = await open('', ANSWERS, { viewport: { width: 360, height: 800 } })
    const app = page.getByRole('combobox', { name: 'App' })
    await app.waitFor()
    expect(await app.inputValue()).toBe('All apps')
    expect((await app.boundingBox())?.width).toBeGreaterThan(180)
    await page.goto(`${server.url}/console/keys`)
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    expect(await app.inputValue()).toBe('Shop')
    await app.click()
    await page.getByRole('option', { name: 'Clinic' }).waitFor()
    expect(await page.getByRole('option', { name: 'All apps' }).count()).toBe(0)
  })

  test('keeps the frame and a heading around an address that does not exist', async () => {
    const { page } = await open('/no/such/page')
    await page.getByRole('heading', { level: 1, name: 'No such page' }).waitFor()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
  })

  test('hides what the role may not see', async () => {
    const viewer = { ...OWNER, role: 'viewer', permissions: ['look'] }
    const { page } = await open('', { ...ANSWERS, 'session/current': { ...SIGNED_IN, operator: viewer } })
    await page.getByRole('link', { name: 'System' }).waitFor()
    for (const name of ['Audit log', 'Try it']) expect(await page.getByRole('link', { name }).count()).toBe(0)
  })

  test('tells a viewer whose steps they are, by the roles that may take them', async () => {
    const viewer = { ...OWNER, role: 'viewer', permissions: ['look'] }
    const { page } = await open('', {
      ...ANSWERS,
      'session/current': { ...SIGNED_IN, operator: viewer },
      'apps/list': { apps: [] },
    })
    const steps = page.getByRole('listitem')
    await steps.filter({ hasText: 'Add a webhook' }).getByText('needs the role Owner or Developer.').waitFor()
    await steps.filter({ hasText: 'Top up' }).getByText('needs the role Owner.').waitFor()
  })

  test.each([
    ['audit', 'Audit log', 'for the role Owner.'],
    ['try-it', 'Try it', 'for the role Owner or Developer.'],
    ['templates/edit', 'Templates', 'for the role Owner or Developer.'],
    ['webhooks/edit', 'Webhooks', 'for the role Owner or Developer.'],
  ])('tells a viewer who opens /%s by its address what it is, who may, and whom to ask', async (path, name, who) => {
    const viewer = { ...OWNER, name: 'Lee Viewer', role: 'viewer', permissions: ['look'] }
    const { page, requests, complaints } = await open(`/${path}`, {
      ...ANSWERS,
      'session/current': { ...SIGNED_IN, operator: viewer },
      'operators/list': { operators: [OWNER, { ...viewer, operatorId: 'o2' }], invitations: [] },
    })
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.getByText('Not part of your role').waitFor()
    await page.getByText(`You are signed in as Viewer. This page is ${who}`).waitFor()
    await page.getByText('Kim Owner · owner@example.com').waitFor()
    expect(await page.getByText('Lee Viewer ·').count()).toBe(0)
    expect(requests.filter((url) => /\/(audit|inbox)\//.test(url))).toEqual([])
    expect(await faultsOf(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test('says who is signed in: beside the menu where there is room, in it everywhere', async () => {
    const { page } = await open('')
    const menu = page.getByRole('button', { name: 'Menu of Kim Owner, Owner' })
    await menu.getByText('Kim Owner').waitFor()
    await menu.getByText('Owner', { exact: true }).waitFor()
    await page.setViewportSize(PHONE)
    await menu.getByText('Kim Owner').waitFor({ state: 'hidden' })
    await menu.click()
    await page.getByRole('menu').getByText('Kim Owner').waitFor()
    await page.getByRole('menu').getByText('owner@example.com').waitFor()
    await page.getByRole('menu').getByText('Owner', { exact: true }).waitFor()
  })

  test('speaks Korean to Korean browsers, and what was chosen ever after', async () => {
    const opened = await open('/keys', ANSWERS, { locale: 'ko-KR' })
    const { page } = opened
    await heading(opened, 'API 키')
    expect(await page.getAttribute('html', 'lang')).toBe('ko')
    await page.getByRole('button', { name: 'Kim Owner 메뉴' }).click()
    await page.getByRole('menuitemradio', { name: 'English' }).click()
    await heading(opened, 'API keys')
    await page.reload()
    await heading(opened, 'API keys')
    expect(await page.getAttribute('html', 'lang')).toBe('en')
    expect(opened.complaints).toEqual([])
  })

  test('is light or dark as the system is, or as chosen', async () => {
    const { page, complaints } = await open('', ANSWERS, { colorScheme: 'dark' })
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(await background()).toBe('rgb(21, 22, 25)')
    await page.getByRole('button', { name: 'Menu of Kim Owner' }).click()
    await page.getByRole('menuitemradio', { name: 'Light' }).click()
    expect(await background()).toBe('rgb(245, 246, 248)')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(await background()).toBe('rgb(245, 246, 248)')
    expect(complaints).toEqual([])
  })

  test('works by keyboard: skips to the content, opens a page', async () => {
    const { page } = await open('')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
    await page.getByRole('link', { name: 'Webhooks' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  })

  test('works on a phone: the pages are behind a button, nothing is wider than the screen', async () => {
    const { page, complaints } = await open('', ANSWERS, { viewport: PHONE, hasTouch: true, isMobile: true })
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(await page.getByRole('link', { name: 'Wallet' }).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page.getByRole('link', { name: 'Wallet' }).click()
    await page.getByRole('heading', { level: 1, name: 'Wallet' }).waitFor()
    await page.getByRole('link', { name: 'Wallet' }).waitFor({ state: 'hidden' })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expect(await faultsOf(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test.each(LIGHTS)('has no faults that axe can find when it is %s', async (colorScheme) => {
    const { page } = await open('/keys', ANSWERS, { colorScheme })
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Menu of Kim Owner' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
  })
})
