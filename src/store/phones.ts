/**
 * The data of one phone, and erasures. They do not use an index of phones: each code would pay for it, and such requests
 * are rare.
 */
import { and, asc, desc, eq, gt, inArray, isNull, lt, lte, sql } from 'drizzle-orm'
import type { Erasure } from '../domain/operations/erasure'
import type { Issue } from '../domain/verification/issue'
import type { ErasureTx, PhoneHashes, PhoneReader } from '../ports/store/phones'
import type { Vault } from '../ports/vault'
import { inDialect } from './dialect'
import { BEYOND_ALL_IDS, idFloor } from './ids'
import { issueColumns } from './issues'
import { erasureOf, openMessage, REFERENCE, STRIPPED, storedApp, storedOf, storedRow } from './rows/issue'
import type { Reads, Session } from './session'
import { statement } from './statement'
import { deleteEventsOf, eventsOfIssue } from './webhooks'

const READS = inDialect(({ db, tables: { absentPhones, erasures, failures, issues, outbox }, ...its }) => {
  const { match, bind, either, word } = its
  const ofApp = and(
    match(issues, 'appId'),
    sql`${issues.mode} = 'live'`,
    gt(issues.issueId, bind(issues.issueId, 'after')),
  )
  /** A JSON parameter, so that any number of values is one prepared statement. */
  const hashes = either({
    sqlite: sql`(SELECT unhex(value) FROM json_each(${word('hashes')}))`,
    postgres: sql`(SELECT decode(value, 'hex') FROM json_array_elements_text(${word('hashes')}::json))`,
  })
  /** Must match the expression of the partial index. */
  const mayBeHeld = either({
    sqlite: sql`(json_extract(${failures.state}, '$.inARow') >= 10 OR json_extract(${failures.state}, '$.lockedAt') > 0
      OR json_extract(${failures.state}, '$.issuedAt') > 0)`,
    postgres: sql`((${failures.state}::jsonb ->> 'inARow')::bigint >= 10
      OR (${failures.state}::jsonb ->> 'lockedAt')::bigint > 0 OR (${failures.state}::jsonb ->> 'issuedAt')::bigint > 0)`,
  })
  const failureCounts = () => db.select({ kind: failures.keyKind, failures: failures.state }).from(failures)
  return {
    /** The id `rows` rows further on. */
    further: statement(() =>
      db
        .select({ issueId: issues.issueId })
        .from(issues)
        .where(ofApp)
        .orderBy(asc(issues.issueId))
        .limit(1)
        .offset(sql.placeholder('rows')),
    ),
    issues: statement(() =>
      db
        .select(issueColumns(issues))
        .from(issues)
        .where(and(ofApp, lte(issues.issueId, bind(issues.issueId, 'to')), sql`${issues.phoneHash} IN ${hashes}`))
        .orderBy(asc(issues.issueId))
        .limit(sql.placeholder('limit')),
    ),
    failures: statement(() =>
      failureCounts().where(
        and(
          match(failures, 'appId'),
          inArray(failures.keyKind, ['sk', 'pk']),
          sql`${failures.phoneHash} IN ${hashes} AND ${failures.state} <> 'null'`,
        ),
      ),
    ),
    held: statement(() =>
      failureCounts()
        .where(and(match(failures, 'appId'), mayBeHeld))
        .orderBy(desc(failures.lastAt))
        .limit(sql.placeholder('limit')),
    ),
    rendered: statement(() => db.select().from(outbox).where(match(outbox, 'issueId'))),
    absentFrom: statement(() =>
      db
        .select({ channel: absentPhones.channel })
        .from(absentPhones)
        .where(and(match(absentPhones, 'phoneHash'), gt(absentPhones.until, bind(absentPhones.until, 'now')))),
    ),
    erasures: statement(() => db.select().from(erasures).orderBy(asc(erasures.erasedAt))),
    /** Rows scanned in one step, which takes a few milliseconds. */
    scannedAtOnce: either({ sqlite: 5_000, postgres: 50_000 }),
  }
})

export function phoneReader(reads: Reads, vault: Vault): PhoneReader {
  const its = READS(reads)
  const listed = (hashes: PhoneHashes) => JSON.stringify(hashes.map((hash) => Buffer.from(hash).toString('hex')))
  return {
    async issues(appId, phoneHashes, { after = idFloor(0), limit }) {
      const range = { appId, after, rows: its.scannedAtOnce - 1 }
      const edge = (await reads.scanning.get(its.further, range))?.issueId
      const asked = { ...range, to: edge ?? BEYOND_ALL_IDS, hashes: listed(phoneHashes), limit }
      const rows = (await reads.scanning.all(its.issues, asked)).map(storedOf)
      return { rows, next: rows.length === limit ? rows.at(-1)?.issueId : edge }
    },
    failures: async (appId, hashes) => reads.all(its.failures, { appId, hashes: listed(hashes) }),
    held: async (appId, limit) => reads.all(its.held, { appId, limit }),
    async rendered(issueId) {
      const row = await reads.get(its.rendered, { issueId })
      return row && openMessage(vault, issueId, row.sealed)
    },
    events: (issueId) => eventsOfIssue(reads, vault, issueId),
    absentFrom: async (phoneHash, now) =>
      (await reads.all(its.absentFrom, { phoneHash, now })).map(({ channel }) => channel),
    erasures: async () => (await reads.all(its.erasures)).map(erasureOf),
  }
}

