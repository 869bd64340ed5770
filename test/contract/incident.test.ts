import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { DeliveryProblem } from '../../src/domain/delivery/delivery'
import type { TransportResult } from '../../src/ports/network'
import type { Store } from '../../src/ports/store'
import {
  assessIncident,
  type DeliveryIncident,
  refundIncident,
  refundIssue,
  setRoute,
} from '../../src/usecases/administer'
import { verifyAudit } from '../../src/usecases/verify-audit'
import { answered, Carrier } from '../support/carrier'
import { errorOf } from '../support/error-of'
import { BACKUP_URL, type Furnished, SMS_URL, World } from '../support/world'

const SILENCE: TransportResult = { kind: 'unknown', reason: 'TimeoutError' }

let world: World
let keys: Furnished
let made = 0
let backup: Carrier

/** What the store is asked to do, one list for each transaction, and how many of them it carries out. */
let transactions: string[][] = []
let carriedOut = Number.POSITIVE_INFINITY

/** Tells of every word that is called. */
const noting = (words: object, note: (word: string) => void) =>
  new Proxy(words, {
    get(target, word) {
      note(String(word))
      return Reflect.get(target, word)
    },
  })

const watched = (store: Store): Store => ({
  ...store,
  transaction: (work) =>
    store.transaction((tx) => {
      if (carriedOut-- <= 0) throw new Error('killed')
      const calls: string[] = []
      transactions.push(calls)
      return work(
        new Proxy(tx, {
          get(target, door) {
            const words = Reflect.get(target, door)
            return typeof words === 'object' ? noting(words, (word) => calls.push(`${String(door)}.${word}`)) : words
          },
        }),
      )
    }),
})

beforeEach(async () => {
  carriedOut = Number.POSITIVE_INFINITY
  backup = new Carrier()
  world = await World.start({ wrapStore: watched, carriers: { sms: new Carrier(), kakao: new Carrier(), backup } })
  keys = await world.furnish()
  await world.provide('main', ['sms'], SMS_URL, { reports: false })
})
afterEach(() => world.stop())

async function issueNow(key = keys.live): Promise<string> {
  const n = made++
  const phoneNumber = `010-${String(2_000 + Math.floor(n / 5_000))}-${String(1_000 + (n % 5_000))}`
  const { status, body } = await world.call(
    'rest',
    'issue',
    { phoneNumber, purpose: 'p', idempotencyKey: `k${n}` },
    { key },
  )
  expect(status).toBe(200)
  await world.settle()
  return body.issueId
}

async function ambiguous(count: number): Promise<string[]> {
  world.sms.answer = () => SILENCE
  const issueIds: string[] = []
  for (let n = 0; n < count; n++) issueIds.push(await issueNow())
  world.sms.answer = (message) => world.sms.accept(message)
  return issueIds
}

/** So many that a carrier that is silent would rest in between. */
async function manyAmbiguous(count: number): Promise<string[]> {
  const issueIds: string[] = []
  for (let n = 0; n < count; n++) issueIds.push(await issueNow())
  await world.write("UPDATE issues SET outcome_ambiguous = true, delivery_status = 'sent'")
  return issueIds
}

const incident = (more: Partial<DeliveryIncident> = {}): DeliveryIncident => ({
  problem: 'ambiguous',
  from: 0,
  to: world.clock.now() + 1,
  ...more,
})
const found = async (more: Partial<DeliveryIncident> = {}) =>
  (await assessIncident(world.admin, incident(more))).charged.map(({ issueId }) => issueId).toSorted()
const dependencies = () => ({ ...world.admin, clock: world.clock })
async function refundAll(more: Partial<DeliveryIncident> = {}) {
  const damage = await assessIncident(world.admin, incident(more))
  return world.run(refundIncident(dependencies(), incident(more), damage))
}
const balance = async () => (await world.call('rest', 'balance', {}, { key: keys.live })).body.balance
const refunds = () =>
  world.rows<{ id: string; amount: number }>(
    "SELECT lower(hex(issue_id)) AS id, amount_delta AS amount FROM ledger_entries WHERE entry_type = 'refund'",
  )
const hexes = (issueIds: string[]) => issueIds.map((id) => id.replaceAll('-', '')).toSorted()
const notes = async (): Promise<Array<Record<string, unknown>>> =>
  (await world.store.read.audit.page({ limit: 100, action: 'credit.refund_incident' })).map(({ target, detail }) => ({
    target,
    ...detail,
  }))

