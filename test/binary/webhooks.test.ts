/** What receivers see of the released binary: real requests on loopback, verified as customers verify them. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server as TcpServer } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, verifyWebhookSignature, WebhookVerificationError } from '../../client/webhook'
import { EVENT_TYPES, otpEvent, sampleEvent } from '../../contract/event'
import { HOUR_MS } from '../../src/domain/shared/value'
import { errorOf } from '../support/error-of'
import { HANGS_AFTER_MS, until } from '../support/until'
import { alone, compile } from './compiled'
import {
  ANSWER,
  expectSigned,
  HOOK_SETTINGS,
  parse,
  type Received,
  Receiver,
  signatureOf,
  standardHeaders,
} from './hook-receiver'
import { jsonHere, runHere } from './in-process'
import { type Json, type Program, run, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const CODE = '000000'
const HEADER_SECRET = 'Hdr-secret-81c2-of-the-receiver'

/** A socket that nobody may connect to. */
class Forbidden {
  connections = 0
  readonly #server: TcpServer = createServer((socket) => {
    this.connections += 1
    socket.destroy()
  })

  static async start(): Promise<Forbidden> {
    const forbidden = new Forbidden()
    await new Promise<void>((listening) => forbidden.#server.listen(0, '127.0.0.1', listening))
    return forbidden
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  stop = () => this.#server.close()
}

const undo: Array<() => unknown> = []
let binary = ''
/** The program and its server that most tests share; each has an app of its own. */
let program: Program
let server: Server

function newReceiver(): Receiver {
  const receiver = new Receiver()
  undo.push(receiver.stop)
  return receiver
}

async function newForbidden(): Promise<Forbidden> {
  const forbidden = await Forbidden.start()
  undo.push(forbidden.stop)
  return forbidden
}

async function newServer(from: Program): Promise<Server> {
  const started = await Server.start(from)
  undo.push(() => started.stop('SIGKILL'))
  return started
}

beforeAll(async () => {
  binary = await compile()
  const placed = alone(binary, { ...HOOK_SETTINGS, WATCHWORD_LOG_LEVEL: 'debug' })
  program = placed.program
  undo.push(placed.remove)
  server = await newServer(program)
})
afterAll(async () => {
  for (const step of undo.reverse()) await step()
})

interface App {
  appId: string
  key: string
}

async function newApp(of = program): Promise<App> {
  const { appId } = await jsonHere(of, 'app', 'create', 'demo')
  const { key } = await jsonHere(of, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')
  return { appId, key }
}

interface Hook {
  endpointId: string
  secret: string
}

const hookIn =
  (of: Program, mode: 'live' | 'test' = 'test') =>
  ({ appId }: App, url: string, events: string, ...more: string[]): Promise<Hook> =>
    jsonHere(of, 'webhook', 'add', '--app', appId, '--mode', mode, '--url', url, '--events', events, ...more)
const addHook = (...args: Parameters<ReturnType<typeof hookIn>>) => hookIn(program)(...args)

const eventsOf = async (endpointId: string, of = program): Promise<Json[]> =>
  (await jsonHere(of, 'webhook', 'events', endpointId)).events

/** How many events there are to tell, in the database: a command would cost more than what it looks for. */
function deliveries(condition: string, of = program): number {
  using database = new Database(join(of.cwd, 'watchword-data', 'watchword.db'), { readonly: true })
  const rows = `SELECT count(*) AS n FROM webhook_deliveries WHERE ${condition}`
  return database.query<{ n: number }, []>(rows).get()?.n ?? 0
}
/** Once each event has been tried. */
const allTried = (of: Program) => until(() => deliveries('attempts = 0', of) === 0, 'every event to be tried')

/** Once nothing of it is to be sent any more. */
async function settledEvents(endpointId: string): Promise<Json[]> {
  const its = `endpoint_id = '${endpointId}'`
  const isSettled = () => deliveries(its) > 0 && deliveries(`${its} AND status = 'pending'`) === 0
  await until(isSettled, `${endpointId} to be settled`)
  return eventsOf(endpointId)
}

const listed = async ({ appId }: App, of = program): Promise<Json[]> =>
  (await runJson(of, 'webhook', 'list', '--app', appId)).webhooks

/** Magic numbers 11 to 99 behave like 00. */
let issued = 0
async function issue({ key }: App, more: object = {}, at = server): Promise<string> {
  const { status, body } = await at.issue(key, `010-0000-00${11 + (issued++ % 89)}`, more)
  expect(status).toBe(200)
  return body.issueId
}

/** A code that is verified at once. */
async function verified(app: App, more: object = {}, at = server): Promise<string> {
  const issueId = await issue(app, more, at)
  expect((await at.verify(app.key, issueId, CODE)).body).toMatchObject({ verified: true })
  return issueId
}

/** A code whose only attempt is used: its event tells the metadata. */
async function lost(app: App, more: object = {}): Promise<string> {
  const issueId = await issue(app, { ...more, maxAttempts: 1 })
  expect((await server.verify(app.key, issueId, '111111')).body).toMatchObject({ reasonCode: 'MAX_ATTEMPTS' })
  return issueId
}

describe.concurrent('a receiver', () => {
  test('is told of a code that is sent, verified and delivered by three signed POSTs, in order', async () => {
    const [app, stranger] = await Promise.all([newApp(), newApp()])
    const receiver = newReceiver()
    const added = await addHook(app, receiver.url(), 'otp.sent,otp.delivered,otp.verified')
    const { endpointId, secret } = added
    expect(endpointId).toMatch(/^whe_[a-z0-9]+$/)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const all = EVENT_TYPES.join(',')
    await hookIn(program, 'live')(app, receiver.url('/live'), all)
    await addHook(stranger, receiver.url('/stranger'), all)
    let letGo = () => {}
    const isLetGo = new Promise<void>((resolve) => {
      letGo = resolve
    })
    receiver.answer = async ({ path, event }) => {
      if (path === '/hooks' && event.type === 'otp.sent') await isLetGo
      return new Response(ANSWER)
    }

    const { body } = await server.issue(app.key, '010-0000-0000', { metadata: { userId: 'u_42' } })
    const { issueId } = body
    await receiver.has(1)
    expect((await server.verify(app.key, issueId, CODE)).body).toMatchObject({ verified: true })
    // The second must wait for the first to be answered, though a later one of somebody else arrives meanwhile.
    const later = await verified(stranger)
    const isOfLater = ({ event }: Received) => event.type === 'otp.verified' && event.data.id === later
    await until(() => receiver.at('/stranger').some(isOfLater), 'a later event')
    expect(receiver.types()).toEqual(['otp.sent'])
    letGo()
    const [sent, isVerified, delivered] = (await receiver.has(3)) as [Received, Received, Received]

    expect(receiver.types()).toEqual(['otp.sent', 'otp.verified', 'otp.delivered'])
    expect(isVerified.arrivedAt).toBeGreaterThanOrEqual(sent.answeredAt ?? Number.POSITIVE_INFINITY)
    for (const request of [sent, delivered, isVerified]) {
      await expectSigned(request, secret)
      expect<unknown>(otpEvent.parse(request.event)).toEqual(request.event)
      expect(request.event.data.id).toBe(issueId)
      expect(request.headers.get('content-type')).toBe('application/json')
      // Neither the number nor the code.
      expect(request.body.replaceAll(issueId, '').replaceAll(request.event.id, '')).not.toMatch(/0000000|10-0000/)
    }
    expect(sent.event.data).toMatchObject({ to: '+82******0000', method: 'sms', type: 'signup', status: 'sent' })
    expect(delivered.event.data).toMatchObject({ status: 'delivered', country: 'KR', metadata: { userId: 'u_42' } })
    expect(isVerified.event.data).toMatchObject({ status: 'verified', attempts: 1 })

    const events = await settledEvents(endpointId)
    expect(events.map(({ type, status, attempts }) => [type, status, attempts])).toEqual([
      ['otp.delivered', 'delivered', 1],
      ['otp.verified', 'delivered', 1],
      ['otp.sent', 'delivered', 1],
    ])
    expect(events[2].log).toEqual([
      { number: 1, at: expect.any(String), latencyMs: expect.any(Number), status: 200, answer: ANSWER },
    ])
    // By two clocks, each of which is cut to whole milliseconds.
    expect(events[2].log[0].latencyMs).toBeGreaterThanOrEqual((sent.answeredAt ?? Infinity) - sent.arrivedAt - 2)
    // Nobody else's.
    expect(receiver.at('/hooks')).toHaveLength(3)
    expect(receiver.at('/live')).toEqual([])
    expect(receiver.at('/stranger').map(({ event }) => event.data.id)).not.toContain(issueId)
  })

  test('that the guard forbids gets nothing and the attempt is logged as refused; what the settings allow arrives', async () => {
    const { program: guarded, remove } = alone(binary)
    undo.push(remove)
    const receiver = newReceiver()
    const forbidden = await newForbidden()
    const app = await newApp(guarded)
    const add = hookIn(guarded)
    const first = await newServer(guarded)
    const plain = await add(app, receiver.url(), 'otp.verified')
    expect(plain).toMatchObject({ warning: expect.stringContaining('must begin with https://') })
    const others: Hook[] = []
    for (const host of ['127.0.0.1', '2130706433', 'localhost', '0.0.0.0', '[::ffff:7f00:1]', '169.254.169.254'])
      others.push(await add(app, `https://${host}:${forbidden.port}/`, 'otp.verified'))
    await verified(app, {}, first)
    await allTried(guarded)
    // Before it tries again.
    expect(await first.stop()).toBe(0)
    for (const { endpointId } of [plain, ...others]) {
      const [event] = await eventsOf(endpointId, guarded)
      expect(event).toMatchObject({ status: 'pending', attempts: 1, lastError: expect.stringMatching(/^forbidden: /) })
      expect(event.log).toMatchObject([{ number: 1, error: event.lastError }])
    }
    expect(receiver.received).toEqual([])
    expect(forbidden.connections).toBe(0)

    // One setting is not enough.
    const half: Program = { ...guarded, env: { WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true' } }
    const second = await newServer(half)
    await runJson(half, 'webhook', 'test', plain.endpointId)
    await allTried(half)
    expect((await eventsOf(plain.endpointId, half))[0].lastError).toContain('127.0.0.1')
    expect(receiver.received).toEqual([])
    expect(await second.stop()).toBe(0)

    const open: Program = { ...guarded, env: HOOK_SETTINGS }
    await newServer(open)
    const [, event] = await eventsOf(plain.endpointId, open)
    await runJson(open, 'webhook', 'replay', plain.endpointId, '--event', event.eventId)
    await until(() => receiver.received.some((request) => request.event.id === event.eventId), 'the event at last')
    await runJson(open, 'webhook', 'test', others[0]?.endpointId ?? '')
    await until(() => forbidden.connections > 0, 'a connection')
  })
})

describe.concurrent('no event is lost', () => {
  test('when the server is killed between the commit and the send', async () => {
    const { program: killed, remove } = alone(binary, HOOK_SETTINGS)
    undo.push(remove)
    const receiver = newReceiver()
    let held = true
    receiver.answer = () => (held ? new Promise(() => {}) : new Response())
    const app = await newApp(killed)
    const { secret } = await hookIn(killed)(app, receiver.url(), 'otp.verified')
    const first = await newServer(killed)
    // More than are sent at a time, to a receiver that answers none: the rest is committed and waits.
    const issues: string[] = []
    for (let count = 0; count < 12; count++) issues.push(await issue(app, {}, first))
    // At once, so that none of them is given up meanwhile.
    await Promise.all(issues.map((issueId) => first.verify(app.key, issueId, CODE)))
    await receiver.has(1)
    await first.stop('SIGKILL')
    const begun = new Set(receiver.received.map(({ event }) => event.data.id))
    const unsent = issues.filter((issueId) => !begun.has(issueId))
    expect(unsent.length).toBeGreaterThan(0)

    held = false
    receiver.received.length = 0
    await newServer(killed)
    // Those whose answer was never seen come again, too.
    const arrived = await receiver.has(issues.length)
    expect(arrived.map(({ event }) => event.data.id).sort()).toEqual([...issues].sort())
    for (const request of arrived) await expectSigned(request, secret)
  })

  test('when no server runs: it waits for the next one', async () => {
    const { program: asleep, remove } = alone(binary, HOOK_SETTINGS)
    undo.push(remove)
    const receiver = newReceiver()
    const { endpointId, secret } = await hookIn(asleep)(await newApp(asleep), receiver.url(), 'otp.sent')
    const { eventId } = await runJson(asleep, 'webhook', 'test', endpointId)
    expect((await eventsOf(endpointId, asleep))[0]).toMatchObject({ eventId, status: 'pending', attempts: 0 })
    await newServer(asleep)
    const [request] = (await receiver.has(1)) as [Received]
    await expectSigned(request, secret)
    expect(request.event.id).toBe(eventId)
  })
})

/** Each path answers in its own way. */
describe('an answer', () => {
  const JUDGED: Array<[path: string, status: string, lastStatus: number]> = [
    ['/204', 'delivered', 204],
    ['/400', 'failed', 400],
    ['/408', 'pending', 408],
    ['/429', 'pending', 429],
    ['/500', 'pending', 500],
    ['/lost', 'pending', 307],
  ]
  const RETRY_AFTER_SEC = 3_600
  const ids = new Map<string, string>()
  let receiver: Receiver
  let elsewhere: Receiver
  let forbidden: Forbidden
  let at: Program
  let [issuedAt, triedAt] = [0, 0]

  /** Reached through the unspecified address, which is in no network that the settings allow. */
  const forbiddenUrl = () => `http://0.0.0.0:${forbidden.port}/`
  const redirect = (status: number, location: string) => new Response(null, { status, headers: { location } })

  beforeAll(async () => {
    receiver = newReceiver()
    elsewhere = newReceiver()
    forbidden = await newForbidden()
    receiver.answer = ({ path }) => {
      if (path === '/moved') return redirect(308, '/moved-here#part')
      if (path === '/moved-away') return redirect(307, elsewhere.url())
      if (path === '/trap') return redirect(302, forbiddenUrl())
      if (path === '/lost') return redirect(307, '/lost')
      const status = Number(path.slice(1)) || 200
      const headers = new Headers(status === 429 ? { 'retry-after': String(RETRY_AFTER_SEC) } : {})
      return new Response(status === 204 ? null : `answer to ${path}`, { status, headers })
    }
    const placed = alone(binary, HOOK_SETTINGS)
    undo.push(placed.remove)
    at = placed.program
    const app = await newApp(at)
    const paths = [...JUDGED.map(([path]) => path), '/moved', '/moved-away', '/trap', '/410']
    for (const path of paths) {
      const headers = ['--header', `X-Api-Key: ${HEADER_SECRET}`]
      ids.set(path, (await hookIn(at)(app, receiver.url(path), 'otp.verified', ...headers)).endpointId)
    }
    const asking = await newServer(at)
    issuedAt = Date.now()
    await verified(app, {}, asking)
    await allTried(at)
    triedAt = Date.now()
    // Before it tries again what failed.
    expect(await asking.stop()).toBe(0)
  })

  const eventOf = async (path: string) => (await eventsOf(ids.get(path) ?? '', at))[0]

  test.each(JUDGED)('of %s makes the event %s', async (path, status, lastStatus) => {
    const event = await eventOf(path)
    expect(event).toMatchObject({ status, lastStatus, attempts: 1 })
    if (status === 'pending') {
      // From the moment at which it was answered, which was in between.
      const answeredAt = Date.parse(event.nextAttemptAt) - (path === '/429' ? RETRY_AFTER_SEC : 5) * 1_000
      expect(answeredAt).toBeWithin(issuedAt, triedAt + 1)
    } else expect(event.nextAttemptAt).toBeUndefined()
    expect(receiver.at(path)).toHaveLength(path === '/lost' ? 4 : 1)
  })

  test('that is a redirect is followed with the same POST, and static headers stay with their own receiver', async () => {
    const [moved, here] = [receiver.at('/moved')[0], receiver.at('/moved-here')[0]]
    const [away, there] = [receiver.at('/moved-away')[0], elsewhere.received[0]]
    for (const [from, to] of [
      [moved, here],
      [away, there],
    ]) {
      expect(to?.body).toBe(from?.body ?? 'none')
      expect(to?.headers.get('x-watchword-signature')).toBe(from?.headers.get('x-watchword-signature') ?? 'none')
    }
    expect([moved, here, away].map((request) => request?.headers.get('x-api-key'))).toEqual(
      Array.from({ length: 3 }, () => HEADER_SECRET),
    )
    expect(there?.headers.get('x-api-key')).toBeNull()
    for (const path of ['/moved', '/moved-away']) expect(await eventOf(path)).toMatchObject({ status: 'delivered' })
  })

  test('that redirects to a forbidden address leads nowhere', async () => {
    expect(receiver.at('/trap')).toHaveLength(1)
    expect(await eventOf('/trap')).toMatchObject({
      status: 'pending',
      lastError: expect.stringMatching(/^forbidden: /),
    })
    expect(forbidden.connections).toBe(0)
    // The trap does work for others.
    await fetch(forbiddenUrl()).catch(() => {})
    expect(forbidden.connections).toBe(1)
  })

  test('of 410 disables: nothing more is sent until it is enabled again, and then it can be replayed', async () => {
    const endpointId = ids.get('/410') ?? ''
    const { appId, eventId } = await eventOf('/410')
    const listedAs = async () => (await listed({ appId, key: '' }, at)).find((hook) => hook.endpointId === endpointId)
    expect(await listedAs()).toMatchObject({ enabled: false, disabledReason: 'The receiver answered 410 Gone' })
    for (const command of [['test'], ['replay', '--event', eventId]]) {
      const [name = '', ...options] = command
      const { exitCode, stdout, stderr } = await run(at, 'webhook', name, endpointId, ...options)
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `webhook: ${endpointId} is disabled; enable it first\n`,
      })
    }
    expect(receiver.at('/410')).toHaveLength(1)

    const here = ['--enable', '--url', receiver.url('/back')]
    expect(await runJson(at, 'webhook', 'update', endpointId, ...here)).toMatchObject({ enabled: true })
    expect(await listedAs()).not.toHaveProperty('disabledReason')
    await newServer(at)
    await runJson(at, 'webhook', 'replay', endpointId, '--event', eventId)
    const [back] = await receiver.has(1, '/back')
    expect(back?.event.id).toBe(eventId)
  })
})

describe.concurrent('an endpoint', () => {
  test('whose secret is rotated is told with both signatures while they overlap, and with one when not', async () => {
    const app = await newApp()
    const receiver = newReceiver()
    const { endpointId, secret: first } = await addHook(app, receiver.url(), 'otp.verified')
    const rotate = (hours: number) =>
      runJson(program, 'webhook', 'rotate', endpointId, '--overlap-hours', String(hours)) as Promise<Json>

    const before = Date.now()
    const { secret: second, previousValidUntil } = await rotate(2)
    expect(Date.parse(previousValidUntil) - 2 * HOUR_MS).toBeWithin(before, Date.now() + 1)
    await verified(app)
    const [overlapping] = (await receiver.has(1)) as [Received]
    await expectSigned(overlapping, second)
    expect(new Webhook(first).verify(overlapping.body, standardHeaders(overlapping))).toEqual(overlapping.event)
    expect<unknown>(await verifyWebhook({ ...overlapping, secret: first })).toEqual(overlapping.event)

    const { secret: third } = await rotate(0)
    await verified(app)
    const [, alone] = (await receiver.has(2)) as [Received, Received]
    await expectSigned(alone, third)
    for (const secret of [first, second]) {
      expect(() => new Webhook(secret).verify(alone.body, standardHeaders(alone))).toThrow()
      expect(await errorOf(verifyWebhook({ ...alone, secret }))).toBeInstanceOf(WebhookVerificationError)
    }
    expect(new Set([first, second, third]).size).toBe(3)
  })

  test('with filters is told of what passes all of them, and can be told of everything again', async () => {
    const app = await newApp()
    const receiver = newReceiver()
    const add = (path: string, ...filters: string[]) =>
      addHook(app, receiver.url(path), 'otp.verified', ...filters.flatMap((filter) => ['--filter', filter]))
    await add('/all')
    await add('/login', 'type=login,reset')
    await add('/pro', 'metadata.plan=pro')
    await add('/both', 'type=login', 'metadata.plan=pro')
    await add('/method', 'method=alimtalk')
    const { endpointId } = await add('/cleared', 'metadata.plan=none')
    const cleared = await runJson(program, 'webhook', 'update', endpointId, '--filter', '')
    expect(cleared.filters).toEqual({})

    const signup = await verified(app)
    const login = await verified(app, { purpose: 'login', metadata: { plan: 'free' } })
    const pro = await verified(app, { purpose: 'signup', metadata: { plan: 'pro' } })
    const both = await verified(app, { purpose: 'login', metadata: { plan: 'pro', more: 'x' } })
    const all = [signup, login, pro, both]
    await receiver.has(4, '/all')
    await receiver.has(4, '/cleared')
    const told = (path: string) => receiver.at(path).map(({ event }) => event.data.id)
    await until(() => told('/login').length + told('/pro').length + told('/both').length === 5, 'the others')
    expect(told('/all').sort()).toEqual([...all].sort())
    expect(told('/login').sort()).toEqual([login, both].sort())
    expect(told('/pro').sort()).toEqual([pro, both].sort())
    expect(told('/both')).toEqual([both])
    expect(told('/method')).toEqual([])
  })

  test('with a template and static headers gets the body that the template makes, signed, and its headers', async () => {
    const app = await newApp()
    const receiver = newReceiver()
    const file = join(program.cwd, 'template.json')
    const template =
      '{"text":"{{type}} of {{data.type}}: {{data.metadata.name}}","left":{{data.attempts}},"all":{{data}}}'
    writeFileSync(file, template)
    const options = ['--template', `@${file}`, '--header', 'Authorization: Bearer r4nd0m', '--header', 'X-Team: otp']
    const { secret } = await addHook(app, receiver.url(), 'otp.max_attempts', ...options)
    const name = '"}],\n\\ {{data.id}} \u2028\ud83d\udd11'
    await lost(app, { metadata: { name } })
    const [request] = (await receiver.has(1)) as [Received]

    expect(request.event).toEqual({
      text: `otp.max_attempts of signup: ${name}`,
      left: 1,
      all: expect.objectContaining({ status: 'max_attempts', metadata: { name } }),
    })
    expect(request.headers.get('authorization')).toBe('Bearer r4nd0m')
    expect(request.headers.get('x-team')).toBe('otp')
    expect(request.headers.get('x-watchword-signature')).toBe(signatureOf(secret, request))
    await verifyWebhookSignature({ ...request, secret })
    expect(new Webhook(secret).verify(request.body, standardHeaders(request))).toEqual(parse(request.body))

    const { previews } = await runJson(program, 'webhook', 'preview', '--template', `@${file}`)
    expect(previews.map(({ type }: Json) => type)).toEqual([...EVENT_TYPES])
    for (const { type, body } of previews) expect(parse(body).all).toEqual(sampleEvent(type).data)
  })

  test('can be tested with each type of event, whatever it is subscribed to', async () => {
    const app = await newApp()
    const receiver = newReceiver()
    const { endpointId, secret } = await addHook(app, receiver.url(), 'otp.sent')
    const queued = new Map<string, string>()
    for (const type of EVENT_TYPES) {
      const answer = await runJson(program, 'webhook', 'test', endpointId, '--type', type)
      const { eventId } = answer
      expect(answer).toEqual({ endpointId, eventId, type, queued: true })
      queued.set(type, eventId)
    }
    for (const request of await receiver.has(EVENT_TYPES.length)) {
      await expectSigned(request, secret)
      const { id, type, data } = request.event
      expect(queued.get(type)).toBe(id)
      expect(data).toEqual(sampleEvent(type).data)
    }
    expect(new Set(receiver.types()).size).toBe(EVENT_TYPES.length)
    expect(receiver.received).toHaveLength(EVENT_TYPES.length)
  })

  test('is sent one event again, or all that failed since a time', async () => {
    const app = await newApp()
    const receiver = newReceiver()
    const { endpointId, secret } = await addHook(app, receiver.url(), 'otp.verified')
    const other = await addHook(app, receiver.url('/other'), 'otp.verified')
    receiver.answer = () => new Response(null, { status: 400 })
    const early = await verified(app)
    await settledEvents(endpointId)
    const since = new Date().toISOString()
    const late = [await verified(app), await verified(app)]
    await receiver.has(3)
    await receiver.has(3, '/other')
    await settledEvents(endpointId)
    receiver.answer = () => new Response()
    receiver.received.length = 0

    expect(await runJson(program, 'webhook', 'replay', endpointId, '--since', since)).toEqual({
      endpointId,
      replayed: 2,
    })
    await receiver.has(2)
    const ids = () => receiver.received.map(({ event }) => event.data.id)
    expect(ids().sort()).toEqual([...late].sort())

    const failed = (await settledEvents(endpointId)).filter(({ status }) => status === 'failed')
    expect(failed.map(({ issueId }) => issueId)).toEqual([early])
    for (let time = 1; time <= 2; time++) {
      const [{ eventId }] = failed
      expect(await runJson(program, 'webhook', 'replay', endpointId, '--event', eventId)).toEqual({
        endpointId,
        replayed: 1,
      })
      const request = (await receiver.has(2 + time)).at(-1) as Received
      expect(request.event).toMatchObject({ id: eventId, data: { id: early } })
      await expectSigned(request, secret)
      const again = (await settledEvents(endpointId)).find((event) => event.eventId === eventId)
      expect(again).toMatchObject({ status: 'delivered', attempts: 1 + time })
      expect(again.log.map((attempt: Json) => attempt.status)).toEqual([400, ...Array(time).fill(200)])
    }
    // The other one was not asked to be told again.
    expect(receiver.at('/other')).toEqual([])
    const failedElsewhere = await eventsOf(other.endpointId)
    expect(failedElsewhere.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed'])
  })

  test('that is disabled or removed is told no more', async () => {
    const app = await newApp()
    const receiver = newReceiver()
    const [kept, disabled, removed] = [
      await addHook(app, receiver.url('/kept'), 'otp.verified'),
      await addHook(app, receiver.url('/disabled'), 'otp.verified'),
      await addHook(app, receiver.url('/removed'), 'otp.verified'),
    ]
    const answer = await runJson(program, 'webhook', 'update', disabled.endpointId, '--disable')
    expect(answer).toMatchObject({ enabled: false, disabledReason: 'Disabled by an operator' })
    const { endpointId } = removed
    expect(await runJson(program, 'webhook', 'remove', endpointId, '--yes')).toEqual({ endpointId, removed: true })
    await verified(app)
    await receiver.has(1, '/kept')
    await verified(app)
    // Whatever had been told of the first would have been sent before this.
    await receiver.has(2, '/kept')
    expect(receiver.received).toHaveLength(2)
    for (const { endpointId } of [disabled, removed]) expect(deliveries(`endpoint_id = '${endpointId}'`)).toBe(0)
    expect((await listed(app)).map((hook) => hook.endpointId)).toEqual([kept.endpointId, disabled.endpointId])
  })
})

describe('a mistake', () => {
  let app: App
  let endpointId = ''
  const UUID = '0199f2a4-9a41-7e08-b1c5-3d7f60a2e914'
  /** All there is to change, as it lies in the database. */
  function state(): unknown[] {
    using database = new Database(join(program.cwd, 'watchword-data', 'watchword.db'), { readonly: true })
    const ofEndpoint = 'FROM webhook_deliveries WHERE endpoint_id = $endpointId'
    return [
      'FROM webhook_endpoints WHERE app_id = $appId',
      ofEndpoint,
      `FROM webhook_attempts WHERE delivery_id IN (SELECT delivery_id ${ofEndpoint})`,
      'FROM webhook_events WHERE app_id = $appId',
      'FROM jobs WHERE app_id = $appId',
    ].map((rows) => database.query(`SELECT * ${rows}`).all({ $appId: app.appId, $endpointId: endpointId }))
  }

  beforeAll(async () => {
    app = await newApp()
    const receiver = newReceiver()
    receiver.answer = () => new Response(null, { status: 400 })
    ;({ endpointId } = await addHook(app, receiver.url(), 'otp.sent'))
    await runJson(program, 'webhook', 'test', endpointId)
    await settledEvents(endpointId)
  })

  const add = (...args: string[]) => ['add', '--app', 'APP', '--mode', 'test', ...args]
  const to = (url: string, ...args: string[]) => add('--url', url, '--events', 'otp.sent', ...args)
  const update = (...args: string[]) => ['update', 'ID', ...args]
  const URL = 'https://hook.example.com/'
  test.each<[command: string[], says: string]>([
    [['add', '--app', 'APP', '--url', URL, '--events', 'otp.sent'], '--mode'],
    [['add', '--app', 'nope', '--mode', 'test', '--url', URL, '--events', 'otp.sent'], 'No such app: nope'],
    [['add', '--app', 'APP', '--mode', 'beta', '--url', URL, '--events', 'otp.sent'], 'live, test'],
    [add('--url', URL), '--events'],
    [add('--url', URL, '--events', 'otp.sent,otp.seen'), 'events.1: must be one of otp.sent'],
    [add('--url', URL, '--events', ','), 'at least one of'],
    [to('hook.example.com'), 'must be an absolute URL'],
    [to('https://user:word@hook.example.com/'), 'user name or password'],
    [to(URL, '--header', 'no colon'), 'must be "Name: value"'],
    [to(URL, '--header', 'X-A: b\r\nX-B: c'), 'not a header that can be sent'],
    [to(URL, '--header', 'Host: other.example.com'), 'not a header that can be sent: Host'],
    [to(URL, '--header', 'x-watchword-signature: 0'), 'x-watchword-signature is set by the service'],
    [to(URL, ...Array.from({ length: 17 }, (_, n) => ['--header', `X-${n}: 1`]).flat()), 'at most 16'],
    [to(URL, '--filter', 'country=KR'), 'must be method=…, type=… or metadata.<key>=…'],
    [to(URL, '--filter', 'method=fax'), 'filter.method: must be one of sms, alimtalk, whatsapp, telegram, voice: fax'],
    [to(URL, '--template', '{"a":{{data.id}}'), 'must be JSON after substitution'],
    [to(URL, '--template', '{"a":"{{data id}}"}'), 'not a path: {{data id}}'],
    [to(URL, '--template', '@missing.json'), 'missing.json'],
    [update('--url', 'ftp://hook.example.com/'), 'must be an absolute URL'],
    [update('--events', ''), 'at least one of'],
    [update('--enable', '--disable'), 'exclude each other'],
    [['update', 'whe_nope', '--disable'], 'No such webhook: whe_nope'],
    [['rotate', 'whe_nope'], 'No such webhook: whe_nope'],
    [['rotate', 'ID', '--overlap-hours', '169'], '0 to 168 hours'],
    [['rotate', 'ID', '--overlap-hours', '-1'], 'whole number'],
    [['test', 'whe_nope'], 'No such webhook: whe_nope'],
    [['test', 'ID', '--type', 'otp.seen'], 'otp.max_attempts'],
    [['events', 'whe_nope'], 'No such webhook: whe_nope'],
    [['events', 'ID', '--status', 'lost'], 'pending, delivered, failed'],
    [['events', 'ID', '--before', 'x'], 'No such delivery: x'],
    [['replay', 'ID'], 'either --event or --since'],
    [['replay', 'ID', '--event', UUID, '--since', '2026-01-01'], 'either --event or --since'],
    [['replay', 'ID', '--event', UUID], 'was not told of such an event'],
    [['replay', 'ID', '--since', 'yesterday'], 'must be a date'],
    [['replay', 'whe_nope', '--since', '2026-01-01'], 'No such webhook: whe_nope'],
    [['remove', 'whe_nope'], 'No such webhook: whe_nope'],
    [['preview', '--template', '{{}}'], 'not a path'],
    [['list'], '--app'],
  ])('is refused readably and changes nothing: webhook %j', async (command, says) => {
    const before = state()
    const args = command.map((word) => (word === 'APP' ? app.appId : word === 'ID' ? endpointId : word))
    const { exitCode, code, stdout, stderr } = await runHere(program, 'webhook', ...args)
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringContaining(says) })
    expect({ code, exitCode }).toEqual({ code, exitCode: code === 'usage' ? 2 : 1 })
    expect(code).not.toBe('defect')
    expect(state()).toEqual(before)
  })
})

test.each([
  [['list'], 2, 'usage'],
  [['rotate', 'whe_nope'], 1, 'not_found'],
] as const)('a mistake ends the program: webhook %j', async (args, exitCode, code) => {
  const refused = await run(program, 'webhook', ...args, '--json')
  expect(refused).toMatchObject({ exitCode, stdout: '' })
  expect(JSON.parse(refused.stderr)).toEqual({ error: { code, message: expect.stringMatching(/\S/) } })
})

test('every command answers people, too', async () => {
  const app = await newApp()
  const receiver = newReceiver()
  const tell = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await run(program, 'webhook', ...args)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    return stdout
  }
  const args = ['--app', app.appId, '--mode', 'test', '--url', receiver.url(), '--events', 'otp.sent']
  const added = await tell('add', ...args)
  const [endpointId = ''] = /whe_[a-z0-9]+/.exec(added) ?? []
  expect(added).toMatch(/\nwhsec_\S+\n$/)
  expect(await tell('list', '--app', app.appId)).toMatch(
    new RegExp(`^WEBHOOK .*\n${endpointId} +test +${receiver.url()} +otp\\.sent +enabled\n$`),
  )
  expect(await tell('test', endpointId)).toContain('Queued otp.sent')
  await receiver.has(1)
  await settledEvents(endpointId)
  expect(await tell('events', endpointId)).toMatch(/otp\.sent +delivered +1 +200 +–\n$/)
  expect(await tell('replay', endpointId, '--since', '2026-01-01')).toBe('Queued 0 again\n')
  expect(await tell('rotate', endpointId)).toMatch(/valid until .*:\nwhsec_\S+\n$/)
  expect(await tell('preview', '--template', '{"id":"{{data.id}}"}')).toContain('otp.sent  {"id":"')
  expect(await tell('update', endpointId, '--disable')).toContain('disabled: Disabled by an operator')
  expect(await tell('remove', endpointId, '--yes')).toBe(`Removed ${endpointId}\n`)
})

