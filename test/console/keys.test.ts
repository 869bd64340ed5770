/** API keys as the console makes, rotates and shows them: over its wire, with the API they open beside it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Mode } from '../../src/domain/shared/value'
import type { Store } from '../../src/ports/store'
import { setUpToken } from '../../src/usecases/people'
import { type Furnished, WIRES, World } from '../support/world'
import { ConsoleClient } from './client'

const HOUR_MS = 3_600_000
const SWEEP_MS = 1_000

let world: World
let keys: Furnished
let owner: ConsoleClient
/** What happens where it is to be stored when keys were used. */
let insteadOfStoring: (() => Promise<void>) | undefined

const watched = (store: Store): Store => ({
  ...store,
  transaction: (work) =>
    store.transaction((tx) =>
      work(insteadOfStoring ? Object.create(tx, { keys: { value: { ...tx.keys, touch: insteadOfStoring } } }) : tx),
    ),
})

beforeEach(async () => {
  insteadOfStoring = undefined
  world = await World.start({ wrapStore: watched })
  keys = await world.furnish()
  owner = new ConsoleClient(world)
  const person = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }
  expect((await owner.call('session/setUp', { token: await setUpToken(world), ...person })).status).toBe(200)
})
afterEach(() => world.stop())

const create = (mode: Mode, more: object = {}) =>
  owner.call('keys/create', { appId: keys.appId, kind: 'sk', mode, ...more })
const list = async () => (await owner.call('keys/list', { appId: keys.appId })).body.keys
const shown = async (key: string) =>
  (await list()).find(({ shown }: { shown: string }) => shown.slice(-4) === key.slice(-4))
const statusOf = async (key: string) => (await world.call('rest', 'balance', {}, { key })).status

describe.each<[Mode, number]>([
  ['live', 20],
  ['test', 5],
])('an app has for %s at most %d keys', (mode, max) => {
  /** The app is furnished with one of each mode. */
  const fill = async () => {
    for (let n = 1; n < max - 1; n++) expect((await create(mode)).status).toBe(200)
    return create(mode, { expiresAt: world.clock.now() + HOUR_MS })
  }
  const refused = { status: 400, body: { data: { reason: 'too_many_keys', about: { max } } } }

  test('and no more, whatever it has of the other mode', async () => {
    expect((await fill()).status).toBe(200)
    expect(await create(mode)).toMatchObject(refused)
    expect((await create(mode === 'live' ? 'test' : 'live')).status).toBe(200)
    expect(await list()).toHaveLength(max + 2)
  })

  test('where one that is revoked leaves its place at once', async () => {
    const { keyId } = (await fill()).body
    await owner.call('keys/revoke', { keyId })
    expect((await create(mode)).status).toBe(200)
    expect(await create(mode)).toMatchObject(refused)
  })

  test('where one that expires leaves its place with its last millisecond', async () => {
    await fill()
    world.clock.step(HOUR_MS - 1)
    expect(await create(mode)).toMatchObject(refused)
    world.clock.step(1)
    expect((await create(mode)).status).toBe(200)
    expect(await create(mode)).toMatchObject(refused)
  })

  test('where the new one of a rotation needs a place, too', async () => {
    const { keyId } = (await fill()).body
    expect(await owner.call('keys/rotate', { keyId, overlapHours: 0 })).toMatchObject(refused)
  })
})

describe('a key that is rotated', () => {
  const rotated = async (keyId: string, overlapHours: number) =>
    (await owner.call('keys/rotate', { keyId, overlapHours })).body

  test('works until its overlap ends, also where the service knows it already; the new one goes on', async () => {
    const old = (await create('test')).body
    expect(await statusOf(old.key)).toBe(200)
    const made = await rotated(old.keyId, 2)
    expect(made.previousWorksUntil).toBe(world.clock.now() + 2 * HOUR_MS)
    world.clock.step(2 * HOUR_MS - 1)
    expect([await statusOf(old.key), await statusOf(made.key)]).toEqual([200, 200])
    world.clock.step(1)
    expect([await statusOf(old.key), await statusOf(made.key)]).toEqual([401, 200])
  })

  test('without an overlap ends at once', async () => {
    const old = (await create('test')).body
    expect(await statusOf(old.key)).toBe(200)
    const made = await rotated(old.keyId, 0)
    expect([await statusOf(old.key), await statusOf(made.key)]).toEqual([401, 200])
  })

  test('does not outlive its expiry by a long overlap, nor does the new one', async () => {
    const expiresAt = world.clock.now() + HOUR_MS
    const old = (await create('test', { expiresAt })).body
    const made = await rotated(old.keyId, 24)
    expect(made.previousWorksUntil).toBe(expiresAt)
    world.clock.step(HOUR_MS - 1)
    expect([await statusOf(old.key), await statusOf(made.key)]).toEqual([200, 200])
    world.clock.step(1)
    expect([await statusOf(old.key), await statusOf(made.key)]).toEqual([401, 401])
  })
})

