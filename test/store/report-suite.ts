/** Reports of usage and cost against the issues themselves, over random histories, on every store. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { AdminToken } from '../../src/domain/access/admin-token'
import type { Attempt } from '../../src/domain/delivery/attempt'
import type { ReportGroup } from '../../src/domain/operations/usage-report'
import { DAY_MS, HOUR_MS, type Leg, MINUTE_MS } from '../../src/domain/shared/value'
import type { Issue } from '../../src/domain/verification/issue'
import { amountText, type MessagePrice } from '../../src/domain/wallet/message-price'
import type { Store } from '../../src/ports/store'
import { type ReportPage, type ReportQuery, readReport, type UsageReportRow } from '../../src/usecases/read-report'
import { rollUpUsage } from '../../src/usecases/roll-up-usage'
import { errorOf } from '../support/error-of'
import { type SeededRandom, seededRandom } from '../support/random'
import { SEED } from '../support/seed'
import { attemptOf, furnish, OWNER, StillClock, settled, uuidAt } from './sample'
import type { Opened } from './suite'

/** Half and quarter hours, and days on which clocks are set, also by half an hour. */
const ZONES = [
  'UTC',
  'Asia/Seoul',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Cairo',
]
const GROUPS: ReadonlyArray<readonly ReportGroup[]> = [
  [],
  ['day'],
  ['month', 'carrier'],
  ['hour'],
  ['day', 'country', 'carrier', 'channel', 'purpose'],
  ['app', 'purpose'],
]
/** New York sets its clocks on 1 November, Lord Howe on 4 October. */
const FROM = '2026-10-03'
const TO = '2026-11-03'
const START = Date.UTC(2026, 9, 2)
const DAYS = 34
const EMPTY = { from: FROM, to: TO, mode: 'live', limit: 10_000 } as const

interface History {
  issue: Issue
  messages: Attempt[]
}

