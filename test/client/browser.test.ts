/** The typed client and the docs in a real browser, against a real server. Only loopback is reached. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { relative } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { contract } from '../../contract'
import { curlIn } from '../binary/curl'
import {
  type Json,
  newFolder,
  type Program,
  programIn,
  ROOT,
  run,
  runJson,
  Server,
  StubCarrier,
} from '../binary/support'
import { launch, WAITS_AT_MOST_MS } from '../console/support'
import { HANGS_AFTER_MS, until } from '../support/until'
import './page'

setDefaultTimeout(HANGS_AFTER_MS)

const FLAG = '--host-resolver-rules=MAP app.test 127.0.0.1, MAP evil.test 127.0.0.1'

const folder = newFolder()
const program: Program = programIn(folder.path)
const carrier = new StubCarrier()

let bundle: { script: string; inputs: string[] }
let pages: Bun.Server<undefined>
let browser: Browser
let server: Server
const keys = { pkTest: '', skTest: '', pkLive: '', pkElsewhere: '', skLive: '' }

/** What a site of somebody else would serve. */
const serveSite = () =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname
      const script = { headers: { 'content-type': 'text/javascript' } }
      if (path === '/client.js') return new Response(bundle.script, script)
      if (path === '/worker.js') return new Response(WORKER, script)
      if (path === '/testing.js') return new Response(await testingScript(), script)
      const html = '<!doctype html><title>A site</title><script type="module" src="/client.js"></script>'
      return new Response(html, { headers: { 'content-type': 'text/html' } })
    },
  })

const WORKER = `
  import '/client.js'
  onmessage = ({ data }) => {
    try {
      watchword.createOtpClient(data)
      postMessage('created')
    } catch (error) {
      postMessage(error.code)
    }
  }
`

async function bundleClient(): Promise<typeof bundle> {
  const inputs: string[] = []
  const result = await Bun.build({
    entrypoints: [`${import.meta.dir}/page.ts`],
    target: 'browser',
    format: 'esm',
    plugins: [
      {
        name: 'remember-inputs',
        setup: (build) => {
          build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            inputs.push(relative(ROOT, path))
            return { contents: await Bun.file(path).text(), loader: 'ts' }
          })
        },
      },
    ],
  })
  return { script: (await result.outputs[0]?.text()) ?? '', inputs }
}

beforeAll(async () => {
  bundle = await bundleClient()
  pages = serveSite()
  const { appId } = await runJson(program, 'app', 'create', 'demo')
  const newKey = async (...args: string[]) => (await runJson(program, 'key', 'create', '--app', appId, ...args)).key
  keys.pkTest = await newKey('--kind', 'pk', '--mode', 'test')
  keys.skTest = await newKey('--kind', 'sk', '--mode', 'test')
  keys.skLive = await newKey('--kind', 'sk', '--mode', 'live')
  keys.pkLive = await newKey('--kind', 'pk', '--mode', 'live', '--origin', origin('app.test'))
  keys.pkElsewhere = await newKey('--kind', 'pk', '--mode', 'live', '--origin', 'https://elsewhere.example.com')
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '10')
  const sms = ['--type', 'http', '--channel', 'sms', '--url', carrier.url]
  await runJson(program, 'provider', 'set', 'main', ...sms)
  server = await Server.start(program)
  browser = await launch(FLAG)
})

afterAll(async () => {
  await browser?.close()
  await server?.stop('SIGKILL')
  await pages?.stop(true)
  await carrier.stop()
  folder.remove()
})

afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
})

const origin = (host: string) => `http://${host}:${pages.port}`

/** A page of a site, with every request it makes. */
async function open(url: string): Promise<{ page: Page; requests: string[]; complaints: string[] }> {
  const page = await browser.newPage()
  page.setDefaultTimeout(WAITS_AT_MOST_MS)
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  // What a page tries and catches is said nowhere else.
  await page.addInitScript(() =>
    addEventListener('securitypolicyviolation', (event) => {
      const { violatedDirective, blockedURI } = event as unknown as Record<string, string>
      console.error(`against the policy: ${violatedDirective} ${blockedURI}`)
    }),
  )
  await page.goto(url)
  return { page, requests, complaints }
}

