/** What a server that starts counts of the issues of the last day. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { KeyKind } from '../../src/domain/key'
import { type LimitRule, phoneLimits, testBudgets } from '../../src/domain/limit'
import type { Limiter } from '../../src/node/limiter'
import { recall } from '../../src/node/recall'
import { type Furnished, World } from '../support/world'

const DAY_MS = 24 * 60 * 60_000

let world: World
let keys: Furnished
beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
})
afterEach(() => world.stop())

let made = 0
const issue = (key: string, phoneNumber = '010-1234-5678') =>
  world.call('rest', 'issue', { phoneNumber, purpose: 'p', idempotencyKey: `k${made++}` }, { key })

function isUsedUp(limiter: Limiter, rule: LimitRule): boolean {
  try {
    limiter.take([rule], world.clock.now())
    return false
  } catch {
    return true
  }
}

/** Which limits are used up where each lets one through. */
async function usedUp(kind: KeyKind = 'sk'): Promise<string[]> {
  const once = { issuesPerPhone10Min: 1, issuesPerPhoneDay: 1, testIssuesPerDay: 1, testIssuesPerOrgDay: 1 }
  const limits = { ...world.config.limits, ...once }
  const limiter = await recall(world.store.read, limits, world.clock)
  const [row] = await world.rows<{ phone_hash: Uint8Array }>("SELECT phone_hash FROM issues WHERE mode = 'live'")
  const phone = { appId: keys.appId, kind, phoneHash: row?.phone_hash ?? new Uint8Array() }
  const rules = [...phoneLimits(limits, phone), ...testBudgets(limits, keys.organizationId)]
  return rules.filter((rule) => isUsedUp(limiter, rule)).map(({ limit, windowMs }) => `${limit} ${windowMs}`)
}

test('a live issue counts for its phone, for ten minutes and for a day, and for the kind of its key', async () => {
  expect(await usedUp()).toEqual([])
  await issue(keys.live)
  expect(await usedUp()).toEqual(['perPhone 600000', `perPhone ${DAY_MS}`])
  expect(await usedUp('pk')).toEqual([])
  world.clock.step(DAY_MS - 1)
  expect(await usedUp()).toEqual([`perPhone ${DAY_MS}`])
  world.clock.step(1)
  expect(await usedUp()).toEqual([])
})

test('one from before kinds were noted counts for each kind', async () => {
  await issue(keys.live)
  world.write('UPDATE issues SET key_kind = NULL')
  for (const kind of ['sk', 'pk'] as const) expect(await usedUp(kind)).toHaveLength(2)
})

test('a test issue counts for the organization and the platform until the day ends', async () => {
  await issue(keys.test, '010-0000-0000')
  expect(await usedUp()).toEqual(['perOrgDaily utc-day', 'testModeDaily utc-day'])
  const midnight = Math.ceil(world.clock.now() / DAY_MS) * DAY_MS
  world.clock.step(midnight - world.clock.now() - 1)
  expect(await usedUp()).toHaveLength(2)
  world.clock.step(1)
  expect(await usedUp()).toEqual([])
})