export function reportSuite(name: string, open: (clock: StillClock) => Opened | Promise<Opened>): void {
  describe(`reports: ${name}`, () => {
    let clock: StillClock
    let opened: Opened
    let store: Store

    beforeEach(async () => {
      clock = new StillClock()
      clock.time = START + DAYS * DAY_MS
      opened = await open(clock)
      store = opened.store
      await furnish(store)
    })
    afterEach(() => opened.close())

    const report = (query: Partial<ReportQuery>) =>
      readReport({ store, clock }, { ...EMPTY, timeZone: 'UTC', groupBy: [], ...query })

    test('equal the sums of the issues themselves, in every zone, before and after they are rolled up', async () => {
      const histories = randomHistories(seededRandom(SEED + 35))
      await add(store, histories)
      await store.transaction(async (tx) => {
        for (const price of PRICES) await tx.prices.save(price)
      })
      for (const isRolledUp of [false, true]) {
        if (isRolledUp) await rollUpUsage({ store, clock })
        for (const timeZone of ZONES)
          for (const groupBy of GROUPS) {
            const found = await report({ timeZone, groupBy })
            expect({ timeZone, groupBy, ...plain(found, groupBy) }).toEqual({
              ...{ timeZone, groupBy },
              ...byHand(histories, timeZone, groupBy),
            })
          }
      }
    })

    test('hours without issues are not rolled up one by one, and count as done', async () => {
      const histories = randomHistories(seededRandom(SEED + 39))
      await add(store, histories)
      let transactions = 0
      const counting: Store = {
        ...store,
        transaction: (work) => {
          transactions++
          return store.transaction(work)
        },
      }
      clock.time = START + 400 * DAY_MS
      await rollUpUsage({ store: counting, clock })
      const hours = new Set(histories.map(({ issue }) => Math.floor(issue.createdAt / HOUR_MS)))
      expect(transactions).toBe(hours.size)
      expect(await store.lists.usage.rolledUntil()).toBe(START + 399 * DAY_MS - 3 * HOUR_MS)
    })

    test('come in pages that together have every row once', async () => {
      await add(store, randomHistories(seededRandom(SEED + 36)))
      const groupBy = ['day', 'purpose'] as const
      const all = await report({ groupBy })
      const rows: UsageReportRow[] = []
      for (let after: string | undefined, n = 0; n < 1_000; n++) {
        const page = await report({ groupBy, after, limit: 7 })
        expect(page.total).toEqual(all.total)
        rows.push(...page.rows)
        if (page.next === undefined) break
        after = page.next
      }
      expect(rows).toEqual(all.rows)
    })

    test('name the messages that have no price, and add no currency to another', async () => {
      await add(store, randomHistories(seededRandom(SEED + 37)))
      const unpriced = await report({})
      expect(unpriced.total).toMatchObject({ cost: [], unpriced: unpriced.total.messages })
      expect(unpriced.total.messages).toBeGreaterThan(0)
      await store.transaction(async (tx) => {
        for (const price of PRICES) await tx.prices.save(price)
      })
      const { total } = await report({})
      expect(total.cost.map(({ currency }) => currency)).toEqual(['KRW', 'USD'])
      expect(total.unpriced).toBeGreaterThan(0)
    })

    test('of an app that was not asked for, and of test mode, are left out', async () => {
      await add(store, randomHistories(seededRandom(SEED + 38)))
      const other = report({ appIds: ['app_other'] })
      expect(await errorOf(other)).toMatchObject({ kind: 'not_found' })
      expect((await report({ mode: 'test', groupBy: ['day'] })).rows).toEqual([])
      expect((await report({ appIds: [OWNER.appId] })).total).toEqual((await report({})).total)
    })

    test('a price replaces one of the same messages and day, and is removed by its id', async () => {
      const price: MessagePrice = PRICES[0] as MessagePrice
      await store.transaction((tx) => tx.prices.save(price))
      await store.transaction((tx) => tx.prices.save({ ...price, priceId: 'prc_other', millionths: 7 }))
      expect(await store.read.prices.all()).toEqual([{ ...price, millionths: 7 }])
      expect(await store.transaction((tx) => tx.prices.remove(price.priceId))).toBe(true)
      expect(await store.transaction((tx) => tx.prices.remove(price.priceId))).toBe(false)
      expect(await store.read.prices.all()).toEqual([])
    })

    test('a token is found by its hash until it is removed', async () => {
      const token: AdminToken = {
        ...{ tokenId: 'adm_one', name: 'ERP', tokenHash: new Uint8Array(32).fill(7), scopes: ['usage:read'] },
        ...{ appIds: ['app_1'], allowedCidrs: ['10.0.0.0/8'], expiresAt: 9, createdBy: 'cli', createdAt: 5 },
      }
      await store.transaction((tx) => tx.admin.addToken(token))
      expect(await store.read.admin.token(token.tokenHash)).toEqual(token)
      expect(await store.read.admin.token(new Uint8Array(32))).toBeUndefined()
      expect(await store.read.admin.tokens()).toEqual([token])
      expect(await store.transaction((tx) => tx.admin.removeToken('adm_one'))).toBe(true)
      expect(await store.transaction((tx) => tx.admin.removeToken('adm_one'))).toBe(false)
      expect(await store.read.admin.tokens()).toEqual([])
    })

    test('a request of the management API is noted once, has its answer, and is forgotten', async () => {
      const request = { requestId: 'a1', fingerprint: 'b2' }
      const note = (before: number) => store.transaction((tx) => tx.admin.noteRequest(request, before))
      expect(await note(0)).toBe(true)
      expect(await note(0)).toBe(false)
      expect(await store.read.admin.request('a1')).toMatchObject({ ...request, answer: undefined })
      await store.transaction((tx) => tx.admin.answerRequest(request, '{"secret":"s"}'))
      expect(await store.read.admin.request('a1')).toMatchObject({ ...request, answer: '{"secret":"s"}' })
      expect(await note(Number.MAX_SAFE_INTEGER)).toBe(true)
      expect(await store.read.admin.request('a2')).toBeUndefined()
    })
  })
}

const price = (priceId: string, more: Partial<MessagePrice>): MessagePrice => ({
  ...{
    priceId,
    carrier: '',
    country: '',
    channel: '',
    currency: 'KRW',
    millionths: 9_900_000,
    validFrom: '2026-01-01',
  },
  ...more,
})
const PRICES = [
  price('prc_1', { carrier: 'main' }),
  price('prc_2', { carrier: 'main', validFrom: '2026-10-20', millionths: 10_100_000 }),
  price('prc_3', { carrier: 'main', country: 'US', currency: 'USD', millionths: 7_900 }),
  price('prc_4', { country: 'US', channel: 'voice', currency: 'USD', millionths: 20_001 }),
]

