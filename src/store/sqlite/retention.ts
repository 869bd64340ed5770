/** What is no longer kept. */
import type { Database } from 'bun:sqlite'
import { and, asc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Owner } from '../../domain/value'
import type { Tx } from '../../ports/store'
import { idFloor } from '../ids'
import { theseAttempts } from './attempts'
import type { Current } from './current'
import { drizzle } from './drizzle'
import { thisIssue, thisLetter } from './issues'
import { apps, attempts, awaitedReports, claims, failures, issues, jobs, outbox } from './schema'
import { bind, ofOwner, onFirstUse } from './statement'

const named = ({ name }: AnySQLiteColumn) => sql.identifier(name)

/** Of the first `limit` by a key that comes in the order of time, those that are past: what is young is not looked at. */
const oldest = (key: AnySQLiteColumn, isPast: SQL) =>
  inArray(
    key,
    sql`(SELECT ${named(key)} FROM (SELECT * FROM ${key.table} ORDER BY ${named(key)} LIMIT ${sql.placeholder('limit')}) WHERE ${isPast})`,
  )

export function createRetentionTx(connection: Database, current: Current): Omit<Tx['retention'], 'hooks'> {
  const db = drizzle(connection)
  const run = {
    appIds: onFirstUse(() => db.select({ appId: apps.appId }).from(apps).prepare()),
    /** Oldest settled issues of an app; an issue with work left is kept. */
    findOldIssues: onFirstUse(() =>
      db
        .select({ issueId: issues.issueId })
        .from(issues)
        .where(
          and(
            ofOwner(issues),
            lt(issues.issueId, bind(issues.issueId, 'before')),
            sql`${issues.verificationStatus} <> 'issued'`,
            sql`${issues.billingStatus} IN ('debited', 'released')`,
          ),
        )
        .orderBy(asc(issues.issueId))
        .limit(sql.placeholder('limit'))
        .prepare(),
    ),
    deleteIssue: onFirstUse(() => db.delete(issues).where(thisIssue).prepare()),
    deleteAttempts: onFirstUse(() => db.delete(attempts).where(theseAttempts).prepare()),
    deleteJobsOfIssue: onFirstUse(() =>
      db
        .delete(jobs)
        .where(eq(jobs.subjectId, bind(jobs.subjectId, 'subjectId')))
        .prepare(),
    ),
    deleteOutbox: onFirstUse(() => db.delete(outbox).where(thisLetter).prepare()),
    deleteOldClaims: onFirstUse(() =>
      db
        .delete(claims)
        .where(oldest(claims.claimId, sql`${named(claims.createdAt)} < ${sql.placeholder('before')}`))
        .returning({ claimId: claims.claimId })
        .prepare(),
    ),
    deleteOldFailures: onFirstUse(() =>
      db
        .delete(failures)
        .where(
          sql`(app_id, key_kind, phone_hash) IN (SELECT app_id, key_kind, phone_hash FROM ${failures}
            WHERE last_at < ${bind(failures.lastAt, 'before')} ORDER BY last_at LIMIT ${sql.placeholder('limit')})`,
        )
        .returning({ lastAt: failures.lastAt })
        .prepare(),
    ),
    deleteOldAwaited: onFirstUse(() =>
      db
        .delete(awaitedReports)
        .where(
          oldest(awaitedReports.messageId, sql`${named(awaitedReports.answeredAt)} < ${sql.placeholder('before')}`),
        )
        .returning({ messageId: awaitedReports.messageId })
        .prepare(),
    ),
    deleteExpiredOutbox: onFirstUse(() =>
      db
        .delete(outbox)
        .where(oldest(outbox.issueId, sql`${named(outbox.expiresAt)} <= ${sql.placeholder('now')}`))
        .returning({ issueId: outbox.issueId })
        .prepare(),
    ),
  }

  function deleteIssue(owner: Owner, issueId: string): void {
    run.deleteAttempts.run({ ...owner, issueId })
    run.deleteJobsOfIssue.run({ subjectId: issueId })
    run.deleteOutbox.run({ issueId })
    run.deleteIssue.run({ ...owner, issueId })
  }

  return {
    async issues(mode, before, limit) {
      let deleted = 0
      for (const { appId } of run.appIds.all()) {
        const old = run.findOldIssues.all({ appId, mode, before: idFloor(before), limit: limit - deleted })
        for (const { issueId } of old) deleteIssue({ appId, mode }, issueId)
        deleted += old.length
      }
      return deleted
    },
    async claims(before, limit) {
      return run.deleteOldClaims.all({ before, limit }).length
    },
    async failures(before, limit) {
      return run.deleteOldFailures.all({ before, limit }).length
    },
    async reports(before, limit) {
      return run.deleteOldAwaited.all({ before, limit }).length
    },
    async outbox(limit) {
      return run.deleteExpiredOutbox.all({ now: current.now, limit }).length
    },
  }
}
