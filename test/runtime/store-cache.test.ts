import { describe, expect, test } from 'bun:test'
import { BUILT_IN_TEMPLATES, type Template } from '../../src/domain/message/template'
import type { IdempotencyRecord } from '../../src/domain/verification/idempotency'
import type { Reader, Store } from '../../src/ports/store'
import { NotedKeyUse, ReplayCache, SettingsCache } from '../../src/runtime/caches/store-cache'
import { NOW } from '../domain/sample'
import { errorOf } from '../support/error-of'

/** A server remembers the idempotency keys that it has issued codes for, by app and mode, up to a number. */
describe('ReplayCache', () => {
  const MOST = 16_384

  const keyHash = (n: number) => new Uint8Array(new Uint32Array([n, 0, 0, 0]).buffer)
  const record = (n: number, changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
    ...{
      appId: 'app_one',
      mode: 'live',
      keyHash: keyHash(n),
      fingerprint: keyHash(n),
      issueId: `${n}`,
      createdAt: NOW,
    },
    ...changes,
  })

  test('a key is known to its app, in its mode', () => {
    const cache = new ReplayCache()
    cache.note(record(1))
    expect(cache.find({ appId: 'app_one', mode: 'live' }, keyHash(1))).toEqual(record(1))
    expect(cache.find({ appId: 'app_one', mode: 'live' }, keyHash(2))).toBeUndefined()
    expect(cache.find({ appId: 'app_one', mode: 'test' }, keyHash(1))).toBeUndefined()
    expect(cache.find({ appId: 'app_two', mode: 'live' }, keyHash(1))).toBeUndefined()
  })

  test('a key that stands for another issue now does so here, too', () => {
    const cache = new ReplayCache()
    cache.note(record(1))
    cache.note(record(1, { issueId: 'another' }))
    expect(cache.find(record(1), keyHash(1))?.issueId).toBe('another')
  })

  test('sixteen thousand are known at most: a later one replaces the oldest', () => {
    const cache = new ReplayCache()
    for (let n = 0; n < MOST + 1; n++) cache.note(record(n))
    const isKnown = (n: number) => cache.find(record(n), keyHash(n)) !== undefined
    expect([0, 1, MOST - 1, MOST].map(isKnown)).toEqual([false, true, true, true])
  })
})

/** Settings are read once, until the store says that they may have changed. */
describe('SettingsCache', () => {
  /** `versions`: what the store answers; one promise for as long as nobody has looked anew. */
  function directoryOf(
    answers: { find?: () => Promise<unknown>; origins?: Map<string, number>; own?: Template[] } = {},
  ) {
    let version = Promise.resolve('1')
    let reads = 0
    const read = {
      settingsVersion: () => version,
      apps: {
        find: () => {
          reads++
          return answers.find?.() ?? Promise.resolve({ appId: `read ${reads}` })
        },
      },
      templates: { ofApp: async () => answers.own ?? [] },
      keys: { publicOrigins: async () => answers.origins ?? new Map() },
    } as unknown as Reader
    const look = (found: string) => {
      version = Promise.resolve(found)
    }
    return { directory: new SettingsCache(read), look, reads: () => reads }
  }

  test('is kept by name while the version is the same, looked at anew or not, and read anew with the next', async () => {
    const { directory, look, reads } = directoryOf()
    const [first] = await Promise.all([directory.app('a'), directory.app('a')])
    look('1')
    expect([await directory.app('a'), reads()]).toEqual([first, 1])
    await directory.app('b')
    expect(reads()).toBe(2)
    look('2')
    expect([(await directory.app('a'))?.appId, reads()]).toEqual(['read 3', 3])
  })

  test('absence and failure are not kept', async () => {
    const found = [Promise.resolve(undefined), Promise.resolve({ appId: 'a' }), Promise.resolve({ appId: 'b' })]
    const { directory, look, reads } = directoryOf({ find: () => found.shift() ?? Promise.reject(new Error('broken')) })
    expect(await directory.app('a')).toBeUndefined()
    expect((await directory.app('a'))?.appId).toBe('a')
    expect(reads()).toBe(2)
    look('2')
    expect((await directory.app('a'))?.appId).toBe('b')
    for (let n = 0; n < 2; n++) expect((await errorOf(directory.app('c'))).message).toContain('broken')
    expect(reads()).toBe(5)
  })

  test('own templates come after the built-in ones and hide those of the same id; the usual one needs no id', async () => {
    const [usual, ...others] = BUILT_IN_TEMPLATES
    const own = { ...(usual as Template), name: 'own' }
    const { directory } = directoryOf({ own: [own] })
    expect(await directory.templates('a')).toEqual([...others, own])
    expect((await directory.template('a'))?.name).toBe('own')
    expect(await directory.template('a', 'none')).toBeUndefined()
  })

  test('a page is public until the last key that lists it ends', async () => {
    const { directory } = directoryOf({ origins: new Map([['https://a.example', NOW + 1]]) })
    const isPublic = (origin: string, now: number) => directory.isPublicOrigin(origin, now)
    expect(await isPublic('https://a.example', NOW)).toBe(true)
    expect(await isPublic('https://a.example', NOW + 1)).toBe(false)
    expect(await isPublic('https://b.example', NOW)).toBe(false)
  })
})

/** When keys were last used: a failed write loses nothing, and an older time does not replace a later one. */
describe('NotedKeyUse', () => {
  /** Takes what it is given, or fails; `meanwhile` is what happens while it does. */
  function storeOf(meanwhile: () => void = () => {}, isBroken = false) {
    const saved: Array<Record<string, number>> = []
    const touch = async (uses: ReadonlyMap<string, number>) => {
      meanwhile()
      if (isBroken) throw new Error('full')
      saved.push(Object.fromEntries(uses))
    }
    const transaction = ((work) => work({ keys: { touch } } as never)) as Store['transaction']
    return { saved, store: { transaction } }
  }

  test('what was noted is stored once, by the latest time', async () => {
    const uses = new NotedKeyUse({ elapsed: () => 0 })
    const { saved, store } = storeOf()
    await uses.save(store)
    for (const at of [1, 2]) uses.note('a', at)
    uses.note('b', 1)
    expect([uses.latest('a'), uses.latest('c')]).toEqual([2, undefined])
    await uses.save(store)
    await uses.save(store)
    expect(saved).toEqual([{ a: 2, b: 1 }])
    expect(uses.latest('a')).toBeUndefined()
  })

  test('what could not be stored is stored the next time, but for keys used since', async () => {
    const uses = new NotedKeyUse({ elapsed: () => 0 })
    for (const key of ['a', 'b']) uses.note(key, 1)
    const broken = storeOf(() => uses.note('a', 2), true)
    expect((await errorOf(uses.save(broken.store))).message).toContain('full')
    expect([uses.latest('a'), uses.latest('b')]).toEqual([2, 1])
    const { saved, store } = storeOf()
    await uses.save(store)
    expect(saved).toEqual([{ a: 2, b: 1 }])
  })

  test('it is stored every fifteen seconds at most, the first use at once', async () => {
    let elapsed = 0
    const uses = new NotedKeyUse({ elapsed: () => elapsed })
    const { saved, store } = storeOf()
    const tidyAt = async (at: number) => {
      elapsed = at
      uses.note('a', at)
      await uses.tidy(store)
    }
    for (const at of [1_000, 2_000, 15_999, 16_000, 17_000]) await tidyAt(at)
    expect(saved).toEqual([{ a: 1_000 }, { a: 16_000 }])
    expect(uses.latest('a')).toBe(17_000)
  })
})
