import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type LimitRule, phoneLimits, testBudgets } from '../../src/domain/access/rate-limits'
import type { Fleet } from '../../src/ports/node'
import type { Reader } from '../../src/ports/store'
import { LocalLimits } from '../../src/runtime/limits/request-limits'
import { errorOf } from '../support/error-of'
import { type Furnished, World } from '../support/world'

/** A server that starts counts phones by their stored issues, and test budgets once. */
describe('LocalLimits', () => {
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

  /** Of a server that has just started; `failures`: so many counts fail. */
  function limitsOf(failures = 0) {
    let counts = 0
    const issues: Reader['issues'] = {
      ...world.store.read.issues,
      testIssuesSince: (since) =>
        ++counts > failures ? world.store.read.issues.testIssuesSince(since) : Promise.reject(new RangeError('broken')),
    }
    const { clock, config } = world
    const limits = new LocalLimits({ read: { ...world.store.read, issues }, clock, limits: config.limits })
    return { limits, counts: () => counts }
  }

  /** Which of these rules refuses one more, and for how long. */
  async function refusal(rules: LimitRule[]) {
    const { limits } = limitsOf()
    try {
      const permit = await limits.acquireForIssue(rules)
      return (await world.store.transaction((tx) => permit.confirm(tx)))?.detail
    } catch (error) {
      return (error as { detail: unknown }).detail
    }
  }

  async function rulesOfPhone(kind: 'sk' | 'pk') {
    const [row] = await world.rows<{ phone_hash: Uint8Array }>("SELECT phone_hash FROM issues WHERE mode = 'live'")
    const phone = { appId: keys.appId, kind, phoneHash: row?.phone_hash ?? new Uint8Array(32) }
    return phoneLimits({ ...world.config.limits, issuesPerPhone10Min: 1, issuesPerPhoneDay: 1 }, phone)
  }

  test('a live issue counts for its phone, for ten minutes and for a day, and for the kind of its key', async () => {
    await issue(keys.live)
    const [shortly, daily] = (await rulesOfPhone('sk')) as [LimitRule, LimitRule]
    const waits = async () =>
      [await refusal([shortly]), await refusal([daily])].map((data) => data as { retryAfterMs: number })
    expect((await waits()).map((data) => data.retryAfterMs)).toEqual([600_000, DAY_MS])
    expect(await refusal(await rulesOfPhone('pk'))).toBeUndefined()
    world.clock.step(DAY_MS - 1)
    expect((await waits()).map((data) => data?.retryAfterMs)).toEqual([undefined as never, 1])
    world.clock.step(1)
    expect(await refusal([shortly, daily])).toBeUndefined()
  })

  test('a test issue counts for the organization and the platform until the day ends', async () => {
    await issue(keys.test, '010-0000-0000')
    const budgets = testBudgets(
      { ...world.config.limits, testIssuesPerDay: 1, testIssuesPerOrgDay: 1 },
      keys.organizationId,
    )
    for (const budget of budgets) expect(await refusal([budget])).toMatchObject({ limit: budget.limit })
    world.clock.step(Math.ceil(world.clock.now() / DAY_MS) * DAY_MS - world.clock.now())
    expect(await refusal(budgets)).toBeUndefined()
  })

  test('a count that fails is made again by whoever asks next, and once it has succeeded by nobody', async () => {
    const { limits, counts } = limitsOf(1)
    const budgets = testBudgets(world.config.limits, keys.organizationId)
    expect((await errorOf(limits.acquireForIssue(budgets))).message).toContain('broken')
    for (let n = 0; n < 3; n++) await limits.acquireForIssue(budgets)
    expect(counts()).toBe(2)
  })
})

/** Several servers count together, and the answer waits until a permit is released. */
describe('SharedLimits', () => {
  let world: World
  let key: string
  /** Ends what is being given back. */
  let ends: Array<() => void>

  const late: Fleet = {
    nodeId: 'this one',
    heartbeat: async () => [],
    forget: async () => {},
    acquire: async () => ({ release: () => new Promise((resolve) => ends.push(resolve)) }),
  }

  beforeEach(async () => {
    ends = []
    world = await World.start({ fleet: late })
    key = (await world.furnish()).test
  })
  afterEach(() => world.stop())

  const issue = (change: object = {}, by = world) =>
    by.call('rest', 'issue', { phoneNumber: '010-0000-0000', purpose: 'p', idempotencyKey: 'k', ...change }, { key })

  test.each<[string, number, object]>([
    ['a replay', 200, {}],
    ['what the transaction refuses', 409, { purpose: 'another' }],
    ['what is refused before', 400, { phoneNumber: 'nonsense' }],
  ])('%s is answered once it counts no more', async (_, status, change) => {
    expect((await issue()).status).toBe(200)
    // Who has issued it counts nothing for a replay.
    const beside = await World.open({ place: world.place, clock: world.clock, fleet: late })
    let answered: number | undefined
    const answering = issue(change, beside).then((answer) => {
      answered = answer.status
    })
    while (ends.length === 0) await world.settle()
    await world.settle()
    expect(answered).toBeUndefined()
    while (answered === undefined) {
      for (const end of ends.splice(0)) end()
      await world.settle()
    }
    await answering
    expect(answered).toBe(status)
    await beside.store.close()
  })
})
