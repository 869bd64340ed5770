/** What every store promises about webhooks. */
import { describe, expect, test } from 'bun:test'
import type { Job } from '../../src/domain/operations/job'
import type { StoredEvent } from '../../src/domain/webhooks/event'
import type { Endpoint, HookAttempt, HookDelivery, HookReport } from '../../src/domain/webhooks/webhook'
import type { Store, Tx } from '../../src/ports/store'
import { errorOf } from '../support/error-of'
import { APP, anEndpoint, NOW, OWNER, outcomeOf, type StillClock, uuidAt } from './sample'

/** The fixture of a test: the store with its app, the same database as another process sees it, and their clock. */
export interface AtHand {
  store: Store
  other: Store
  clock: StillClock
}

const ISSUE = uuidAt(NOW, 0xa1)
const OTHER_ISSUE = uuidAt(NOW, 0xa2)

/** The `n`th event at a time. */
export const eventNumber = (n: number, changes: Partial<StoredEvent> = {}): StoredEvent => {
  const createdAt = changes.createdAt ?? NOW
  const eventId = uuidAt(createdAt, 0xe000 + n)
  const body = JSON.stringify({ id: eventId, type: 'otp.sent' })
  return { ...OWNER, eventId, type: 'otp.sent', issueId: ISSUE, origin: undefined, body, createdAt, ...changes }
}

/** A delivery without an attempt. Later deliveries have smaller ids, so that the order of ids does not help. */
export const hookOf = (
  { appId, mode, endpointId }: Endpoint,
  event: StoredEvent,
  changes: Partial<HookDelivery> = {},
): HookDelivery => ({
  appId,
  mode,
  endpointId,
  deliveryId: uuidAt(event.createdAt, 0xd00000 - Number.parseInt(event.eventId.slice(-5), 16) * 4 + endpointId.length),
  eventId: event.eventId,
  issueId: event.issueId,
  status: 'pending',
  attempts: 0,
  tries: 0,
  createdAt: event.createdAt,
  ...changes,
})

export const hookAttempt = (
  { deliveryId }: HookDelivery,
  number: number,
  changes: Partial<HookAttempt> = {},
): HookAttempt => ({
  deliveryId,
  number,
  calledAt: NOW + number * 1_000,
  answeredAt: NOW + number * 1_000 + 20,
  status: 503,
  error: undefined,
  answer: 'Service Unavailable',
  ...changes,
})

const ids = (hooks: readonly HookDelivery[]) => hooks.map(({ deliveryId }) => deliveryId)

