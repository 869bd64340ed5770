/** When the clock is set back, one of several processes adjusts the stored times, once. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { FRONT, type Job, LEASE_MS } from '../../src/domain/operations/job'
import { conditionOf } from '../../src/domain/operations/node'
import type { Store } from '../../src/ports/store'
import { attemptRule } from '../../src/usecases/people/attempts'
import { VirtualClock } from '../support/clock'
import { FilePlace, type Place } from '../support/place'
import { SchemaPlace } from '../support/schema-place'
import { HANGS_AFTER_MS, until } from '../support/until'
import { type Furnished, START, World } from '../support/world'
import { awaitedOf, expectReport, issueNumber, outcomeOf } from './sample'

setDefaultTimeout(HANGS_AFTER_MS)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let clock: VirtualClock
let awake: World
/** A server that does nothing unless it is asked. */
let still: World
let keys: Furnished
let made = 0

async function begin(place: Place): Promise<void> {
  clock = new VirtualClock(START)
  awake = await World.start({ place, clock })
  keys = await awake.furnish()
  still = await World.start({ seed: 2, place, clock, processClock: { ...clock, after: () => () => {} } })
  await issue(still)
}
afterEach(async () => {
  await still.stop()
  await awake.stop()
})

async function issue(world: World): Promise<string> {
  const request = { phoneNumber: '010-0000-0000', purpose: `p${++made}`, idempotencyKey: `k${made}` }
  const { status, body } = await world.call('rest', 'issue', request, { key: keys.test })
  expect(status).toBe(200)
  return body.issueId
}

const verify = async (world: World, issueId: string) =>
  (await world.call('rest', 'verify', { issueId, code: '000000' }, { key: keys.test })).body
const steps = () => awake.rows<{ set_back_ms: number }>('SELECT set_back_ms FROM clock_steps')

describe.each<[string, () => Place | Promise<Place>]>([
  ['a file', () => new FilePlace()],
  ['PostgreSQL', () => SchemaPlace.find()],
])('of %s', (_, find) => {
  beforeEach(async () => begin(await find()))

  test('what is stored first afterwards has all its time, and what was stored before no more than it had', async () => {
    const before = await issue(awake)
    await awake.leap(100_000)
    clock.step(-HOUR_MS)
    const after = await issue(awake)
    await awake.advance(81_000)
    expect(await verify(awake, before)).toMatchObject({ verified: false, reasonCode: 'EXPIRED' })
    await awake.advance(98_000)
    expect(await verify(awake, after)).toMatchObject({ verified: true })
  })

  test('who stood still meanwhile does not do again what another one has done', async () => {
    clock.step(-HOUR_MS)
    await awake.advance(5_000)
    const issueId = await issue(awake)
    await issue(still)
    expect(await steps()).toHaveLength(1)
    expect(await verify(awake, issueId)).toMatchObject({ verified: true })
  })

  test('two steps that follow each other at once are two, whoever notices them', async () => {
    const [early, late] = [await issue(awake), await issue(awake)]
    clock.step(-HOUR_MS)
    await issue(awake)
    clock.step(-HOUR_MS)
    await issue(still)
    expect((await steps()).length).toBe(2)
    await awake.leap(170_000)
    expect(await verify(awake, early)).toMatchObject({ verified: true })
    await awake.advance(11_000)
    expect(await verify(awake, late)).toMatchObject({ verified: false, reasonCode: 'EXPIRED' })
  })

  test('steps that others have followed one by one are not followed again as their sum', async () => {
    for (const byMs of [-HOUR_MS, 30_000, -5_000]) {
      clock.step(byMs)
      await issue(awake)
    }
    const issueId = await issue(awake)
    await issue(still)
    expect(await steps()).toHaveLength(2)
    await awake.leap(170_000)
    expect(await verify(awake, issueId)).toMatchObject({ verified: true })
  })

  test('of two steps only the one that nobody has followed is', async () => {
    clock.step(-HOUR_MS)
    const issueId = await issue(awake)
    clock.step(-5_000)
    await issue(still)
    expect((await steps()).map((step) => step.set_back_ms).sort()).toEqual([HOUR_MS, 5_000])
    await awake.leap(170_000)
    expect(await verify(awake, issueId)).toMatchObject({ verified: true })
  })

  test('what is stored by the new time before anybody has noticed it has all its time', async () => {
    // One has seen the time to which the clock was set by mistake, and the other one has not.
    clock.step(24 * HOUR_MS)
    const before = await issue(awake)
    clock.step(-HOUR_MS)
    const after = await issue(still)
    await awake.advance(2_000)
    expect(await steps()).toHaveLength(1)
    expect(await verify(awake, after)).toMatchObject({ verified: true })
    await awake.leap(178_000)
    expect(await verify(awake, before)).toMatchObject({ verified: false, reasonCode: 'EXPIRED' })
  })

  describe('what is stored', () => {
    let store: Store
    let other: Store

    beforeEach(async () => {
      store = await awake.place.open({ clock, vault: awake.vault })
      other = await awake.place.open({ clock, vault: awake.vault })
    })
    afterEach(() => Promise.all([store.close(), other.close()]))

    const claim = () => store.transaction((tx) => tx.jobs.claim('deliver', 'a queue', 10))
    const stored = (n: number) =>
      issueNumber(n, {
        appId: keys.appId,
        mode: 'test',
        createdAt: START,
        updatedAt: START,
        expiresAt: START + 170_000,
      })
    const queue = (runAt: number, n: number) =>
      store.transaction((tx) =>
        tx.jobs.add({ kind: 'deliver', owner: stored(n), subjectId: stored(n).issueId, runAt, queue: 'a queue' }),
      )

    test('jobs that were planned before come as soon as they would have', async () => {
      await queue(START + MINUTE_MS, 1)
      await queue(START + 2 * HOUR_MS, 2)
      await queue(START, 3)
      const [running] = await claim()
      clock.step(-HOUR_MS)
      expect(await store.transaction((tx) => tx.jobs.lock(running as Job))).toBe(true)
      clock.leap(LEASE_MS.deliver - 1)
      expect(await claim()).toEqual([])
      clock.leap(1)
      // A read-only transaction is answered before its end, and until then its row is skipped.
      const again: Job[] = []
      await until(async () => again.push(...(await claim())) > 0, 'the job to be claimed')
      expect(again).toMatchObject([{ jobId: running?.jobId, attempt: 2 }])
      clock.leap(MINUTE_MS - LEASE_MS.deliver)
      expect((await claim()).map(({ subjectId }) => subjectId)).toContain(stored(1).issueId)
      clock.leap(2 * HOUR_MS - MINUTE_MS)
      expect((await claim()).map(({ subjectId }) => subjectId)).toContain(stored(2).issueId)
    })

    test('jobs that are due are due now, and not before', async () => {
      await queue(START - MINUTE_MS / 2, 1)
      clock.step(-MINUTE_MS)
      expect(await claim()).toMatchObject([{ subjectId: stored(1).issueId, runAt: START - MINUTE_MS }])
    })

    test('a report is awaited, and a code that is known is locked, no longer than before', async () => {
      const issue = stored(1)
      const awaited = awaitedOf(issue, { answeredAt: START })
      await store.transaction(async (tx) => {
        await tx.issues.add(issue)
        await expectReport(tx, awaited)
      })
      clock.step(-MINUTE_MS)
      await other.transaction(async (tx) => {
        expect(await tx.reports.find(awaited.messageId)).toEqual({ ...awaited, answeredAt: START - MINUTE_MS })
        expect(await tx.issues.lock(issue, issue.issueId)).toMatchObject({
          expiresAt: issue.expiresAt - MINUTE_MS,
        })
      })
    })
  })
})

