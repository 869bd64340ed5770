/** When the database's clock is set back, one of several servers adjusts the stored times, once. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { FRONT } from '../../src/domain/operations/job'
import { conditionOf } from '../../src/domain/operations/node'
import { attemptRule } from '../../src/usecases/people/attempts'
import { VirtualClock } from '../support/clock'
import { SchemaPlace } from '../support/schema-place'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, START, World } from '../support/world'
import { outcomeOf } from './sample'

setDefaultTimeout(HANGS_AFTER_MS)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let clock: VirtualClock
let awake: World
/** A server that does nothing unless it is asked. */
let still: World
let keys: Furnished
let made = 0

beforeEach(async () => {
  const place = await SchemaPlace.find()
  clock = new VirtualClock(START)
  awake = await World.start({ place, clock })
  keys = await awake.furnish()
  still = await World.start({ seed: 2, place, clock, processClock: { ...clock, after: () => () => {} } })
  await issue(still)
})
afterEach(async () => {
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
const steps = () => awake.rows<{ set_back_ms: number }>('SELECT set_back_ms FROM clock_steps ORDER BY noticed_at DESC')

test('what is stored first afterwards has all its time, and what was stored before no more than it had', async () => {
  const before = await issue(awake)
  await awake.advance(100_000)
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
  await awake.advance(170_000)
  expect(await verify(awake, early)).toMatchObject({ verified: true })
  await awake.advance(11_000)
  expect(await verify(awake, late)).toMatchObject({ verified: false, reasonCode: 'EXPIRED' })
})

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
    const isGranted = async () => 'value' in (await outcomeOf(fleet.acquire([{ ...attemptRule('who', 1), windowMs }])))
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
  await awake.advance(170_000)
  expect(await verify(still, after)).toMatchObject({ verified: true })
  await awake.advance(11_000)
  expect(await verify(still, before)).toMatchObject({ verified: false, reasonCode: 'EXPIRED' })
  expect((await steps()).length).toBe(1)
})
