/**
 * The data of one phone, and erasures. There is no index of phones: each code would pay for it, and such requests are
 * rare.
 */
import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, gt, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tx } from '../../ports/store'
import type { PhoneHashes } from '../../ports/store/phones'
import type { Vault } from '../../ports/vault'
import { idFloor } from '../ids'
import { erasureOf, issueOf, issueRow, openMessage, REFERENCE, STRIPPED, storedApp } from '../rows/issue'
import { eventOf } from '../rows/webhook'
import { theseAttempts } from './attempts'
import { nextTurn } from './connection/read-group'
import { bind, changes, db, on, parameters, statement } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { eventDeletion } from './deleted-webhooks'
import { thisIssue, thisMessage } from './issues'
import {
  absentPhones,
  attempts,
  awaitedReports,
  erasedIssues,
  erasures,
  failures,
  issues,
  jobs,
  ledgerEntries,
  outbox,
  webhookEvents,
} from './schema'

/** Rows scanned in one step, which takes a few milliseconds. */
const LOOKED_AT_ONCE = 5_000
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Must match the expression of the partial index. */
const MAY_BE_HELD = sql`(json_extract(${failures.state}, '$.inARow') >= 10 OR json_extract(${failures.state}, '$.lockedAt') > 0 OR json_extract(${failures.state}, '$.issuedAt') > 0)`

const ofApp = sql`${issues.appId} = ${bind(issues.appId, 'appId')} AND ${issues.mode} = 'live'`

/** A JSON parameter, so that any number of values is one prepared statement. */
const isOneOf = (hash: typeof issues.phoneHash | typeof failures.phoneHash): SQL =>
  sql`${hash} IN (SELECT unhex(value) FROM json_each(${sql.placeholder('hashes')}))`

