/** Transactions batched into one of PostgreSQL: each is stored, refused and isolated as if it ran alone. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { SQL } from 'bun'
import { NO_FAILURES } from '../../src/abuse/rules/failure-budget'
import { conflict } from '../../src/domain/shared/error'
import { SECOND_MS } from '../../src/domain/shared/value'
import type { Tx } from '../../src/ports/store'
import { SILENCE_TIMEOUT_MS } from '../../src/store/postgres/connection/pool'
import { openStore, type SharedStore } from '../../src/store/postgres/open'
import { systemClock } from '../../src/system/clock'
import { type Database, Postgres, sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS, until } from '../support/until'
import { Wire } from '../support/wire'
import {
  APP,
  attemptOf,
  awaitedOf,
  claimOf,
  furnish,
  hash32,
  issueNumber,
  LETTER,
  NOW,
  OWNER,
  outcomeOf,
  StillClock,
  VAULT,
} from './sample'

setDefaultTimeout(HANGS_AFTER_MS)

/** One of them is for batches. */
const CONNECTIONS = 4

const open = (size: number) =>
  openStore({ url: wire.through(database.url), size, clock, vault: VAULT, time: () => NOW })

let database: Database
let sql: SQL
let wire: Wire
let clock: StillClock
let store: SharedStore

beforeEach(async () => {
  const server = await sharedPostgres()
  database = await server.database()
  wire = await Wire.to(server.port)
  sql = new SQL(database.url, { max: 2 })
  clock = new StillClock()
  store = await open(CONNECTIONS)
  await furnish(store)
  await fund(APP.appId, 1_000)
})
afterEach(async () => {
  wire.passing = {}
  await store.close()
  await sql.close()
  wire.close()
  await database.drop()
})

const fund = (appId: string, balance: number) =>
  store.transaction(async (tx) => tx.wallets.save({ ...(await tx.wallets.lock(appId)), balance }))

type Work<T> = (tx: Tx) => Promise<T>

/** Starts transactions while another one runs, so that they are batched; answers how often each has run. */
async function together<T>(...works: Array<Work<T>>) {
  const runs = works.map(() => 0)
  const goOn = Promise.withResolvers<void>()
  const before = outcomeOf(store.transaction(() => goOn.promise, { mayShare: true }))
  const units = works.map((work, n) => {
    const counted = (tx: Tx) => {
      runs[n] = (runs[n] ?? 0) + 1
      return work(tx)
    }
    return outcomeOf(store.transaction(counted, { mayShare: true }))
  })
  goOn.resolve()
  await before
  return { outcomes: await Promise.all(units), runs }
}

/** A transaction like that of issuing a code. */
const issuing =
  (n: number, also: Work<void> = async () => {}) =>
  async (tx: Tx) => {
    const issue = issueNumber(n)
    const { live } = await tx.issues.lockPhone(issue, { kind: 'sk', phoneHash: issue.phoneHash }, issue.purpose)
    if (live) await tx.issues.save({ ...live, verificationStatus: 'replaced' }, live)
    await tx.idempotency.add(claimOf(issue, n))
    await tx.issues.add(issue)
    await tx.wallets.reserve(issue.appId, 1)
    await also(tx)
    return n
  }

const issueIds = async () =>
  (await sql.unsafe('SELECT issue_id FROM issues ORDER BY issue_id')).map((row: { issue_id: string }) => row.issue_id)
const idsOf = (...numbers: number[]) => numbers.map((n) => issueNumber(n).issueId).sort()
/** The number of database transactions in which the issues were stored. */
const transactions = async () =>
  (await sql.unsafe('SELECT count(DISTINCT xmin::text)::int AS count FROM issues'))[0].count as number

