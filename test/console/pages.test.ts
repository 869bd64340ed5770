/** Lists of the console in pages: newest first, each row once, within the bounds that were asked for. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Lists, Store } from '../../src/ports/store'
import type { IssueFilter } from '../../src/ports/store/issues'
import * as administer from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { searchIssues } from '../../src/usecases/search-issues'
import { anIssue } from '../domain/sample'
import { uuidAt } from '../store/sample'
import { VirtualClock } from '../support/clock'
import { Receivers, receives } from '../support/receiver'
import { type Furnished, START, World } from '../support/world'
import { ConsoleClient } from './client'

// biome-ignore lint/suspicious/noExplicitAny: rows are compared, not used
type Row = any

let world: World
let keys: Furnished
let receivers: Receivers
let owner: ConsoleClient

beforeEach(async () => {
  const clock = new VirtualClock(START)
  receivers = new Receivers(clock.now)
  world = await World.start({ clock, hooks: receivers })
  keys = await world.furnish()
  owner = new ConsoleClient(world)
  const person = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }
  await owner.call('session/setUp', { token: await setUpToken(world), ...person })
})
afterEach(() => world.stop())

/** Every page of a list, one below the other. */
async function pagesOf(path: string, input: object): Promise<Row[][]> {
  const pages: Row[][] = []
  let after: string | undefined
  do {
    const { status, body } = await owner.call(path, { ...input, ...(after !== undefined && { after }) })
    expect(status).toBe(200)
    pages.push(body.rows)
    after = body.next
  } while (after !== undefined && pages.length < 50)
  return pages
}

/** Pages of two have what one page has, each row once, and only the last is shorter. */
async function expectPages(path: string, input: object, count: number): Promise<Row[]> {
  const [whole = []] = await pagesOf(path, { ...input, limit: 200 })
  expect(whole).toHaveLength(count)
  for (const limit of [1, 2, count]) {
    const pages = await pagesOf(path, { ...input, limit })
    expect(pages.flat()).toEqual(whole)
    expect(pages).toHaveLength(Math.ceil(count / limit))
    expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true)
  }
  return whole
}

/** As for every list. */
async function expectBounds(path: string, input: object): Promise<void> {
  for (const limit of [0, -1, 1.5, 201, '2'])
    expect({ limit, status: (await owner.call(path, { ...input, limit })).status }).toEqual({ limit, status: 400 })
  for (const limit of [1, 200]) expect((await owner.call(path, { ...input, limit })).status).toBe(200)
}

describe('the audit log', () => {
  test('comes newest first, in pages, by who and what', async () => {
    for (let n = 0; n < 5; n++) {
      await owner.call('apps/create', { name: `app ${n}` })
      await administer.addCredit(world.admin, { appId: keys.appId, amount: 1 })
    }
    const [every = []] = await pagesOf('audit/list', { limit: 200 })
    await expectPages('audit/list', {}, every.length)
    expect(every.map(({ seq }) => seq)).toEqual(every.map((_, index) => every.length - index))
    const made = await expectPages('audit/list', { action: 'app.create', actor: every[1].actor }, 5)
    expect(made.map(({ detail }) => detail.name)).toEqual([4, 3, 2, 1, 0].map((n) => `app ${n}`))
    await expectPages('audit/list', { action: 'credit.credit', actor: 'test' }, 6)
    expect(await expectPages('audit/list', { action: 'app.create', actor: 'test' }, 1)).toMatchObject([
      { detail: { name: 'demo' } },
    ])
  })

  test('ends where a page would begin that is none', async () => {
    for (const after of ['', '0', '1', 'x', '-5', 'NaN'])
      expect((await owner.call('audit/list', { after })).body).toEqual({ rows: [] })
    expect((await owner.call('audit/list', { after: '2' })).body.rows).toMatchObject([{ seq: 1 }])
  })

  test('has at most two hundred entries on a page', () => expectBounds('audit/list', {}))
})