export function webhookSuite(atHand: () => AtHand): void {
  const run = <T>(work: (tx: Tx) => Promise<T>) => atHand().store.transaction(work)
  const save = (...endpoints: Endpoint[]) =>
    run(async (tx) => {
      for (const endpoint of endpoints) await tx.endpoints.add(endpoint)
    })
  /** Adds events like the use case: each with its deliveries and their jobs. */
  const queue = (event: StoredEvent, ...hooks: HookDelivery[]) =>
    run(async (tx) => {
      await tx.hooks.addEvent(event)
      for (const hook of hooks) {
        await tx.hooks.add(hook)
        const { deliveryId: subjectId, endpointId: queue, createdAt: runAt } = hook
        await tx.jobs.add({ kind: 'webhook', owner: hook, subjectId, runAt, queue })
      }
    })
  const claimed = (endpointId: string): Promise<Job[]> => run((tx) => tx.jobs.claim('webhook', endpointId, 100))
  const stored = (deliveryId: string) => run((tx) => tx.hooks.find(deliveryId))
  const storedEvent = (eventId: string) => run((tx) => tx.hooks.event(eventId))

  const one = anEndpoint()
  const second = anEndpoint({ endpointId: 'whe_second', createdAt: NOW + 1 })
  const inTest = anEndpoint({ endpointId: 'whe_test', mode: 'test' })

  describe('an endpoint', () => {
    const full = anEndpoint({
      url: 'http://10.0.0.1:8080/hooks?a=1',
      events: ['otp.sent', 'otp.max_attempts'],
      filters: {
        method: ['sms'],
        type: ['signup'],
        metadata: JSON.parse('{"plan":["pro"],"__proto__":["p"],"나":["둘"]}'),
      },
      headers: { Authorization: 'Bearer abc', 'X-Empty': '' },
      template: '{"id":"{{data.id}}"}',
      secrets: [{ secret: 'whsec_new' }, { secret: 'whsec_old', validUntil: NOW + 1_000 }],
      disabledAt: NOW + 2,
      disabledReason: 'Disabled by an operator',
      failingSince: NOW + 1,
    })

    test.each<[string, Endpoint]>([
      ['with everything', full],
      ['with nothing but what it must have', one],
    ])('%s reads back as it was saved, here and in another process', async (_, endpoint) => {
      await save(endpoint)
      const { store, other } = atHand()
      expect(await run((tx) => tx.endpoints.lock(endpoint.endpointId))).toEqual(endpoint)
      expect(await run((tx) => tx.endpoints.ofOwner(OWNER))).toEqual([endpoint])
      for (const { read } of [store, other]) {
        expect(await read.endpoints.find(endpoint.endpointId)).toEqual(endpoint)
        expect(await read.endpoints.ofApp(APP.appId)).toEqual([endpoint])
      }
    })

    test('is of its owner from the next transaction on, whoever has added, changed or removed it', async () => {
      const { store, other } = atHand()
      const both = [store, other].map((process) => () => process.transaction((tx) => tx.endpoints.ofOwner(OWNER)))
      const everybodySees = async (...endpoints: Endpoint[]) => {
        for (const see of both) expect(await see()).toEqual(endpoints)
      }
      await everybodySees()
      await save(one)
      await everybodySees(one)
      await other.transaction((tx) => tx.endpoints.add(second))
      await everybodySees(one, second)
      const failing = { ...one, failingSince: NOW + 3 }
      await other.transaction((tx) => tx.endpoints.saveState(failing))
      await everybodySees(failing, second)
      const changed = { ...second, url: 'https://other.example/hooks' }
      await run((tx) => tx.endpoints.save(changed))
      await everybodySees(failing, changed)
      await run((tx) => tx.endpoints.remove(one.endpointId))
      await everybodySees(changed)
      expect(await run((tx) => tx.endpoints.ofOwner({ ...OWNER, mode: 'test' }))).toEqual([])
    })

    test('that was changed is as before where that is undone, also to whom is stored together with it', async () => {
      await save(one)
      const sees = () => run((tx) => tx.endpoints.ofOwner(OWNER))
      const undone = run(async (tx) => {
        await tx.endpoints.save({ ...one, url: 'https://undone.example' })
        expect(await tx.endpoints.ofOwner(OWNER)).toMatchObject([{ url: 'https://undone.example' }])
        throw new Error('refused')
      })
      const [outcome, ...seen] = await Promise.all([outcomeOf(undone), sees(), sees()])
      expect(outcome).toMatchObject({ error: { message: 'refused' } })
      for (const endpoints of [...seen, await sees()]) expect(endpoints).toEqual([one])
    })

    test('is changed in all that may change, there and back, and stays whose it is', async () => {
      await save(one)
      await run((tx) => tx.endpoints.save({ ...full, mode: 'test', createdAt: NOW + 9 }))
      expect(await atHand().other.read.endpoints.find(one.endpointId)).toEqual(full)
      await run((tx) => tx.endpoints.save(one))
      expect(await atHand().other.read.endpoints.find(one.endpointId)).toEqual(one)
    })

    test('is disabled and fails without another word of it being written', async () => {
      await save(one)
      const { disabledAt, disabledReason, failingSince } = full
      await run((tx) => tx.endpoints.saveState(full))
      expect(await atHand().other.read.endpoints.find(one.endpointId)).toEqual({
        ...one,
        disabledAt,
        disabledReason,
        failingSince,
      })
      await run((tx) => tx.endpoints.saveState(one))
      expect(await atHand().other.read.endpoints.find(one.endpointId)).toEqual(one)
    })

    test('is one of its app and mode, the oldest first', async () => {
      await run((tx) => tx.apps.add({ ...APP, appId: 'app_two' }))
      const foreign = anEndpoint({ endpointId: 'whe_foreign', appId: 'app_two' })
      const twin = anEndpoint({ endpointId: 'whe_a_twin', createdAt: second.createdAt })
      await save(second, foreign, inTest, twin, one)
      expect(await run((tx) => tx.endpoints.ofOwner(OWNER))).toEqual([one, twin, second])
      expect(await run((tx) => tx.endpoints.ofOwner({ ...OWNER, mode: 'test' }))).toEqual([inTest])
      expect(await run((tx) => tx.endpoints.ofOwner({ ...OWNER, appId: 'app_three' }))).toEqual([])
      expect(await atHand().store.read.endpoints.ofApp(APP.appId)).toEqual([one, inTest, twin, second])
      expect(await atHand().store.read.endpoints.ofApp('app_two')).toEqual([foreign])
      expect(await run((tx) => tx.endpoints.lockOfApp(APP.appId))).toEqual([one, inTest, twin, second])
      expect(await run((tx) => tx.endpoints.lockOfApp('app_two'))).toEqual([foreign])
    })

    test('of an app that does not exist is not saved', async () => {
      await errorOf(save(anEndpoint({ appId: 'app_none' })))
      expect(await atHand().store.read.endpoints.find(one.endpointId)).toBeUndefined()
    })

    test('is removed with everything it was told, and nobody else’s', async () => {
      await save(one, second)
      const event = eventNumber(1)
      const [gone, kept] = [hookOf(one, event), hookOf(second, event)]
      await queue(event, gone, kept)
      const alone = eventNumber(2)
      const also = hookOf(one, alone)
      await queue(alone, also)
      await run(async (tx) => {
        for (const hook of [gone, kept, also]) await tx.hooks.addAttempt(hookAttempt(hook, 1))
        await tx.endpoints.remove(one.endpointId)
      })
      const { read } = atHand().other
      expect(await read.endpoints.find(one.endpointId)).toBeUndefined()
      expect(await read.endpoints.ofApp(APP.appId)).toEqual([second])
      expect([await stored(gone.deliveryId), await stored(also.deliveryId)]).toEqual([undefined, undefined])
      expect([await read.hooks.attempts(gone.deliveryId), await read.hooks.attempts(also.deliveryId)]).toEqual([[], []])
      expect(await atHand().store.read.jobs.heads('webhook')).toEqual([{ queue: second.endpointId, runAt: NOW }])
      expect(await stored(kept.deliveryId)).toEqual(kept)
      expect([await storedEvent(event.eventId), await storedEvent(alone.eventId)]).toEqual([event, undefined])
      expect(await read.hooks.attempts(kept.deliveryId)).toHaveLength(1)
    })

    test('that does not exist is removed without a word', async () => {
      await save(one)
      await run((tx) => tx.endpoints.remove('whe_none'))
      expect(await atHand().store.read.endpoints.ofApp(APP.appId)).toEqual([one])
    })
  })

  describe('an event', () => {
    test.each<[string, StoredEvent]>([
      ['about an issue', eventNumber(1, { type: 'otp.delivered', body: '{"a":"인증번호 \\u0000 😀"}' })],
      ['about nothing, for a test', eventNumber(2, { issueId: undefined, mode: 'test', body: ' { } ' })],
    ])('%s reads back to the byte', async (_, event) => {
      await run((tx) => tx.hooks.addEvent(event))
      expect(await storedEvent(event.eventId)).toEqual(event)
      expect(await storedEvent(eventNumber(9).eventId)).toBeUndefined()
    })

    test('is added once', async () => {
      await run((tx) => tx.hooks.addEvent(eventNumber(1)))
      await errorOf(run((tx) => tx.hooks.addEvent(eventNumber(1, { body: 'other' }))))
      expect(await storedEvent(eventNumber(1).eventId)).toEqual(eventNumber(1))
    })

    test('is for each endpoint that is told of it, in the order in which they were', async () => {
      await save(one, second, inTest)
      const [event, next] = [eventNumber(1), eventNumber(2)]
      const hooks = [hookOf(second, event), hookOf(one, event)]
      await queue(event, ...hooks)
      await queue(next, hookOf(one, next))
      expect(await run((tx) => tx.hooks.ofEvent(event.eventId))).toEqual(hooks)
      expect(await run((tx) => tx.hooks.ofEvent(eventNumber(9).eventId))).toEqual([])
    })
  })

  describe('what an endpoint was told', () => {
    const events = [1, 2, 3].map((n) => eventNumber(n))
    const hooks = events.map((event) => hookOf(one, event))
    const [first, middle, last] = hooks as [HookDelivery, HookDelivery, HookDelivery]
    const queueAll = async () => {
      await save(one, second)
      for (const [n, event] of events.entries()) await queue(event, hooks[n] as HookDelivery)
    }

    test('reads back as it was queued, and as it was saved', async () => {
      await save(one)
      const aboutNothing = eventNumber(7, { issueId: undefined })
      for (const event of [eventNumber(1), aboutNothing]) {
        const hook = hookOf(one, event)
        await queue(event, hook)
        expect(await stored(hook.deliveryId)).toEqual(hook)
        const changed = { ...hook, status: 'failed' as const, attempts: 7, tries: 6 }
        await run((tx) => tx.hooks.save({ ...changed, eventId: uuidAt(NOW, 1), createdAt: 0, issueId: undefined }))
        expect(await stored(hook.deliveryId)).toEqual(changed)
      }
    })

    test('is queued once under its id', async () => {
      await queueAll()
      await errorOf(run((tx) => tx.hooks.add(first)))
      expect(await run((tx) => tx.hooks.ofEvent(first.eventId))).toEqual([first])
    })

    test('of an issue is tried in the order of what happened, whatever its ids say', async () => {
      await queueAll()
      expect(ids(hooks).toSorted()).toEqual(ids(hooks).toReversed())
      const untried = (after?: HookDelivery) => run((tx) => tx.hooks.firstUntried(last, after))
      expect([await untried(), await untried(first), await untried(middle), await untried(last)]).toEqual([
        first.deliveryId,
        middle.deliveryId,
        last.deliveryId,
        undefined,
      ])
      await run((tx) => tx.hooks.save({ ...first, attempts: 1 }))
      expect([await untried(), await untried(first)]).toEqual([middle.deliveryId, middle.deliveryId])
      await run((tx) => tx.hooks.save({ ...middle, status: 'failed' }))
      expect([await untried(), await untried(first)]).toEqual([last.deliveryId, last.deliveryId])
      await run((tx) => tx.hooks.save({ ...last, attempts: 1, status: 'delivered' }))
      expect([await untried(), await untried(first)]).toEqual([undefined, undefined])
    })

    test('holds up neither another issue, nor another endpoint, nor what is about no issue', async () => {
      await queueAll()
      const elsewhere = eventNumber(4, { issueId: OTHER_ISSUE })
      const aboutNothing = eventNumber(5, { issueId: undefined })
      const of = [hookOf(one, elsewhere), hookOf(second, elsewhere), hookOf(one, aboutNothing)] as const
      await queue(elsewhere, of[0], of[1])
      await queue(aboutNothing, of[2])
      const untried = await run(async (tx) => [
        await tx.hooks.firstUntried(last),
        await tx.hooks.firstUntried(of[0]),
        await tx.hooks.firstUntried(of[1]),
        await tx.hooks.firstUntried(of[2]),
      ])
      expect(untried).toEqual([first.deliveryId, of[0].deliveryId, of[1].deliveryId, undefined])
    })

    test('and did not take is found from a time on, in order', async () => {
      await save(one, second)
      const at = async (offset: number, n: number, endpoint = one) => {
        const event = eventNumber(n, { createdAt: NOW + offset })
        const hook = hookOf(endpoint, event)
        await queue(event, hook)
        return hook
      }
      const failed = [await at(-1, 1), await at(0, 2), await at(5, 3)].map((hook) => ({
        ...hook,
        status: 'failed' as const,
      }))
      const delivered = await at(0, 4)
      await at(0, 5)
      const foreign = await at(0, 6, second)
      await run(async (tx) => {
        for (const hook of [...failed, { ...foreign, status: 'failed' as const }]) await tx.hooks.save(hook)
        await tx.hooks.save({ ...delivered, status: 'delivered' })
      })
      const since = (time: number) => run((tx) => tx.hooks.failed(one.endpointId, time))
      expect([await since(0), await since(NOW), await since(NOW + 6)]).toEqual([failed, failed.slice(1), []])
    })

    test('waits in a queue of its endpoint, where others do not see it', async () => {
      await save(one, second)
      const event = eventNumber(1)
      const [mine, others] = [hookOf(one, event), hookOf(second, event)]
      await queue(event, mine, others)
      const { store } = atHand()
      expect(await store.read.jobs.heads('webhook')).toEqual([
        { queue: one.endpointId, runAt: NOW },
        { queue: second.endpointId, runAt: NOW },
      ])
      expect(await claimed('')).toEqual([])
      expect(await claimed(one.endpointId)).toMatchObject([{ ...OWNER, kind: 'webhook', subjectId: mine.deliveryId }])
      expect(await store.read.jobs.carrierQueues(NOW)).toEqual([])
      expect(await store.read.jobs.backlog(10)).toBe(0)
      await run((tx) => tx.jobs.emptyCarrierQueues())
      await run((tx) => tx.jobs.hasten('webhook', others.deliveryId))
      expect(await claimed(second.endpointId)).toMatchObject([{ subjectId: others.deliveryId }])
    })
  })

  describe('reports on webhooks', () => {
    const report = async (hook: HookDelivery): Promise<HookReport | undefined> => {
      const found = await atHand().other.read.hooks.page({ endpointId: hook.endpointId, limit: 100 })
      return found.find(({ deliveryId }) => deliveryId === hook.deliveryId)
    }
    const NOTHING_YET = { lastStatus: undefined, lastError: undefined, lastAttemptAt: undefined }

    test('say what came of the last attempt, and when the next one is', async () => {
      await save(one)
      const event = eventNumber(1, { type: 'otp.max_attempts' })
      const hook = hookOf(one, event)
      await queue(event, hook)
      expect(await report(hook)).toEqual({ ...hook, type: 'otp.max_attempts', ...NOTHING_YET, nextAttemptAt: NOW })

      const [job] = (await claimed(one.endpointId)) as [Job]
      await run(async (tx) => {
        await tx.hooks.addAttempt(hookAttempt(hook, 1))
        await tx.hooks.save({ ...hook, attempts: 1, tries: 1 })
        await tx.jobs.reschedule(job, NOW + 5_000, one.endpointId)
      })
      expect(await report(hook)).toMatchObject({
        attempts: 1,
        lastStatus: 503,
        lastError: undefined,
        lastAttemptAt: NOW + 1_000,
        nextAttemptAt: NOW + 5_000,
      })

      atHand().clock.time = NOW + 5_000
      const [again] = (await claimed(one.endpointId)) as [Job]
      await run(async (tx) => {
        await tx.hooks.addAttempt(hookAttempt(hook, 2, { status: undefined, error: 'timeout', answer: undefined }))
        await tx.hooks.save({ ...hook, status: 'failed', attempts: 2, tries: 2 })
        await tx.jobs.finish(again)
      })
      expect(await report(hook)).toEqual({
        ...hook,
        type: 'otp.max_attempts',
        status: 'failed',
        attempts: 2,
        tries: 2,
        lastStatus: undefined,
        lastError: 'timeout',
        lastAttemptAt: NOW + 2_000,
        nextAttemptAt: undefined,
      })
    })

    test('list every attempt as it was, oldest first, each number once', async () => {
      await save(one)
      const event = eventNumber(1)
      const hook = hookOf(one, event)
      await queue(event, hook)
      const attempts = [
        hookAttempt(hook, 1, { answer: '인증 😀 "\\' }),
        hookAttempt(hook, 2, { status: undefined, error: 'forbidden: 127.0.0.1', answer: undefined }),
        hookAttempt(hook, 3, { status: 200, answer: '' }),
      ]
      for (const attempt of attempts.toReversed()) await run((tx) => tx.hooks.addAttempt(attempt))
      const { read } = atHand().other
      expect(await read.hooks.attempts(hook.deliveryId)).toEqual(attempts)
      expect(await read.hooks.attempts(uuidAt(NOW, 9))).toEqual([])
      await errorOf(run((tx) => tx.hooks.addAttempt(hookAttempt(hook, 2))))
      expect(await read.hooks.attempts(hook.deliveryId)).toEqual(attempts)
    })

    test('are newest first, and pages meet without a gap or a double, in every state', async () => {
      await save(one, second)
      const states = ['delivered', 'failed', 'pending', 'pending', 'delivered', 'failed', 'delivered'] as const
      const hooks: HookDelivery[] = []
      for (const [n, status] of states.entries()) {
        const event = eventNumber(n + 1)
        const hook = { ...hookOf(one, event), status }
        await queue(event, hook, hookOf(second, event))
        hooks.unshift(hook)
      }
      const { read } = atHand().store
      for (const status of [undefined, 'delivered', 'failed', 'pending'] as const) {
        const expected = ids(hooks.filter((hook) => status === undefined || hook.status === status))
        for (let size = 1; size <= hooks.length; size++) {
          const paged: string[] = []
          for (let before: string | undefined; ; before = paged.at(-1)) {
            const page = await read.hooks.page({ endpointId: one.endpointId, status, before, limit: size })
            if (page.length === 0) break
            expect(page.length).toBeLessThanOrEqual(size)
            paged.push(...ids(page))
          }
          expect(paged).toEqual(expected)
        }
      }
    })

    test('of an issue are all endpoints’, in order, for its owner alone', async () => {
      await save(one, second)
      const [sent, verified] = [eventNumber(1), eventNumber(2, { type: 'otp.verified' })]
      const elsewhere = eventNumber(3, { issueId: OTHER_ISSUE })
      const hooks = [hookOf(second, sent), hookOf(one, sent), hookOf(one, verified)] as const
      await queue(sent, hooks[0], hooks[1])
      await queue(verified, hooks[2])
      await queue(elsewhere, hookOf(one, elsewhere))
      const { read } = atHand().other
      const reports = await read.hooks.ofIssue(OWNER, ISSUE)
      expect(reports.map(({ deliveryId, type }) => [deliveryId, type])).toEqual([
        [hooks[0].deliveryId, 'otp.sent'],
        [hooks[1].deliveryId, 'otp.sent'],
        [hooks[2].deliveryId, 'otp.verified'],
      ])
      expect(await read.hooks.ofIssue({ ...OWNER, mode: 'test' }, ISSUE)).toEqual([])
      expect(await read.hooks.ofIssue({ ...OWNER, appId: 'app_two' }, ISSUE)).toEqual([])
    })
  })

  describe('retention of webhooks', () => {
    const sweep = (before: number, limit = 100) => run((tx) => tx.retention.hooks(before, limit))
    /** One event for one endpoint, in a state, with an attempt. */
    const told = async (n: number, status: HookDelivery['status'], offset = 0, endpoint = one) => {
      const event = eventNumber(n, { createdAt: NOW + offset })
      const hook = hookOf(endpoint, event, { status, attempts: 1, tries: 1 })
      await queue(event, hook)
      await run((tx) => tx.hooks.addAttempt(hookAttempt(hook, 1)))
      return hook
    }
    const left = async ({ deliveryId, eventId }: HookDelivery) => ({
      hook: (await stored(deliveryId)) !== undefined,
      event: (await storedEvent(eventId)) !== undefined,
      attempts: (await atHand().store.read.hooks.attempts(deliveryId)).length,
    })
    const ALL = { hook: true, event: true, attempts: 1 }
    const NOTHING = { hook: false, event: false, attempts: 0 }
    const queued = async () => (await claimed(one.endpointId)).map(({ subjectId }) => subjectId)

    test.each(['delivered', 'failed'] as const)(
      'deletes an old one that is %s, with all that belongs to it',
      async (status) => {
        await save(one)
        const old = await told(1, status)
        expect(await sweep(NOW)).toBe(0)
        expect(await sweep(NOW + 1)).toBe(1)
        expect(await left(old)).toEqual(NOTHING)
        expect(await queued()).toEqual([])
        expect(await sweep(NOW + 1)).toBe(0)
      },
    )

    test('keeps an old one that is still to be told, and what is not old', async () => {
      await save(one)
      const waiting = await told(1, 'pending')
      const recent = await told(2, 'delivered', 1)
      const gone = await told(3, 'failed', -1)
      expect(await sweep(NOW + 1)).toBe(1)
      expect([await left(gone), await left(waiting), await left(recent)]).toEqual([NOTHING, ALL, ALL])
      atHand().clock.time = NOW + 1
      expect((await queued()).toSorted()).toEqual(ids([waiting, recent]).toSorted())
    })

    test('keeps an event for as long as somebody is told of it', async () => {
      await save(one, second)
      const event = eventNumber(1)
      const done = hookOf(one, event, { status: 'delivered', attempts: 1 })
      const waiting = hookOf(second, event)
      await queue(event, done, waiting)
      expect(await sweep(NOW + 1)).toBe(1)
      expect(await stored(done.deliveryId)).toBeUndefined()
      expect(await storedEvent(event.eventId)).toEqual(event)
      await run((tx) => tx.hooks.save({ ...waiting, status: 'failed' }))
      expect(await sweep(NOW + 1)).toBe(1)
      expect(await storedEvent(event.eventId)).toBeUndefined()
    })

    test('deletes at most as many as asked for, the oldest first, and says how many', async () => {
      await save(one)
      const waiting = await told(9, 'pending', -20)
      const hooks: HookDelivery[] = []
      for (let n = 1; n <= 5; n++) hooks.push(await told(n, n % 2 === 0 ? 'failed' : 'delivered', n - 10))
      const there = async () =>
        await Promise.all(hooks.map(async ({ deliveryId }) => (await stored(deliveryId)) !== undefined))
      expect(await sweep(NOW, 2)).toBe(2)
      expect(await there()).toEqual([false, false, true, true, true])
      expect([await sweep(NOW, 2), await sweep(NOW, 2), await sweep(NOW, 2)]).toEqual([2, 1, 0])
      expect(await stored(waiting.deliveryId)).toBeDefined()
      for (const { eventId } of hooks) expect(await storedEvent(eventId)).toBeUndefined()
    })
  })

  test('a change that is rolled back leaves nothing of a webhook, and one that was there as it was', async () => {
    await save(one)
    const event = eventNumber(1)
    const kept = hookOf(one, event)
    await queue(event, kept)
    const lost = eventNumber(2)
    const lostHook = hookOf(second, lost)
    const outcome = await outcomeOf(
      run(async (tx) => {
        await tx.endpoints.save({ ...one, url: 'https://elsewhere.example.com' })
        await tx.endpoints.add(second)
        await tx.hooks.addEvent(lost)
        await tx.hooks.add(lostHook)
        await tx.hooks.addAttempt(hookAttempt(lostHook, 1))
        await tx.jobs.add({
          kind: 'webhook',
          owner: lost,
          subjectId: lostHook.deliveryId,
          runAt: NOW,
          queue: 'whe_second',
        })
        await tx.hooks.save({ ...kept, status: 'delivered', attempts: 1 })
        await tx.endpoints.remove(one.endpointId)
        await tx.retention.hooks(NOW + 1, 100)
        throw new Error('refused')
      }),
    )
    expect(outcome).toMatchObject({ error: { message: 'refused' } })
    const { store } = atHand()
    expect(await store.read.endpoints.ofApp(APP.appId)).toEqual([one])
    expect(ids(await store.read.hooks.ofIssue(OWNER, ISSUE))).toEqual([kept.deliveryId])
    expect([await stored(kept.deliveryId), await stored(lostHook.deliveryId)]).toEqual([kept, undefined])
    expect([await storedEvent(event.eventId), await storedEvent(lost.eventId)]).toEqual([event, undefined])
    expect(await store.read.hooks.attempts(lostHook.deliveryId)).toEqual([])
    expect(await store.read.jobs.heads('webhook')).toEqual([{ queue: one.endpointId, runAt: NOW }])
  })
}