describe('batched transactions', () => {
  test('are those that come while there is none, and each is answered by what it has done', async () => {
    const { outcomes, runs } = await together(...[1, 2, 3, 4, 5].map((n) => issuing(n)))
    expect(outcomes).toEqual([1, 2, 3, 4, 5].map((value) => ({ value })))
    expect(runs).toEqual([1, 1, 1, 1, 1])
    expect(await issueIds()).toEqual(idsOf(1, 2, 3, 4, 5))
    expect(await transactions()).toBe(1)
    expect(await store.read.wallets.find(APP.appId)).toMatchObject({ reserved: 5 })
  })

  test('are eight at most', async () => {
    await together(...Array.from({ length: 17 }, (_, n) => issuing(n + 1)))
    expect(await transactions()).toBe(3)
  })

  test('are refused one by one, with nothing stored and nothing done for who is', async () => {
    const effects: number[] = []
    const telling = (n: number) => async (tx: Tx) => tx.afterCommit(() => effects.push(n))
    const { outcomes, runs } = await together(
      issuing(1, telling(1)),
      issuing(2, async (tx) => {
        await telling(2)(tx)
        throw conflict('idempotencyKey', 'idempotency_key_reused', 'It is taken')
      }),
      issuing(3, telling(3)),
    )
    expect(outcomes).toMatchObject([{ value: 1 }, { error: { kind: 'conflict' } }, { value: 3 }])
    expect(runs).toEqual([1, 1, 1])
    expect(effects.sort()).toEqual([1, 3])
    expect(await issueIds()).toEqual(idsOf(1, 3))
    expect(await store.read.wallets.find(APP.appId)).toMatchObject({ reserved: 2 })
  })

  test('do not both change what one of them has locked: whoever comes second runs again', async () => {
    const issue = issueNumber(1)
    await store.transaction((tx) => tx.issues.add(issue))
    const counting = (lock: (tx: Tx) => Promise<typeof issue | undefined>) => async (tx: Tx) => {
      const found = await lock(tx)
      if (found) await tx.issues.save({ ...found, attemptsUsed: found.attemptsUsed + 1 }, found)
    }
    const phone = { kind: 'sk', phoneHash: issue.phoneHash } as const
    const { runs } = await together(
      counting((tx) => tx.issues.lock(OWNER, issue.issueId)),
      counting(async (tx) => (await tx.issues.lockToVerify(OWNER, issue.issueId))?.issue),
      counting(async (tx) => (await tx.issues.lockPhone(OWNER, phone, issue.purpose)).live),
      counting((tx) => tx.issues.lock(OWNER, issue.issueId)),
    )
    expect(await store.read.issues.find(OWNER, issue.issueId)).toMatchObject({ attemptsUsed: 4 })
    expect(runs.toSorted()).toEqual([1, 2, 2, 2])
  })

  test('for one phone at a time leave one live code', async () => {
    const phoneHash = hash32(99)
    const forPhone = (n: number) => async (tx: Tx) => {
      const issue = issueNumber(n, { phoneHash })
      const { live } = await tx.issues.lockPhone(issue, { kind: 'sk', phoneHash }, issue.purpose)
      if (live) await tx.issues.save({ ...live, verificationStatus: 'replaced' }, live)
      await tx.issues.add(issue)
    }
    await together(...[1, 2, 3, 4].map(forPhone))
    const rows = await sql.unsafe(
      'SELECT verification_status AS status, count(*)::int AS count FROM issues GROUP BY 1 ORDER BY 1',
    )
    expect([...rows]).toEqual([
      { status: 'issued', count: 1 },
      { status: 'replaced', count: 3 },
    ])
  })

  test('count wrong codes of a phone one after the other', async () => {
    const phone = { appId: APP.appId, kind: 'sk', phoneHash: hash32(1) } as const
    const wrong = async (tx: Tx) => {
      const known = await tx.failures.lock(phone)
      await tx.failures.save(phone, { ...NO_FAILURES, inARow: (known?.inARow ?? 0) + 1 })
    }
    await together(wrong, wrong, wrong, wrong)
    expect(await store.transaction((tx) => tx.failures.lock(phone))).toMatchObject({ inARow: 4 })
  })

  test('of one job: one alone records what came of it', async () => {
    const { issueId } = issueNumber(1)
    await store.transaction((tx) => tx.jobs.add({ kind: 'deliver', owner: OWNER, subjectId: issueId, runAt: NOW }))
    const [job] = await store.transaction((tx) => tx.jobs.claim('deliver', '', 1))
    if (!job) throw new Error('It is due')
    const { outcomes } = await together(
      ...[1, 2, 3].map(() => async (tx: Tx) => {
        const isHeld = await tx.jobs.lock(job)
        return isHeld && tx.jobs.finish(job)
      }),
    )
    expect(outcomes.map((outcome) => 'value' in outcome && outcome.value).toSorted()).toEqual([false, false, true])
  })

  test('write in their own order: a code is replaced before the next one is live', async () => {
    const old = [1, 2, 3].map((n) => issueNumber(n))
    await store.transaction(async (tx) => {
      for (const issue of old) await tx.issues.add(issue)
    })
    const { outcomes, runs } = await together(
      ...old.map((issue, n) => async (tx: Tx) => {
        const { live } = await tx.issues.lockPhone(OWNER, { kind: 'sk', phoneHash: issue.phoneHash }, issue.purpose)
        if (live) await tx.issues.save({ ...live, verificationStatus: 'replaced' }, live)
        await tx.issues.add(issueNumber(n + 11, { phoneHash: issue.phoneHash }))
      }),
    )
    expect(outcomes).toEqual(old.map(() => ({ value: undefined })))
    expect(runs).toEqual([1, 1, 1])
  })

  test('are given the numbers of their own jobs', async () => {
    const { outcomes } = await together(
      ...[1, 2, 3].map((n) => async (tx: Tx) => {
        const { issueId } = issueNumber(n)
        await tx.issues.lock(OWNER, issueId)
        return { held: tx.jobs.addHeld({ kind: 'deliver', owner: OWNER, subjectId: issueId, queue: 'main' }) }
      }),
    )
    const jobs = await Promise.all(outcomes.map((outcome) => ('value' in outcome ? outcome.value.held : undefined)))
    const stored = await sql.unsafe(
      'SELECT job_id::int AS "jobId", subject_id AS "subjectId" FROM jobs ORDER BY subject_id',
    )
    expect(jobs.map((job) => job && { jobId: job.jobId, subjectId: job.subjectId })).toEqual([...stored])
  })

  test('record what carriers answered, each its own', async () => {
    const issues = [1, 2, 3].map((n) => issueNumber(n))
    await store.transaction(async (tx) => {
      for (const issue of issues) {
        await tx.issues.add(issue)
        await tx.attempts.add(attemptOf(issue, 1))
        await tx.outbox.add(issue, LETTER)
        await tx.wallets.reserve(issue.appId, issue.price)
      }
    })
    const { outcomes } = await together(
      ...issues.map((issue, n) => async (tx: Tx) => {
        const [found, attempts, rendered] = await Promise.all([
          tx.issues.lock(issue, issue.issueId),
          tx.attempts.ofIssue(issue, issue.issueId),
          tx.outbox.find(issue.issueId),
        ])
        await tx.attempts.answer(
          attemptOf(issue, 1, { answeredAt: NOW, outcome: 'accepted', carrierMessageId: `c${n}` }),
        )
        if (found) await tx.issues.save({ ...found, sendPending: false }, found)
        await tx.reports.expect(awaitedOf(issue))
        await tx.wallets.debit(issue.appId, issue)
        return [found?.issueId, attempts.length, rendered?.to]
      }),
    )
    expect(outcomes).toEqual(issues.map(({ issueId }) => ({ value: [issueId, 1, LETTER.to] })))
    for (const [n, issue] of issues.entries())
      expect(await store.read.attempts.ofIssue(issue, issue.issueId)).toMatchObject([{ carrierMessageId: `c${n}` }])
    expect(await store.read.wallets.find(APP.appId)).toMatchObject({ balance: 997, reserved: 0, entries: 3 })
  })
})

