import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { openStore } from '../../src/store/sqlite/open'
import { readUsage, rollUpUsage } from '../../src/usecases/read-usage'
import { type Furnished, World } from '../support/world'

describe('usage', () => {
  let world: World
  let keys: Furnished

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  const owner = () => ({ appId: keys.appId, mode: 'live' }) as const
  const ofTheDay = async () => {
    const now = world.clock.now()
    return (await readUsage(world, owner(), { from: now - 2 * DAY_MS, to: now + HOUR_MS, by: 'hour' })).total
  }
  const issue = (phoneNumber: string) =>
    world.call('rest', 'issue', { phoneNumber, purpose: 'signup', idempotencyKey: phoneNumber }, { key: keys.live })
  const deliver = (issueId: string) =>
    world.store.transaction(async (tx) => {
      const stored = await tx.issues.lock(owner(), issueId)
      if (stored) await tx.issues.save({ ...stored, deliveryStatus: 'delivered', sendPending: false })
    })

  test('of this hour is what has happened until now', async () => {
    await issue('010-1234-0001')
    expect(await ofTheDay()).toMatchObject({ issued: 1 })
    await issue('010-1234-0002')
    expect(await ofTheDay()).toMatchObject({ issued: 2 })
  })

  test('of this hour is not counted again before twenty times the time that counting took', async () => {
    let ms = 0
    const { file, vault, clock } = world
    const store = openStore({ file, vault, clock: { now: clock.now, elapsed: () => (ms += 50) } })
    const ofThisHour = async () => {
      const now = clock.now()
      return (await readUsage({ store, clock }, owner(), { from: now, to: now + 1, by: 'hour' })).total.issued
    }
    await issue('010-1234-0001')
    expect(await ofThisHour()).toBe(1)
    await issue('010-1234-0002')
    clock.step(999)
    expect(await ofThisHour()).toBe(1)
    clock.step(1)
    expect(await ofThisHour()).toBe(2)
    await store.close()
  })

  test('is not looked for in hours before the first issue, however early one asks', async () => {
    let looks = 0
    const { file, vault, clock } = world
    const store = openStore({ file, vault, clock: { now: clock.now, elapsed: () => looks++ } })
    await issue('010-1234-0001')
    const since = clock.now() - 900 * DAY_MS
    const { total } = await readUsage({ store, clock }, owner(), { from: since, to: clock.now() + 1, by: 'day' })
    expect(total.issued).toBe(1)
    expect(looks).toBeLessThan(60)
    await store.close()
  })

  test('by purpose tells of the 200 largest, for callers make up purposes', async () => {
    const order = (n: number, purpose: string) =>
      world.call(
        'rest',
        'issue',
        { phoneNumber: `010-2000-${1_000 + n}`, purpose, idempotencyKey: `k${n}` },
        { key: keys.live },
      )
    for (let n = 0; n < 202; n++) await order(n, n < 2 ? 'signup' : `made up ${n}`)
    const now = world.clock.now()
    const query = { from: now, to: now + 1, by: 'hour', groupBy: 'purpose' } as const
    const { groups, total } = await readUsage(world, owner(), query)
    expect(total.issued).toBe(202)
    expect(groups).toHaveLength(200)
    expect(groups[0]).toMatchObject({ name: 'signup', issued: 2 })
  })

  test('of an hour that is over may be ten minutes old, and no older', async () => {
    const { issueId } = (await issue('010-1234-0001')).body
    await world.advance(HOUR_MS + 15 * MINUTE_MS)
    expect(await ofTheDay()).toMatchObject({ issued: 1, delivered: 0 })
    await deliver(issueId)
    await world.advance(9 * MINUTE_MS)
    expect(await ofTheDay()).toMatchObject({ issued: 1, delivered: 0 })
    await world.advance(MINUTE_MS)
    expect(await ofTheDay()).toMatchObject({ issued: 1, delivered: 1 })
  })

  test('of an hour that is kept is what was counted', async () => {
    const { issueId } = (await issue('010-1234-0001')).body
    await deliver(issueId)
    world.clock.step(30 * HOUR_MS)
    const counted = await ofTheDay()
    await rollUpUsage(world)
    expect(counted).toMatchObject({ issued: 1, delivered: 1 })
    expect(await ofTheDay()).toEqual(counted)
  })

  test('of an hour is kept once it has settled, and no sooner: after the last report, the last code and an hour', async () => {
    const { issueId } = (await issue('010-1234-0001')).body
    // The hour of the issue has settled at 16:00 of the next day.
    world.clock.step(28 * HOUR_MS - 1)
    await rollUpUsage(world)
    await deliver(issueId)
    expect(await ofTheDay()).toMatchObject({ issued: 1, delivered: 1 })
  })

  test('of an hour is kept when it has settled', async () => {
    const { issueId } = (await issue('010-1234-0001')).body
    world.clock.step(28 * HOUR_MS)
    await rollUpUsage(world)
    await deliver(issueId)
    expect(await ofTheDay()).toMatchObject({ issued: 1, delivered: 0 })
  })
})