const PHONE_READER = {
  /** The id `rows` rows further on. */
  further: statement(() =>
    db
      .select({ issueId: issues.issueId })
      .from(issues)
      .where(and(ofApp, gt(issues.issueId, bind(issues.issueId, 'after'))))
      .orderBy(asc(issues.issueId))
      .limit(1)
      .offset(LOOKED_AT_ONCE - 1)
      .prepare(),
  ),
  issues: statement(() =>
    db
      .select()
      .from(issues)
      .where(
        and(
          ofApp,
          gt(issues.issueId, bind(issues.issueId, 'after')),
          lte(issues.issueId, bind(issues.issueId, 'to')),
          isOneOf(issues.phoneHash),
        ),
      )
      .orderBy(asc(issues.issueId))
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
  failures: statement(() =>
    db
      .select({ kind: failures.keyKind, failures: failures.state })
      .from(failures)
      .where(
        and(
          eq(failures.appId, bind(failures.appId, 'appId')),
          inArray(failures.keyKind, ['sk', 'pk']),
          isOneOf(failures.phoneHash),
        ),
      )
      .prepare(),
  ),
  held: statement(() =>
    db
      .select({ kind: failures.keyKind, failures: failures.state })
      .from(failures)
      .where(and(eq(failures.appId, bind(failures.appId, 'appId')), MAY_BE_HELD))
      .orderBy(desc(failures.lastAt))
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
  rendered: statement(() => db.select().from(outbox).where(thisMessage).prepare()),
  events: statement(() =>
    db
      .select()
      .from(webhookEvents)
      .where(eq(webhookEvents.issueId, bind(webhookEvents.issueId, 'issueId')))
      .orderBy(asc(webhookEvents.eventId))
      .prepare(),
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
      .prepare(),
  ),
  erasures: statement(() => db.select().from(erasures).orderBy(asc(erasures.erasedAt)).prepare()),
}

export function createPhoneReader(connection: Database, vault: Vault): Pick<Reader, 'phones'> {
  const listed = (hashes: PhoneHashes) => JSON.stringify(hashes.map((hash) => Buffer.from(hash).toString('hex')))
  const run = on(connection, PHONE_READER)
  return {
    phones: {
      async issues(appId, hashes, { after = idFloor(0), limit }) {
        const edge = run.further.get({ appId, after })?.issueId
        const range = { appId, after, to: edge ?? LAST_ID }
        const rows = run.issues.all({ ...range, hashes: listed(hashes), limit }).map(issueOf)
        await nextTurn()
        return { rows, next: rows.length === limit ? rows.at(-1)?.issueId : edge }
      },
      async failures(appId, hashes) {
        return run.failures.all({ appId, hashes: listed(hashes) })
      },
      async held(appId, limit) {
        return run.held.all({ appId, limit })
      },
      async rendered(issueId) {
        const row = run.rendered.get({ issueId })
        return row && openMessage(vault, issueId, row.sealed)
      },
      async events(issueId) {
        return run.events.all({ issueId }).map((row) => eventOf(vault, row))
      },
      async absentFrom(phoneHash, now) {
        return run.absentFrom.all({ phoneHash, now }).map(({ channel }) => channel)
      },
      async erasures() {
        return run.erasures.all().map(erasureOf)
      },
    },
  }
}

const thisErasure = and(
  eq(erasures.phoneHash, bind(erasures.phoneHash, 'phoneHash')),
  eq(erasures.appId, bind(erasures.appId, 'appId')),
)

const thisErased = eq(erasedIssues.issueId, bind(erasedIssues.issueId, 'issueId'))

const ERASURE_TX = {
  begin: statement(() =>
    db
      .insert(erasures)
      .values(parameters(erasures))
      .onConflictDoUpdate({
        target: [erasures.phoneHash, erasures.appId],
        set: { erasedAt: sql`max(${erasures.erasedAt}, excluded.erased_at)`, doneAt: null },
      })
      .prepare(),
  ),
  finish: statement(() =>
    db
      .update(erasures)
      .set(changes(erasures, ['doneAt']))
      .where(and(thisErasure, eq(erasures.erasedAt, bind(erasures.erasedAt, 'erasedAt')), sql`done_at IS NULL`))
      .returning({ appId: erasures.appId })
      .prepare(),
  ),
  forget: statement(() =>
    db
      .delete(erasures)
      .where(sql`${erasures.erasedAt} < ${sql.placeholder('before')} AND ${erasures.doneAt} IS NOT NULL`)
      .returning({ appId: erasures.appId })
      .prepare(),
  ),
  strip: statement(() => db.update(issues).set(changes(issues, STRIPPED)).where(thisIssue).prepare()),
  note: statement(() =>
    db
      .insert(erasedIssues)
      .values(parameters(erasedIssues))
      .onConflictDoUpdate({ target: erasedIssues.issueId, set: { isGone: sql`excluded.gone` } })
      .prepare(),
  ),
  find: statement(() => db.select().from(erasedIssues).where(thisErased).prepare()),
  forgetRemoved: statement(() =>
    db
      .delete(erasedIssues)
      .where(and(lt(erasedIssues.issueId, bind(erasedIssues.issueId, 'before')), sql`gone = 1`))
      .returning({ issueId: erasedIssues.issueId })
      .prepare(),
  ),
  unlink: statement(() =>
    db
      .update(ledgerEntries)
      .set({
        issueId: sql`${bind(ledgerEntries.issueId, 'standIn')}`,
        reference: sql`CASE WHEN ${ledgerEntries.reference} = ${sql.placeholder('reference')} THEN ${sql.placeholder('standInReference')} ELSE ${ledgerEntries.reference} END`,
      })
      .where(eq(ledgerEntries.issueId, bind(ledgerEntries.issueId, 'issueId')))
      .prepare(),
  ),
  deleteReport: statement(() =>
    db
      .delete(awaitedReports)
      .where(eq(awaitedReports.messageId, bind(awaitedReports.messageId, 'messageId')))
      .prepare(),
  ),
  deleteJobs: statement(() =>
    db
      .delete(jobs)
      .where(eq(jobs.subjectId, bind(jobs.subjectId, 'issueId')))
      .prepare(),
  ),
  deleteMessage: statement(() => db.delete(outbox).where(thisMessage).prepare()),
  forgetWords: statement(() => db.update(attempts).set({ said: null, text: null }).where(theseAttempts).prepare()),
  deleteAttempts: statement(() => db.delete(attempts).where(theseAttempts).prepare()),
  deleteIssue: statement(() => db.delete(issues).where(thisIssue).prepare()),
  bare: statement(() =>
    db
      .select()
      .from(erasedIssues)
      .where(and(lt(erasedIssues.issueId, bind(erasedIssues.issueId, 'before')), sql`gone = 0`))
      .orderBy(asc(erasedIssues.issueId))
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
}

export function createErasureTx(connection: Database, current: TransactionState): Pick<Tx, 'erasures'> {
  const forgetEvents = eventDeletion(connection)
  const run = on(connection, ERASURE_TX)
  return {
    erasures: {
      async begin({ phoneHash, erasedAt, ...scope }) {
        run.begin.run({ phoneHash, erasedAt, appId: storedApp(scope), doneAt: null })
      },
      async finish({ phoneHash, erasedAt, ...scope }) {
        const values = { phoneHash, erasedAt, appId: storedApp(scope), doneAt: current.now }
        return run.finish.all(values).length > 0
      },
      async forget(before) {
        return run.forget.all({ before }).length
      },
      async forgetEvents(issueId) {
        return forgetEvents(issueId)
      },
      async strip(issue) {
        run.strip.run(issueRow(issue))
        const { appId, mode, issueId } = issue
        run.forgetWords.run({ appId, mode, issueId })
        run.note.run({ appId, mode, issueId, isGone: 0 })
      },
      async remove({ appId, mode, issueId, messageId }, standIn) {
        const names = { reference: REFERENCE + issueId, standInReference: REFERENCE + standIn }
        run.unlink.run({ issueId, standIn, ...names })
        run.deleteReport.run({ messageId })
        run.deleteJobs.run({ issueId })
        run.deleteMessage.run({ issueId })
        run.deleteAttempts.run({ appId, mode, issueId })
        run.note.run({ appId, mode, issueId, isGone: 1 })
        run.deleteIssue.run({ appId, mode, issueId })
      },
      async isRemoved(issueId) {
        return run.find.get({ issueId })?.isGone ?? false
      },
      async forgetRemoved(before) {
        return run.forgetRemoved.all({ before: idFloor(before) }).length
      },
      async bare(before, limit) {
        return run.bare.all({ before: idFloor(before), limit }).map(({ isGone: _, ...named }) => named)
      },
    },
  }
}
