/** What every store promises its use cases, whatever database it uses. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { ChallengeSettings } from '../../src/abuse/rules/challenge'
import { fail, forgive } from '../../src/abuse/rules/failure-budget'
import { phoneOf } from '../../src/domain/access/rate-limits'
import { newAttempt } from '../../src/domain/delivery/attempt'
import { addTallies, tallyOf } from '../../src/domain/delivery/report-tally'
import type { Template } from '../../src/domain/message/template'
import { FRONT, type Job, type JobKind, LEASE_MS } from '../../src/domain/operations/job'
import type { Relay } from '../../src/domain/relays/relay'
import type { Owner } from '../../src/domain/shared/value'
import { type Issue, type IssueStanding, STANDING } from '../../src/domain/verification/issue'
import type { Stored } from '../../src/domain/verification/verification'
import type { LedgerEntry, Wallet } from '../../src/domain/wallet/wallet'
import type { Store, Tx } from '../../src/ports/store'
import type { IssueFilter } from '../../src/ports/store/issues'
import type { LedgerFilter } from '../../src/ports/store/wallets'
import { aMessage } from '../domain/sample'
import { errorOf } from '../support/error-of'
import { noticeSuite } from './notices'
import { peopleSuite } from './people'
import { phoneSuite } from './phones'
import {
  APP,
  aStoredKey,
  attemptOf,
  awaitedOf,
  claimOf,
  expectReport,
  furnish,
  hash16,
  hash32,
  issueNumber,
  LETTER,
  NOW,
  OWNER,
  outcomeOf,
  StillClock,
  settled,
  uuidAt,
} from './sample'
import { trafficSuite } from './traffic'
import { trafficListsSuite } from './traffic-lists'
import { webhookSuite } from './webhooks'

/** When the first job of a kind is due, whatever queue it waits in. */
const nextJobAt = async (store: Store, kind: JobKind): Promise<number | undefined> =>
  (await store.read.jobs.heads(kind)).map(({ runAt }) => runAt).sort((a, b) => a - b)[0]

/** Whether other code had a turn of the event loop before `work` was done. */
async function hasYielded(work: () => Promise<unknown>): Promise<boolean> {
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  await work()
  return hasTurned
}

const NOTHING_KNOWN = { live: undefined, failures: undefined }

/** An empty database. */
export interface Opened {
  store: Store
  /** The same database as another process sees it. */
  another: () => Store | Promise<Store>
  /** How long another process may not notice a change of settings, in milliseconds. */
  newsMs: number
  close: () => Promise<void>
}