test('receivers can look up where requests come from, and what they say', async () => {
  const { program: published, remove } = alone(binary, { WATCHWORD_WEBHOOK_SOURCES: '203.0.113.0/24, 2001:db8::/32' })
  undo.push(remove)
  const at = await newServer(published)
  expect(await at.call('GET', '/v1/webhook-sources')).toMatchObject({
    status: 200,
    body: { networks: ['203.0.113.0/24', '2001:db8::/32'] },
  })
  const { body } = await at.call('GET', '/v1/openapi.json')
  expect(Object.keys(body.webhooks)).toEqual([...EVENT_TYPES])
})

test('secrets, static headers, bodies and answers are in no list, log or database', async () => {
  const app = await newApp()
  const receiver = newReceiver()
  const mark = { url: receiver.url('/Path-of-the-receiver-20cd') }
  const header = ['--header', `X-Api-Key: ${HEADER_SECRET}`]
  const { endpointId, secret } = await addHook(app, mark.url, 'otp.max_attempts', ...header)
  const { secret: rotated } = await runJson(program, 'webhook', 'rotate', endpointId)
  await lost(app, { metadata: { note: 'x' } })
  const [request] = (await receiver.has(1, '/Path-of-the-receiver-20cd')) as [Received]
  expect(request.headers.get('x-api-key')).toBe(HEADER_SECRET)
  expect((await settledEvents(endpointId))[0].log[0].answer).toBe(ANSWER)

  const said = [
    await run(program, 'webhook', 'list', '--app', app.appId, '--json'),
    await run(program, 'webhook', 'list', '--app', app.appId),
    await run(program, 'webhook', 'update', endpointId, '--url', mark.url, ...header, '--json'),
    await run(program, 'webhook', 'update', endpointId, '--url', mark.url, ...header),
    await run(program, 'webhook', 'events', endpointId),
  ].map(({ exitCode, stdout, stderr }) => ({ where: 'an answer', text: `${exitCode}${stdout}${stderr}` }))
  expect(said[2]?.text).toContain('X-Api-Key')
  const data = join(program.cwd, 'watchword-data')
  const database = ['watchword.db', 'watchword.db-wal']
    .filter((name) => existsSync(join(data, name)))
    .map((name) => readFileSync(join(data, name), 'latin1'))
  const remains = [
    ...said,
    { where: 'the log', text: server.stdout + server.stderr },
    { where: 'the database', text: database.join() },
  ]
  const where = (needle: string) => remains.filter(({ text }) => text.includes(needle)).map((place) => place.where)
  // So that the search would find what is not there.
  for (const place of ['an answer', 'the database']) expect(where(mark.url)).toContain(place)
  expect(where(app.appId)).toContain('the log')

  const bytesOf = (text: string) => Buffer.from(text.slice('whsec_'.length), 'base64').toString('latin1')
  for (const one of [secret, rotated, bytesOf(secret), bytesOf(rotated), HEADER_SECRET, ANSWER, 'max_attempts_at'])
    expect({ one, where: where(one) }).toEqual({ one, where: [] })
})