describe('where something goes wrong', () => {
  test('with one, the others are stored all the same', async () => {
    await store.transaction((tx) => tx.idempotency.add(claimOf(issueNumber(50), 2)))
    const { outcomes } = await together(
      issuing(1),
      // The idempotency key is taken, which only the write shows.
      issuing(2),
      issuing(3),
    )
    expect(outcomes).toMatchObject([{ value: 1 }, { error: { kind: 'unavailable' } }, { value: 3 }])
    expect(await issueIds()).toEqual(idsOf(1, 3))
  })

  test('credit is promised to the last, and who gets none is told so; for a while such an app keeps to itself', async () => {
    await store.transaction((tx) => tx.apps.add({ ...APP, appId: 'app_poor' }))
    await fund('app_poor', 1)
    const poor = (n: number) => async (tx: Tx) => {
      await tx.issues.lock(OWNER, issueNumber(n).issueId)
      await tx.issues.add(issueNumber(n, { appId: 'app_poor' }))
      await tx.wallets.reserve('app_poor', 1)
      return n
    }
    const first = await together(issuing(1), poor(2), poor(3))
    expect(first.outcomes[0]).toEqual({ value: 1 })
    expect(
      first.outcomes
        .slice(1)
        .map((outcome) => Object.keys(outcome)[0])
        .toSorted(),
    ).toEqual(['error', 'value'])
    const next = await together(issuing(4), poor(5))
    expect(next.outcomes).toMatchObject([{ value: 4 }, { error: { kind: 'no_credit' } }])
    expect(next.runs[0]).toBe(1)
    clock.elapsedMs += 11 * SECOND_MS
    expect((await together(issuing(6), poor(7))).runs).toEqual([2, 2])
    expect(await store.read.wallets.find('app_poor')).toMatchObject({ reserved: 1 })
  })

  test('whoever waits for a wallet has locked nothing that others may have before it', async () => {
    await store.transaction((tx) => tx.apps.add({ ...APP, appId: 'app_zoo' }))
    await fund('app_zoo', 1_000)
    // Each slot has too little credit for three.
    await sql.unsafe(
      `INSERT INTO wallet_slots SELECT '${APP.appId}', slot, 2 FROM generate_series(0, 15) AS slots (slot)`,
    )
    await sql.unsafe(`UPDATE wallets SET reserved = reserved + 32 WHERE app_id = '${APP.appId}'`)
    const reserving = async (tx: Tx) => {
      await tx.wallets.release('app_zoo', 0)
      await tx.wallets.reserve(APP.appId, 1)
    }
    const both = async (tx: Tx) => {
      await reserving(tx)
      await tx.wallets.release(APP.appId, 0)
    }
    for (const begin of [
      () => together(reserving, reserving, reserving),
      () => together(both, both, both),
      () => store.transaction((tx) => Promise.all([both(tx), both(tx), both(tx)])),
    ]) {
      const other = await sql.reserve()
      await other.unsafe('BEGIN')
      await other.unsafe(`SELECT 1 FROM wallets WHERE app_id = '${APP.appId}' FOR UPDATE`)
      const waiting = begin()
      const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
      await until(async () => (await sql.unsafe(waits)).length > 0, 'somebody to wait')
      await other.unsafe('SELECT 1 FROM wallet_slots FOR UPDATE NOWAIT')
      await other.unsafe("SELECT 1 FROM wallets WHERE app_id = 'app_zoo' FOR UPDATE NOWAIT")
      await other.unsafe('COMMIT')
      other.release()
      await waiting
    }
    expect(await store.read.wallets.find(APP.appId)).toMatchObject({ balance: 1_000, reserved: 9 })
  })

  test('whoever waits for what somebody else has locked for long does not keep the others', async () => {
    // Timeouts of database and server would end their statements later, and then they would go on, too.
    const patient = Object.assign(new StillClock(), {
      after: (ms: number, callback: () => void) =>
        ms < SILENCE_TIMEOUT_MS ? systemClock.after(ms, callback) : () => {},
    })
    await store.close()
    store = await openStore({
      ...{ url: wire.through(database.url), size: CONNECTIONS, clock: patient, vault: VAULT, time: () => NOW },
      connect: ({ url, size }) => new SQL({ url, max: size }),
    })
    const issue = issueNumber(1)
    await store.transaction((tx) => tx.issues.add(issue))
    const isOver = Promise.withResolvers<void>()
    const hasLocked = Promise.withResolvers<void>()
    const slow = store.transaction(async (tx) => {
      await tx.issues.lock(OWNER, issue.issueId)
      hasLocked.resolve()
      await isOver.promise
    })
    await hasLocked.promise
    const others = Promise.withResolvers<void>()
    let left = 2
    const counted = (n: number) => issuing(n, async (tx) => tx.afterCommit(() => --left === 0 && others.resolve()))
    const all = together<unknown>(counted(2), (tx) => tx.issues.lock(OWNER, issue.issueId), counted(3))
    await others.promise
    isOver.resolve()
    await Promise.all([slow, all])
    expect(await issueIds()).toEqual(idsOf(1, 2, 3))
  })

  test('who has a transaction for itself waits for as long as it takes, on whatever connection', async () => {
    await store.close()
    store = await open(1)
    const issue = issueNumber(1)
    await store.transaction((tx) => tx.issues.add(issue))
    await together(issuing(2), issuing(3))
    const other = await sql.reserve()
    await other.unsafe('BEGIN')
    await other.unsafe(`SELECT 1 FROM issues WHERE issue_id = '${issue.issueId}' FOR UPDATE`)
    let runs = 0
    const waiting = store.transaction((tx) => {
      runs++
      return tx.issues.lock(OWNER, issue.issueId)
    })
    const waits =
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND clock_timestamp() > query_start + '0.4 s'"
    await until(
      async () => runs > 1 || (await sql.unsafe(waits)).length > 0,
      'it to have waited for longer than others may',
    )
    await other.unsafe('COMMIT')
    other.release()
    expect(await waiting).toMatchObject({ issueId: issue.issueId })
    expect(runs).toBe(1)
  })

  test('and the answer to the commit is lost, all of it is stored once, and has its effects once', async () => {
    const effects: number[] = []
    const telling = (n: number) => issuing(n, async (tx) => tx.afterCommit(() => effects.push(n)))
    await store.close()
    // One connection with prepared statements, so that nothing is sent between the last write and the commit.
    store = await open(1)
    for (const round of [10, 20, 30, 40]) await together(telling(round + 1), telling(round + 2), telling(round + 3))
    effects.length = 0
    let isCut = false
    const { outcomes, runs } = await together(
      telling(1),
      telling(2),
      issuing(3, async (tx) => {
        tx.afterCommit(() => effects.push(3))
        wire.passing = {
          answered(data, end) {
            if (isCut || !data.includes('COMMIT')) return true
            isCut = true
            end()
            return false
          },
        }
      }),
    )
    expect(isCut).toBe(true)
    expect(outcomes).toEqual([1, 2, 3].map((value) => ({ value })))
    expect(runs).toEqual([1, 1, 1])
    expect(effects.toSorted()).toEqual([1, 2, 3])
    expect(await issueIds()).toEqual(expect.arrayContaining(idsOf(1, 2, 3)))
  })

  test('and nobody can tell whether the commit is stored, none of them runs again: each may be stored', async () => {
    await store.close()
    store = await open(1)
    for (const round of [10, 20, 30, 40]) await together(issuing(round + 1), issuing(round + 2), issuing(round + 3))
    // As after a failover.
    await sql.unsafe(
      `CREATE OR REPLACE FUNCTION outcome_of(transaction xid8, of_life bigint) RETURNS text LANGUAGE sql AS 'SELECT NULL::text'`,
    )
    let isCut = false
    const cuttingOff = async () => {
      wire.passing = {
        answered(_data, end) {
          if (isCut) return true
          isCut = true
          end()
          return false
        },
      }
    }
    const { outcomes, runs } = await together(issuing(1), issuing(2), issuing(3, cuttingOff))
    expect(isCut).toBe(true)
    for (const outcome of outcomes) expect(outcome).toMatchObject({ error: { kind: 'unavailable' } })
    expect(runs).toEqual([1, 1, 1])
  })

  test('and the database ends them while they wait for a replica, none runs again: they are stored there', async () => {
    const postgres = await Postgres.start({ isDurable: true })
    const beside = new SQL(postgres.url(), { max: 1 })
    try {
      await store.close()
      store = await openStore({ url: postgres.url(), size: 1, clock, vault: VAULT, time: () => NOW })
      await furnish(store)
      await fund(APP.appId, 1_000)
      const waitForReplica = async () => {
        await beside.unsafe("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        await beside.unsafe('SELECT pg_reload_conf()')
        // Every process learns of the setting by itself. Once one commit waits, all do.
        const probe = new SQL(postgres.url(), { max: 1 })
        let probing: Promise<unknown> | undefined
        const write = () => probe.unsafe('CREATE TABLE probe (); DROP TABLE probe').catch(() => {})
        await until(async () => {
          probing ??= write().finally(() => {
            probing = undefined
          })
          return (await waiting()).length > 0
        }, 'a commit to wait')
        await until(async () => (await end()).length === 0, 'the probe to be gone')
        await probing
        await probe.close()
        isReady.resolve()
      }
      const isReady = Promise.withResolvers<void>()
      const waiting = () => beside.unsafe("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
      const sharing = together(issuing(1), issuing(2), issuing(3, waitForReplica))
      const end = () =>
        beside.unsafe("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
      await isReady.promise
      await until(async () => (await end()).length > 0, 'the commit to wait')
      await beside.unsafe('ALTER SYSTEM RESET synchronous_standby_names')
      await beside.unsafe('SELECT pg_reload_conf()')
      // By then the transactions may already be known to be stored.
      expect((await sharing).runs).toEqual([1, 1, 1])
      expect([...(await beside.unsafe('SELECT count(*)::int AS count FROM issues'))]).toEqual([{ count: 3 }])
    } finally {
      await beside.close()
      await store.close()
      await postgres.stop()
      store = await open(CONNECTIONS)
    }
  })

  test('with what one of them wants written, that one alone fails', async () => {
    const { outcomes } = await together<unknown>(
      issuing(1),
      (tx) => tx.idempotency.add({ ...claimOf(issueNumber(2), 2), fingerprint: undefined as never }),
      issuing(3),
    )
    expect(outcomes).toMatchObject([{ value: 1 }, { error: {} }, { value: 3 }])
    expect(await issueIds()).toEqual(idsOf(1, 3))
  })

  test('and the database is gone, each is told to come back', async () => {
    await together(issuing(1), issuing(2))
    wire.close()
    const { outcomes } = await together(issuing(3), issuing(4), issuing(5))
    for (const outcome of outcomes) expect(outcome).toMatchObject({ error: { kind: 'unavailable' } })
  })
})

describe('who asks what cannot be asked for several', () => {
  test('runs alone, and the others go on', async () => {
    const { outcomes, runs } = await together<unknown>(issuing(1), (tx) => tx.wallets.lock(APP.appId), issuing(2))
    expect(outcomes).toMatchObject([{ value: 1 }, { value: { balance: 1_000 } }, { value: 2 }])
    expect(runs).toEqual([1, 2, 1])
  })

  test('runs alone also where it does not mind', async () => {
    const { outcomes, runs } = await together<unknown>(issuing(1), async (tx) => {
      const wallet = await tx.wallets.lock(APP.appId).catch(() => undefined)
      return wallet?.balance
    })
    expect(outcomes).toEqual([{ value: 1 }, { value: 1_000 }])
    expect(runs).toEqual([1, 2])
  })

  test('runs alone where it waits for what comes with the commit: the number of a job', async () => {
    const waiting = async (tx: Tx) => {
      const { issueId } = issueNumber(2)
      const job = { kind: 'deliver', owner: OWNER, subjectId: issueId, queue: 'main' } as const
      await tx.issues.lock(OWNER, issueId)
      return (await tx.jobs.addHeld(job)).subjectId
    }
    const { outcomes, runs } = await together<unknown>(issuing(1), waiting, issuing(3))
    expect(outcomes).toEqual([{ value: 1 }, { value: issueNumber(2).issueId }, { value: 3 }])
    expect(runs).toEqual([1, 2, 1])
  })

  test('after it has written is not answered by what was before', async () => {
    const { outcomes, runs } = await together(issuing(1), async (tx) => {
      const issue = issueNumber(2)
      await tx.issues.lock(OWNER, issue.issueId)
      await tx.attempts.add(attemptOf(issue, 1))
      return (await tx.attempts.ofIssue(issue, issue.issueId)).length
    })
    expect(outcomes).toEqual([{ value: 1 }, { value: 1 }])
    expect(runs).toEqual([1, 2])
  })
})