const STATEMENTS = inDialect(({ db, tables, ...its }) => {
  const { attempts, erasedIssues, erasures, issues, jobs, ledgerEntries, outbox } = tables
  const { match, changes, parameters, bind, word, number, either, plain } = its
  const thisIssue = match(issues, 'appId', 'mode', 'issueId')
  const theseAttempts = match(attempts, 'appId', 'mode', 'issueId')
  const madeBefore = lt(erasedIssues.issueId, bind(erasedIssues.issueId, 'before'))
  const later = sql`(${erasures.erasedAt}, excluded.erased_at)`
  return {
    begin: statement(() =>
      db
        .insert(erasures)
        .values(parameters(erasures))
        .onConflictDoUpdate({
          target: [erasures.phoneHash, erasures.appId],
          set: { erasedAt: either({ sqlite: sql`max${later}`, postgres: sql`greatest${later}` }), doneAt: null },
        }),
    ),
    finish: statement(() =>
      db
        .update(erasures)
        .set(changes(erasures, ['doneAt']))
        .where(and(match(erasures, 'phoneHash', 'appId', 'erasedAt'), isNull(erasures.doneAt))),
    ),
    forget: statement(() =>
      db.delete(erasures).where(sql`${erasures.erasedAt} < ${number('before')} AND ${erasures.doneAt} IS NOT NULL`),
    ),
    strip: statement(() => db.update(issues).set(changes(issues, STRIPPED)).where(thisIssue)),
    forgetWords: statement(() => db.update(attempts).set({ said: null, text: null }).where(theseAttempts)),
    noteBare: statement(() =>
      db
        .insert(erasedIssues)
        .values({ ...parameters(erasedIssues, ['appId', 'mode', 'issueId']), isGone: false } as never)
        .onConflictDoNothing(),
    ),
    /** Its idempotency key is known from here on, for its row goes. */
    noteGone: plain(
      () => sql`INSERT INTO erased_issues (app_id, mode, issue_id, gone, key_hash, fingerprint)
        SELECT app_id, mode, issue_id, true, key_hash, fingerprint FROM ${issues} WHERE ${thisIssue}
        ON CONFLICT (issue_id) DO UPDATE SET gone = true, key_hash = excluded.key_hash, fingerprint = excluded.fingerprint`,
    ),
    find: statement(() => db.select().from(erasedIssues).where(match(erasedIssues, 'issueId'))),
    forgetRemoved: statement(() => db.delete(erasedIssues).where(and(madeBefore, eq(erasedIssues.isGone, true)))),
    bare: statement(() =>
      db
        .select()
        .from(erasedIssues)
        .where(and(madeBefore, eq(erasedIssues.isGone, false)))
        .orderBy(asc(erasedIssues.issueId))
        .limit(sql.placeholder('limit')),
    ),
    unlink: statement(() =>
      db
        .update(ledgerEntries)
        .set({
          issueId: sql`${bind(ledgerEntries.issueId, 'standIn')}`,
          reference: sql`CASE WHEN ${ledgerEntries.reference} = ${word('reference')} THEN ${word('standInReference')}
            ELSE ${ledgerEntries.reference} END`,
        })
        .where(match(ledgerEntries, 'issueId')),
    ),
    deleteJobs: statement(() => db.delete(jobs).where(eq(jobs.subjectId, bind(jobs.subjectId, 'issueId')))),
    deleteMessage: statement(() => db.delete(outbox).where(match(outbox, 'issueId'))),
    deleteAttempts: statement(() => db.delete(attempts).where(theseAttempts)),
    deleteIssue: statement(() => db.delete(issues).where(thisIssue)),
  }
})

const named = ({ appId, mode, issueId }: Pick<Issue, 'appId' | 'mode' | 'issueId'>) => ({ appId, mode, issueId })

/** Deletes a locked issue with everything that belongs to it, except for its events and ledger entries. */
export function deleteIssue(tx: Session, issue: Pick<Issue, 'appId' | 'mode' | 'issueId'>): void {
  const its = STATEMENTS(tx)
  tx.run(its.deleteAttempts, named(issue))
  tx.run(its.deleteJobs, named(issue))
  tx.run(its.deleteMessage, named(issue))
  tx.run(its.deleteIssue, named(issue))
}

export function erasureTx(tx: Session): ErasureTx {
  const its = STATEMENTS(tx)
  const row = ({ phoneHash, erasedAt, ...scope }: Omit<Erasure, 'doneAt'>) => ({
    ...{ phoneHash, erasedAt, appId: storedApp(scope) },
  })
  return {
    begin: async (erasure) => tx.run(its.begin, { ...row(erasure), doneAt: null }),
    async finish(erasure) {
      await tx.opened()
      return (await tx.change(its.finish, { ...row(erasure), doneAt: tx.now })) > 0
    },
    forget: async (before) => tx.change(its.forget, { before }),
    forgetEvents: (issueId) => deleteEventsOf(tx, issueId),
    async strip(issue) {
      tx.run(its.strip, storedRow(issue))
      tx.run(its.forgetWords, named(issue))
      tx.run(its.noteBare, named(issue))
    },
    async remove(issue, standIn) {
      const { issueId } = issue
      const names = { reference: REFERENCE + issueId, standInReference: REFERENCE + standIn }
      tx.run(its.unlink, { issueId, standIn, ...names })
      tx.run(its.noteGone, named(issue))
      deleteIssue(tx, issue)
    },
    isRemoved: async (issueId) => (await tx.get(its.find, { issueId }))?.isGone ?? false,
    forgetRemoved: async (before) => tx.change(its.forgetRemoved, { before: idFloor(before) }),
    bare: async (before, limit) => (await tx.all(its.bare, { before: idFloor(before), limit })).map(named),
  }
}
