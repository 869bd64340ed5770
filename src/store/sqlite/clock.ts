/** Adjusts stored times after the clock was set back. */
import type { Database } from 'bun:sqlite'
import { sql, sum } from 'drizzle-orm'
import { LEASE_MS } from '../../domain/operations/job'
import type { Tx } from '../../ports/store'
import { bind, changes, drizzle, onFirstUse, parameters } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { awaitedReports, clockSteps, issues, jobs } from './schema'

/** Tolerances for recognizing one step that two processes notice, each by its own monotonic clock. */
const CLOCKS_DIFFER_MS = 1_500
const SAME_STEP_DIFFERS_MS = 2_000

export function createClockTx(connection: Database, current: TransactionState): Pick<Tx, 'clock'> {
  const db = drizzle(connection)
  const by = sql.placeholder('byMs')
  const run = {
    sameStep: onFirstUse(() =>
      db
        .select({ noticedAt: clockSteps.noticedAt })
        .from(clockSteps)
        .where(
          sql`${clockSteps.noticedAt} > ${bind(clockSteps.noticedAt, 'since')} AND ${clockSteps.noticedAt} < ${bind(clockSteps.noticedAt, 'until')}
            AND abs(${clockSteps.setBackMs} - ${by}) < ${SAME_STEP_DIFFERS_MS}
            AND ${clockSteps.noticedBy} <> ${bind(clockSteps.noticedBy, 'noticedBy')}`,
        )
        .prepare(),
    ),
    insertStep: onFirstUse(() => db.insert(clockSteps).values(parameters(clockSteps)).prepare()),
    expireEarlier: onFirstUse(() =>
      db
        .update(issues)
        .set({
          promisedExpiresAt: sql`coalesce(${issues.promisedExpiresAt}, ${issues.expiresAt})`,
          expiresAt: sql`${issues.expiresAt} - ${by}`,
        })
        .where(sql`${issues.verificationStatus} = 'issued' AND ${issues.expiresAt} > ${bind(issues.expiresAt, 'now')}`)
        .prepare(),
    ),
    shortenLeases: onFirstUse(() =>
      db
        .update(jobs)
        .set(changes(jobs, ['runAt']))
        .where(
          sql`${jobs.kind} = ${bind(jobs.kind, 'kind')} AND ${jobs.leased} = 1 AND ${jobs.runAt} > ${bind(jobs.runAt, 'runAt')}`,
        )
        .prepare(),
    ),
    bringForward: onFirstUse(() =>
      db
        .update(jobs)
        .set({ runAt: sql`max(${jobs.runAt} - ${by}, ${bind(jobs.runAt, 'now')})` })
        .where(sql`${jobs.leased} = 0 AND ${jobs.runAt} > ${bind(jobs.runAt, 'now')}`)
        .prepare(),
    ),
    giveUpEarlier: onFirstUse(() =>
      db
        .update(awaitedReports)
        .set({ answeredAt: sql`${awaitedReports.answeredAt} - ${by}` })
        .prepare(),
    ),
  }

  return {
    clock: {
      async setBack(byMs, noticedBy, unseenForMs) {
        const { now } = current
        const since = Math.floor(now - unseenForMs) - CLOCKS_DIFFER_MS
        if (run.sameStep.get({ since, until: now + CLOCKS_DIFFER_MS, byMs, noticedBy })) return
        run.insertStep.run({ noticedAt: now, setBackMs: byMs, noticedBy })
        run.expireEarlier.run({ byMs, now })
        for (const [kind, leaseMs] of Object.entries(LEASE_MS)) run.shortenLeases.run({ kind, runAt: now + leaseMs })
        run.bringForward.run({ byMs, now })
        run.giveUpEarlier.run({ byMs })
      },
    },
  }
}

/** How far the clock was set back in all, in milliseconds. An id may be later than its row by as much. */
export function furthestSetBack(connection: Database): () => number {
  const furthest = onFirstUse(() =>
    drizzle(connection)
      .select({ ms: sum(clockSteps.setBackMs).mapWith(Number) })
      .from(clockSteps)
      .prepare(),
  )
  return () => furthest.get()?.ms ?? 0
}
