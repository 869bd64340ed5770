/** Deletes data past its retention. Several servers may do so at once; each skips the rows that another is deleting. */
import { and, asc, type Column, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { RetentionTx } from '../ports/store/retention'
import { inDialect } from './dialect'
import { readFact, saveFact } from './facts'
import { idFloor } from './ids'
import { deleteIssue } from './phones'
import type { Session } from './session'
import { statement } from './statement'
import { deleteEventsOf, deleteOldHooks } from './webhooks'

const STATEMENTS = inDialect(({ db, tables, ofOwner, match, bind, number, locked, either }) => {
  const { absentPhones, attempts, decisions, failures, incidents, issues } = tables
  const { noticeMessages, notices, outbox, trafficHours, trafficSnapshots } = tables
  const skipLocked = either({ sqlite: sql``, postgres: sql`FOR UPDATE SKIP LOCKED` })
  const limit = sql.placeholder('limit')
  const bare = ({ name }: Column) => sql.identifier(name)
  const listOf = (columns: readonly Column[]) => sql.join(columns.map(bare), sql`, `)

  /** The first rows of which `isPast` holds, by the index of `order`. */
  const among = (key: readonly Column[], table: PgTable, isPast: SQL, order: Column) =>
    sql`(${listOf(key)}) IN (SELECT ${listOf(key)} FROM ${table} WHERE ${isPast} ORDER BY ${bare(order)} LIMIT ${limit} ${skipLocked})`
  const oldRows = (table: PgTable, key: readonly Column[], time: AnyPgColumn) =>
    statement(() => db.delete(table).where(among(key, table, sql`${bare(time)} < ${number('before')}`, time)))

  /** Among the first rows by a key that grows with time, so that younger rows are not scanned. */
  const oldest = (table: PgTable, key: AnyPgColumn, time: AnyPgColumn) =>
    statement(() =>
      db.delete(table).where(sql`${bare(key)} IN (SELECT ${bare(key)} FROM
        (SELECT ${bare(key)}, ${bare(time)} FROM ${table} ORDER BY ${bare(key)} LIMIT ${limit} ${skipLocked}) AS first
        WHERE ${bare(time)} < ${number('before')})`),
    )

  /** What issues of an app hold of that for a time. */
  const forgetting = (set: object, column: Column) =>
    statement(() =>
      db
        .update(issues)
        .set(set)
        .where(
          among(
            [issues.appId, issues.mode, issues.issueId],
            issues,
            sql`${match(issues, 'appId', 'mode')} AND issue_id >= ${bind(issues.issueId, 'from')}
              AND issue_id < ${bind(issues.issueId, 'before')} AND ${bare(column)} IS NOT NULL`,
            issues.issueId,
          ),
        ),
    )

  return {
    /** The oldest settled issues of an app; issues with unfinished work are kept. */
    oldIssues: statement(() =>
      locked(
        db
          .select({ appId: issues.appId, mode: issues.mode, issueId: issues.issueId })
          .from(issues)
          .where(
            and(
              ofOwner(issues),
              lt(issues.issueId, bind(issues.issueId, 'before')),
              sql`coalesce(${issues.verificationStatus}, '') <> 'issued' AND coalesce(${issues.billingStatus}, 'released') IN ('debited', 'released')`,
              isNull(issues.erasedAt),
            ),
          )
          .orderBy(asc(issues.issueId))
          .limit(limit),
        { skipLocked: true },
      ),
    ),
    networks: forgetting({ networkHash: null }, issues.networkHash),
    keys: forgetting({ keyHash: null, fingerprint: null }, issues.keyHash),
    hours: statement(() =>
      db
        .delete(trafficHours)
        .where(
          among(
            [trafficHours.appId, trafficHours.hour, trafficHours.kind, trafficHours.country],
            trafficHours,
            sql`${match(trafficHours, 'appId')} AND hour < ${number('before')}`,
            trafficHours.hour,
          ),
        ),
    ),
    reports: statement(() =>
      db
        .update(attempts)
        .set({ awaitedAt: null })
        .where(sql`awaited_at IS NOT NULL AND message_id IN (SELECT message_id FROM
          (SELECT message_id, awaited_at FROM ${attempts} WHERE awaited_at IS NOT NULL
           ORDER BY message_id LIMIT ${limit} ${skipLocked}) AS first
          WHERE awaited_at < ${number('before')})`),
    ),
    outbox: oldest(outbox, outbox.issueId, outbox.expiresAt),
    failures: oldRows(failures, [failures.appId, failures.keyKind, failures.phoneHash], failures.lastAt),
    decisions: oldRows(
      decisions,
      [
        ...[decisions.appId, decisions.minute, decisions.kind, decisions.country],
        ...[decisions.rule, decisions.isRefused, decisions.prefixHash, decisions.networkHash],
      ],
      decisions.minute,
    ),
    snapshots: oldRows(trafficSnapshots, [trafficSnapshots.appId], trafficSnapshots.madeAt),
    incidents: oldRows(incidents, [incidents.incidentId], incidents.endedAt),
    absences: oldRows(absentPhones, [absentPhones.phoneHash, absentPhones.channel], absentPhones.until),
    notices: oldRows(notices, [notices.noticeId], notices.endedAt),
    noticeMessages: statement(() =>
      db.delete(noticeMessages).where(sql`notice_id NOT IN (SELECT notice_id FROM ${notices})`),
    ),
  }
})

/** Names of the facts with the time up to which that was removed: Unix milliseconds, as text. */
const FORGOTTEN = { networks: 'networks_forgotten', keys: 'keys_forgotten' } as const

export function retentionTx(tx: Session): RetentionTx {
  const its = STATEMENTS(tx)
  return {
    async issues({ appId, mode }, before, limit) {
      const old = await tx.all(its.oldIssues, { appId, mode, before: idFloor(before), limit })
      for (const issue of old) {
        if (mode === 'live') await deleteEventsOf(tx, issue.issueId)
        deleteIssue(tx, issue)
      }
      return old.length
    },
    forget: async (what, { appId, mode }, { from, before }, limit) =>
      tx.change(its[what], { appId, mode, from: idFloor(from), before: idFloor(before), limit }),
    async forgottenUntil(what) {
      const at = await readFact(tx, FORGOTTEN[what])
      return at === undefined ? undefined : Number(at)
    },
    async noteForgotten(what, until) {
      saveFact(tx, FORGOTTEN[what], String(until))
    },
    trafficHours: async (appId, before, limit) => tx.change(its.hours, { appId, before, limit }),
    failures: async (before, limit) => tx.change(its.failures, { before, limit }),
    reports: async (before, limit) => tx.change(its.reports, { before, limit }),
    hooks: (before, limit) => deleteOldHooks(tx, before, limit),
    decisions: async (before, limit) => tx.change(its.decisions, { before, limit }),
    trafficSnapshots: async (before, limit) => tx.change(its.snapshots, { before, limit }),
    incidents: async (before, limit) => tx.change(its.incidents, { before, limit }),
    async notices(before, limit) {
      const deleted = await tx.change(its.notices, { before, limit })
      if (deleted > 0) tx.run(its.noticeMessages)
      return deleted
    },
    absences: async (before, limit) => tx.change(its.absences, { before, limit }),
    async outbox(limit) {
      await tx.opened()
      // What expires now is over.
      return tx.change(its.outbox, { before: tx.now + 1, limit })
    },
  }
}