describe('of PostgreSQL alone', () => {
  beforeEach(async () => begin(await SchemaPlace.find()))

  test('a transaction that has begun by the old time ends by it, before what is stored is made to fit the new one', async () => {
    const owner = { appId: keys.appId, mode: 'test' } as const
    const issueId = await issue(awake)
    const isWaitedFor = async () =>
      (await awake.rows("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length > 0
    let following: Promise<string> | undefined
    await awake.store.transaction(async (tx) => {
      await tx.jobs.claim('webhook', FRONT, 1)
      clock.step(-HOUR_MS)
      following = issue(still)
      while ((await steps()).length === 0 && !(await isWaitedFor())) {}
      expect((await tx.issues.lock(owner, issueId))?.expiresAt).toBeGreaterThan(tx.now)
    })
    await following
    expect((await steps()).length).toBe(1)
  })

  test('who died is not taken to be at work until the clock has come to where it was', async () => {
    await awake.write(`INSERT INTO nodes VALUES ('dead', 'dead', '1', 0, ${clock.now() - 60_000}, false, 0)`)
    clock.step(-HOUR_MS)
    await awake.advance(1_100)
    const nodes = await awake.store.read.nodes()
    const atWork = nodes.filter((node) => conditionOf(node, clock.now()) === 'working')
    expect(atWork.map(({ nodeId }) => nodeId)).toEqual(['node-1', 'node-2'])
  })

  test.each([
    ['a quarter of an hour', 15 * MINUTE_MS, 15 * MINUTE_MS],
    ['a day, which is over at midnight', 'utc-day', 12 * HOUR_MS],
  ] as const)(
    'what was counted counts for %s, and no longer because the clock was set back',
    async (_, windowMs, lastsMs) => {
      const { fleet } = await awake.place.open({ clock, vault: awake.vault })
      if (!fleet) throw new Error('of several servers')
      const isGranted = async () =>
        'value' in (await outcomeOf(fleet.acquire([{ ...attemptRule('who', 1), windowMs }])))
      expect(await isGranted()).toBe(true)
      clock.step(-48 * HOUR_MS)
      await awake.advance(1_100)
      expect(await isGranted()).toBe(false)
      clock.leap(lastsMs)
      expect(await isGranted()).toBe(true)
    },
  )

  test('who starts after the clock was set back follows, too, before it stores anything', async () => {
    const before = await issue(awake)
    clock.step(-HOUR_MS)
    const fresh = await World.start({ seed: 3, place: awake.place, clock })
    const after = await issue(fresh)
    expect((await steps()).length).toBe(1)
    await awake.leap(170_000)
    expect(await verify(still, after)).toMatchObject({ verified: true })
    await awake.advance(11_000)
    expect(await verify(still, before)).toMatchObject({ verified: false, reasonCode: 'EXPIRED' })
    expect((await steps()).length).toBe(1)
  })
})
