import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { addUp } from '../../src/domain/operations/usage'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import type { Store } from '../../src/ports/store'
import { openStore } from '../../src/store/sqlite/open'
import { rollUpUsage } from '../../src/usecases/roll-up-usage'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

describe('usage', () => {
  let world: World
  let keys: Furnished

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  const owner = () => ({ appId: keys.appId, mode: 'live' }) as const
  /** Of whole hours. */
  const usageOf = (store: Store, from: number, to: number) => {
    const hour = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS
    return store.lists.usage.rows(owner(), hour(from), hour(to - 1) + HOUR_MS, world.clock.now())
  }
  const ofTheDay = async (store = world.store) => {
    const now = world.clock.now()
    return addUp(await usageOf(store, now - 2 * DAY_MS, now + HOUR_MS))
  }
  const issue = (phoneNumber: string) =>
    world.call('rest', 'issue', { phoneNumber, purpose: 'signup', idempotencyKey: phoneNumber }, { key: keys.live })
  const deliver = (issueId: string) =>
    world.store.transaction(async (tx) => {
      const stored = await tx.issues.lockMessage(owner(), issueId)
      if (stored) await tx.issues.save({ ...stored, deliveryStatus: 'delivered', sendPending: false })
    })

  test('of this hour is what has happened until now', async () => {
    await issue('010-1234-0001')
    expect(await ofTheDay()).toMatchObject({ issued: 1 })
    await issue('010-1234-0002')
    expect(await ofTheDay()).toMatchObject({ issued: 2 })
  })

  test('of an hour with many issues is counted in steps, and is what one step would count', async () => {
    await issue('010-1234-0001')
    const db = new Database(world.file)
    db.run(`CREATE TEMP TABLE many AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
      SELECT issues.* FROM issues, n`)
    db.run(`UPDATE many SET issue_id = unhex(substr(hex(issue_id), 1, 20) || printf('%012X', rowid)),
      message_id = randomblob(16), verification_status = 'expired', purpose = 'purpose-' || (rowid % 3),
      key_hash = NULL, fingerprint = NULL`)
    db.run('INSERT INTO issues SELECT * FROM many')
    db.close()
    let turns = 0
    let isCounted = false
    const turn = () => {
      turns++
      if (!isCounted) setImmediate(turn)
    }
    setImmediate(turn)
    const now = world.clock.now()
    const rows = await usageOf(world.store, now, now + 1)
    isCounted = true
    expect(turns).toBeGreaterThan(2)
    expect(rows.map(({ purpose, issued }) => [purpose, issued]).sort()).toEqual([
      ...[
        ['purpose-0', 833],
        ['purpose-1', 834],
        ['purpose-2', 833],
        ['signup', 1],
      ],
    ])
  })

  test('of this hour is not counted again before twenty times the time that counting took', async () => {
    let ms = 0
    const { file, vault, clock } = world
    const store = openStore({ file, vault, clock: { now: clock.now, elapsed: () => (ms += 50) } })
    const ofThisHour = async () => {
      const now = clock.now()
      return addUp(await usageOf(store, now, now + 1)).issued
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
    expect(addUp(await usageOf(store, since, clock.now() + 1)).issued).toBe(1)
    expect(looks).toBeLessThan(60)
    await store.close()
  })

  test('of an hour that is over may be ten minutes old, and no older', async () => {
    // One that nobody else asks: notices count, too.
    const { file, vault, clock } = world
    const store = openStore({ file, vault, clock })
    const { issueId } = (await issue('010-1234-0001')).body
    await world.leap(HOUR_MS + 15 * MINUTE_MS)
    expect(await ofTheDay(store)).toMatchObject({ issued: 1, delivered: 0 })
    await deliver(issueId)
    await world.leap(9 * MINUTE_MS)
    expect(await ofTheDay(store)).toMatchObject({ issued: 1, delivered: 0 })
    await world.advance(MINUTE_MS)
    expect(await ofTheDay(store)).toMatchObject({ issued: 1, delivered: 1 })
    await store.close()
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