export function storeSuite(name: string, open: (clock: StillClock) => Opened | Promise<Opened>): void {
  describe(`a store: ${name}`, () => {
    let clock: StillClock
    let opened: Opened
    let store: Store
    let other: Store

    beforeEach(async () => {
      clock = new StillClock()
      opened = await open(clock)
      store = opened.store
      other = await opened.another()
      await furnish(store)
    })
    afterEach(() => opened.close())

    const run = <T>(work: (tx: Tx) => Promise<T>) => store.transaction(work)
    const add = (...issues: Stored[]) =>
      run(async (tx) => {
        for (const issue of issues) await tx.issues.add(issue)
      })
    const exists = async (issue: Stored, reader = other) =>
      (await reader.read.issues.find(issue, issue.issueId)) !== undefined

    describe('transactions', () => {
      test('of many at once, one that fails is rolled back alone', async () => {
        const refusal = new Error('refused')
        const issues = Array.from({ length: 40 }, (_, n) => issueNumber(n + 1))
        const outcomes = await Promise.all(
          issues.map((issue, index) =>
            outcomeOf(
              run(async (tx) => {
                await tx.issues.add(issue, claimOf(issue, index))
                if (index === 17) throw refusal
                return index
              }),
            ),
          ),
        )
        expect(outcomes).toEqual(issues.map((_, index) => (index === 17 ? { error: refusal } : { value: index })))
        expect(await Promise.all(issues.map((issue) => exists(issue)))).toEqual(issues.map((_, index) => index !== 17))
        expect(await run((tx) => tx.idempotency.find(OWNER, hash16(17)))).toBeUndefined()
        expect(await run((tx) => tx.idempotency.find(OWNER, hash16(18)))).toBeDefined()
      })

      test('answer only once their changes are there for everybody', async () => {
        const issues = Array.from({ length: 20 }, (_, n) => issueNumber(n + 1))
        const seenWithin: boolean[] = []
        const seenAtAnswer = await Promise.all(
          issues.map((issue) =>
            run(async (tx) => {
              await tx.issues.add(issue)
              seenWithin.push(await exists(issue))
            }).then(() => exists(issue)),
          ),
        )
        expect(seenWithin).toEqual(issues.map(() => false))
        expect(seenAtAnswer).toEqual(issues.map(() => true))
      })

      test('that lock the same see what those before them have written', async () => {
        const counts = await Promise.all(
          Array.from({ length: 20 }, () =>
            run(async (tx) => {
              const wallet = await tx.wallets.lock(APP.appId)
              await tx.wallets.save({ ...wallet, balance: wallet.balance + 1 })
              return wallet.balance
            }),
          ),
        )
        expect(counts.sort((a, b) => a - b)).toEqual(counts.map((_, index) => index))
        expect((await other.read.wallets.find(APP.appId))?.balance).toBe(20)
      })

      test('change nothing at all when they throw', async () => {
        const kept = issueNumber(1)
        await add(kept)
        const lost = issueNumber(2)
        const failing = run(async (tx) => {
          await tx.issues.save({ ...kept, verificationStatus: 'replaced' })
          await tx.issues.add(lost, claimOf(lost, 1))
          await tx.outbox.add(lost, LETTER)
          await expectReport(tx, awaitedOf(lost))
          await tx.jobs.add({ kind: 'deliver', owner: lost, subjectId: lost.issueId, runAt: NOW })
          await tx.wallets.save({ ...(await tx.wallets.lock(APP.appId)), balance: 5 })
          await tx.keys.add(aStoredKey(1))
          throw new Error('refused')
        })
        expect((await errorOf(failing)).message).toContain('refused')
        expect(await store.read.issues.find(OWNER, kept.issueId)).toEqual(kept)
        expect(await exists(lost)).toBe(false)
        expect(await store.read.wallets.find(APP.appId)).toBeUndefined()
        expect(await store.read.keys.find('key_1')).toBeUndefined()
        expect(await nextJobAt(store, 'deliver')).toBeUndefined()
        await run(async (tx) => {
          expect(await tx.idempotency.find(OWNER, hash16(1))).toBeUndefined()
          expect(await tx.outbox.find(lost.issueId)).toBeUndefined()
          expect(await tx.attempts.ofIssue(OWNER, lost.issueId)).toEqual([])
          expect(await tx.reports.find(lost.messageId)).toBeUndefined()
        })
      })

      test('keep nothing of a statement that broke a rule, and those around it are not touched', async () => {
        const [first, twin, last] = [issueNumber(1), issueNumber(1), issueNumber(3)]
        const beside = issueNumber(2)
        await add(first)
        const outcomes = await Promise.all([outcomeOf(add(beside, twin)), outcomeOf(add(last))])
        expect(outcomes.map((outcome) => 'error' in outcome)).toEqual([true, false])
        expect([await exists(first), await exists(beside), await exists(last)]).toEqual([true, false, true])
      })

      test('are of no use once they have ended, whichever way they did', async () => {
        let kept: Tx | undefined
        await run(async (tx) => {
          kept = tx
        })
        let rolledBack: Tx | undefined
        await outcomeOf(
          run(async (tx) => {
            rolledBack = tx
            throw new Error('refused')
          }),
        )
        for (const tx of [kept, rolledBack]) {
          expect(() => tx?.issues.add(issueNumber(1))).toThrow('ended')
          expect(() => tx?.afterCommit(() => {})).toThrow('ended')
          expect(() => tx?.now).toThrow('ended')
        }
        expect(await exists(issueNumber(1))).toBe(false)
      })

      test('live in one instant, and the next one in its own', async () => {
        const inOneInstant = (step: number) =>
          run(async (tx) => {
            await tx.wallets.lock(APP.appId)
            const before = tx.now
            clock.time += step
            await tx.issues.add(issueNumber(step > 0 ? 1 : 2))
            return [before, tx.now]
          })
        const first = await inOneInstant(1_000)
        const second = await inOneInstant(-5_000)
        expect(first).toEqual([NOW, NOW])
        expect(second).toEqual([NOW + 1_000, NOW + 1_000])
      })

      test('have their effects after they are stored, in order, before they are answered', async () => {
        const issue = issueNumber(1)
        const happened: string[] = []
        let wasStored: Promise<boolean> | undefined
        await run(async (tx) => {
          tx.afterCommit(() => {
            happened.push('first')
            wasStored = exists(issue)
          })
          tx.afterCommit(() => happened.push('second'))
          await tx.issues.add(issue)
          happened.push('unit')
        }).then(() => happened.push('answer'))
        expect(happened).toEqual(['unit', 'first', 'second', 'answer'])
        expect(await wasStored).toBe(true)
      })

      test('have no effects when they are rolled back', async () => {
        const happened: number[] = []
        await Promise.all(
          [1, 2, 3].map((n) =>
            outcomeOf(
              run(async (tx) => {
                tx.afterCommit(() => happened.push(n))
                await tx.issues.add(issueNumber(n))
                if (n === 2) throw new Error('refused')
              }),
            ),
          ),
        )
        expect(happened.sort()).toEqual([1, 3])
      })

      test('may be started by what another one answered, without end', async () => {
        for (let n = 1; n <= 30; n++) await add(issueNumber(n))
        expect(await store.read.issues.page(OWNER, { limit: 100 }, NOW)).toHaveLength(30)
      })

      test('that were asked for before the store closes are stored, later ones refused', async () => {
        const issues = [issueNumber(1), issueNumber(2)]
        const asked = issues.map((issue) => add(issue))
        const closing = store.close()
        const late = outcomeOf(add(issueNumber(3)))
        await Promise.all([...asked, closing])
        expect(await late).toMatchObject({ error: { kind: 'unavailable' } })
        expect(await Promise.all(issues.map((issue) => exists(issue)))).toEqual([true, true])
      })

      test('of another process are neither lost nor overwritten', async () => {
        const bump = (where: Store) =>
          where.transaction(async (tx) => {
            const wallet = await tx.wallets.lock(APP.appId)
            await tx.wallets.save({ ...wallet, balance: wallet.balance + 1 })
          })
        for (let n = 0; n < 10; n++) await bump(n % 2 === 0 ? store : other)
        expect((await store.read.wallets.find(APP.appId))?.balance).toBe(10)
      })
    })

    describe('an issue', () => {
      const full = issueNumber(1, {
        channel: 'alimtalk',
        leg: 'sms',
        country: 'GB',
        metadata: { a: '1', 나: '둘' },
        verificationStatus: 'verified',
        verifiedAt: NOW + 5,
        attemptsUsed: 2,
        deliveryStatus: 'sent',
        sendPending: false,
        providerOutcomeAmbiguous: true,
        providerOutcomeCode: 'TIMEOUT',
        billingStatus: 'debited',
        price: 3,
        debitedAmount: 3,
        smsFallback: true,
      })
      const bare = issueNumber(2, { country: undefined, metadata: undefined, smsFallback: false })

      test.each([full, bare])('reads back as it was stored', async (issue) => {
        await add(issue)
        expect(await store.read.issues.find(OWNER, issue.issueId)).toEqual(issue)
        expect(await run((tx) => tx.issues.lock(OWNER, issue.issueId))).toEqual(issue)
        const standing = Object.fromEntries(STANDING.map((name) => [name, issue[name]])) as unknown as IssueStanding
        expect(await store.read.issues.standing(OWNER, issue.issueId)).toEqual(standing)
      })

      test('that is the newest for a phone and purpose is found, whatever has become of it', async () => {
        const newer = issueNumber(5, { verificationStatus: 'max_attempts' })
        const { phoneHash, purpose } = newer
        const older = issueNumber(4, { phoneHash, createdAt: NOW - 1_000, verificationStatus: 'replaced' })
        for (const issue of [newer, older]) await add(issue)
        const newest = (owner: Owner, of: string) => store.read.issues.newest(owner, phoneHash, of)
        expect(await newest(OWNER, purpose)).toEqual(newer)
        expect(await newest({ ...OWNER, mode: 'test' }, purpose)).toBeUndefined()
        expect(await newest({ ...OWNER, appId: 'another' }, purpose)).toBeUndefined()
        expect(await newest(OWNER, 'another')).toBeUndefined()
      })

      test('those of a phone are found in all apps, the newest first: live ones that were not erased', async () => {
        const phoneHash = hash32(70)
        const at = (n: number, changes: Partial<Issue> = {}) =>
          issueNumber(n, { phoneHash, createdAt: NOW + n, verificationStatus: 'replaced', ...changes })
        const theirs = [at(40), at(41, { purpose: 'another', keyKind: 'relay' }), at(42, { appId: 'app_two' }), at(43)]
        const erased = at(44)
        const others = [at(45, { mode: 'test' }), at(46, { phoneHash: hash32(71) }), erased]
        for (const issue of [...theirs, ...others]) await add(issue)
        await run((tx) => tx.erasures.strip({ ...erased, erasedAt: NOW }))
        const newest = (limit: number) => store.read.issues.newestOfPhone(phoneHash, limit)
        expect(await newest(20)).toEqual(theirs.toReversed())
        expect(await newest(2)).toEqual(theirs.slice(2).toReversed())
        expect(await store.read.issues.newestOfPhone(hash32(72), 20)).toEqual([])
      })

      test('is missing for another app and for the other mode', async () => {
        await add(bare)
        const strangers = [
          { appId: 'app_two', mode: 'live' },
          { appId: APP.appId, mode: 'test' },
        ] as const
        for (const stranger of strangers) {
          expect(await store.read.issues.find(stranger, bare.issueId)).toBeUndefined()
          expect(await store.read.issues.standing(stranger, bare.issueId)).toBeUndefined()
          expect(await run((tx) => tx.issues.lock(stranger, bare.issueId))).toBeUndefined()
          expect(await run((tx) => tx.issues.lockPhone(stranger, phoneOf(bare), bare.purpose))).toEqual(NOTHING_KNOWN)
          expect(await run((tx) => tx.issues.lockToVerify(stranger, bare.issueId))).toBeUndefined()
          await run((tx) => tx.issues.save({ ...bare, ...stranger, verificationStatus: 'expired' }))
        }
        expect(await store.read.issues.find(OWNER, bare.issueId)).toEqual(bare)
      })

      test('is saved with all that may change, and nothing else', async () => {
        await add(bare)
        const { verificationStatus, verifiedAt, attemptsUsed, deliveryStatus, sendPending, leg, messageId } = full
        const { providerOutcomeAmbiguous, providerOutcomeCode } = full
        const moved = { verificationStatus, verifiedAt, attemptsUsed, deliveryStatus, sendPending, leg, messageId }
        const changed = {
          ...moved,
          providerOutcomeAmbiguous,
          providerOutcomeCode,
          billingStatus: 'debited' as const,
          debitedAmount: bare.price,
          updatedAt: NOW + 9,
          expiresAt: NOW + 1,
        }
        const forged = { purpose: 'other', codeHash: hash32(99), maxAttempts: 9 }
        await run((tx) => tx.issues.save({ ...bare, ...changed, ...forged }))
        expect(await store.read.issues.find(OWNER, bare.issueId)).toEqual({ ...bare, ...changed })
      })

      test('is at most one live one for an app, mode, phone and purpose', async () => {
        const live = issueNumber(1)
        await add(live)
        const twin = { ...live, issueId: uuidAt(NOW, 77) }
        await errorOf(add(twin))
        expect(await exists(twin)).toBe(false)
        const apart = [
          { ...twin, issueId: uuidAt(NOW, 71), purpose: 'login' },
          { ...twin, issueId: uuidAt(NOW, 72), phoneHash: hash32(500) },
          { ...twin, issueId: uuidAt(NOW, 73), mode: 'test' as const },
          { ...twin, issueId: uuidAt(NOW, 74), appId: 'app_two' },
        ]
        await add(...apart)
        expect((await run((tx) => tx.issues.lockPhone(OWNER, phoneOf(live), live.purpose))).live).toEqual(live)
      })

      test.each(['verified', 'expired', 'max_attempts', 'replaced'] as const)(
        'that is %s makes room for the next, and cannot come back beside it',
        async (verificationStatus) => {
          const old = issueNumber(1)
          const next = { ...old, issueId: uuidAt(NOW, 77) }
          await add(old)
          const verifiedAt = verificationStatus === 'verified' ? NOW : undefined
          await run(async (tx) => {
            await tx.issues.save({ ...old, verificationStatus, verifiedAt })
            await tx.issues.add(next)
          })
          expect((await run((tx) => tx.issues.lockPhone(OWNER, phoneOf(old), old.purpose))).live).toEqual(next)
          await errorOf(run((tx) => tx.issues.save(old)))
          expect((await store.read.issues.find(OWNER, old.issueId))?.verificationStatus).toBe(verificationStatus)
        },
      )

      test('is due when its expiry has come and it is still stored as issued, the oldest first', async () => {
        const expiring = [30_000, 10_000, 20_000, 20_001].map((lifetime, n) =>
          issueNumber(n + 1, { expiresAt: NOW + lifetime }),
        )
        const over = settled(9, { expiresAt: NOW + 1 })
        await add(...expiring, over)
        clock.time = NOW + 20_000
        const due = async (limit: number) =>
          (await run((tx) => tx.issues.lockExpired(limit))).map(({ expiresAt }) => expiresAt - NOW)
        expect(await due(10)).toEqual([10_000, 20_000])
        expect(await due(1)).toEqual([10_000])
      })
    })

    describe('wrong codes at a phone', () => {
      const issue = issueNumber(1, { keyKind: 'sk' })
      const phone = phoneOf(issue)
      const known = async () => (await run((tx) => tx.issues.lockPhone(OWNER, phone, issue.purpose))).failures
      const asVerified = async (id = issue.issueId) =>
        (await run((tx) => tx.issues.lockToVerify(OWNER, id)))?.hasFailures

      test('are none at first, and then as they were stored', async () => {
        await add(issue)
        expect(await run((tx) => tx.failures.lock(phone))).toBeUndefined()
        expect(await known()).toBeUndefined()
        expect(await asVerified()).toBe(false)
        const failures = fail(fail(undefined, NOW), NOW + 1)
        await run(async (tx) => {
          expect(await tx.failures.lock(phone)).toBeUndefined()
          await tx.failures.save(phone, failures)
        })
        expect(await run((tx) => tx.failures.lock(phone))).toEqual(failures)
        expect(await known()).toEqual(failures)
        expect(await asVerified()).toBe(true)
        const forgiven = forgive(failures)
        await run(async (tx) => {
          await tx.failures.lock(phone)
          await tx.failures.save(phone, forgiven)
        })
        expect(await known()).toEqual(forgiven)
      })

      test('are known of a phone without a live code, too', async () => {
        const failures = fail(undefined, NOW)
        await run(async (tx) => {
          await tx.failures.lock(phone)
          await tx.failures.save(phone, failures)
        })
        expect(await run((tx) => tx.issues.lockPhone(OWNER, phone, 'any'))).toEqual({ live: undefined, failures })
      })

      test("are another app's, another phone's and another kind of key's apart", async () => {
        await add(issue)
        const others = [
          { ...phone, appId: 'app_two' },
          { ...phone, kind: 'pk' as const },
          { ...phone, phoneHash: hash32(99) },
        ]
        for (const other of others)
          await run(async (tx) => {
            await tx.failures.lock(other)
            await tx.failures.save(other, fail(undefined, NOW))
          })
        expect(await known()).toBeUndefined()
        expect(await asVerified()).toBe(false)
      })

      test('at the same time all count', async () => {
        await add(issue)
        const count = () => run(async (tx) => tx.failures.save(phone, fail(await tx.failures.lock(phone), NOW)))
        await Promise.all(Array.from({ length: 8 }, count))
        expect((await known())?.inARow).toBe(8)
      })

      test('go when the last one is long ago', async () => {
        const at = async (kind: 'sk' | 'pk', time: number) =>
          run(async (tx) => {
            await tx.failures.lock({ ...phone, kind })
            await tx.failures.save({ ...phone, kind }, fail(undefined, time))
          })
        await at('sk', NOW)
        await at('pk', NOW + 1)
        expect(await run((tx) => tx.retention.failures(NOW + 1, 10))).toBe(1)
        expect(await run((tx) => tx.failures.lock({ ...phone, kind: 'sk' }))).toBeUndefined()
        expect(await run((tx) => tx.failures.lock({ ...phone, kind: 'pk' }))).toBeDefined()
      })
    })

    describe('lists of issues', () => {
      const ids = (issues: ReadonlyArray<Pick<Issue, 'issueId'>>) => issues.map(({ issueId }) => issueId)
      const list = async (filter: Partial<IssueFilter>, now = NOW) =>
        ids(await store.read.issues.page(OWNER, { limit: 100, ...filter }, now))

      test('those of relays are in a page of their own, however many there are', async () => {
        const alone = (n: number) => aMessage(issueNumber(n, { keyKind: 'relay' }))
        for (let n = 1; n <= 12; n++) await add(n === 1 || n === 7 ? issueNumber(n) : alone(n))
        const searched = async (filter: Partial<IssueFilter>) =>
          ids((await store.lists.issues.search(OWNER, { limit: 100, ...filter }, NOW)).issues)
        expect(await list({})).toEqual(ids([issueNumber(7), issueNumber(1)]))
        expect(await list({ limit: 1 })).toEqual(ids([issueNumber(7)]))
        expect(await list({ status: 'replaced' })).toEqual([])
        expect(await searched({})).toEqual(ids([issueNumber(7), issueNumber(1)]))
        expect(await searched({ status: 'alone' })).toHaveLength(10)
        expect(await searched({ status: 'alone', before: issueNumber(3).issueId })).toEqual(ids([alone(2)]))
      })

      test('messages without a code are found by phone and purpose until they are not worth sending', async () => {
        const alone = aMessage(issueNumber(1, { keyKind: 'relay', expiresAt: Date.now() + 60_000 }))
        const other = { ...alone, issueId: issueNumber(2).issueId, messageId: issueNumber(2).messageId }
        await add(alone, { ...other, purpose: 'other' }, { ...issueNumber(3), phoneHash: alone.phoneHash })
        const found = () => run((tx) => tx.issues.lockAlone(OWNER, alone.phoneHash, alone.purpose))
        expect(await found()).toEqual([alone])
        await run((tx) => tx.issues.save({ ...alone, expiresAt: NOW }, alone))
        expect(await found()).toEqual([])
      })

      const at = (offset: number, n: number, changes: Partial<Issue> = {}) =>
        issueNumber(n, { createdAt: NOW + offset, ...changes })
      const older = [at(-1, 1), at(-1, 2)]
      const same = [at(0, 3), at(0, 4), at(0, 5), at(0, 6)]
      const newer = [at(1, 7)]
      const newestFirst = ids([...older, ...same, ...newer]).toReversed()

      test('are newest first, and pages meet without a gap or a double, also within one millisecond', async () => {
        await add(...[...newer, ...older, ...same].toSorted((a, b) => a.phoneHash.length - b.phoneHash.length))
        expect(await list({})).toEqual(newestFirst)
        for (let size = 1; size <= newestFirst.length; size++) {
          const paged: string[] = []
          for (let before: string | undefined; ; before = paged.at(-1)) {
            const page = await list({ limit: size, ...(before !== undefined && { before }) })
            if (page.length === 0) break
            expect(page.length).toBeLessThanOrEqual(size)
            paged.push(...page)
          }
          expect(paged).toEqual(newestFirst)
        }
      })

      test('a range has its first millisecond and not its last', async () => {
        await add(...older, ...same, ...newer)
        const reversed = (issues: Issue[]) => ids(issues).toReversed()
        expect(await list({ createdFrom: NOW })).toEqual(reversed([...same, ...newer]))
        expect(await list({ createdTo: NOW })).toEqual(reversed(older))
        expect(await list({ createdFrom: NOW, createdTo: NOW + 1 })).toEqual(reversed(same))
        expect(await list({ createdFrom: NOW, createdTo: NOW })).toEqual([])
        expect(await list({ createdFrom: NOW - 0.5, createdTo: NOW + 0.5 })).toEqual(reversed(same))
        expect(await list({ createdFrom: 0, createdTo: Number.MAX_SAFE_INTEGER })).toEqual(newestFirst)
        expect(await list({ createdFrom: Number.MAX_SAFE_INTEGER })).toEqual([])
        expect(await list({ createdFrom: NOW, createdTo: NOW + 1, before: same[2]?.issueId ?? '' })).toEqual(
          reversed(same.slice(0, 2)),
        )
      })

      test('a status is the effective one', async () => {
        const fresh = issueNumber(1, { expiresAt: NOW + 10 })
        const lapsed = issueNumber(2, { expiresAt: NOW })
        const swept = settled(3)
        const verified = settled(4, { verificationStatus: 'verified', verifiedAt: NOW })
        const replaced = settled(5, { verificationStatus: 'replaced' })
        const spent = settled(6, { verificationStatus: 'max_attempts', attemptsUsed: 5 })
        await add(fresh, lapsed, swept, verified, replaced, spent)
        expect(await list({ status: 'issued' })).toEqual(ids([fresh]))
        expect(await list({ status: 'expired' })).toEqual(ids([swept, lapsed]))
        expect(await list({ status: 'issued' }, NOW + 10)).toEqual([])
        expect(await list({ status: 'expired' }, NOW + 10)).toEqual(ids([swept, lapsed, fresh]))
        expect(await list({ status: 'verified' })).toEqual(ids([verified]))
        expect(await list({ status: 'replaced' })).toEqual(ids([replaced]))
        expect(await list({ status: 'max_attempts' })).toEqual(ids([spent]))
        expect(await list({ status: 'unverified' })).toEqual(ids([spent, replaced, swept, lapsed, fresh]))
      })

      test('few of a status among many are all found, in pages, and meanwhile others have their turn', async () => {
        const many = Array.from({ length: 60 }, (_, n) =>
          settled(n + 1, n % 17 === 3 ? { verificationStatus: 'replaced' } : {}),
        )
        await add(...many)
        const replaced = many.filter(({ verificationStatus }) => verificationStatus === 'replaced')
        for (let limit = 1; limit <= replaced.length + 1; limit++) {
          const paged: string[] = []
          for (let before: string | undefined; ; before = paged.at(-1)) {
            const page = await list({ status: 'replaced', limit, ...(before && { before }) })
            if (page.length === 0) break
            paged.push(...page)
          }
          expect(paged).toEqual(ids(replaced).toReversed())
        }
        expect(await hasYielded(() => list({ status: 'replaced', limit: 1 }))).toBeTrue()
        expect(await list({ status: 'replaced', createdFrom: NOW + 1 })).toEqual([])
      })

      test('are found by what became of them and where they went, alone and together', async () => {
        const plain = settled(1)
        const failed = settled(2, { deliveryStatus: 'failed', providerOutcomeCode: 'DND_LIST' })
        const abroad = settled(3, { country: 'GB', purpose: 'sign-in' })
        const unknown = settled(4, { country: undefined, purpose: 'sign-out' })
        const note = 'a "quoted" 값\n'
        const metadata = { orderId: 'A-17', note }
        const called = settled(5, { channel: 'alimtalk', leg: 'sms', country: 'GB', metadata })
        await add(plain, failed, abroad, unknown, called)
        const attempt = newAttempt(called, { number: 1, carrier: 'first', text: undefined }, NOW)
        await run(async (tx) => {
          await tx.attempts.add(attempt)
          await tx.attempts.add({ ...attempt, number: 2, carrier: 'second', carrierMessageId: 'their-id' })
        })
        const found = async (filter: Partial<IssueFilter>) =>
          ids((await store.lists.issues.search(OWNER, { limit: 100, ...filter }, NOW)).issues)
        expect(await found({})).toEqual(ids([called, unknown, abroad, failed, plain]))
        expect(await found({ delivery: 'failed' })).toEqual(ids([failed]))
        expect(await found({ outcomeCode: 'DND_LIST' })).toEqual(ids([failed]))
        expect(await found({ outcomeCode: 'DND' })).toEqual([])
        expect(await found({ country: 'GB' })).toEqual(ids([called, abroad]))
        expect(await found({ purpose: 'sign' })).toEqual(ids([called, unknown, abroad, failed, plain]))
        expect(await found({ purpose: 'sign-' })).toEqual(ids([unknown, abroad]))
        expect(await found({ purpose: 'ign' })).toEqual([])
        expect(await found({ channel: 'alimtalk' })).toEqual(ids([called]))
        expect(await found({ leg: 'alimtalk' })).toEqual([])
        for (const carrier of ['first', 'second']) expect(await found({ carrier })).toEqual(ids([called]))
        expect(await found({ carrier: 'third' })).toEqual([])
        for (const mentioned of ['their-id', 'A-17', note]) expect(await found({ mentioned })).toEqual(ids([called]))
        for (const mentioned of ['their', 'A-1', 'orderId', '"', '%']) expect(await found({ mentioned })).toEqual([])
        expect(await found({ country: 'GB', purpose: 'sign-', status: 'expired' })).toEqual(ids([abroad]))
        expect(await found({ country: 'GB', status: 'verified' })).toEqual([])
      })

      test('are read from the oldest on, too, and go on from an id', async () => {
        await add(...older, ...same, ...newer)
        const search = async (filter: Partial<IssueFilter>) =>
          ids((await store.lists.issues.search(OWNER, { isOldestFirst: true, limit: 3, ...filter }, NOW)).issues)
        const oldestFirst = newestFirst.toReversed()
        expect(await search({})).toEqual(oldestFirst.slice(0, 3))
        expect(await search({ from: oldestFirst[3] })).toEqual(oldestFirst.slice(3, 6))
        expect(await search({ from: oldestFirst[6] })).toEqual(oldestFirst.slice(6))
        expect(await search({ createdFrom: NOW, createdTo: NOW + 1, limit: 9 })).toEqual(ids(same))
      })

      test('hold what is the owner’s, and nothing else', async () => {
        const mine = issueNumber(1)
        await add(mine, issueNumber(2, { mode: 'test' }), issueNumber(3, { appId: 'app_two' }))
        expect(await list({})).toEqual(ids([mine]))
      })

      test('of test mode are counted since a time, by organization', async () => {
        await add(
          issueNumber(1),
          ...[-1, 0, 5].map((ms, n) => issueNumber(n + 2, { mode: 'test', createdAt: NOW + ms })),
        )
        const counted = async (since: number) =>
          (await store.read.issues.testIssuesSince(since)).map(({ issues }) => issues)
        expect([await counted(NOW - 1), await counted(NOW), await counted(NOW + 6)]).toEqual([[3], [2], []])
      })
    })

    describe('idempotency claims', () => {
      test('are found by their owner alone, and one key has one issue', async () => {
        const issue = issueNumber(1)
        const claim = claimOf(issue, 1)
        const found = () => run((tx) => tx.idempotency.find(OWNER, hash16(1)))
        await run((tx) => tx.issues.add(issue, claim))
        expect(await found()).toEqual(claim)
        expect(await run((tx) => tx.idempotency.find({ ...OWNER, mode: 'test' }, hash16(1)))).toBeUndefined()
        expect(await run((tx) => tx.idempotency.find({ ...OWNER, appId: 'app_two' }, hash16(1)))).toBeUndefined()
        await errorOf(run((tx) => tx.issues.add(issueNumber(2), claim)))
        await run(async (tx) => {
          await tx.issues.add({ ...issue, mode: 'test' }, claim)
          await tx.issues.add({ ...issue, appId: 'app_two' }, claim)
        })
        expect(await found()).toEqual(claim)
      })

      test('of many at once for one key, one is made', async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            outcomeOf(run((tx) => tx.issues.add(issueNumber(n), claimOf(issueNumber(n), 1)))),
          ),
        )
        expect(outcomes.filter((outcome) => 'value' in outcome)).toHaveLength(1)
      })

      test('can be dropped, which frees the key', async () => {
        const [issue, next] = [issueNumber(1), issueNumber(2)]
        await run((tx) => tx.issues.add(issue, claimOf(issue, 1)))
        await run(async (tx) => {
          await tx.idempotency.drop(OWNER, hash16(1))
          await tx.issues.add(next, claimOf(next, 1))
        })
        expect((await run((tx) => tx.idempotency.find(OWNER, hash16(1))))?.issueId).toBe(next.issueId)
      })

      test('are known of an issue that was erased and removed, until they are dropped', async () => {
        const issue = issueNumber(1)
        await run((tx) => tx.issues.add(issue, claimOf(issue, 1)))
        await run(async (tx) => {
          await tx.erasures.strip({ ...issue, erasedAt: NOW })
          await tx.erasures.remove(issue, uuidAt(NOW, 9))
        })
        const found = () => run((tx) => tx.idempotency.find(OWNER, hash16(1)))
        expect((await found())?.issueId).toBe(issue.issueId)
        await run((tx) => tx.idempotency.drop(OWNER, hash16(1)))
        expect(await found()).toBeUndefined()
      })
    })

    describe('calls that were begun with their issues', () => {
      const begunCall = (calledAt: number) => ({ carrier: 'main', calledAt, text: '[••••••]' })
      const begun = (n: number, calledAt = NOW) => issueNumber(n, { begunCall: begunCall(calledAt) })

      test('are found by the message, read back as they were, and are over once that is saved', async () => {
        const issue = begun(1)
        await add(issue, issueNumber(2))
        expect(await store.read.issues.find(OWNER, issue.issueId)).toEqual(issue)
        const found = () => run((tx) => tx.issues.begunBy(issue.messageId))
        expect(await found()).toEqual(issue)
        expect(await run((tx) => tx.issues.begunBy(issueNumber(2).messageId))).toBeUndefined()
        await run((tx) => tx.issues.save({ ...issue, begunCall: undefined }, issue))
        expect(await found()).toBeUndefined()
        expect((await store.read.issues.find(OWNER, issue.issueId))?.begunCall).toBeUndefined()
      })

      test('are locked once they are old, or all of them, at most as many as asked for', async () => {
        const issues = [begun(1, NOW - 20), begun(2, NOW - 10), begun(3, NOW + 60_000)]
        await add(...issues)
        const locked = async (agedMs: number | undefined, limit = 9) =>
          (await run((tx) => tx.issues.lockBegun(agedMs, limit))).map(({ issueId }) => issueId)
        const ids = issues.map(({ issueId }) => issueId)
        expect(await locked(15)).toEqual(ids.slice(0, 1))
        expect(await locked(10)).toEqual(ids.slice(0, 2))
        expect(await locked(undefined)).toEqual(ids)
        expect(await locked(undefined, 1)).toEqual(ids.slice(0, 1))
      })

      test('are unanswered calls of their carrier', async () => {
        await add(begun(1))
        const isUnanswered = (carrier: string, since = 0) => run((tx) => tx.reports.hasUnanswered(carrier, since))
        expect([await isUnanswered('main'), await isUnanswered('other')]).toEqual([true, false])
        expect(await isUnanswered('main', NOW + 365 * 86_400_000)).toBe(false)
      })
    })

    describe('jobs', () => {
      const issue = issueNumber(1)
      const queue = (runAt: number, { kind = 'deliver' as JobKind, of = issue } = {}) =>
        run((tx) => tx.jobs.add({ kind, owner: of, subjectId: of.issueId, runAt }))
      const claim = (limit = 10, kind: JobKind = 'deliver') => run((tx) => tx.jobs.claim(kind, FRONT, limit))
      const claimOne = async () => (await claim())[0] as Job
      const holds = (job: Job) => run((tx) => tx.jobs.lock(job))
      const LATER = NOW + 3_600_000

      test('are claimed when they are due, the oldest first, at most as many as asked for', async () => {
        await queue(NOW + 2, { of: issueNumber(3) })
        await queue(NOW, { of: issueNumber(1) })
        await queue(NOW + 1, { of: issueNumber(2) })
        await queue(NOW, { of: issueNumber(1), kind: 'await-report' })
        expect(await nextJobAt(store, 'deliver')).toBe(NOW)
        clock.time = NOW + 1
        const [first] = await claim(1)
        expect(first).toMatchObject({ ...OWNER, subjectId: uuidAt(NOW, 1), kind: 'deliver', attempt: 1 })
        expect((await claim()).map(({ subjectId }) => subjectId)).toEqual([uuidAt(NOW, 2)])
        expect(await claim()).toEqual([])
        expect(await nextJobAt(store, 'deliver')).toBe(NOW + 2)
        expect(await nextJobAt(store, 'webhook')).toBeUndefined()
      })

      test('that are claimed are nobody else’s until the lease is over, and then come back', async () => {
        await queue(NOW)
        const [first] = await claim()
        expect(first?.runAt).toBe(NOW)
        clock.time = NOW + LEASE_MS.deliver - 1
        expect(await claim()).toEqual([])
        clock.time += 1
        expect(await claim()).toMatchObject([{ jobId: first?.jobId, attempt: 2 }])
      })

      test('are claimed by one of many runners at once', async () => {
        await queue(NOW)
        const [here, there] = await Promise.all([
          Promise.all(Array.from({ length: 10 }, () => claim())),
          other.transaction((tx) => tx.jobs.claim('deliver', FRONT, 10)),
        ])
        expect([...here.flat(), ...there]).toHaveLength(1)
      })

      test('can neither be finished nor moved under an attempt that was taken over', async () => {
        await queue(NOW)
        const stale = await claimOne()
        clock.time = NOW + LEASE_MS.deliver
        const held = await claimOne()
        expect([await holds(stale), await holds(held)]).toEqual([false, true])
        await run((tx) => tx.jobs.reschedule(stale, NOW))
        expect(await nextJobAt(store, 'deliver')).toBe(clock.time + LEASE_MS.deliver)
        expect(await run((tx) => tx.jobs.finish(stale))).toBe(false)
        expect(await holds(held)).toBe(true)
        await run((tx) => tx.jobs.reschedule(held, NOW + 777_000))
        expect(await nextJobAt(store, 'deliver')).toBe(NOW + 777_000)
        clock.time = NOW + 777_000
        const last = await claimOne()
        expect(await run((tx) => tx.jobs.finish(last))).toBe(true)
        expect(await holds(last)).toBe(false)
        expect(await nextJobAt(store, 'deliver')).toBeUndefined()
      })

      test('that are given back are held no more, in the same transaction too, and their next claim is not taken for a renewed lease', async () => {
        await queue(NOW)
        const held = await claimOne()
        const after = await run(async (tx) => {
          const isHeld = await tx.jobs.lock(held)
          const isGivenBack = await tx.jobs.reschedule(held, NOW)
          return [isHeld, isGivenBack, await tx.jobs.lock(held), await tx.jobs.finish(held)]
        })
        expect(after).toEqual([true, true, false, false])
        expect(await nextJobAt(store, 'deliver')).toBe(NOW)
        expect(await run((tx) => tx.jobs.reschedule(held, NOW + 999))).toBe(false)
        expect(await claim()).toMatchObject([{ jobId: held.jobId, attempt: held.attempt + 2 }])
      })

      test('that are queued again are moved, and whoever ran them has lost them', async () => {
        await queue(NOW)
        const running = await claimOne()
        await queue(NOW + 5)
        expect(await nextJobAt(store, 'deliver')).toBe(NOW + 5)
        expect(await holds(running)).toBe(false)
        await run((tx) => tx.jobs.finish(running))
        await run((tx) => tx.jobs.reschedule(running, NOW + 999))
        expect(await nextJobAt(store, 'deliver')).toBe(NOW + 5)
        clock.time = NOW + 5
        const again = await claim()
        expect(again).toHaveLength(1)
        expect(again[0]?.attempt).toBeGreaterThan(running.attempt + 1)
      })

      test.each<[string, (tx: Tx, running: Job) => Promise<unknown>]>([
        [
          'queued again',
          (tx) => tx.jobs.add({ kind: 'deliver', owner: issue, subjectId: issue.issueId, runAt: LATER }),
        ],
        ['put off', (tx, running) => tx.jobs.reschedule(running, LATER)],
      ])(
        'that are %s while they run are nobody’s: they keep their time over a restart, and can be hastened',
        async (_, change) => {
          await queue(NOW)
          const running = await claimOne()
          await run((tx) => change(tx, running))
          await run((tx) => tx.jobs.releaseLeases())
          expect(await nextJobAt(store, 'deliver')).toBe(LATER)
          await run((tx) => tx.jobs.hasten('deliver', issue.issueId))
          expect(await nextJobAt(store, 'deliver')).toBe(NOW)
          expect(await claim()).toMatchObject([{ jobId: running.jobId }])
        },
      )

      test('that were finished and are queued anew are not held by the old runner', async () => {
        await queue(NOW)
        const old = await claimOne()
        await run(async (tx) => {
          await tx.jobs.finish(old)
          await tx.jobs.add({ kind: 'deliver', owner: issue, subjectId: issue.issueId, runAt: NOW })
        })
        expect(await holds(old)).toBe(false)
        const anew = await claimOne()
        await run((tx) => tx.jobs.finish(old))
        expect(await holds(anew)).toBe(true)
      })

      test.each(['waits', 'is held'])(
        'that is removed while it %s is nobody’s any more, and no other goes',
        async (how) => {
          for (const kind of ['deliver', 'await-report'] as const) await queue(NOW, { kind })
          const job = how === 'is held' ? await claimOne() : undefined
          await queue(NOW, { of: issueNumber(2) })
          await run((tx) => tx.jobs.remove('deliver', issue.issueId))
          if (job) expect(await holds(job)).toBe(false)
          expect((await claim(10, 'await-report')).map(({ subjectId }) => subjectId)).toEqual([issue.issueId])
          clock.time = LATER
          expect((await claim()).map(({ subjectId }) => subjectId)).toEqual([issueNumber(2).issueId])
        },
      )

      test('of different kinds for one issue do not know each other', async () => {
        for (const kind of ['deliver', 'await-report', 'webhook'] as const) await queue(NOW, { kind })
        const delivering = await claimOne()
        await run((tx) => tx.jobs.finish(delivering))
        expect(await nextJobAt(store, 'deliver')).toBeUndefined()
        expect([await nextJobAt(store, 'await-report'), await nextJobAt(store, 'webhook')]).toEqual([NOW, NOW])
        expect(await claim(10, 'webhook')).toMatchObject([{ kind: 'webhook', runAt: NOW }])
      })

      describe('that wait for a carrier', () => {
        const moveTo = async (queueName: string, runAt = NOW) => {
          await run(async (tx) => {
            const [job] = await tx.jobs.claim('deliver', FRONT, 1)
            if (job) await tx.jobs.reschedule(job, runAt, queueName)
          })
        }
        const headsOf = () => store.read.jobs.heads('deliver')

        test('stand in a queue of their own, the oldest first, and are not claimed from another', async () => {
          for (const n of [1, 2, 3, 4]) await queue(NOW, { of: issueNumber(n) })
          await moveTo('b', NOW - 1)
          await moveTo('a')
          await moveTo('a', NOW + 5)
          expect(await headsOf()).toEqual([
            { queue: FRONT, runAt: NOW },
            { queue: 'a', runAt: NOW },
            { queue: 'b', runAt: NOW - 1 },
          ])
          expect(await claim()).toHaveLength(1)
          expect(await run((tx) => tx.jobs.claim('deliver', 'a', 10))).toMatchObject([{ queue: 'a', attempt: 3 }])
          expect(await Promise.all(['a', 'b'].map((name) => store.read.jobs.hasDue('deliver', name, NOW)))).toEqual([
            false,
            true,
          ])
          expect(await store.read.jobs.carrierQueues(NOW + 9)).toMatchObject([
            { carrier: 'a', kind: 'deliver', waiting: 2, due: 1, oldestDueMs: 4 },
            { carrier: 'b', kind: 'deliver', waiting: 1, due: 1, oldestDueMs: 10 },
          ])
        })

        test('come to the front together when carriers have changed', async () => {
          for (const n of [1, 2]) await queue(NOW, { of: issueNumber(n) })
          await moveTo('a')
          await moveTo('b')
          await run((tx) => tx.jobs.emptyCarrierQueues())
          expect(await headsOf()).toEqual([{ queue: FRONT, runAt: NOW }])
          expect(await claim()).toHaveLength(2)
        })

        test('come to the front when their code ends, unless they are being sent', async () => {
          await queue(NOW + 60_000)
          await run((tx) => tx.jobs.hasten('deliver', issue.issueId))
          expect(await headsOf()).toEqual([{ queue: FRONT, runAt: NOW }])
          const running = await claimOne()
          await run((tx) => tx.jobs.hasten('deliver', issue.issueId))
          expect([await holds(running), await claim()]).toEqual([true, []])
        })
      })

      test('that a process ran which is gone are due at once, and those that wait for their time are not', async () => {
        await queue(NOW, { of: issueNumber(1) })
        await queue(NOW + 60_000, { of: issueNumber(2) })
        const lost = await claimOne()
        await run((tx) => tx.jobs.releaseLeases())
        expect(await claim()).toMatchObject([{ jobId: lost.jobId, attempt: lost.attempt + 1 }])
        expect(await nextJobAt(store, 'deliver')).toBe(NOW + LEASE_MS.deliver)
      })

      test('of messages are counted, others are not, and no further than asked', async () => {
        for (const n of [1, 2, 3]) await queue(NOW, { of: issueNumber(n) })
        await queue(NOW, { kind: 'await-report' })
        expect([await store.read.jobs.backlog(10), await store.read.jobs.backlog(2)]).toEqual([3, 2])
      })

      test('whose claim is rolled back are still there', async () => {
        await queue(NOW)
        await outcomeOf(
          run(async (tx) => {
            await tx.jobs.claim('deliver', FRONT, 10)
            throw new Error('refused')
          }),
        )
        expect(await claimOne()).toMatchObject({ attempt: 1 })
      })
    })

    describe('messages', () => {
      const issue = issueNumber(1)

      test('number and text are there until they are erased', async () => {
        const rendered = { ...LETTER, from: '0212345678', variables: { name: '앤' }, scenario: 7 }
        await run((tx) => tx.outbox.add(issue, rendered))
        expect(await run((tx) => tx.outbox.find(issue.issueId))).toEqual(rendered)
        await run((tx) => tx.outbox.erase(issue.issueId))
        expect(await run((tx) => tx.outbox.find(issue.issueId))).toBeUndefined()
      })

      test('attempts come oldest first, and each number once', async () => {
        const attempts = [1, 2, 10].map((number) => attemptOf(issue, number))
        await run(async (tx) => {
          for (const attempt of attempts.toReversed()) await tx.attempts.add(attempt)
        })
        expect(await run((tx) => tx.attempts.ofIssue(OWNER, issue.issueId))).toEqual(attempts)
        expect(await run((tx) => tx.attempts.ofIssue({ ...OWNER, mode: 'test' }, issue.issueId))).toEqual([])
        await errorOf(run((tx) => tx.attempts.add(attemptOf(issue, 2))))
      })

      test('what a carrier answered since a time is counted by outcome, code and rounded time', async () => {
        const live = { ...issue, mode: 'live' as const }
        const answers = [
          { answeredAt: NOW + 1_290, outcome: 'accepted' as const },
          { answeredAt: NOW + 1_210, outcome: 'accepted' as const },
          {
            answeredAt: NOW + 57,
            outcome: 'refused' as const,
            retry: 'later' as const,
            code: 'BUSY',
            said: 'Too busy',
          },
          { answeredAt: NOW - 5, outcome: 'ambiguous' as const, code: 'LOST' },
          { answeredAt: NOW, outcome: 'accepted' as const, carrier: 'other' },
          {},
        ]
        await run(async (tx) => {
          for (const [index, answer] of answers.entries()) await tx.attempts.add(attemptOf(live, index + 1, answer))
        })
        const since = (carrier: string, at: number) => store.read.attempts.answersSince(carrier, at)
        const found = (await since('main', NOW - 60_000)).toSorted((a, b) => a.ms - b.ms)
        expect(found).toEqual([
          { outcome: 'ambiguous', code: 'LOST', ms: 0, calls: 1 },
          { outcome: 'refused', code: 'BUSY', said: 'Too busy', ms: 57, calls: 1 },
          { outcome: 'accepted', code: undefined, ms: 1_200, calls: 2 },
        ])
        expect(await since('main', NOW + 60_000)).toEqual([])
      })

      test('an attempt is answered once', async () => {
        const answer = attemptOf(issue, 1, {
          answeredAt: NOW + 5,
          outcome: 'accepted',
          code: 'OK',
          carrierMessageId: 'p1',
        })
        await run((tx) => tx.attempts.add(attemptOf(issue, 1)))
        const later = { ...answer, outcome: 'refused' as const, carrierMessageId: undefined }
        expect(await run((tx) => tx.attempts.answer(answer))).toBe(true)
        expect(await run((tx) => tx.attempts.answer(later))).toBe(false)
        expect(await run((tx) => tx.attempts.answer({ ...answer, number: 2 }))).toBe(false)
        expect(await run((tx) => tx.attempts.ofIssue(OWNER, issue.issueId))).toEqual([answer])
      })

      test('a report is noted with its attempt, and changes nothing else', async () => {
        const [first, second] = [attemptOf(issue, 1), attemptOf(issue, 2)]
        const report = { code: 'EXPIRED', said: 'the phone was off', report: 'failed', reportedAt: NOW + 9 } as const
        const known = await run(async (tx) => {
          for (const attempt of [first, second]) await tx.attempts.add(attempt)
          await tx.attempts.ofIssue(OWNER, issue.issueId)
          await tx.attempts.noteReport({ ...first, carrierMessageId: 'other', ...report })
          return tx.attempts.ofIssue(OWNER, issue.issueId)
        })
        expect(known).toEqual([{ ...first, ...report }, second])
        expect(await run((tx) => tx.attempts.ofIssue(OWNER, issue.issueId))).toEqual(known)
      })

      test('a call of a provider is unanswered until its attempt has an outcome', async () => {
        const attempt = { ...attemptOf(issue, 1), outcome: undefined, answeredAt: undefined }
        await run(async (tx) => {
          await tx.attempts.add({ ...attempt, awaitedAt: NOW })
        })
        const isUnanswered = (carrier: string, since = 0) => run((tx) => tx.reports.hasUnanswered(carrier, since))
        expect([await isUnanswered('main'), await isUnanswered('other')]).toEqual([true, false])
        expect(await isUnanswered('main', NOW + 365 * 86_400_000)).toBe(false)
        await run((tx) => tx.attempts.answer({ ...attempt, outcome: 'ambiguous', answeredAt: NOW + 1 }))
        expect(await isUnanswered('main')).toBe(false)
      })

      test('an awaited report is found by the provider’s id of its own provider, and by ours', async () => {
        const awaited = awaitedOf(issue, { carrierMessageId: 'p1', answeredAt: NOW + 5 })
        const nameless = awaitedOf(issueNumber(2), { carrierMessageId: undefined })
        await run(async (tx) => {
          await expectReport(tx, awaited)
          await expectReport(tx, nameless)
        })
        await run(async (tx) => {
          expect(await tx.reports.findByCarrier('main', 'p1')).toEqual(awaited)
          expect(await tx.reports.findByCarrier('other', 'p1')).toBeUndefined()
          expect(await tx.reports.find(issue.messageId)).toEqual(awaited)
          expect(await tx.reports.find(nameless.messageId)).toEqual(nameless)
          await tx.reports.forget(issue.messageId)
          expect(await tx.reports.findByCarrier('main', 'p1')).toBeUndefined()
          expect(await tx.reports.find(issue.messageId)).toBeUndefined()
        })
      })
    })

    test('of an awaited report the last that was said counts', async () => {
      const first = awaitedOf(issueNumber(1), { carrierMessageId: undefined })
      const last = { ...first, carrier: 'backup', carrierMessageId: 'p2', answeredAt: NOW + 5 }
      await run((tx) => expectReport(tx, first))
      await run((tx) => expectReport(tx, last, 2))
      await run(async (tx) => {
        expect(await tx.reports.find(first.messageId)).toEqual(last)
        expect(await tx.reports.findByCarrier('backup', 'p2')).toEqual(last)
      })
    })

    describe('credit', () => {
      const wallet: Wallet = {
        appId: APP.appId,
        balance: 70,
        reserved: 3,
        overdraftLimit: 10,
        entries: 2,
        updatedAt: NOW + 4,
      }
      const entry = (seq: number, offset: number, changes: Partial<LedgerEntry> = {}): LedgerEntry => ({
        appId: APP.appId,
        seq,
        entryType: 'credit',
        amountDelta: 10,
        balanceAfter: seq * 10,
        issueId: undefined,
        reference: undefined,
        createdAt: NOW + offset,
        ...changes,
      })

      const save = (changed: Wallet) =>
        run(async (tx) => {
          await tx.wallets.lock(changed.appId)
          await tx.wallets.save(changed)
        })

      test('a wallet is empty at first, and then as it was saved', async () => {
        const empty = { ...wallet, balance: 0, reserved: 0, overdraftLimit: 0, entries: 0, updatedAt: NOW }
        expect(await run((tx) => tx.wallets.lock(APP.appId))).toEqual(empty)
        for (const saved of [wallet, { ...wallet, balance: -5, reserved: 0, entries: 3, updatedAt: NOW + 9 }]) {
          await save(saved)
          expect(await run((tx) => tx.wallets.lock(APP.appId))).toEqual(saved)
          expect(await store.read.wallets.find(APP.appId)).toEqual(saved)
        }
      })

      test('a wallet never promises a negative amount', async () => {
        await save(wallet)
        await errorOf(save({ ...wallet, reserved: -1 }))
        expect(await store.read.wallets.find(APP.appId)).toEqual(wallet)
      })

      const debit = entry(4, 0, { entryType: 'debit', amountDelta: -1, issueId: uuidAt(NOW, 1) })
      const entries = [entry(1, -1), entry(2, 0), entry(3, 0), debit, entry(5, 0), entry(6, 1)]
      const writeEntries = () =>
        run(async (tx) => {
          for (const each of entries.toReversed()) await tx.wallets.addEntry(each)
        })
      const list = async (filter: Partial<LedgerFilter>) =>
        store.read.wallets.ledger(APP.appId, { limit: 100, ...filter })
      const seqs = async (filter: Partial<LedgerFilter>) => (await list(filter)).map(({ seq }) => seq)

      test('a ledger is newest first, and pages meet without a gap or a double, also within one millisecond', async () => {
        await writeEntries()
        expect(await list({})).toEqual(entries.toReversed())
        for (let limit = 1; limit <= entries.length; limit++) {
          const paged: LedgerEntry[] = []
          for (let before: LedgerEntry | undefined; ; before = paged.at(-1)) {
            const page = await list({ limit, ...(before && { before }) })
            if (page.length === 0) break
            paged.push(...page)
          }
          expect(paged).toEqual(entries.toReversed())
        }
      })

      test('a ledger by time and type', async () => {
        await writeEntries()
        expect(await seqs({ createdFrom: NOW })).toEqual([6, 5, 4, 3, 2])
        expect(await seqs({ createdTo: NOW })).toEqual([1])
        expect(await seqs({ createdFrom: NOW, createdTo: NOW + 1 })).toEqual([5, 4, 3, 2])
        // One page begins beyond the bound, the other within it.
        expect(await seqs({ before: { createdAt: NOW + 1, seq: 6 }, createdTo: NOW })).toEqual([1])
        expect(await seqs({ before: { createdAt: NOW, seq: 4 }, createdTo: NOW + 1 })).toEqual([3, 2, 1])
        expect(await seqs({ entryType: 'debit' })).toEqual([4])
        expect(await seqs({ entryType: 'credit', createdTo: NOW + 1, limit: 2 })).toEqual([5, 3])
        expect(await seqs({ entryType: 'refund' })).toEqual([])
        expect(await store.read.wallets.ledger('app_two', { limit: 100 })).toEqual([])
      })

      test('few entries of a type among many are all found, in pages, and meanwhile others have their turn', async () => {
        const many = Array.from({ length: 60 }, (_, n) =>
          entry(n + 1, n % 7, n % 17 === 3 ? { entryType: 'clawback', amountDelta: -1 } : {}),
        )
        await run(async (tx) => {
          for (const each of many) await tx.wallets.addEntry(each)
        })
        const newestFirst = many.toSorted((a, b) => b.createdAt - a.createdAt || b.seq - a.seq)
        const clawbacks = newestFirst.filter(({ entryType }) => entryType === 'clawback')
        for (let limit = 1; limit <= clawbacks.length + 1; limit++) {
          const paged: LedgerEntry[] = []
          for (let before: LedgerEntry | undefined; ; before = paged.at(-1)) {
            const page = await list({ entryType: 'clawback', limit, ...(before && { before }) })
            if (page.length === 0) break
            paged.push(...page)
          }
          expect(paged).toEqual(clawbacks)
        }
        expect(await hasYielded(() => list({ entryType: 'refund', limit: 1 }))).toBeTrue()
      })

      test('a position of the ledger is written once', async () => {
        await run((tx) => tx.wallets.addEntry(entry(1, 0)))
        await errorOf(run((tx) => tx.wallets.addEntry(entry(1, 0, { amountDelta: 5 }))))
        expect(await list({})).toEqual([entry(1, 0)])
      })
    })

    describe('retention', () => {
      const sweep = (before: number, limit = 100, mode: 'live' | 'test' = 'live') =>
        run((tx) => tx.retention.issues({ appId: OWNER.appId, mode }, before, limit))

      test('deletes an old issue with its attempts and its message', async () => {
        const old = settled(1)
        const kept = settled(2, { createdAt: NOW + 1 })
        await add(old, kept)
        await run(async (tx) => {
          for (const issue of [old, kept]) {
            await tx.attempts.add(attemptOf(issue, 1))
            await tx.attempts.add(attemptOf(issue, 2))
            await tx.outbox.add(issue, LETTER)
            await tx.jobs.add({ kind: 'await-report', owner: issue, subjectId: issue.issueId, runAt: issue.createdAt })
          }
        })
        expect(await sweep(NOW + 1)).toBe(1)
        expect([await exists(old), await exists(kept)]).toEqual([false, true])
        await run(async (tx) => {
          expect(await tx.attempts.ofIssue(OWNER, old.issueId)).toEqual([])
          expect(await tx.outbox.find(old.issueId)).toBeUndefined()
          expect(await tx.attempts.ofIssue(OWNER, kept.issueId)).toHaveLength(2)
          expect(await tx.outbox.find(kept.issueId)).toBeDefined()
        })
        expect(await nextJobAt(store, 'await-report')).toBe(kept.createdAt)
      })

      test.each<[string, Partial<Issue>]>([
        ['a code that has not ended', { verificationStatus: 'issued' }],
        ['a reservation that has not ended', { billingStatus: 'reserved', debitedAmount: 0 }],
        ['a debit that is not written', { billingStatus: 'debit_pending', debitedAmount: 0 }],
        ['a release that is not written', { billingStatus: 'release_pending', debitedAmount: 0 }],
      ])('keeps an old issue with %s', async (_, changes) => {
        const busy = settled(1, changes)
        const done = settled(2)
        await add(busy, done)
        expect(await sweep(NOW + 1)).toBe(1)
        expect([await exists(busy), await exists(done)]).toEqual([true, false])
      })

      test('deletes at most as many as asked for, the oldest first, and says how many', async () => {
        const issues = [1, 2, 3, 4, 5].map((n) => settled(n, { createdAt: NOW - 10 + n }))
        await add(...issues.toReversed())
        expect(await sweep(NOW, 2)).toBe(2)
        expect(await Promise.all(issues.map((issue) => exists(issue)))).toEqual([false, false, true, true, true])
        expect([await sweep(NOW, 2), await sweep(NOW, 2), await sweep(NOW, 2)]).toEqual([2, 1, 0])
      })

      test('deletes of one mode only', async () => {
        const [live, inTest] = [settled(1), settled(2, { mode: 'test' })]
        await add(live, inTest)
        expect(await sweep(NOW + 1, 100, 'test')).toBe(1)
        expect([await exists(live), await exists(inTest)]).toEqual([true, false])
      })

      test('deletes old claims, reports nobody awaits and messages of expired codes', async () => {
        const issues = [0, 1, 2, 3].map((n) =>
          issueNumber(n + 1, { createdAt: NOW + n, expiresAt: NOW + n, purpose: `p${n}` }),
        )
        const forgetKeys = (tx: Tx, before: number, limit = 100) =>
          tx.retention.forget('keys', OWNER, { from: 0, before }, limit)
        await run(async (tx) => {
          for (const [n, issue] of issues.entries()) {
            await tx.issues.add(issue, claimOf(issue, n))
            await expectReport(tx, awaitedOf(issue, { answeredAt: NOW + n }))
            await tx.outbox.add(issue, LETTER)
          }
        })
        clock.time = NOW + 1
        await run(async (tx) => {
          expect(await forgetKeys(tx, NOW + 2)).toBe(2)
          expect(await tx.retention.reports(NOW + 2, 100)).toBe(2)
          expect(await tx.retention.outbox(100)).toBe(2)
        })
        await run(async (tx) => {
          for (const [n, issue] of issues.entries()) {
            const left = [
              await tx.idempotency.find(OWNER, hash16(n)),
              await tx.reports.find(issue.messageId),
              await tx.outbox.find(issue.issueId),
            ]
            expect(left.map((row) => row !== undefined)).toEqual(left.map(() => n >= 2))
          }
          expect(await forgetKeys(tx, NOW + 9, 1)).toBe(1)
          expect(await tx.retention.reports(NOW + 9, 1)).toBe(1)
        })
        clock.time = NOW + 9
        expect(await run((tx) => tx.retention.outbox(1))).toBe(1)
      })
    })

    webhookSuite(() => ({ store, other, clock }))
    noticeSuite(() => ({ store, other, clock }))

    peopleSuite(() => ({ store, other, clock }))
    phoneSuite(() => ({ store, other, clock }))
    trafficSuite(() => ({ store, other, clock }))
    trafficListsSuite(() => ({ store, other, clock }))

    describe('configuration', () => {
      const TEMPLATE: Template = {
        templateId: 'welcome',
        name: 'Welcome',
        channelSupport: ['sms', 'alimtalk'],
        body: '#{code} #{name}',
        variables: { name: { required: true, pattern: '.+' } },
        providerTemplateCode: 'W1',
        locale: 'en',
        dlt: { entityId: '1201', templateId: '1107' },
        bodies: {
          'zh-TW': { body: '#{code} #{name}', providerTemplateCode: 'W1_TW', dlt: { templateId: '1207' } },
          ja: { body: '#{name} #{code}' },
        },
      }
      const OLD = { ...TEMPLATE, templateId: 'old' }
      const CHALLENGE: ChallengeSettings = { vendor: 'turnstile', secret: 'at the vendor', onOutage: 'refuse' }
      const PROVIDER = {
        name: 'main',
        type: 'http',
        channels: ['sms' as const],
        config: { url: 'http://carrier.test', secret: 's' },
        createdAt: NOW,
      }
      const ROUTE = { channel: 'sms' as const, country: undefined, appId: undefined, carriers: ['main'] }
      const changes: Array<[string, (tx: Tx) => Promise<unknown>]> = [
        ['an app', (tx) => tx.apps.add({ ...APP, appId: 'app_two' })],
        ['a key', (tx) => tx.keys.add(aStoredKey(2))],
        ['an app that is saved anew', (tx) => tx.apps.save({ ...APP, name: 'Renamed' })],
        ['an app that is removed', (tx) => tx.apps.remove(APP.appId)],
        ['a revocation', (tx) => tx.keys.revoke('key_1', NOW)],
        ['the end of a key', (tx) => tx.keys.expire('key_1', NOW)],
        ['an allowance', (tx) => tx.keys.allow('key_1', ['from'])],
        ['a challenge', (tx) => tx.challenges.save(APP.appId, CHALLENGE)],
        ['a challenge that is removed', (tx) => tx.challenges.remove(APP.appId)],
        ['a template', (tx) => tx.templates.save(APP.appId, TEMPLATE, 'cli')],
        ['a template that is removed', (tx) => tx.templates.remove(APP.appId, OLD.templateId)],
        ['a provider', (tx) => tx.carriers.save(PROVIDER)],
        ['a pause of a provider', (tx) => tx.carriers.update({ ...PROVIDER, pausedAt: NOW })],
        ['a provider that is removed', (tx) => tx.carriers.remove('main')],
        ['a route', (tx) => tx.routes.save(ROUTE)],
        ['a route that is removed', (tx) => tx.routes.remove({ ...ROUTE, country: 'KR' })],
      ]

      beforeEach(() =>
        run(async (tx) => {
          await tx.keys.add(aStoredKey(1))
          await tx.carriers.save(PROVIDER)
          await tx.challenges.save(APP.appId, CHALLENGE)
          await tx.templates.save(APP.appId, OLD, 'cli')
          await tx.routes.save({ ...ROUTE, country: 'KR' })
        }),
      )

      test.each(changes)('%s is news, here and in another process', async (_, change) => {
        const [here, there] = [await store.read.settingsVersion(), await other.read.settingsVersion()]
        await run(change)
        expect(await store.read.settingsVersion()).not.toBe(here)
        clock.elapsedMs += opened.newsMs
        expect(await other.read.settingsVersion()).not.toBe(there)
        const seen = [await store.read.settingsVersion(), await other.read.settingsVersion()]
        expect([await store.read.settingsVersion(), await other.read.settingsVersion()]).toEqual(seen)
      })

      test.each(changes)('%s that is rolled back is no news', async (_, change) => {
        const before = await store.read.settingsVersion()
        await outcomeOf(
          run(async (tx) => {
            await change(tx)
            throw new Error('refused')
          }),
        )
        expect(await store.read.settingsVersion()).toBe(before)
      })

      test('that cannot be looked at is told as a refusal, and not thrown at who only asks', async () => {
        const asked = () => other.read.settingsVersion().catch((error: unknown) => error)
        expect(await asked()).toEqual(expect.any(String))
        await other.close()
        clock.elapsedMs += opened.newsMs
        await new Promise((turn) => setImmediate(turn))
        expect(await asked()).toMatchObject({ kind: 'unavailable' })
      })

      test('is no news before it is stored', async () => {
        const before = await store.read.settingsVersion()
        await run(async (tx) => {
          await tx.keys.add(aStoredKey(2))
          expect(await store.read.settingsVersion()).toBe(before)
        })
      })

      test('is untouched by what requests write', async () => {
        const before = await store.read.settingsVersion()
        const issue = issueNumber(1)
        await run(async (tx) => {
          await tx.issues.add(issue, claimOf(issue, 1))
          await tx.outbox.add(issue, LETTER)
          await expectReport(tx, awaitedOf(issue))
          await tx.jobs.add({ kind: 'deliver', owner: issue, subjectId: issue.issueId, runAt: NOW })
          await tx.jobs.claim('deliver', FRONT, 1)
          await tx.wallets.save(await tx.wallets.lock(APP.appId))
          await tx.issues.save({ ...issue, verificationStatus: 'expired' })
        })
        await store.assertWritable()
        expect(await store.read.settingsVersion()).toBe(before)
      })

      test('keys read back as they were added, with the organization of their app', async () => {
        const rich = aStoredKey(2, {
          kind: 'pk',
          mode: 'test',
          scopes: ['otp:issue', 'otp:verify'],
          allowedOrigins: ['https://a.example'],
          limits: { issuesPerMin: 5 },
          expiresAt: NOW + 1,
          name: 'backend of the shop',
          createdBy: 'op_1',
        })
        await run((tx) => tx.keys.add(rich))
        expect(await store.read.keys.find('key_2')).toEqual(rich)
        expect(await store.read.keys.findByHash(hash32(2))).toEqual(rich)
        expect(await store.read.keys.findByHash(hash32(3))).toBeUndefined()
        expect(await store.read.keys.ofApp(APP.appId)).toEqual([aStoredKey(1), rich])
        await errorOf(run((tx) => tx.keys.add(aStoredKey(3, { hash: hash32(1) }))))
      })

      test('a revocation keeps its first time', async () => {
        await run((tx) => tx.keys.revoke('key_1', NOW + 1))
        await run((tx) => tx.keys.revoke('key_1', NOW + 2))
        expect((await store.read.keys.find('key_1'))?.revokedAt).toBe(NOW + 1)
      })

      test('public origins are those of public keys that are not revoked, until the last of them expires', async () => {
        const publicKey = (n: number, changes: object) =>
          aStoredKey(n, { kind: 'pk', scopes: ['otp:issue'], allowedOrigins: [`https://${n}.example`], ...changes })
        const both = { allowedOrigins: ['https://2.example', 'https://5.example'] }
        await run(async (tx) => {
          await tx.keys.add(publicKey(2, { expiresAt: NOW + 1 }))
          await tx.keys.add(publicKey(3, { expiresAt: NOW }))
          await tx.keys.add(publicKey(4, { revokedAt: NOW }))
          await tx.keys.add(publicKey(5, { ...both, expiresAt: NOW + 2 }))
          await tx.keys.add(publicKey(6, { ...both, expiresAt: NOW - 1 }))
          await tx.keys.add(publicKey(7, {}))
          await tx.keys.add(publicKey(8, { allowedOrigins: ['https://7.example'], expiresAt: NOW }))
        })
        expect([...(await store.read.keys.publicOrigins())].toSorted()).toEqual([
          ['https://2.example', NOW + 2],
          ['https://3.example', NOW],
          ['https://5.example', NOW + 2],
          ['https://7.example', Number.POSITIVE_INFINITY],
        ])
      })

      test('of a template the newest version counts', async () => {
        await run((tx) => tx.templates.save(APP.appId, TEMPLATE, 'cli'))
        expect(await store.read.templates.ofApp(APP.appId)).toEqual([OLD, TEMPLATE])
        const newer = { ...TEMPLATE, body: '#{code}', variables: {}, locale: undefined, bodies: undefined }
        for (let version = 2; version <= 12; version++) await run((tx) => tx.templates.save(APP.appId, newer, 'cli'))
        expect(await store.read.templates.ofApp(APP.appId)).toEqual([OLD, newer])
        expect(await store.read.templates.ofApp('app_two')).toEqual([])
      })

      test('the newest 50 versions of a template are kept, each with its time and the actor', async () => {
        for (let version = 1; version <= 52; version++)
          await run((tx) => tx.templates.save(APP.appId, { ...TEMPLATE, name: `version ${version}` }, 'op_1'))
        const versions = await store.read.templates.versions(APP.appId, TEMPLATE.templateId)
        expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 50 }, (_, index) => 52 - index))
        const template = { ...TEMPLATE, name: 'version 52' }
        expect(versions[0]).toEqual({ version: 52, savedAt: NOW, savedBy: 'op_1', template })
        expect(await store.read.templates.versions('app_two', TEMPLATE.templateId)).toEqual([])
      })

      test('a template is found in its newest version, by who may change it', async () => {
        const found = (templateId: string, appId = APP.appId) => run((tx) => tx.templates.find(appId, templateId))
        expect(await found(OLD.templateId)).toEqual(OLD)
        for (let version = 2; version <= 12; version++)
          await run((tx) => tx.templates.save(APP.appId, { ...OLD, name: `version ${version}` }, 'cli'))
        expect(await found(OLD.templateId)).toEqual({ ...OLD, name: 'version 12' })
        expect(await found('nobody')).toBeUndefined()
        expect(await found(OLD.templateId, 'app_two')).toBeUndefined()
      })

      test('apps are read in pages, the oldest first, also after one that was removed meanwhile', async () => {
        for (const appId of ['app_c', 'app_a', 'app_b']) await run((tx) => tx.apps.add({ ...APP, appId }))
        const all = (await other.read.apps.all()).map(({ appId }) => appId)
        const page = async (after?: string) => (await other.read.apps.page(after, 2)).map(({ appId }) => appId)
        expect(await page()).toEqual(all.slice(0, 2))
        const [, second = ''] = all
        await run((tx) => tx.apps.remove(second))
        expect(await page(second)).toEqual(all.slice(2, 4))
        expect(await page(all.at(-1))).toEqual([])
      })

      test('whether proofs of an app say what metadata is, is kept, and taken back', async () => {
        await run((tx) => tx.apps.save({ ...APP, provesMetadata: true }))
        expect(await other.read.apps.find(APP.appId)).toEqual({ ...APP, provesMetadata: true })
        await run((tx) => tx.apps.save({ ...APP, provesMetadata: false }))
        expect(await other.read.apps.find(APP.appId)).toEqual(APP)
      })

      test('how texts of an app are written is kept, and taken back', async () => {
        const texts = { webOtpDomain: 'app.example.com', androidHash: 'FA+9qCX9VSu', localeByCountry: true }
        await run((tx) => tx.apps.save({ ...APP, texts }))
        expect(await other.read.apps.find(APP.appId)).toEqual({ ...APP, texts })
        expect(await run((tx) => tx.apps.lock(APP.appId))).toEqual({ ...APP, texts })
        await run((tx) => tx.apps.save(APP))
        expect((await other.read.apps.find(APP.appId))?.texts).toBeUndefined()
      })

      test('review numbers are kept with their app, and taken back', async () => {
        const number = { name: 'Store', phoneHash: 'ab', dailyMax: 3, createdAt: NOW, endsAt: NOW + 1 }
        await run((tx) => tx.apps.save({ ...APP, reviewNumbers: [number] }))
        expect((await other.read.apps.find(APP.appId))?.reviewNumbers).toEqual([number])
        await run((tx) => tx.apps.save(APP))
        expect((await other.read.apps.find(APP.appId))?.reviewNumbers).toBeUndefined()
      })

      test('a challenge is of one app, is replaced as a whole, and is removed once', async () => {
        const found = async (appId = APP.appId) => [
          await run((tx) => tx.challenges.find(appId)),
          await other.read.challenges.find(appId),
        ]
        expect(await found()).toEqual([CHALLENGE, CHALLENGE])
        const scored = { ...CHALLENGE, vendor: 'recaptcha', minScore: 0.7, hostnames: ['a.example'] } as const
        await run((tx) => tx.challenges.save(APP.appId, scored))
        expect(await found()).toEqual([scored, scored])
        expect(await found('app_two')).toEqual([undefined, undefined])
        expect(await run((tx) => tx.challenges.remove(APP.appId))).toBe(true)
        expect(await run((tx) => tx.challenges.remove(APP.appId))).toBe(false)
        expect(await found()).toEqual([undefined, undefined])
      })

      test('a relay is of one app, is replaced as a whole, sealed, and removed once', async () => {
        const relay: Relay = {
          ...{ relayId: 'rly_1', appId: APP.appId, name: 'login', source: 'supabase', mode: 'live' },
          ...{ secrets: [{ secret: 'v1,whsec_secret', until: undefined }], templateId: undefined, legs: undefined },
          createdAt: NOW,
        }
        await run((tx) => tx.relays.save(relay))
        expect(await other.read.relays.find('rly_1')).toEqual(relay)
        const changed: Relay = { ...relay, legs: [{ channel: 'sms' }] }
        await run((tx) => tx.relays.save(changed))
        expect(await other.read.relays.ofApp(APP.appId)).toEqual([changed])
        expect(await other.read.relays.ofApp('app_two')).toEqual([])
        expect(await run((tx) => tx.relays.remove('rly_1'))).toBe(true)
        expect(await run((tx) => tx.relays.remove('rly_1'))).toBe(false)
        expect(await other.read.relays.find('rly_1')).toBeUndefined()
      })

      test('what is found of a provider is told until it is set anew, removed, or a process starts', async () => {
        const health = { isHealthy: false, since: NOW, code: 'HTTP_500', retryAt: NOW + 10_000 }
        const find = () => run((tx) => tx.carriers.saveHealth('main', health))
        const told = async () => (await store.read.carriers.health()).get('main')
        await find()
        expect(await told()).toEqual(health)
        await run((tx) =>
          tx.carriers.saveHealth('main', { isHealthy: true, since: NOW, code: undefined, retryAt: undefined }),
        )
        expect((await told())?.isHealthy).toBe(true)
        for (const end of [
          (tx: Tx) => tx.carriers.save(PROVIDER),
          (tx: Tx) => tx.carriers.remove('main'),
          (tx: Tx) => tx.carriers.forgetHealth(),
        ]) {
          await find()
          await run(async (tx) => void (await end(tx)))
          expect(await told()).toBeUndefined()
        }
      })

      test('what came of the reports of a carrier is told until it is set anew or removed', async () => {
        const tally = addTallies(tallyOf('unauthorized', NOW), tallyOf('accepted', NOW + 5))
        const save = () => run((tx) => tx.carriers.saveReports('main', tally))
        const told = async () => (await other.read.carriers.reports()).get('main')
        await save()
        await run((tx) => tx.carriers.saveReports('main', { ...tally, recordedAt: NOW + 9 }))
        expect(await told()).toEqual({ ...tally, recordedAt: NOW + 9 })
        expect(await run((tx) => tx.carriers.lockReports('main'))).toEqual({ ...tally, recordedAt: NOW + 9 })
        expect(await run((tx) => tx.carriers.lockReports('second'))).toBeUndefined()
        for (const end of [(tx: Tx) => tx.carriers.save(PROVIDER), (tx: Tx) => tx.carriers.remove('main')]) {
          await save()
          await run(async (tx) => void (await end(tx)))
          expect(await told()).toBeUndefined()
        }
      })

      test('a provider is replaced by name, keeps its place, and is removed once', async () => {
        await run(async (tx) => {
          await tx.carriers.save({ ...PROVIDER, name: 'backup', createdAt: NOW + 1 })
        })
        const changed = { ...PROVIDER, config: { url: 'http://elsewhere.test' }, createdAt: NOW + 9 }
        await run((tx) => tx.carriers.save(changed))
        const unset = { changedAt: NOW, concurrency: undefined, timeoutMs: undefined, pausedAt: undefined }
        expect(await store.read.carriers.all()).toEqual([
          { ...changed, ...unset, createdAt: NOW },
          { ...PROVIDER, ...unset, name: 'backup', createdAt: NOW + 1 },
        ])
        await run((tx) => tx.carriers.update({ ...PROVIDER, pausedAt: NOW }))
        await run((tx) => tx.carriers.save(PROVIDER))
        expect((await store.read.carriers.all())[0]).toMatchObject({ name: 'main', pausedAt: NOW })
        const former = [{ config: { secret: 'old' }, until: NOW + 1 }]
        await run((tx) => tx.carriers.update({ ...PROVIDER, former }))
        expect((await store.read.carriers.all())[0]).toEqual({ ...PROVIDER, ...unset, former })
        expect(await run((tx) => tx.carriers.remove('main'))).toBe(true)
        expect(await run((tx) => tx.carriers.remove('main'))).toBe(false)
      })
    })
  })
}