describe('what an endpoint was told', () => {
  let endpointId: string
  beforeEach(async () => {
    const wanted = { appId: keys.appId, mode: 'live' as const, url: 'https://a.example/', events: ['otp.sent'] }
    endpointId = (await administer.addEndpoint(world.admin, wanted)).endpoint.endpointId
    // Every second is not taken.
    receivers.answer = () => receives(receivers.arrived.length % 2 === 0 ? 400 : 200)
    for (let n = 0; n < 7; n++) {
      const { body } = await owner.call('webhooks/test', { endpointId, type: 'otp.sent' })
      expect(body.eventId).toBeString()
      await world.settle()
    }
  })

  test('comes newest first, in pages, by what came of it', async () => {
    const every = await expectPages('webhooks/events', { endpointId }, 7)
    const ids = receivers.arrived.map(({ body }) => JSON.parse(body).id).reverse()
    expect(every.map(({ eventId }) => eventId)).toEqual(ids)
    for (const [status, taken] of [
      ['delivered', 0],
      ['failed', 1],
    ] as const) {
      const wanted = ids.toReversed().filter((_, index) => index % 2 === taken)
      const rows = await expectPages('webhooks/events', { endpointId, status }, wanted.length)
      expect(rows.map(({ eventId }) => eventId)).toEqual(wanted.toReversed())
    }
    expect(await pagesOf('webhooks/events', { endpointId, status: 'pending' })).toEqual([[]])
  })

  test('is not found after what cannot be an id, and nothing is after what was never told', async () => {
    expect((await owner.call('webhooks/events', { endpointId, after: 'x' })).status).toBe(404)
    const never = '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'
    expect((await owner.call('webhooks/events', { endpointId, after: never })).body).toEqual({ rows: [] })
  })

  test('has at most two hundred events on a page', () => expectBounds('webhooks/events', { endpointId }))

  test('and waits for its next try is sent at once when it is replayed', async () => {
    receivers.answer = () => receives(503)
    const { body } = await owner.call('webhooks/test', { endpointId, type: 'otp.sent' })
    await world.settle()
    expect(receivers.arrived).toHaveLength(8)
    const replay = await owner.call('webhooks/replay', { endpointId, eventId: body.eventId })
    expect(replay.body).toEqual({ replayed: 1 })
    await world.settle()
    expect(receivers.arrived).toHaveLength(9)
    expect(world.clock.now()).toBeLessThan(START + 5_000)
  })
})

describe('the ledger of an app', () => {
  /** Three entries in each of three seconds, of the amounts 11, 12, 13, 21 and so on. */
  const SECOND = START + 10_000
  beforeEach(async () => {
    world.clock.step(SECOND - world.clock.now())
    for (const tens of [10, 20, 30]) {
      for (const ones of [1, 2, 3])
        await owner.call('wallet/topUp', { appId: keys.appId, amount: tens + ones, reference: `${tens}${ones}` })
      world.clock.step(1_000)
    }
    await owner.call('wallet/clawback', { appId: keys.appId, amount: 5 })
  })
  const ledger = (more: object = {}) => ({ appId: keys.appId, ...more })
  const amounts = (rows: Row[]) => rows.map(({ amountDelta }) => amountDelta)

  test('comes newest first, in pages, by kind', async () => {
    const ordered = [33, 32, 31, 23, 22, 21, 13, 12, 11, 1_000]
    expect(amounts(await expectPages('wallet/ledger', ledger(), 11))).toEqual([-5, ...ordered])
    expect(amounts(await expectPages('wallet/ledger', ledger({ entryType: 'credit' }), 10))).toEqual(ordered)
    expect(amounts(await expectPages('wallet/ledger', ledger({ entryType: 'clawback' }), 1))).toEqual([-5])
  })

  test('has the first moment of a time and not its last, on every page, with a kind or without', async () => {
    for (const kind of [{}, { entryType: 'credit' }]) {
      const within = async (from: number | undefined, to: number | undefined, count: number) =>
        amounts(await expectPages('wallet/ledger', ledger({ ...kind, from, to }), count))
      expect(await within(SECOND + 1_000, SECOND + 2_000, 3)).toEqual([23, 22, 21])
      expect(await within(SECOND + 1_000, SECOND + 2_001, 6)).toEqual([33, 32, 31, 23, 22, 21])
      expect(await within(SECOND + 1_001, SECOND + 2_001, 3)).toEqual([33, 32, 31])
      expect(await within(undefined, SECOND + 1, 4)).toEqual([13, 12, 11, 1_000])
      expect(await within(SECOND + 2_000, SECOND + 3_000, 3)).toEqual([33, 32, 31])
    }
  })

  test('of a page further up begins no later than its time ends', async () => {
    const { next } = (await owner.call('wallet/ledger', ledger({ limit: 2 }))).body
    const page = await owner.call('wallet/ledger', ledger({ after: next, to: SECOND + 1_000 }))
    expect(amounts(page.body.rows)).toEqual([13, 12, 11, 1_000])
  })

  test('has at most two hundred entries on a page', () => expectBounds('wallet/ledger', ledger()))
})