async function openSite(host: string): Promise<Page> {
  const { page } = await open(`${origin(host)}/`)
  await page.waitForFunction(() => globalThis.watchword !== undefined)
  return page
}

/** Issues from within a page; the error's fields where it is refused. */
const issueIn = (page: Page, apiKey: string, phoneNumber = '010-0000-0000', requestId?: string): Promise<Json> =>
  page.evaluate(
    async ({ baseUrl, apiKey, phoneNumber, requestId }) => {
      const otp = watchword.createOtpClient({ baseUrl, apiKey })
      const idempotencyKey = `from-a-page-${Math.random()}`
      const options = requestId === undefined ? {} : { requestId }
      return otp.issue({ phoneNumber, purpose: 'signup', idempotencyKey }, options).catch((error) => ({
        isWatchwordError: error instanceof watchword.WatchwordError,
        code: error.code,
        status: error.status,
        requestId: error.requestId,
        retryAfterMs: error.retryAfterMs,
        retryable: error.retryable,
      }))
    },
    { baseUrl: `${server.url}/v1`, apiKey, phoneNumber, requestId },
  )

const verifyIn = (page: Page, apiKey: string, issueId: string, code: string): Promise<Json> =>
  page.evaluate(
    ({ baseUrl, apiKey, issueId, code }) => watchword.createOtpClient({ baseUrl, apiKey }).verify({ issueId, code }),
    { baseUrl: `${server.url}/v1`, apiKey, issueId, code },
  )

