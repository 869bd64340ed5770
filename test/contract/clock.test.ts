/** What a clock that is set back does not do: prolong codes, change what was answered, put new issues behind old ones. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Furnished, WIRES, World } from '../support/world'

const HOUR_MS = 3_600_000

describe.each(WIRES)('over %s, when the clock is set back by an hour', (wire) => {
  let world: World
  let keys: Furnished
  let made = 0

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  const call = (operation: Parameters<World['call']>[1], input: object) =>
    world.call(wire, operation, input, { key: keys.test })
  const requestOf = (n: number) => ({ phoneNumber: '010-0000-0000', purpose: `p${n}`, idempotencyKey: `k${n}` })
  const issue = async () => (await call('issue', requestOf(made++))).body
  const verify = async (issueId: string) => (await call('verify', { issueId, code: '000000' })).body

  test('a code lives as long as it would have, and not longer', async () => {
    const [early, late] = [await issue(), await issue()]
    await world.leap(100_000)
    world.clock.step(-HOUR_MS)
    await world.advance(79_000)
    expect(await verify(early.issueId)).toMatchObject({ verified: true })
    await world.advance(2_000)
    expect(await verify(late.issueId)).toMatchObject({ verified: false, reasonCode: 'EXPIRED' })
  })

  test('a code that is issued afterwards has all its time', async () => {
    await issue()
    world.clock.step(-HOUR_MS)
    await world.advance(1_100)
    const { issueId } = await issue()
    await world.leap(178_000)
    expect(await verify(issueId)).toMatchObject({ verified: true })
  })

  test('a repeated request is answered as it was; the status says the expiry of the new clock', async () => {
    const first = await issue()
    world.clock.step(-HOUR_MS)
    await world.advance(1_100)
    expect((await call('issue', requestOf(made - 1))).body).toEqual(first)
    const { expiresAt } = (await call('status', { issueId: first.issueId })).body
    expect(Date.parse(expiresAt)).toBe(Date.parse(first.expiresAt) - HOUR_MS)
  })

  test('what is newer comes first, and is found by when it was created', async () => {
    const before = await issue()
    await world.advance(5_000)
    world.clock.step(-HOUR_MS)
    await world.advance(1_100)
    const after = await issue()
    const idsOf = async (query: object) =>
      (await call('listIssues', query)).body.items.map(({ issueId }: { issueId: string }) => issueId)
    expect(await idsOf({})).toEqual([after.issueId, before.issueId])
    const bound = new Date(world.clock.now() + 60_000).toISOString()
    expect(await idsOf({ createdTo: bound })).toEqual([after.issueId])
    expect(await idsOf({ createdFrom: bound })).toEqual([before.issueId])
  })

  test('after several steps back, too', async () => {
    for (let n = 0; n < 2; n++) {
      await issue()
      world.clock.step(-HOUR_MS)
      await world.advance(1_100)
    }
    const { issueId } = await issue()
    const createdTo = new Date(world.clock.now() + 60_000).toISOString()
    const { items } = (await call('listIssues', { createdTo })).body
    expect(items).toMatchObject([{ issueId }])
  })

  test('a second step back is followed as the first was', async () => {
    const { issueId } = await issue()
    for (let n = 0; n < 3; n++) {
      world.clock.step(-HOUR_MS)
      await world.advance(1_100)
    }
    await world.leap(170_000)
    expect((await call('status', { issueId })).body.verificationStatus).toBe('issued')
    await world.advance(7_000)
    expect((await call('status', { issueId })).body.verificationStatus).toBe('expired')
  })
})
