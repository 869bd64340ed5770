/** Deletes data past its retention. */
import type { Database } from 'bun:sqlite'
import { and, asc, eq, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Mode, Owner } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import { idFloor } from '../ids'
import { NETWORKS_FORGOTTEN } from '../rows/traffic'
import { theseAttempts } from './attempts'
import { bind, db, ofOwner, on, statement } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { eventDeletion } from './deleted-webhooks'
import { thisIssue, thisMessage } from './issues'
import {
  absentPhones,
  apps,
  attempts,
  awaitedReports,
  decisions,
  facts,
  failures,
  idempotencyRecords,
  incidents,
  issues,
  jobs,
  noticeMessages,
  notices,
  outbox,
  trafficHours,
  trafficSnapshots,
} from './schema'

const named = ({ name }: AnySQLiteColumn) => sql.identifier(name)

/** Selects among the first `limit` rows by a key that grows with time, so that younger rows are not scanned. */
const oldest = (key: AnySQLiteColumn, isPast: SQL) =>
  inArray(
    key,
    sql`(SELECT ${named(key)} FROM (SELECT * FROM ${key.table} ORDER BY ${named(key)} LIMIT ${sql.placeholder('limit')}) WHERE ${isPast})`,
  )

/** The first `limit` rows whose `time` is past. */
const oldestRows = (table: SQLiteTable, key: readonly string[], time: string) => {
  const columns = sql.join(
    key.map((name) => sql.identifier(name)),
    sql`, `,
  )
  return sql`(${columns}) IN (SELECT ${columns} FROM ${table}
    WHERE ${sql.identifier(time)} < ${sql.placeholder('before')} ORDER BY ${sql.identifier(time)} LIMIT ${sql.placeholder('limit')})`
}

/** Apps that one batch looks at. */
const APPS_AT_ONCE = 500

const except = (apps: ReadonlyArray<{ appId: string }>, but: readonly string[]) =>
  apps.map(({ appId }) => appId).filter((appId) => !but.includes(appId))