describe('issues of one hour of the day', () => {
  const issued = async (...times: string[]) => {
    const issues = times.map((time, n) => {
      const createdAt = Date.parse(time)
      return anIssue({ appId: keys.appId, issueId: uuidAt(createdAt, n), createdAt, verificationStatus: 'expired' })
    })
    await world.store.transaction(async (tx) => {
      for (const issue of issues) await tx.issues.add(issue)
    })
    return issues.map(({ issueId }) => issueId)
  }
  const of = (hour: number, timeZone: string, more = {}) => ({
    ...{ appId: keys.appId, mode: 'live', hourOfDay: { hour, timeZone } },
    ...more,
  })
  const idsOf = (rows: Row[]) => rows.map(({ issueId }) => issueId)

  test('are those of every day in the time zone, in either order', async () => {
    const ids = await issued(
      ...['2026-02-20T04:59:59.999Z', '2026-02-20T05:00Z', '2026-02-20T05:59:59.999Z', '2026-02-20T06:00Z'],
      ...['2026-02-25T05:30Z', '2026-03-01T05:10Z', '2026-03-01T05:10Z'],
    )
    const atTwo = [1, 2, 4, 5, 6].map((n) => ids[n] ?? '')
    expect(idsOf(await expectPages('issues/list', of(14, 'Asia/Seoul'), 5))).toEqual(atTwo.toReversed())
    expect(idsOf(await expectPages('issues/list', of(14, 'Asia/Seoul', { isOldestFirst: true }), 5))).toEqual(atTwo)
    expect(idsOf(await expectPages('issues/list', of(5, 'UTC', { to: Date.parse('2026-02-25T05:30Z') }), 2))).toEqual([
      ids[2],
      ids[1],
    ] as string[])
    expect(await pagesOf('issues/list', of(7, 'Asia/Seoul'))).toEqual([[]])
  })

  test('follow the clocks where they are put back', async () => {
    const ids = await issued('2025-11-01T13:30Z', '2025-11-02T13:30Z', '2025-11-02T14:30Z')
    expect(
      idsOf(await expectPages('issues/list', of(9, 'America/New_York', { to: Date.parse('2025-11-05') }), 2)),
    ).toEqual([ids[2], ids[0]] as string[])
  })

  test('of years are searched in parts', async () => {
    const ids = await issued('2025-01-01T05:10Z')
    await issued('2026-02-28T09:00Z')
    const pages = await pagesOf('issues/list', of(14, 'Asia/Seoul'))
    expect(pages.length).toBeGreaterThan(3)
    expect(idsOf(pages.flat())).toEqual(ids)
  })

  test('need a time zone that there is, and an hour', async () => {
    for (const asked of [of(24, 'UTC'), of(-1, 'UTC'), of(1.5, 'UTC'), of(1, 'Asia/Nowhere'), of(1, '')])
      expect((await owner.call('issues/list', asked)).status).toBe(400)
    const far = 8_640_000_000_000_000
    for (const range of [{ from: far }, { to: far }, { from: 2, to: 1 }])
      expect((await owner.call('issues/list', of(14, 'Asia/Seoul', range))).body).toEqual({ rows: [] })
  })
})

test('a search for what is rare answers soon, short of rows, and goes on where it ended', async () => {
  const asked: IssueFilter[] = []
  const search: Lists['issues']['search'] = async (_, filter) => {
    asked.push(filter)
    return asked.length === 1 ? { issues: [], next: 'edge' } : { issues: [] }
  }
  const store = { lists: { issues: { search } } } as unknown as Store
  const owner = { appId: keys.appId, mode: 'live' } as const
  const look = (after?: string) =>
    searchIssues({ store, clock: world.clock }, owner, { search: 'rare', limit: 10, after })
  expect(await look()).toEqual({ rows: [], next: 'edge' })
  expect(await look('edge')).toEqual({ rows: [] })
  expect(asked).toMatchObject([{ purpose: 'rare' }, { purpose: 'rare', before: 'edge' }])
})