/** How many issues there are, whoever made them. */
async function issueCount(): Promise<number> {
  const counts = await Promise.all(
    [keys.skTest, keys.skLive].map(
      async (key) => (await server.call('GET', '/v1/issues?limit=100', key)).body.items.length,
    ),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

const BLOCKED = { isWatchwordError: true, code: 'NETWORK_ERROR', status: 0 }

describe('the client in a page', () => {
  test('is bundled from the client and the contract, with nothing of the server', () => {
    const own = bundle.inputs.filter((path) => !path.includes('node_modules'))
    expect(own).toContain('client/index.ts')
    expect(own.filter((path) => !/^(client|contract|test\/client)\//.test(path))).toEqual([])
  })

  test.each(['localhost', '127.0.0.1'])('of http://%s issues and verifies with a public test key', async (host) => {
    const page = await openSite(host)
    const { issueId, mode } = await issueIn(page, keys.pkTest)
    expect(mode).toBe('test')
    expect(await verifyIn(page, keys.pkTest, issueId, '123456')).toMatchObject({
      verified: false,
      reasonCode: 'MISMATCH',
    })
    expect(await verifyIn(page, keys.pkTest, issueId, '000000')).toMatchObject({ verified: true, issueId })
  })

  test('of a registered origin issues and verifies with a public live key', async () => {
    const page = await openSite('app.test')
    const { issueId } = await issueIn(page, keys.pkLive, '010-1234-5678')
    await until(() => carrier.codeFor('+821012345678'), 'the text to arrive')
    expect(await verifyIn(page, keys.pkLive, issueId, carrier.codeFor('+821012345678'))).toMatchObject({
      verified: true,
      mode: 'live',
    })
  })

  test.each([
    ['010-0000-0006', { code: 'TOO_MANY_REQUESTS', status: 429, retryAfterMs: 60_000, retryable: true }],
    ['010-0000-0007', { code: 'PAYMENT_REQUIRED', status: 402, retryable: false }],
    ['010-0000-0009', { code: 'SERVICE_UNAVAILABLE', status: 503, retryAfterMs: 2_000, retryable: true }],
    ['010-1234-5678', { code: 'BAD_REQUEST', status: 400, retryable: false }],
  ])('reads request id and Retry-After of the error for %s', async (phoneNumber, expected) => {
    const page = await openSite('localhost')
    const error = await issueIn(page, keys.pkTest, phoneNumber)
    expect(error).toMatchObject({ isWatchwordError: true, ...expected })
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('is told the time of the service', async () => {
    const page = await openSite('localhost')
    const before = Date.now()
    const { serverTime } = await issueIn(page, keys.pkTest)
    expect(Date.parse(serverTime)).toBeWithin(before, Date.now() + 1)
  })

  test.each([-7, 0, 7])('counts by the time of the service, where the device is wrong by %i h', async (hours) => {
    const page = await openSite('localhost')
    await page.clock.setFixedTime(Date.now() + hours * 3_600_000)
    const before = Date.now()
    const states = await page.evaluate(
      async ({ baseUrl, apiKey }) => {
        const transport = watchword.createOtpClient({ baseUrl, apiKey })
        const flow = watchword.createFlow({ transport, purpose: 'signup', storage: sessionStorage })
        return [await flow.send('010-0000-0000'), await flow.submit('０００ ０００')]
      },
      { baseUrl: `${server.url}/v1`, apiKey: keys.pkTest },
    )
    expect(states).toMatchObject([{ status: 'awaiting_code', resendInMs: 0 }, { status: 'verified' }])
    // Some time may have passed since the service has told it.
    const expiresInMs = states[0]?.status === 'awaiting_code' ? states[0].expiresInMs : 0
    expect(expiresInMs).toBeWithin(180_000 - (Date.now() - before), 180_001)
  })

  test('may name the request', async () => {
    const page = await openSite('localhost')
    expect((await issueIn(page, keys.pkTest, '010-0000-0007', 'checkout:42')).requestId).toBe('checkout:42')
  })

  test('is told, readably, what a public key may not do', async () => {
    const page = await openSite('localhost')
    const error = await page.evaluate(
      ({ baseUrl, apiKey }) =>
        watchword
          .createOtpClient({ baseUrl, apiKey })
          .balance()
          .catch(({ code, status }) => ({ code, status })),
      { baseUrl: `${server.url}/v1`, apiKey: keys.pkTest },
    )
    expect(error).toEqual({ code: 'FORBIDDEN', status: 403 })
  })

  test.each([
    ['evil.test', 'pkTest', 'a test key, from an origin that is not local'],
    ['evil.test', 'pkLive', 'a live key, from an origin it does not list'],
    ['app.test', 'pkElsewhere', 'a live key that lists another origin, from one that some other key lists'],
    ['localhost', 'pkLive', 'a live key, from a local origin it does not list'],
  ] as const)('of http://%s is blocked by the browser with %s: %s', async (host, key) => {
    const before = await issueCount()
    const page = await openSite(host)
    expect(await issueIn(page, keys[key])).toMatchObject(BLOCKED)
    expect(await issueCount()).toBe(before)
  })

  test('refuses a secret key before anything is sent, in a page and in a worker', async () => {
    const { page, requests } = await open(`${origin('localhost')}/`)
    await page.waitForFunction(() => globalThis.watchword !== undefined)
    for (const apiKey of [keys.skTest, keys.skLive]) {
      const options = { baseUrl: `${server.url}/v1`, apiKey }
      const inPage = await page.evaluate((given) => {
        try {
          watchword.createOtpClient(given)
          return 'created'
        } catch (error) {
          return (error as { code: string }).code
        }
      }, options)
      expect(inPage).toBe('SECRET_KEY_IN_BROWSER')
      const inWorker = await page.evaluate(
        (given) =>
          new Promise((resolve) => {
            const worker = new Worker('/worker.js', { type: 'module' })
            worker.onmessage = ({ data }) => resolve(data)
            worker.postMessage(given)
          }),
        options,
      )
      expect(inWorker).toBe('SECRET_KEY_IN_BROWSER')
    }
    expect(requests.filter((request) => request.includes(server.url))).toEqual([])
  })

  test.each(['localhost', 'app.test'])('of http://%s can make idempotency keys', async (host) => {
    const page = await openSite(host)
    const made = await page.evaluate(() => [watchword.newIdempotencyKey(), watchword.newIdempotencyKey()])
    expect(new Set(made).size).toBe(2)
    for (const key of made) expect(key).toMatch(/^[!-~]{16,128}$/)
  })
})

/** Test mode in memory as a page loads it, where nothing is of Node. */
async function testingScript(): Promise<string> {
  const entrypoints = [`${ROOT}/client/testing/index.ts`]
  const { outputs } = await Bun.build({ entrypoints, target: 'browser', format: 'esm', external: ['node:*'] })
  return (await outputs[0]?.text()) ?? ''
}

test('test mode in memory plays in a page, which asks nobody', async () => {
  const { page, requests, complaints } = await open(`${origin('localhost')}/`)
  const before = requests.length
  const told = await page.evaluate(async (path) => {
    const { createTestClient } = await import(path)
    const otp = createTestClient({ now: 0 })
    const { issueId } = await otp.issue({ phoneNumber: '+44 7700 900010', purpose: 'signup', idempotencyKey: 'k' })
    await otp.advance(4_000)
    const { deliveryStatus } = await otp.status({ issueId })
    otp.failNext('TIMEOUT')
    const code = await otp.verify({ issueId, code: '000000' }).catch((error: { code: string }) => error.code)
    return { deliveryStatus, code, ...(await otp.verify({ issueId, code: '000000' })) }
  }, '/testing.js')
  expect(told).toMatchObject({ deliveryStatus: 'delivered', code: 'TIMEOUT', verified: true, mode: 'test' })
  expect(requests.slice(before)).toEqual([`GET ${origin('localhost')}/testing.js`])
  expect(complaints).toEqual([])
})

describe('the docs', () => {
  const summaries = Object.values(contract).map((procedure) => procedure['~orpc'].route.summary ?? '')

  async function openDocs() {
    const opened = await open(`${server.url}/docs`)
    await opened.page
      .getByRole('button', { name: /^Test Request/ })
      .first()
      .waitFor()
    for (const group of await opened.page.getByRole('button', { name: /^Open Group/ }).all()) await group.waitFor()
    for (const name of ['History', 'Wallet', 'Templates']) {
      await opened.page.getByRole('button', { name: `Open Group - ${name}` }).click()
    }
    return opened
  }

  test('may make no code of text, and need not', async () => {
    const { headers } = await fetch(`${server.url}/docs`)
    expect(headers.get('content-security-policy')).toContain("script-src 'self';")
    expect(headers.get('content-security-policy')).not.toContain('unsafe-eval')
  })

  test('show every operation, ask no other host for anything, and break no rule of their own', async () => {
    const { page, requests, complaints } = await openDocs()
    expect(summaries).toHaveLength(9)
    for (const summary of summaries) {
      const link = page.getByRole('link', { name: summary }).first()
      await link.click()
      await page.getByRole('heading', { name: summary }).first().waitFor()
    }
    expect(requests.length).toBeGreaterThanOrEqual(4)
    expect(requests.filter((request) => !request.split(' ')[1]?.startsWith(`${server.url}/`))).toEqual([])
    expect(complaints).toEqual([])
  })

  test('let a stranger paste a key and send every operation as it is prefilled', async () => {
    const { page, requests, complaints } = await openDocs()
    await page.getByPlaceholder('Token').fill(keys.skTest)
    const dialog = page.getByRole('dialog')
    const answers: Record<string, number> = {}
    for (const [name, procedure] of Object.entries(contract)) {
      const { method = 'GET', path = '', summary = '' } = procedure['~orpc'].route
      await page.getByRole('link', { name: summary }).first().click()
      await page.getByRole('button', { name: `Test Request (${method.toLowerCase()} ${path})` }).click()
      const answered = page.waitForResponse((response) => response.url().startsWith(`${server.url}/v1/`))
      await dialog.getByRole('button', { name: /^Send Request/ }).click()
      const status = (await answered).status()
      answers[name] = status
      await dialog
        .getByText(new RegExp(`^\\s*${status} `))
        .first()
        .waitFor()
      if (name === 'balance') expect(await dialog.textContent()).toContain('1000000')
      await dialog.getByRole('button', { name: 'Close Client' }).click()
    }
    expect(answers).toEqual({
      issue: 200,
      verify: 200,
      status: 404,
      listIssues: 200,
      getIssue: 404,
      listCreditLedger: 200,
      balance: 200,
      listTemplates: 200,
      getTemplate: 200,
    })
    expect(requests.filter((request) => !request.split(' ')[1]?.startsWith(`${server.url}/`))).toEqual([])
    expect(complaints.filter((complaint) => !complaint.includes('404 (Not Found)'))).toEqual([])
    // A secret key is not left behind in the browser.
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain('sk_')
  })

  /** What the copy button of the sample of an operation gives. */
  async function copied(page: Page, path: string): Promise<string> {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const sample = page.locator('.code-snippet', { hasText: `/v1${path}` }).first()
    await sample.hover()
    await sample.getByRole('button', { name: 'Copy' }).click()
    return page.evaluate(() => navigator.clipboard.readText())
  }

  test('have samples that can be pasted as they are, with a new idempotency key each time', async () => {
    const { page } = await openDocs()
    await page.getByPlaceholder('Token').fill(keys.skTest)
    await page.getByRole('link', { name: 'Issue a code and queue its delivery' }).first().click()
    const command = await copied(page, '/issue')
    expect(command).toStartWith(`curl ${server.url}/v1/issue`)
    // It would be counted as the end user's.
    expect(command).not.toContain('X-Watchword-Client-Ip')
    const home = newFolder()
    try {
      const env = { PATH: `${curlIn(home.path)}:${process.env.PATH}` }
      const paste = async () => {
        const { stdout } = await run({ command: ['sh', '-c', command], cwd: home.path, env })
        return JSON.parse(stdout)
      }
      const [first, second] = [await paste(), await paste()]
      expect([first, second]).toMatchObject([{ mode: 'test' }, { mode: 'test' }])
      expect(second.issueId).not.toBe(first.issueId)
    } finally {
      home.remove()
    }
    // Where no shell makes one, the key is of the moment.
    await page.getByRole('tab', { name: 'Node.js' }).click()
    const script = await copied(page, '/issue')
    expect(script).toMatch(/'Idempotency-Key': 'try-[\w.:-]+'/)
  })

  test('make a new idempotency key for each send, show that they do, and send one that is typed', async () => {
    const { page } = await openDocs()
    await page.getByPlaceholder('Token').fill(keys.skTest)
    await page.getByText('Here each send makes a new one').waitFor()
    await page.getByRole('button', { name: 'Test Request (post /issue)' }).click()
    const dialog = page.getByRole('dialog')
    const send = async () => {
      const answered = page.waitForResponse(`${server.url}/v1/issue`)
      await dialog.getByRole('button', { name: 'Send post request' }).click()
      const response = await answered
      await dialog.getByText(/^\s*200 /).waitFor()
      const { issueId } = await response.json()
      return { key: await response.request().headerValue('idempotency-key'), issueId }
    }
    const keyField = dialog
      .getByRole('row', { name: 'Include Idempotency-Key' })
      .getByRole('combobox', { name: 'Value' })
    expect(await keyField.textContent()).toBe('try-$isoTimestamp')
    const first = await send()
    const second = await send()
    expect(first.key).toMatch(/^try-20[0-9TZ:.-]+$/)
    expect(second.key).not.toBe(first.key)
    expect(second.issueId).not.toBe(first.issueId)
    await keyField.fill(second.key ?? '')
    expect(await send()).toEqual(second)
  })

  test('offer the description as it is published', async () => {
    const { page } = await openDocs()
    const link = page.getByRole('link', { name: 'Download OpenAPI Document' })
    expect(await link.getAttribute('href')).toBe('/v1/openapi.json')
  })
})