describe('what an incident has spoilt is found', () => {
  test('by outcome: not known, not known since the process ended, failed', async () => {
    await issueNow()
    const [unknown, interrupted] = await ambiguous(2)
    await world.write(
      "UPDATE issues SET outcome_code = 'INTERRUPTED' WHERE lower(hex(issue_id)) = ?",
      hexes([interrupted ?? ''])[0] ?? '',
    )
    const failed = await issueNow()
    await world.write(
      "UPDATE issues SET delivery_status = 'failed' WHERE lower(hex(issue_id)) = ?",
      hexes([failed])[0] ?? '',
    )
    const byOutcome = async (problem: DeliveryProblem) => hexes(await found({ problem }))
    expect(await byOutcome('ambiguous')).toEqual(hexes([unknown ?? '', interrupted ?? '']))
    expect(await byOutcome('interrupted')).toEqual(hexes([interrupted ?? '']))
    expect(await byOutcome('failed')).toEqual(hexes([failed]))
  })

  test('by when it was issued: from the first moment on, and before the last', async () => {
    const ids: string[] = []
    const startedAt = world.clock.now()
    for (let minute = 0; minute < 3; minute++) {
      ids.push(...(await ambiguous(1)))
      await world.advance(60_000)
    }
    const at = (minute: number) => startedAt + minute * 60_000
    expect(await found({ from: at(1), to: at(2) })).toEqual([ids[1] ?? ''])
    expect(await found({ from: at(0), to: at(2) + 1 })).toEqual(ids.toSorted())
    expect(await found({ from: at(0) + 1, to: at(1) })).toEqual([])
  })

  test('by the carrier that was asked last', async () => {
    await world.provide('backup', ['sms'], BACKUP_URL, { reports: false })
    await setRoute(world.admin, {
      channel: 'sms',
      carriers: ['main', 'backup'],
      country: undefined,
      appId: undefined,
    })
    const [ofMain = ''] = await ambiguous(1)
    world.sms.answer = () => answered(403, {})
    backup.answer = () => SILENCE
    const ofBackup = await issueNow()
    await world.advance(10_000)
    expect(await found()).toEqual([ofMain, ofBackup].toSorted())
    expect(await found({ carrier: 'main' })).toEqual([ofMain])
    expect(await found({ carrier: 'backup' })).toEqual([ofBackup])
  })

  test('of one app or of all, live and charged only', async () => {
    const mine = await ambiguous(1)
    const others = await world.furnish()
    await world.provide('main', ['sms'], SMS_URL, { reports: false })
    world.sms.answer = () => SILENCE
    const theirs = await issueNow(others.live)
    await world.call(
      'rest',
      'issue',
      { phoneNumber: '010-0000-0003', purpose: 'p', idempotencyKey: 'test' },
      { key: keys.test },
    )
    await world.advance(60_000)
    expect(await found({ appId: keys.appId })).toEqual(mine)
    expect(await found()).toEqual([...mine, theirs].toSorted())
    expect(await refunds()).toEqual([])
  })

  test('but not before it is charged: its carrier may still report, and is waited for', async () => {
    await world.provide('main', ['sms'], SMS_URL, { reports: true })
    await ambiguous(2)
    expect(await assessIncident(world.admin, incident())).toEqual({ charged: [], refundedBefore: 0, undecided: 2 })
    world.clock.step(25 * 60 * 60_000)
    await world.advance(5_000)
    expect(await assessIncident(world.admin, incident())).toMatchObject({ undecided: 0 })
    expect(await found()).toHaveLength(2)
  })

  test('among more issues than are looked at at a time', async () => {
    const first = await ambiguous(1)
    const [issueId = ''] = first
    const issue = await world.store.read.issues.find({ appId: keys.appId, mode: 'live' }, issueId)
    await world.store.transaction(async (tx) => {
      for (let n = 1; n <= 1_500; n++) {
        const id = issueId.slice(0, -8) + n.toString(16).padStart(8, '0')
        const phoneHash = Buffer.alloc(32).fill(id.slice(-12))
        const copy = { issueId: id, messageId: id, phoneHash, providerOutcomeAmbiguous: n === 1 }
        if (issue) await tx.issues.add({ ...issue, ...copy })
      }
    })
    expect(await found()).toHaveLength(first.length + 1)
  })

  test('an end before its beginning, and an app there is not, are refused', async () => {
    expect(await errorOf(assessIncident(world.admin, incident({ to: 0 })))).toMatchObject({ kind: 'invalid' })
    expect(await errorOf(assessIncident(world.admin, incident({ appId: 'app_none' })))).toMatchObject({
      kind: 'not_found',
    })
  })
})