describe('when a key was last used', () => {
  const usedAt = async (key = keys.test) => (await shown(key)).lastUsedAt
  const stored = async (key = keys.test) => {
    const sql = 'SELECT last_used_at AS at FROM api_keys WHERE last_four = ?'
    const [row] = await world.rows<{ at: number | null }>(sql, key.slice(-4))
    return row?.at
  }
  /** Time goes on between two uses; answers when the last one was. */
  async function use(key = keys.test): Promise<number> {
    await world.advance(10 * SWEEP_MS)
    expect(await statusOf(key)).toBe(200)
    return world.clock.now()
  }

  test('is unknown until it is', async () => {
    expect(await usedAt()).toBeUndefined()
    await use(keys.live)
    expect(await usedAt()).toBeUndefined()
  })

  test.each(WIRES)('is noted by any request over %s, and by one that is refused', async (wire) => {
    for (const [operation, input, status] of [
      ['listTemplates', {}, 200],
      ['verify', { issueId: 'none', code: '000000' }, 200],
      ['issue', { phoneNumber: '', purpose: 'p' }, 400],
      ['status', { issueId: 'none' }, 404],
    ] as const) {
      await world.advance(10 * SWEEP_MS)
      expect((await world.call(wire, operation, input, { key: keys.test })).status).toBe(status)
      expect(await usedAt()).toBe(world.clock.now())
    }
  })

  test('is not noted by who no longer gets in with it', async () => {
    const at = await use()
    const { keyId } = await shown(keys.test)
    await owner.call('keys/revoke', { keyId })
    await world.advance(10 * SWEEP_MS)
    expect(await statusOf(keys.test)).toBe(401)
    expect(await usedAt()).toBe(at)
  })

  test('is shown before it is stored, also where an earlier use is', async () => {
    const first = await use()
    expect([await usedAt(), await stored()]).toEqual([first, null])
    const second = await use()
    expect([await usedAt(), await stored()]).toEqual([second, first])
  })

  test('is stored soon, and known after a restart', async () => {
    const at = await use()
    await world.advance(SWEEP_MS)
    expect(await stored()).toBe(at)
    const beside = await World.start({ place: world.place, clock: world.clock })
    const [key] = (await beside.store.read.keys.ofApp(keys.appId)).filter(({ mode }) => mode === 'test')
    expect(key?.lastUsedAt).toBe(at)
    await beside.run(beside.app.stop())
  })

  test('is stored when the process stops, however soon', async () => {
    const beside = await World.start({ place: world.place, clock: world.clock })
    await world.advance(10 * SWEEP_MS)
    expect((await beside.call('rest', 'balance', {}, { key: keys.test })).status).toBe(200)
    await beside.run(beside.app.stop())
    expect(await stored()).toBe(world.clock.now())
  })

  test('is kept when it cannot be stored, until it can; a use meanwhile counts', async () => {
    const first = await use()
    const ofLive = await use(keys.live)
    expect(await statusOf(keys.test)).toBe(200)
    let meanwhile: number | undefined
    insteadOfStoring = async () => {
      world.clock.step(1)
      if ((await statusOf(keys.test)) === 200) meanwhile = world.clock.now()
      throw new Error('disk full')
    }
    await world.advance(15 * SWEEP_MS)
    expect(meanwhile).toBeGreaterThan(ofLive)
    expect([await usedAt(), await usedAt(keys.live)]).toEqual([meanwhile, ofLive])
    expect([await stored(), await stored(keys.live)]).toEqual([first, null])
    insteadOfStoring = undefined
    await world.advance(SWEEP_MS)
    expect([await stored(), await stored(keys.live)]).toEqual([meanwhile, ofLive])
  })
})
