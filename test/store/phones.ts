/** What every store promises about the data of one phone and its erasure. */

import { describe, expect, test } from 'bun:test'
import { fail } from '../../src/abuse/rules/failure-budget'
import type { Issue } from '../../src/domain/verification/issue'
import { debit } from '../../src/domain/wallet/wallet'
import type { Store, Tx } from '../../src/ports/store'
import {
  APP,
  anEndpoint,
  awaitedOf,
  expectReport,
  hash32,
  issueNumber,
  LETTER,
  NOW,
  OWNER,
  settled,
  uuidAt,
} from './sample'
import { type AtHand, eventNumber, hookAttempt, hookOf } from './webhooks'

const PHONE = hash32(900)
const FORMER = hash32(901)
const STAND_IN = uuidAt(NOW, 0xfff)

export function phoneSuite(atHand: () => AtHand): void {
  const run = <T>(work: (tx: Tx) => Promise<T>) => atHand().store.transaction(work)
  const add = (...issues: Issue[]) =>
    run(async (tx) => {
      for (const issue of issues) await tx.issues.add(issue)
    })
  const found = async (hashes: readonly Uint8Array[], limit = 100, store: Store = atHand().other) => {
    const ids: string[] = []
    let after: string | undefined
    let pages = 0
    do {
      const { rows, next } = await store.read.phones.issues(APP.appId, hashes, { after, limit })
      expect(rows.length).toBeLessThanOrEqual(limit)
      ids.push(...rows.map(({ issueId }) => issueId))
      after = next
      pages++
    } while (after !== undefined)
    return { ids, pages }
  }
  const of = (n: number, changes: Partial<Issue> = {}) =>
    settled(n, { phoneHash: PHONE, createdAt: NOW + n, ...changes })

  test('channels that do not reach a phone are known until then, and forgotten', async () => {
    const { other } = atHand()
    const channels = async (phone: Uint8Array, now: number) =>
      (await other.read.phones.absentFrom(phone, now)).toSorted()
    await run(async (tx) => {
      await tx.absences.note('whatsapp', PHONE, NOW + 10)
      await tx.absences.note('telegram', PHONE, NOW + 20)
      await tx.absences.note('whatsapp', FORMER, NOW + 30)
    })
    expect(await channels(PHONE, NOW)).toEqual(['telegram', 'whatsapp'])
    expect(await channels(PHONE, NOW + 10)).toEqual(['telegram'])
    await run((tx) => tx.absences.note('whatsapp', PHONE, NOW + 40))
    expect(await channels(PHONE, NOW + 30)).toEqual(['whatsapp'])
    expect(await run((tx) => tx.retention.absences(NOW + 31, 1))).toBe(1)
    expect(await run((tx) => tx.retention.absences(NOW + 31, 5))).toBe(1)
    await run((tx) => tx.absences.forget(FORMER))
    expect(await channels(PHONE, NOW)).toEqual(['whatsapp'])
    await run((tx) => tx.absences.forget(PHONE))
    expect(await channels(PHONE, NOW)).toEqual([])
  })

  describe('what belongs to a phone', () => {
    test('are its live issues of one app, under whichever hash, the oldest first, page by page', async () => {
      await run((tx) => tx.apps.add({ ...APP, appId: 'app_two' }))
      const theirs = [of(1), of(2, { phoneHash: FORMER }), of(3), of(4, { phoneHash: FORMER }), of(5)]
      const others = [of(6, { appId: 'app_two' }), of(7, { mode: 'test' }), of(8, { phoneHash: hash32(1) })]
      await add(...[...theirs, ...others].toReversed())
      const ids = theirs.map(({ issueId }) => issueId)
      expect((await found([PHONE, FORMER])).ids).toEqual(ids)
      expect((await found([PHONE, FORMER], 2)).ids).toEqual(ids)
      expect((await found([FORMER])).ids).toEqual([ids[1], ids[3]] as string[])
      expect((await found([])).ids).toEqual([])
    })

    test('is read with every column, and with when it was erased', async () => {
      const whole = of(1, {
        country: 'KR',
        metadata: { plan: 'pro' },
        keyKind: 'pk',
        prefixHash: hash32(3).subarray(0, 8),
      })
      await add(whole)
      const { read } = atHand().other
      expect((await read.phones.issues(APP.appId, [PHONE], { limit: 9 })).rows).toEqual([whole])
    })

    test('are wrong codes by kind of key, its message while it waits, and what there was to tell', async () => {
      const issue = issueNumber(1, { phoneHash: PHONE })
      const [first, second] = [eventNumber(1, { issueId: issue.issueId }), eventNumber(2, { issueId: issue.issueId })]
      await add(issue)
      await run(async (tx) => {
        for (const kind of ['sk', 'pk'] as const) {
          const phone = { appId: APP.appId, kind, phoneHash: PHONE }
          await tx.failures.lock(phone)
          if (kind === 'pk') await tx.failures.save(phone, fail(undefined, NOW))
        }
        await tx.outbox.add(issue, LETTER)
        for (const event of [second, first]) await tx.hooks.addEvent(event)
      })
      const { phones } = atHand().other.read
      expect(await phones.failures(APP.appId, [FORMER, PHONE])).toEqual([
        { kind: 'pk', failures: fail(undefined, NOW) },
      ])
      expect(await phones.failures(APP.appId, [FORMER])).toEqual([])
      expect(await phones.rendered(issue.issueId)).toEqual(LETTER)
      expect(await phones.rendered(uuidAt(NOW, 77))).toBeUndefined()
      expect(await phones.events(issue.issueId)).toEqual([first, second])
    })
  })

  describe('an erasure', () => {
    const erasure = { phoneHash: PHONE, appId: APP.appId, erasedAt: NOW }
    const known = () => atHand().other.read.phones.erasures()

    test('is of one app or of all, begins anew when it is asked for again, and ends once', async () => {
      await run(async (tx) => {
        await tx.erasures.begin(erasure)
        await tx.erasures.begin({ ...erasure, appId: undefined, erasedAt: NOW + 1 })
      })
      const [one, all] = await known()
      expect([one, all]).toEqual([
        { ...erasure, doneAt: undefined },
        { phoneHash: PHONE, appId: undefined, erasedAt: NOW + 1, doneAt: undefined },
      ])
      if (!one) throw new Error('none')
      const finish = () => run((tx) => tx.erasures.finish(one))
      expect([await finish(), await finish()]).toEqual([true, false])
      expect((await known()).map(({ doneAt }) => doneAt)).toEqual([NOW, undefined])
      await run((tx) => tx.erasures.begin({ ...erasure, erasedAt: NOW + 2 }))
      // The erasure that ends now was requested earlier.
      expect(await finish()).toBeFalse()
      await run((tx) => tx.erasures.begin({ ...erasure, erasedAt: NOW - 9 }))
      expect((await known()).find(({ appId }) => appId)).toEqual({ ...erasure, erasedAt: NOW + 2, doneAt: undefined })
    })

    test('is remembered until it is old and done', async () => {
      await run((tx) => tx.erasures.begin(erasure))
      const forget = (before: number) => run((tx) => tx.erasures.forget(before))
      expect(await forget(NOW + 1)).toBe(0)
      const [begun] = await known()
      if (!begun) throw new Error('none')
      await run((tx) => tx.erasures.finish(begun))
      expect([await forget(NOW), await forget(NOW + 1)]).toEqual([0, 1])
      expect(await known()).toEqual([])
    })
  })

  describe('an issue of who was erased', () => {
    const told = async (issue: Issue) => {
      const endpoint = anEndpoint()
      const event = eventNumber(1, { issueId: issue.issueId })
      const hook = hookOf(endpoint, event)
      await run(async (tx) => {
        await tx.endpoints.add(endpoint)
        await tx.hooks.addEvent(event)
        await tx.hooks.add(hook)
        await tx.hooks.addAttempt(hookAttempt(hook, 1))
        const job = { owner: hook, subjectId: hook.deliveryId, runAt: NOW, queue: endpoint.endpointId }
        await tx.jobs.add({ kind: 'webhook', ...job })
      })
      return { hook, event }
    }

    test('is told nobody any more, and what was told is gone', async () => {
      const [issue, other] = [of(1), of(2)]
      await add(issue, other)
      const { hook, event } = await told(issue)
      const kept = eventNumber(2, { issueId: other.issueId })
      await run((tx) => tx.hooks.addEvent(kept))
      expect(await run((tx) => tx.erasures.forgetEvents(issue.issueId))).toBe(1)
      const { read } = atHand().other
      expect(await read.phones.events(issue.issueId)).toEqual([])
      expect(await read.hooks.ofIssue(OWNER, issue.issueId)).toEqual([])
      expect(await read.hooks.attempts(hook.deliveryId)).toEqual([])
      expect(await run((tx) => tx.hooks.event(event.eventId))).toBeUndefined()
      expect(await run((tx) => tx.jobs.claim('webhook', 'whe_one', 9))).toEqual([])
      expect(await read.phones.events(other.issueId)).toEqual([kept])
    })

    test('stays as a bare row that only counts: no list and no look-up finds it', async () => {
      const issue = of(1, { metadata: { plan: 'pro' }, prefixHash: hash32(3).subarray(0, 8) })
      const kept = of(2)
      await add(issue, kept)
      const bare = {
        ...issue,
        ...{ codeHash: new Uint8Array(32), metadata: undefined, prefixHash: undefined, erasedAt: NOW + 5 },
      }
      await run(async (tx) => {
        await tx.issues.lock(issue, issue.issueId)
        await tx.erasures.strip(bare)
      })
      const { read, lists } = atHand().other
      expect(await read.issues.find(OWNER, issue.issueId)).toBeUndefined()
      expect(await read.issues.standing(OWNER, issue.issueId)).toBeUndefined()
      expect(await lists.issues.page(OWNER, { limit: 9 }, NOW)).toEqual([kept])
      expect(await run((tx) => tx.issues.lockToVerify(OWNER, issue.issueId))).toBeUndefined()
      expect(await run((tx) => tx.issues.lock(OWNER, issue.issueId))).toEqual(bare)
      expect((await read.phones.issues(APP.appId, [PHONE], { limit: 9 })).rows).toEqual([bare, kept])
      const newest = { appId: APP.appId, kind: 'sk', phoneHash: PHONE } as const
      const counted = await run((tx) => tx.issues.nthNewest(newest, [{ nth: 2, withinMs: 10 ** 12 }]))
      expect(counted).toEqual([issue.createdAt])
      // Retention keeps it until nothing counts it any more.
      expect(await run((tx) => tx.retention.issues(OWNER, NOW + 60_000, 9))).toBe(1)
      const bareBefore = (before: number) => run((tx) => tx.erasures.bare(before, 9))
      expect(await bareBefore(issue.createdAt)).toEqual([])
      expect(await bareBefore(issue.createdAt + 1)).toEqual([{ ...OWNER, issueId: issue.issueId }])
    })

    test('is removed with all that is its own; the ledger names another in its place, and adds up', async () => {
      const [issue, other] = [of(1), of(2)]
      await add(issue, other)
      await run(async (tx) => {
        for (const one of [issue, other]) {
          await tx.outbox.add(one, LETTER)
          await expectReport(tx, awaitedOf(one))
          await tx.jobs.add({ kind: 'await-report', owner: one, subjectId: one.issueId, runAt: NOW })
          const wallet = await tx.wallets.lock(APP.appId)
          const charged = debit(
            { ...wallet, reserved: wallet.reserved + 1 },
            { issueId: one.issueId, price: 1 },
            tx.now,
          )
          await tx.wallets.save(charged.wallet)
          await tx.wallets.addEntry(charged.entry)
        }
      })
      const refund = { entryType: 'refund', amountDelta: 1, reference: `refund:${issue.issueId}` } as const
      const entry = { ...refund, appId: APP.appId, seq: 3, balanceAfter: -1, issueId: issue.issueId, createdAt: NOW }
      await run((tx) => tx.wallets.addEntry(entry))
      const before = await atHand().store.read.wallets.ledger(APP.appId, { limit: 9 })
      await run(async (tx) => {
        await tx.erasures.strip({ ...issue, erasedAt: NOW })
        await tx.erasures.remove(issue, STAND_IN)
      })

      const { read } = atHand().other
      const after = await read.wallets.ledger(APP.appId, { limit: 9 })
      const renamed = before.map((one) => ({
        ...one,
        issueId: one.issueId === issue.issueId ? STAND_IN : one.issueId,
        reference: one.reference === refund.reference ? `refund:${STAND_IN}` : one.reference,
      }))
      expect(after).toEqual(renamed)
      expect(after.map(({ issueId }) => issueId)).toContain(other.issueId)
      expect(await run((tx) => tx.issues.lock(OWNER, issue.issueId))).toBeUndefined()
      expect(await run((tx) => tx.erasures.bare(NOW + 60_000, 9))).toEqual([])
      const isRemoved = (one: Issue) => run((tx) => tx.erasures.isRemoved(one.issueId))
      expect([await isRemoved(issue), await isRemoved(other)]).toEqual([true, false])
      const forget = (before: number) => run((tx) => tx.erasures.forgetRemoved(before))
      expect([await forget(issue.createdAt), await isRemoved(issue)]).toEqual([0, true])
      expect([await forget(issue.createdAt + 1), await isRemoved(issue)]).toEqual([1, false])
      for (const [one, left] of [
        [issue, 0],
        [other, 1],
      ] as const) {
        expect(await read.attempts.ofIssue(OWNER, one.issueId)).toHaveLength(left)
        expect((await read.phones.rendered(one.issueId)) ? 1 : 0).toBe(left)
        expect((await run((tx) => tx.reports.find(one.messageId))) ? 1 : 0).toBe(left)
      }
      expect((await run((tx) => tx.jobs.claim('await-report', '', 9))).map(({ subjectId }) => subjectId)).toEqual([
        other.issueId,
      ])
    })
  })

  describe('retention of an app', () => {
    test('is kept, and taken back', async () => {
      const kept = async () => (await atHand().other.read.apps.find(APP.appId))?.retentionDays
      for (const retentionDays of [30, undefined]) {
        await run((tx) => tx.apps.save({ ...APP, retentionDays }))
        expect(await kept()).toBe(retentionDays as number)
      }
    })

    test('takes its issues, with what was told of them', async () => {
      for (const appId of ['app_two', 'app_three']) await run((tx) => tx.apps.add({ ...APP, appId }))
      const [one, two, three] = [of(1), of(2, { appId: 'app_two' }), of(3, { appId: 'app_three' })]
      await add(one, two, three)
      const event = eventNumber(1, { issueId: one.issueId })
      await run((tx) => tx.hooks.addEvent(event))
      const left = async () => {
        const all = [one, two, three]
        const rows = await Promise.all(all.map((issue) => atHand().other.read.issues.find(issue, issue.issueId)))
        return rows.map((row) => row !== undefined)
      }
      const sweep = (appId: string) => run((tx) => tx.retention.issues({ mode: 'live', appId }, NOW + 60_000, 9))
      expect(await sweep('app_three')).toBe(1)
      expect(await left()).toEqual([true, true, false])
      expect(await sweep('app_one')).toBe(1)
      expect(await left()).toEqual([false, true, false])
      expect(await atHand().other.read.phones.events(one.issueId)).toEqual([])
    })
  })
}