const RETENTION_TX = {
  appIds: statement(() => db.select({ appId: apps.appId }).from(apps).prepare()),
  /** The oldest settled issues of an app; issues with unfinished work are kept. */
  findOldIssues: statement(() =>
    db
      .select({ issueId: issues.issueId })
      .from(issues)
      .where(
        and(
          ofOwner(issues),
          lt(issues.issueId, bind(issues.issueId, 'before')),
          sql`${issues.verificationStatus} <> 'issued'`,
          sql`${issues.billingStatus} IN ('debited', 'released')`,
          isNull(issues.erasedAt),
        ),
      )
      .orderBy(asc(issues.issueId))
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
  deleteIssue: statement(() => db.delete(issues).where(thisIssue).prepare()),
  deleteAttempts: statement(() => db.delete(attempts).where(theseAttempts).prepare()),
  deleteJobsOfIssue: statement(() =>
    db
      .delete(jobs)
      .where(eq(jobs.subjectId, bind(jobs.subjectId, 'subjectId')))
      .prepare(),
  ),
  deleteOutbox: statement(() => db.delete(outbox).where(thisMessage).prepare()),
  deleteOldClaims: statement(() =>
    db
      .delete(idempotencyRecords)
      .where(
        oldest(idempotencyRecords.claimId, sql`${named(idempotencyRecords.createdAt)} < ${sql.placeholder('before')}`),
      )
      .returning({ claimId: idempotencyRecords.claimId })
      .prepare(),
  ),
  deleteOldFailures: statement(() =>
    db
      .delete(failures)
      .where(
        sql`(app_id, key_kind, phone_hash) IN (SELECT app_id, key_kind, phone_hash FROM ${failures}
          WHERE last_at < ${bind(failures.lastAt, 'before')} ORDER BY last_at LIMIT ${sql.placeholder('limit')})`,
      )
      .returning({ lastAt: failures.lastAt })
      .prepare(),
  ),
  deleteOldDecisions: statement(() =>
    db
      .delete(decisions)
      .where(
        oldestRows(
          decisions,
          ['app_id', 'minute', 'key_kind', 'country', 'rule', 'refused', 'prefix_hash', 'network_hash'],
          'minute',
        ),
      )
      .returning({ minute: decisions.minute })
      .prepare(),
  ),
  deleteOldHours: statement(() =>
    db
      .delete(trafficHours)
      .where(
        // By app, as they lie.
        sql`(app_id, hour, key_kind, country) IN (SELECT app_id, hour, key_kind, country FROM ${apps}
          CROSS JOIN ${trafficHours} USING (app_id) WHERE hour < ${sql.placeholder('before')} LIMIT ${sql.placeholder('limit')})`,
      )
      .returning({ hour: trafficHours.hour })
      .prepare(),
  ),
  deleteOldSnapshots: statement(() =>
    db
      .delete(trafficSnapshots)
      .where(oldestRows(trafficSnapshots, ['app_id'], 'made_at'))
      .returning({ appId: trafficSnapshots.appId })
      .prepare(),
  ),
  deleteOldIncidents: statement(() =>
    db
      .delete(incidents)
      .where(oldestRows(incidents, ['incident_id'], 'ended_at'))
      .returning({ since: incidents.since })
      .prepare(),
  ),
  deleteOldNotices: statement(() =>
    db
      .delete(notices)
      .where(oldestRows(notices, ['notice_id'], 'ended_at'))
      .returning({ noticeId: notices.noticeId })
      .prepare(),
  ),
  deleteNoticeMessages: statement(() =>
    db
      .delete(noticeMessages)
      .where(eq(noticeMessages.noticeId, bind(noticeMessages.noticeId, 'noticeId')))
      .prepare(),
  ),
  deleteOldAbsences: statement(() =>
    db
      .delete(absentPhones)
      .where(oldestRows(absentPhones, ['phone_hash', 'channel'], 'until'))
      .returning({ until: absentPhones.until })
      .prepare(),
  ),
  forgottenUntil: statement(() =>
    db.select({ value: facts.value }).from(facts).where(eq(facts.name, NETWORKS_FORGOTTEN)).prepare(),
  ),
  noteForgotten: statement(() =>
    db
      .insert(facts)
      .values({ name: NETWORKS_FORGOTTEN, value: sql.placeholder('value') })
      .onConflictDoUpdate({ target: facts.name, set: { value: sql`excluded.value` } })
      .prepare(),
  ),
  forgetNetworks: statement(() =>
    db
      .update(issues)
      .set({ networkHash: null })
      .where(
        sql`(app_id, mode, issue_id) IN (SELECT app_id, mode, issue_id FROM ${issues}
          WHERE app_id = ${bind(issues.appId, 'appId')} AND mode = 'live'
            AND issue_id >= ${bind(issues.issueId, 'from')} AND issue_id < ${bind(issues.issueId, 'before')}
            AND network_hash IS NOT NULL LIMIT ${sql.placeholder('limit')})`,
      )
      .returning({ issueId: issues.issueId })
      .prepare(),
  ),
  deleteOldAwaited: statement(() =>
    db
      .delete(awaitedReports)
      .where(oldest(awaitedReports.messageId, sql`${named(awaitedReports.answeredAt)} < ${sql.placeholder('before')}`))
      .returning({ messageId: awaitedReports.messageId })
      .prepare(),
  ),
  deleteExpiredOutbox: statement(() =>
    db
      .delete(outbox)
      .where(oldest(outbox.issueId, sql`${named(outbox.expiresAt)} <= ${sql.placeholder('now')}`))
      .returning({ issueId: outbox.issueId })
      .prepare(),
  ),
}

export function createRetentionTx(connection: Database, current: TransactionState): Omit<Tx['retention'], 'hooks'> {
  const forgetEvents = eventDeletion(connection)
  const run = on(connection, RETENTION_TX)

  function deleteIssue(owner: Owner, issueId: string): void {
    run.deleteAttempts.run({ ...owner, issueId })
    run.deleteJobsOfIssue.run({ subjectId: issueId })
    run.deleteOutbox.run({ issueId })
    if (owner.mode === 'live') forgetEvents(issueId)
    run.deleteIssue.run({ ...owner, issueId })
  }

  /** The app that the next batch begins with: those before it have nothing left. */
  const nextApp: Partial<Record<Mode | 'networks', string>> = {}

  /**
   * Calls `act` for one app after the other until `limit` rows are done, and answers their number. Where apps are left for the next
   * batch it answers `limit`: thousands of look-ups at once would hold up everybody.
   */
  function forEachApp(
    what: Mode | 'networks',
    appIds: readonly string[],
    limit: number,
    act: (appId: string, rows: number) => number,
  ): number {
    const first = Math.max(0, appIds.indexOf(nextApp[what] ?? ''))
    let done = 0
    for (const [n, appId] of appIds.slice(first, first + APPS_AT_ONCE + 1).entries()) {
      if (n < APPS_AT_ONCE) done += act(appId, limit - done)
      if (n < APPS_AT_ONCE && done < limit) continue
      nextApp[what] = appId
      return limit
    }
    // The next sweep looks at all of them again.
    delete nextApp[what]
    return done
  }

  return {
    async issues(whose, before, limit) {
      const { mode } = whose
      const deleteOf = (appId: string, rows: number) => {
        const old = run.findOldIssues.all({ appId, mode, before: idFloor(before), limit: rows })
        for (const { issueId } of old) deleteIssue({ appId, mode }, issueId)
        return old.length
      }
      if ('only' in whose) return deleteOf(whose.only, limit)
      return forEachApp(mode, except(run.appIds.all(), whose.but), limit, deleteOf)
    },
    async idempotencyRecords(before, limit) {
      return run.deleteOldClaims.all({ before, limit }).length
    },
    async failures(before, limit) {
      return run.deleteOldFailures.all({ before, limit }).length
    },
    async decisions(before, limit) {
      return run.deleteOldDecisions.all({ before, limit }).length
    },
    async trafficHours(before, limit) {
      return run.deleteOldHours.all({ before, limit }).length
    },
    async trafficSnapshots(before, limit) {
      return run.deleteOldSnapshots.all({ before, limit }).length
    },
    async incidents(before, limit) {
      return run.deleteOldIncidents.all({ before, limit }).length
    },
    async notices(before, limit) {
      const deleted = run.deleteOldNotices.all({ before, limit })
      for (const { noticeId } of deleted) run.deleteNoticeMessages.run({ noticeId })
      return deleted.length
    },
    async absences(before, limit) {
      return run.deleteOldAbsences.all({ before, limit }).length
    },
    async networks(before, limit) {
      const known = run.forgottenUntil.get()?.value
      // Without an earlier run there was nothing to delete.
      const from = known === undefined ? before : Number(Buffer.from(known).toString())
      const range = { from: idFloor(from), before: idFloor(before) }
      const forgetOf = (appId: string, rows: number) => run.forgetNetworks.all({ appId, ...range, limit: rows }).length
      const forgotten = forEachApp('networks', except(run.appIds.all(), []), limit, forgetOf)
      if (forgotten < limit) run.noteForgotten.run({ value: Buffer.from(String(before)) })
      return forgotten
    },
    async reports(before, limit) {
      return run.deleteOldAwaited.all({ before, limit }).length
    },
    async outbox(limit) {
      return run.deleteExpiredOutbox.all({ now: current.now, limit }).length
    },
  }
}
