/** The data of one phone, and erasures. */
import { and, asc, desc, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import type { KeyKind } from '../../domain/access/api-key'
import type { Issue } from '../../domain/codes/issue'
import type { Erasure } from '../../domain/operations/erasure'
import type { Owner } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import type { PhoneHashes, PhoneReader } from '../../ports/store/phones'
import type { Vault } from '../../ports/vault'
import { idFloor } from '../ids'
import { erasureOf, issueOf, issueRow, openMessage, REFERENCE, STRIPPED, storedApp } from '../rows/issue'
import { eventOf } from '../rows/webhook'
import { bind, changes, db, listOf, plain, statement } from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'
import { failuresIn } from './failures'
import { thisIssue, thisMessage } from './issues'
import { absentPhones, erasedIssues, erasures, failures, issues, outbox, webhookEvents } from './schema'

/** Must match the expression of the partial index. */
const MAY_BE_HELD = sql`((${failures.state}::jsonb ->> 'inARow')::bigint >= 10 OR (${failures.state}::jsonb ->> 'lockedAt')::bigint > 0
    OR (${failures.state}::jsonb ->> 'issuedAt')::bigint > 0)`

const READS = {
  /** Ids come from the index of phones; the rows are read afterwards by id, with all columns. */
  ids: plain(
    `SELECT issue_id FROM issues WHERE phone_hash = ANY ($1::bytea[]) AND app_id = $2 AND mode = 'live' AND issue_id > $3
     ORDER BY issue_id LIMIT $4`,
    ({ hashes, appId, after, limit }) => [listed(hashes as PhoneHashes), appId, after, limit],
    ([issueId]) => String(issueId),
  ),
  issue: statement(() => db.select().from(issues).where(thisIssue).prepare('')),
  failures: plain(
    `SELECT key_kind, state FROM failures WHERE app_id = $1 AND key_kind IN ('sk', 'pk') AND phone_hash = ANY ($2::bytea[])`,
    ({ appId, hashes }) => [appId, listed(hashes as PhoneHashes)],
    ([kind, state]) => ({ kind: kind as KeyKind, failures: failuresIn(state) }),
  ),
  held: statement(() =>
    db
      .select({ kind: failures.keyKind, failures: failures.state })
      .from(failures)
      .where(and(eq(failures.appId, bind(failures.appId, 'appId')), MAY_BE_HELD))
      .orderBy(desc(failures.lastAt))
      .limit(sql.placeholder('limit'))
      .prepare(''),
  ),
  rendered: statement(() => db.select().from(outbox).where(thisMessage).prepare('')),
  events: statement(() =>
    db
      .select()
      .from(webhookEvents)
      .where(eq(webhookEvents.issueId, bind(webhookEvents.issueId, 'issueId')))
      .orderBy(asc(webhookEvents.eventId))
      .prepare(''),
  ),
  absentFrom: statement(() =>
    db
      .select({ channel: absentPhones.channel })
      .from(absentPhones)
      .where(
        and(
          eq(absentPhones.phoneHash, bind(absentPhones.phoneHash, 'phoneHash')),
          gt(absentPhones.until, bind(absentPhones.until, 'now')),
        ),
      )
      .prepare(''),
  ),
  erasures: statement(() => db.select().from(erasures).orderBy(asc(erasures.erasedAt)).prepare('')),
}

const listed = (hashes: PhoneHashes) => listOf(hashes.map((hash) => `\\x${Buffer.from(hash).toString('hex')}`))

export const phoneReader = (pool: Querying, vault: Vault): PhoneReader => ({
  async issues(appId, hashes, { after = idFloor(0), limit }) {
    const ids = await pool.all(READS.ids, { appId, hashes, after, limit })
    const found = await Promise.all(ids.map((issueId) => pool.get(READS.issue, { appId, mode: 'live', issueId })))
    const rows = found.filter((row) => row !== undefined).map(issueOf)
    return { rows, next: ids.length === limit ? ids.at(-1) : undefined }
  },
  async failures(appId, hashes) {
    const rows = await pool.all(READS.failures, { appId, hashes })
    return rows.flatMap(({ kind, failures }) => (failures ? [{ kind, failures }] : []))
  },
  held: (appId, limit) => pool.all(READS.held, { appId, limit }),
  async rendered(issueId) {
    const row = await pool.get(READS.rendered, { issueId })
    return row && openMessage(vault, issueId, row.sealed)
  },
  async events(issueId) {
    return (await pool.all(READS.events, { issueId })).map((row) => eventOf(vault, row))
  },
  async absentFrom(phoneHash, now) {
    return (await pool.all(READS.absentFrom, { phoneHash, now })).map(({ channel }) => channel)
  },
  async erasures() {
    return (await pool.all(READS.erasures)).map(erasureOf)
  },
})

const thisErasure = and(
  eq(erasures.phoneHash, bind(erasures.phoneHash, 'phoneHash')),
  eq(erasures.appId, bind(erasures.appId, 'appId')),
)

const STATEMENTS = {
  begin: plain(
    `INSERT INTO erasures (phone_hash, app_id, erased_at) VALUES ($1, $2, $3) ON CONFLICT (phone_hash, app_id)
     DO UPDATE SET erased_at = greatest(erasures.erased_at, excluded.erased_at), done_at = NULL`,
    ({ phoneHash, appId, erasedAt }) => [phoneHash, appId, erasedAt],
  ),
  finish: statement(() =>
    db
      .update(erasures)
      .set(changes(erasures, ['doneAt']))
      .where(and(thisErasure, eq(erasures.erasedAt, bind(erasures.erasedAt, 'erasedAt')), isNull(erasures.doneAt)))
      .returning({ appId: erasures.appId })
      .prepare(''),
  ),
  forget: plain(
    'WITH gone AS (DELETE FROM erasures WHERE erased_at < $1 AND done_at IS NOT NULL RETURNING 1) SELECT count(*) FROM gone',
    ({ before }) => [before],
    ([forgotten]) => Number(forgotten),
  ),
  /** Deletes the events of an issue with their deliveries, attempts and jobs. */
  forgetEvents: plain(
    `WITH gone AS (DELETE FROM webhook_events WHERE issue_id = $1 RETURNING event_id),
     gone_deliveries AS (DELETE FROM webhook_deliveries USING gone WHERE webhook_deliveries.event_id = gone.event_id RETURNING delivery_id),
     gone_attempts AS (DELETE FROM webhook_attempts USING gone_deliveries WHERE webhook_attempts.delivery_id = gone_deliveries.delivery_id),
     gone_jobs AS (DELETE FROM jobs USING gone_deliveries WHERE subject_id = gone_deliveries.delivery_id AND kind = 'webhook')
     SELECT count(*) FROM gone`,
    ({ issueId }) => [issueId],
    ([events]) => Number(events),
  ),
  strip: statement(() => db.update(issues).set(changes(issues, STRIPPED)).where(thisIssue).prepare('')),
  forgetWords: plain(
    'UPDATE attempts SET said = NULL, text = NULL WHERE app_id = $1 AND mode = $2 AND issue_id = $3',
    (row) => [...[row.appId, row.mode, row.issueId]],
  ),
  noteBare: plain(
    'INSERT INTO erased_issues (app_id, mode, issue_id, gone) VALUES ($1, $2, $3, false) ON CONFLICT DO NOTHING',
    (row) => [row.appId, row.mode, row.issueId],
  ),
  remove: plain(
    `WITH unlinked AS (UPDATE ledger_entries SET issue_id = $4,
       reference = CASE WHEN reference = $6 THEN $7 ELSE reference END WHERE issue_id = $3),
     gone_report AS (DELETE FROM awaited_reports WHERE message_id = $5),
     gone_jobs AS (DELETE FROM jobs WHERE subject_id = $3),
     gone_letter AS (DELETE FROM outbox WHERE issue_id = $3),
     gone_attempts AS (DELETE FROM attempts WHERE app_id = $1 AND mode = $2 AND issue_id = $3),
     noted AS (INSERT INTO erased_issues (app_id, mode, issue_id, gone) VALUES ($1, $2, $3, true)
       ON CONFLICT (issue_id) DO UPDATE SET gone = true)
     DELETE FROM issues WHERE app_id = $1 AND mode = $2 AND issue_id = $3`,
    ({ appId, mode, issueId, standIn, messageId }) => [
      ...[appId, mode, issueId, standIn, messageId],
      ...[`${REFERENCE}${issueId}`, `${REFERENCE}${standIn}`],
    ],
  ),
  isRemoved: plain(
    'SELECT gone FROM erased_issues WHERE issue_id = $1',
    ({ issueId }) => [issueId],
    ([gone]) => gone === true,
  ),
  forgetRemoved: plain(
    'WITH gone AS (DELETE FROM erased_issues WHERE issue_id < $1 AND gone RETURNING 1) SELECT count(*) FROM gone',
    ({ before }) => [idFloor(before as number)],
    ([forgotten]) => Number(forgotten),
  ),
  bare: statement(() =>
    db
      .select()
      .from(erasedIssues)
      .where(and(lt(erasedIssues.issueId, bind(erasedIssues.issueId, 'before')), eq(erasedIssues.isGone, false)))
      .orderBy(asc(erasedIssues.issueId))
      .limit(sql.placeholder('limit'))
      .prepare(''),
  ),
}

export function erasureTx(transaction: Transaction): Tx['erasures'] {
  const row = ({ phoneHash, erasedAt, ...scope }: Omit<Erasure, 'doneAt'>) => ({
    ...{ phoneHash, erasedAt, appId: storedApp(scope) },
  })
  return {
    async begin(erasure) {
      transaction.run(STATEMENTS.begin, row(erasure))
    },
    async finish(erasure) {
      await transaction.opened()
      return (await transaction.change(STATEMENTS.finish, { ...row(erasure), doneAt: transaction.now })).length > 0
    },
    async forget(before) {
      return (await transaction.change(STATEMENTS.forget, { before }))[0] ?? 0
    },
    async forgetEvents(issueId) {
      return (await transaction.change(STATEMENTS.forgetEvents, { issueId }))[0] ?? 0
    },
    async strip(issue: Issue) {
      transaction.run(STATEMENTS.strip, issueRow(issue))
      transaction.run(STATEMENTS.forgetWords, ownerOf(issue))
      transaction.run(STATEMENTS.noteBare, ownerOf(issue))
    },
    async remove(issue, standIn) {
      transaction.run(STATEMENTS.remove, { ...ownerOf(issue), messageId: issue.messageId, standIn })
    },
    async isRemoved(issueId) {
      return (await transaction.get(STATEMENTS.isRemoved, { issueId })) ?? false
    },
    async forgetRemoved(before) {
      return (await transaction.change(STATEMENTS.forgetRemoved, { before }))[0] ?? 0
    },
    async bare(before, limit) {
      const rows = await transaction.all(STATEMENTS.bare, { before: idFloor(before), limit })
      return rows.map(({ isGone: _, ...named }) => named)
    },
  }
}

const ownerOf = ({ appId, mode, issueId }: Owner & { issueId: string }) => ({ appId, mode, issueId })