describe('a refund by the incident', () => {
  test('gives back what each issue cost, tied to it, in one entry of the audit log', async () => {
    await issueNow()
    const issueIds = await ambiguous(3)
    expect(await balance()).toBe(996)
    const { to } = incident()
    expect(await refundAll({ carrier: 'main', to })).toEqual({ issues: 3, credits: 3 })
    expect(await balance()).toBe(999)
    expect((await refunds()).map(({ id, amount }) => [id, amount]).toSorted()).toEqual(
      hexes(issueIds).map((id) => [id, 1]),
    )
    expect(await notes()).toEqual([
      {
        target: 'all apps',
        outcome: 'ambiguous',
        carrier: 'main',
        from: '1970-01-01T00:00:00.000Z',
        to: new Date(to).toISOString(),
        issues: 3,
        credits: 3,
        refundedBefore: 0,
        apps: [keys.appId],
      },
    ])
    expect(await verifyAudit({ read: world.store.read, vault: world.vault })).toMatchObject({ isIntact: true })
  })

  test('is once for each issue, whether it is refunded by the incident or by itself, before or after or at once', async () => {
    const [one = '', other = '', third = ''] = await ambiguous(3)
    await refundIssue(world.admin, { appId: keys.appId, issueId: one })
    const damage = await assessIncident(world.admin, incident())
    expect(damage).toMatchObject({ charged: [{}, {}], refundedBefore: 1 })
    await refundIssue(world.admin, { appId: keys.appId, issueId: other })
    const twice = [1, 2].map(() => refundIncident(dependencies(), incident(), damage))
    const given = await world.run(Promise.all(twice))
    expect(given.reduce((sum, { issues }) => sum + issues, 0)).toBe(1)
    await refundIssue(world.admin, { appId: keys.appId, issueId: third })
    const noted = await notes()
    expect(await refundAll()).toEqual({ issues: 0, credits: 0 })
    expect(await notes()).toEqual(noted)
    expect(await refunds()).toHaveLength(3)
    expect(await balance()).toBe(1_000)
    expect(await assessIncident(world.admin, incident())).toEqual({ charged: [], refundedBefore: 3, undecided: 0 })
  })

  test('passes over a message that did arrive meanwhile, and notes that', async () => {
    const issueIds = await ambiguous(2)
    const damage = await assessIncident(world.admin, incident())
    await world.write(
      "UPDATE issues SET outcome_ambiguous = false, delivery_status = 'delivered' WHERE lower(hex(issue_id)) = ?",
      hexes(issueIds)[0] ?? '',
    )
    expect(await world.run(refundIncident(dependencies(), incident(), damage))).toEqual({ issues: 1, credits: 1 })
    expect(await notes()).toMatchObject([
      { passedOver: 1, issues: 1, credits: 1 },
      { issues: 2, credits: 2 },
    ])
  })

  test('holds the database for few issues at a time, and is noted with the first credit that moves', async () => {
    await manyAmbiguous(120)
    transactions = []
    expect(await refundAll()).toEqual({ issues: 120, credits: 120 })
    const moved = transactions
      .map((calls) => calls.filter((name) => name === 'wallets.addEntry').length)
      .filter(Boolean)
    expect(moved).toEqual([50, 50, 20])
    const changing = transactions.filter((calls) => calls.includes('wallets.addEntry'))
    expect(changing.map((calls) => calls.filter((name) => name === 'audit.add').length)).toEqual([1, 0, 0])
    expect(transactions.flat().filter((name) => name === 'audit.add')).toHaveLength(1)
  })

  test('that was killed on its way goes on with what is left, and nothing of it is unseen', async () => {
    const issueIds = await manyAmbiguous(120)
    const damage = await assessIncident(world.admin, incident())
    carriedOut = 1
    await world
      .run(refundIncident(dependencies(), incident(), damage))
      .catch((error: Error) => expect(error.message).toBe('killed'))
    carriedOut = Number.POSITIVE_INFINITY
    expect(await refunds()).toHaveLength(50)
    expect(await notes()).toMatchObject([{ issues: 120, refundedBefore: 0 }])
    expect(await refundAll()).toEqual({ issues: 70, credits: 70 })
    expect((await refunds()).map(({ id }) => id).toSorted()).toEqual(hexes(issueIds))
    expect(await balance()).toBe(1_000)
    expect(await notes()).toMatchObject([{ issues: 70, refundedBefore: 50 }, { issues: 120 }])
  })
})