/** Issues at all times of the day: some with two legs, some never sent. */
function randomHistories(random: SeededRandom): History[] {
  const one = random.pick
  return Array.from({ length: 150 }, (_, n): History => {
    const createdAt = START + random.below((DAYS * DAY_MS) / MINUTE_MS) * MINUTE_MS + random.below(60_000)
    const legs = one<Leg[]>([['sms'], ['whatsapp', 'sms'], ['sms', 'voice']])
    const leg = one(legs)
    const issue = settled(n, {
      ...{ createdAt, leg, country: one(['KR', 'US', undefined]), purpose: one(['login', 'signup', "=SUM(1)'"]) },
      ...{ legs: legs.length > 1 ? legs.slice(legs.indexOf(leg)).map((channel) => ({ channel })) : undefined },
      ...{ deliveryStatus: one(['sent', 'delivered', 'failed'] as const) },
      ...one([{}, { verificationStatus: 'verified', verifiedAt: createdAt + 1_000 } as const]),
      debitedAmount: one([0, 1]),
    })
    const reached = legs.slice(0, legs.indexOf(leg) + 1)
    const messages = reached
      .filter((of) => (of === leg && issue.deliveryStatus !== 'failed') || random.below(2) === 0)
      .map((of, number) =>
        attemptOf(issue, number + 1, {
          ...{
            leg: of,
            carrier: one(['main', 'other']),
            calledAt: createdAt + 5,
            answeredAt: createdAt + 5 + random.below(900),
          },
          ...{ outcome: 'accepted', messageId: uuidAt(createdAt, 0x5000 + n * 4 + number) },
        }),
      )
    return { issue, messages }
  })
}

async function add(store: Store, histories: readonly History[]): Promise<void> {
  for (const { issue, messages } of histories)
    await store.transaction(async (tx) => {
      await tx.issues.add(issue)
      for (const message of messages) {
        await tx.attempts.add({ ...message, answeredAt: undefined, outcome: undefined })
        await tx.attempts.answer(message)
      }
    })
}

/** What a report says, computed from the issues by other means. */
function byHand(histories: readonly History[], timeZone: string, groupBy: readonly ReportGroup[]) {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  const rows = new Map<string, Record<string, number | bigint>>()
  const count = (issue: Issue, key: { channel: string; carrier: string }, counts: Record<string, number | bigint>) => {
    const local = format.format(issue.createdAt)
    const day = local.slice(0, 10)
    if (day < FROM || day > TO) return
    const values: Record<ReportGroup, string> = {
      ...{ app: issue.appId, month: day.slice(0, 7), day, hour: local.slice(11, 13) },
      ...{ country: issue.country ?? '', purpose: issue.purpose, ...key },
    }
    const name = JSON.stringify(groupBy.map((group) => values[group]))
    const row = rows.get(name) ?? {}
    for (const [what, more] of Object.entries(counts))
      row[what] = typeof more === 'bigint' ? BigInt(row[what] ?? 0n) + more : Number(row[what] ?? 0) + more
    rows.set(name, row)
  }
  for (const { issue, messages } of histories) {
    const last = messages.find(({ leg }) => leg === issue.leg)
    count(
      issue,
      { channel: issue.leg, carrier: last?.carrier ?? '' },
      {
        issued: 1,
        sent: Number(issue.deliveryStatus !== 'failed' || messages.length > 0),
        delivered: Number(issue.deliveryStatus === 'delivered'),
        failed: Number(issue.deliveryStatus === 'failed'),
        verified: Number(issue.verificationStatus === 'verified'),
        spent: issue.debitedAmount,
        messages: 0,
        unpriced: 0,
      },
    )
    for (const { leg, carrier } of messages) {
      const day = format.format(issue.createdAt).slice(0, 10)
      const cost = costByHand(carrier, issue.country, leg, day)
      const counts: Record<string, number | bigint> = { messages: 1, ...(cost ?? { unpriced: 1 }) }
      count(issue, { channel: leg, carrier }, counts)
    }
  }
  return {
    rows: Object.fromEntries(
      [...rows].map(([name, row]) => [
        name,
        Object.fromEntries(
          Object.entries({ ...NO_COUNTS, ...row }).map(([what, value]) => [
            what,
            typeof value === 'bigint' ? amountText(value) : value,
          ]),
        ),
      ]),
    ),
  }
}

const NO_COUNTS = { issued: 0, sent: 0, delivered: 0, failed: 0, verified: 0, spent: 0, messages: 0, unpriced: 0 }

/** `PRICES` in words: by hand. */
function costByHand(
  carrier: string,
  country: string | undefined,
  leg: Leg,
  day: string,
): Record<string, bigint> | undefined {
  if (country === 'US' && carrier === 'main') return { USD: 7_900n }
  if (country === 'US' && leg === 'voice') return { USD: 20_001n }
  if (carrier === 'main') return { KRW: day < '2026-10-20' ? 9_900_000n : 10_100_000n }
  return undefined
}

/** Rows by their groups, with costs as fields. */
function plain({ rows }: ReportPage, groupBy: readonly ReportGroup[]) {
  return {
    rows: Object.fromEntries(
      rows.map(({ cost, ...row }) => {
        const name = JSON.stringify(groupBy.map((group) => row[group]))
        const counts = Object.fromEntries(
          Object.entries(row).filter(([what]) => !groupBy.some((group) => group === what)),
        )
        return [name, { ...counts, ...Object.fromEntries(cost.map(({ currency, amount }) => [currency, amount])) }]
      }),
    ),
  }
}
