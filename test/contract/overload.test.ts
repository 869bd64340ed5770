import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Store } from '../../src/ports/store'
import type { SpanName } from '../../src/ports/telemetry'
import { NO_SPAN } from '../../src/system/telemetry'
import { createApp } from '../../src/usecases/administer'
import { until } from '../support/until'
import { type Furnished, type Operation, WIRES, World } from '../support/world'

const OPERATIONS: Array<[Operation, object]> = [
  ['issue', { phoneNumber: '010-0000-0000', purpose: 'signup', idempotencyKey: 'overload' }],
  ['verify', { issueId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77', code: '000000' }],
  ['status', { issueId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77' }],
  ['listIssues', {}],
]

describe.each(WIRES)('more than can be done, over %s', (wire) => {
  let world: World
  let key = ''
  /** Until then no transaction begins. */
  let turn: PromiseWithResolvers<void> | undefined
  let hasCome: PromiseWithResolvers<void>

  const slow = (store: Store): Store => ({
    ...store,
    transaction: async (work) => {
      hasCome.resolve()
      await turn?.promise
      return store.transaction(work)
    },
  })
  beforeEach(async () => {
    turn = undefined
    hasCome = Promise.withResolvers()
    world = await World.start({ wrapStore: slow })
    key = (await world.furnish()).test
  })
  afterEach(async () => {
    turn?.resolve()
    await world.stop()
  })

  /** Somebody has waited so long for their turn. */
  async function waiting(ms: number): Promise<void> {
    turn = Promise.withResolvers()
    hasCome = Promise.withResolvers()
    void world.call(wire, ...(OPERATIONS[1] as (typeof OPERATIONS)[number]), { key })
    await hasCome.promise
    while (world.clock.fireNext(0).fired);
    world.clock.fireNext(ms)
  }

  test.each(OPERATIONS)('%s is refused at once with 503 and the time to come back', async (operation, input) => {
    await waiting(401)
    const answer = await world.call(wire, operation, input, { key })
    expect(answer).toMatchObject({ status: 503, body: { defined: true, code: 'SERVICE_UNAVAILABLE' } })
    expect(answer.headers.get('retry-after')).toBe('1')
  })

  test('a page that may use a public key can read the refusal, another cannot', async () => {
    await waiting(401)
    const allowed = async (origin: string) =>
      (await world.call(wire, 'listIssues', {}, { headers: { origin } })).headers.get('access-control-allow-origin')
    expect(await allowed('http://localhost:3000')).toBe('http://localhost:3000')
    expect(await allowed('https://elsewhere.example')).toBeNull()
  })

  test('a refused issue changes nothing: its idempotency key is unused', async () => {
    const [operation, input] = OPERATIONS[0] as (typeof OPERATIONS)[number]
    await waiting(401)
    expect((await world.call(wire, operation, input, { key })).status).toBe(503)
    turn?.resolve()
    await world.settle()
    expect((await world.call(wire, 'listIssues', {}, { key })).body.items).toEqual([])
    expect((await world.call(wire, operation, { ...input, purpose: 'login' }, { key })).status).toBe(200)
  })

  test('health is answered all the same', async () => {
    await waiting(900)
    expect((await world.send('GET', '/healthz', undefined)).status).toBe(200)
  })

  test('waiting as long as that is no reason yet', async () => {
    await waiting(400)
    expect((await world.call(wire, 'listIssues', {}, { key })).status).toBe(200)
  })
})

/** A store that reads the codes of the last day when it is told to. */
function heldReading() {
  const reading = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const slowly = (store: Store): Store => ({
    ...store,
    read: {
      ...store.read,
      traffic: {
        ...store.read.traffic,
        async *issues(...args) {
          asked.resolve()
          await reading.promise
          yield* store.read.traffic.issues(...args)
        },
      },
    },
  })
  return { asked, reading, slowly }
}

describe('while the codes of the last day are still read after a start', () => {
  test('a new code is 503 with Retry-After and /readyz is 503; then it is limited by what was issued before', async () => {
    const env = { WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '1' }
    const before = await World.start({ env })
    const { live } = await before.furnish()
    const issue = { phoneNumber: '010-1234-5678', purpose: 'signup', idempotencyKey: 'first' }
    expect((await before.call('rest', 'issue', issue, { key: live })).status).toBe(200)
    await before.app.stop()

    const { reading, slowly } = heldReading()
    const world = await World.open({ env, place: before.place, clock: before.clock, wrapStore: slowly })
    await world.app.start()
    const again = (idempotencyKey: string) => world.call('rest', 'issue', { ...issue, idempotencyKey }, { key: live })
    const answers = Promise.all([again('second'), world.send('GET', '/readyz', undefined)])
    let isAnswered = false
    void answers.then(() => {
      isAnswered = true
    })
    expect((await world.call('rest', 'balance', {}, { key: live })).status).toBe(200)
    // Time passes although something is still being read.
    await until(() => {
      world.clock.fireNext(50)
      return isAnswered
    }, 'both answers')
    const [refused, readiness] = await answers
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect([readiness.status, readiness.body.checks?.traffic ?? false]).toEqual([503, false])
    reading.resolve()
    await world.advance(1_000)
    expect((await world.send('GET', '/readyz', undefined)).status).toBe(200)
    expect((await again('third')).status).toBe(429)
    await world.stop()
  })

  test('the first code of an app waits for them as long as a refused caller would, and is issued', async () => {
    const { asked, reading, slowly } = heldReading()
    const world = await World.start({ wrapStore: slowly })
    const { live } = await world.furnish()
    const issue = { phoneNumber: '010-1234-5678', purpose: 'signup', idempotencyKey: 'first' }
    const answer = world.call('rest', 'issue', issue, { key: live })
    await asked.promise
    let leftMs = 900
    while (leftMs > 0) leftMs -= world.clock.fireNext(leftMs).passedMs
    reading.resolve()
    expect((await answer).status).toBe(200)
    await world.stop()
  })
})

describe('the backlog', () => {
  const BACKLOG_MAX = 3
  /** Whether something breaks in a way that nobody foresaw, before the transaction has begun. */
  let isBroken: boolean
  const tracing = {
    begin: (name: SpanName) => {
      if (isBroken && name === 'transaction') throw new Error('broken')
      return NO_SPAN
    },
  }
  /** Refusals of the store that are not told yet; undefined: each is told at once. */
  let untold: Array<() => void> | undefined
  let world: World
  let keys: Furnished
  let poor: string
  /** What is issued leaves when it is told to. */
  let leaving: Array<() => void>

  beforeEach(async () => {
    untold = undefined
    isBroken = false
    world = await World.start({
      env: { WATCHWORD_MAX_BACKLOG: String(BACKLOG_MAX) },
      listeners: { tracing },
      wrapStore: (store) => ({
        ...store,
        transaction: (work) =>
          store.transaction(work).catch(async (refusal) => {
            await new Promise<void>((tell) => (untold ? untold.push(tell) : tell()))
            throw refusal
          }),
      }),
    })
    keys = await world.furnish()
    poor = await world.key({ ...(await createApp(world.admin, { name: 'poor' })), kind: 'sk', mode: 'live' })
    leaving = []
    world.sms.answer = (message) => new Promise((resolve) => leaving.push(() => resolve(world.sms.accept(message))))
  })
  afterEach(() => world.stop())

  let made = 0
  const issue = (key = keys.live, phoneNumber = `+8210${20_000_000 + made}`) => {
    const input = { phoneNumber, purpose: 'p', idempotencyKey: `k${made++}` }
    return world.call('rest', 'issue', input, { key })
  }
  const statuses = async (count: number) => {
    const found: number[] = []
    for (let n = 0; n < count; n++) found.push((await issue()).status)
    return found
  }

  test('takes as many as it may, and says when to come back', async () => {
    expect(await statuses(BACKLOG_MAX)).toEqual([200, 200, 200])
    const { status, headers } = await issue()
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  })

  const pass = (ms: number) => {
    while (world.clock.fireNext(0).fired);
    world.clock.fireNext(ms)
  }

  test.each([
    ['a tenth of a second later', 0],
    ['also when the clock was set back', -3_600_000],
  ])('has room again when a message has left, %s', async (_, byMs) => {
    expect(await statuses(BACKLOG_MAX + 1)).toEqual([200, 200, 200, 503])
    await world.settle()
    leaving[0]?.()
    await world.settle()
    world.clock.step(byMs)
    pass(100)
    expect(await statuses(2)).toEqual([200, 503])
  })

  test('gets back what an error has ended that nobody foresaw, which is told apart from what was refused', async () => {
    isBroken = true
    const written = world.logged.length
    for (let n = 0; n < 2 * BACKLOG_MAX; n++) expect((await issue()).status).toBe(500)
    isBroken = false
    const decided = world.logged
      .slice(written)
      .map((line) => JSON.parse(line))
      .filter(({ message }) => message === 'issue decided')
    expect(new Set(decided.map(({ outcome }) => outcome))).toEqual(new Set(['failed']))
    expect(await statuses(BACKLOG_MAX + 1)).toEqual([200, 200, 200, 503])
  })

  test('gets back at once what was refused after all', async () => {
    for (let n = 0; n < 2 * BACKLOG_MAX; n++) expect((await issue(poor)).status).toBe(402)
    expect(await statuses(BACKLOG_MAX + 1)).toEqual([200, 200, 200, 503])
  })

  test('gets back at once what a limit refuses', async () => {
    world.config.limits.issuesPerPhone10Min = 1
    const toOnePhone = () => issue(keys.live, '+821010000000')
    expect((await toOnePhone()).status).toBe(200)
    for (let n = 0; n < 2 * BACKLOG_MAX; n++) expect((await toOnePhone()).status).toBe(429)
    expect(await statuses(BACKLOG_MAX)).toEqual([200, 200, 503])
  })

  test('counts what is not decided yet, also where it has counted anew meanwhile, and gets it back once', async () => {
    expect(await statuses(1)).toEqual([200])
    const late: Array<() => void> = []
    untold = late
    const refused = [issue(poor), issue(poor)]
    while (late.length < 2) await new Promise((resolve) => setImmediate(resolve))
    untold = undefined
    expect(await statuses(1)).toEqual([503])
    pass(1_000)
    expect(await statuses(1)).toEqual([503])
    for (const tell of late) tell()
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([402, 402])
    expect(await statuses(3)).toEqual([200, 200, 503])
  })
})
