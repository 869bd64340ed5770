/** Issues, their idempotency records, and rendered messages. */
import {
  and,
  asc,
  type Column,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Message } from '../domain/message/message'
import type { VerificationStatus } from '../domain/shared/addressed'
import type { Owner } from '../domain/shared/value'
import { STANDING, shownIssue } from '../domain/verification/issue'
import type { Verification } from '../domain/verification/verification'
import { hasCode, hasMessage } from '../domain/verification/verification'
import type { IdempotencyTx, IssueFilter, IssueReader, IssueTx, OutboxTx } from '../ports/store/issues'
import type { Vault } from '../ports/vault'
import { furthestSetBack } from './clock'
import { type Dialect, inDialect, type Tables } from './dialect'
import { idFloor, idTime } from './ids'
import { askedOf, END_OF_TIME, type IssuePages, ROWS_AT_MOST, readIssuePage, readIssues } from './list-pages'
import { ISSUE_CHANGING, openMessage, sealMessage, standingOf, storedOf, storedRow } from './rows/issue'
import { found, type Querying, type Reads, type Session } from './session'
import { changedOnly, statement } from './statement'
import { columnsIn } from './tables'

export const ISSUES = inDialect(({ db, tables: { erasedIssues, failures, issues, outbox }, ...its }) => {
  const { match, changes, insert, bind, locked, either, plain } = its
  const thisIssue = match(issues, 'appId', 'mode', 'issueId')
  const columns = issueColumns(issues)
  const isLive = sql`${issues.verificationStatus} = 'issued'`
  const hasCode = isNotNull(issues.verificationStatus)
  /** PostgreSQL's collation is that of the index: without it each check of a code would read all failures. */
  const appId = either({ sqlite: sql`${issues.appId}`, postgres: sql`${issues.appId} COLLATE "default"` })
  const failuresOfIssue = sql`(SELECT 1 FROM ${failures} WHERE ${failures.appId} = ${appId}
    AND ${failures.keyKind} = ${issues.keyKind} AND ${failures.phoneHash} = ${issues.phoneHash}
    AND ${failures.state} <> 'null')`
  return {
    lock: statement(() => locked(db.select(columns).from(issues).where(thisIssue))),
    lockToVerify: statement(() =>
      locked(
        db
          .select({ ...columns, hasFailures: sql<number | boolean>`EXISTS ${failuresOfIssue}` })
          .from(issues)
          .where(and(thisIssue, hasCode, isNull(issues.erasedAt))),
      ),
    ),
    /** One statement, so that a phone without failures costs no second query. */
    phone: statement(() =>
      db
        .select({ failures: failures.state, live: columns })
        .from(sql`(SELECT 1) AS one`)
        .leftJoin(failures, match(failures, 'appId', 'keyKind', 'phoneHash'))
        .leftJoin(issues, and(match(issues, 'appId', 'mode', 'phoneHash', 'purpose'), isLive)),
    ),
    alone: statement(() =>
      locked(
        db
          .select(columns)
          .from(issues)
          .where(
            and(
              ofPhone(its, issues),
              match(issues, 'appId', 'mode', 'purpose'),
              isNull(issues.verificationStatus),
              gt(issues.expiresAt, bind(issues.expiresAt, 'now')),
            ),
          ),
      ),
    ),
    /** Skips issues that another server is expiring. */
    lockExpired: statement(() =>
      locked(
        db
          .select(columns)
          .from(issues)
          .where(and(isLive, lte(issues.expiresAt, bind(issues.expiresAt, 'now'))))
          .orderBy(issues.expiresAt)
          .limit(sql.placeholder('limit')),
        { skipLocked: true },
      ),
    ),
    /** When the newest issues of a phone were made, by the index of phones. A bare LIMIT would be planned anew each time: 7 µs. */
    newestOfPhone: plain(
      () => sql`SELECT created_at FROM issues
        WHERE ${ofPhone(its, issues)} AND app_id = ${bind(issues.appId, 'appId')} AND mode = 'live'
          AND ${either({
            sqlite: sql`issue_id >= ${bind(issues.issueId, 'sinceId')} AND created_at >= ${bind(issues.createdAt, 'since')}`,
            postgres: sql`created_at >= ${bind(issues.createdAt, 'since')}`,
          })} AND key_kind = ${bind(issues.keyKind, 'keyKind')}
        ORDER BY ${either({ sqlite: sql`issue_id`, postgres: sql`created_at` })} DESC LIMIT +${sql.placeholder('limit')}`,
      ([createdAt]) => Number(createdAt),
    ),
    begunBy: statement(() =>
      db
        .select(columns)
        .from(issues)
        .where(and(match(issues, 'messageId'), isNotNull(issues.begunAt))),
    ),
    lockBegun: statement(() =>
      locked(
        db
          .select(columns)
          .from(issues)
          .where(sql`${issues.begunAt} IS NOT NULL AND ${issues.begunAt} <= ${bind(issues.begunAt, 'until')}`)
          .orderBy(issues.messageId)
          .limit(sql.placeholder('limit')),
        { skipLocked: true },
      ),
    ),
    insert: insert(issues),
    update: changedOnly(ISSUE_CHANGING, (names) =>
      statement(() => db.update(issues).set(changes(issues, names)).where(thisIssue)),
    ),
    /** The issue of an idempotency key, also where it was erased and removed. */
    findKey: statement(() =>
      db
        .select({ issueId: issues.issueId, fingerprint: issues.fingerprint, createdAt: issues.createdAt })
        .from(issues)
        .where(match(issues, 'appId', 'mode', 'keyHash'))
        .unionAll(
          db
            .select({
              issueId: erasedIssues.issueId,
              fingerprint: erasedIssues.fingerprint,
              createdAt: sql<number>`0`.mapWith(Number),
            })
            .from(erasedIssues)
            .where(match(erasedIssues, 'appId', 'mode', 'keyHash')),
        ),
    ),
    forgetKey: statement(() =>
      db
        .update(issues)
        .set({ keyHash: null, fingerprint: null })
        .where(match(issues, 'appId', 'mode', 'keyHash')),
    ),
    forgetErasedKey: statement(() =>
      db
        .update(erasedIssues)
        .set({ keyHash: null, fingerprint: null })
        .where(match(erasedIssues, 'appId', 'mode', 'keyHash')),
    ),
    findMessage: statement(() => db.select().from(outbox).where(match(outbox, 'issueId'))),
    insertMessage: insert(outbox),
    deleteMessage: statement(() => db.delete(outbox).where(match(outbox, 'issueId'))),
  }
})

/** All columns but those of the idempotency key, which is looked up by itself. */
export const issueColumns = (issues: Tables['issues']) => {
  const { keyHash: _, fingerprint: __, ...columns } = getTableColumns(issues)
  return columns
}

/** By the index, which has the first bytes of the hash in SQLite. */
const ofPhone = ({ bind, either }: Pick<Dialect, 'bind' | 'either'>, issues: Tables['issues']) => {
  const hash = bind(issues.phoneHash, 'phoneHash')
  const isIt = eq(issues.phoneHash, hash)
  return either({ sqlite: sql`substr(${issues.phoneHash}, 1, 6) = substr(${hash}, 1, 6) AND ${isIt}`, postgres: isIt })
}

const owned = ({ appId, mode }: Owner) => ({ appId, mode })

export function issueTx(tx: Session): IssueTx {
  const its = ISSUES(tx)
  return {
    lock: async (owner, issueId) => found(await tx.get(its.lock, { ...owned(owner), issueId }), storedOf),
    async lockMessage(owner, issueId) {
      const found = await this.lock(owner, issueId)
      return found && hasMessage(found) ? found : undefined
    },
    async lockToVerify(owner, issueId) {
      const row = await tx.get(its.lockToVerify, { ...owned(owner), issueId })
      if (!row) return undefined
      const { hasFailures, ...verification } = row
      return { verification: storedOf(verification) as Verification, hasFailures: Boolean(hasFailures) }
    },
    async lockPhone(owner, { kind: keyKind, phoneHash }, purpose) {
      tx.lock(`phone ${owner.appId}/${owner.mode}/${phoneHash.toHex()}`)
      const row = await tx.get(its.phone, { ...owned(owner), keyKind, phoneHash, purpose })
      const found = row?.live && (storedOf(row.live) as Verification)
      // It may have been verified before its lock was ours.
      const live = found && tx.dialect.hasRowLocks ? await this.lock(owner, found.issueId) : found
      return {
        live: live?.verificationStatus === 'issued' ? (live as Verification) : undefined,
        failures: row?.failures ?? undefined,
      }
    },
    async lockAlone(owner, phoneHash, purpose) {
      await tx.opened()
      return (await tx.all(its.alone, { ...owned(owner), phoneHash, purpose, now: tx.now })).map(storedOf) as Message[]
    },
    async lockExpired(limit) {
      await tx.opened()
      return (await tx.all(its.lockExpired, { now: tx.now, limit })).map(storedOf) as Verification[]
    },
    async nthNewest({ appId, kind: keyKind, phoneHash }, asked) {
      // PostgreSQL's index has the phone first; and to know the time would be one more round trip.
      const since = tx.dialect.hasRowLocks ? 0 : tx.now - Math.max(...asked.map(({ withinMs }) => withinMs)) + 1
      const limit = Math.max(...asked.map(({ nth }) => nth))
      const phone = { appId, keyKind, phoneHash }
      const made = await tx.all(its.newestOfPhone, { ...phone, since, sinceId: idFloor(since), limit })
      return asked.map(({ nth, withinMs }) => {
        const at = made[nth - 1] ?? 0
        return at > tx.now - withinMs ? at : undefined
      })
    },
    async begunBy(messageId) {
      const row = await tx.get(its.begunBy, { messageId })
      return row && (storedOf(row) as Message)
    },
    async lockBegun(agedMs, limit) {
      await tx.opened()
      const asked = { until: agedMs === undefined ? END_OF_TIME : tx.now - agedMs, limit }
      return (await tx.all(its.lockBegun, asked)).map(storedOf) as Message[]
    },
    async add(issue, key) {
      tx.run(its.insert, storedRow(issue, key))
    },
    async save(issue, before) {
      const key = { ...owned(issue), issueId: issue.issueId }
      const update = its.update(storedRow(issue), before && storedRow(before))
      if (update) tx.run(update.statement, { ...update.values, ...key })
    },
  }
}

export function idempotencyTx(tx: Session): IdempotencyTx {
  const its = ISSUES(tx)
  return {
    async find(owner, keyHash) {
      const row = await tx.get(its.findKey, { ...owned(owner), keyHash })
      if (!row?.fingerprint) return undefined
      const { issueId, fingerprint } = row
      return { ...owned(owner), keyHash, fingerprint, issueId, createdAt: row.createdAt || idTime(issueId) }
    },
    async drop(owner, keyHash) {
      tx.run(its.forgetKey, { ...owned(owner), keyHash })
      tx.run(its.forgetErasedKey, { ...owned(owner), keyHash })
    },
  }
}

export function outboxTx(tx: Session, vault: Vault): OutboxTx {
  const its = ISSUES(tx)
  return {
    async add({ issueId, expiresAt }, rendered) {
      tx.run(its.insertMessage, { issueId, sealed: sealMessage(vault, issueId, rendered), expiresAt })
    },
    async find(issueId) {
      const row = await tx.get(its.findMessage, { issueId })
      return row && openMessage(vault, issueId, row.sealed)
    },
    erase: async (issueId) => tx.run(its.deleteMessage, { issueId }),
  }
}

/** Test issues counted in one step. */
const TESTS_PER_STEP = 500

const READS = inDialect(({ db, tables: { apps, attempts, issues }, ...its }) => {
  const { match, ofOwner, bind, word, either } = its
  const columns = issueColumns(issues)
  /** An erased issue cannot be looked up; its row only serves counts. */
  const isThere = isNull(issues.erasedAt)
  const hasCode = isNotNull(issues.verificationStatus)
  const thisRow = and(match(issues, 'appId', 'mode', 'issueId'), isThere)
  const thisIssue = and(thisRow, hasCode)
  const newest = (...conditions: Array<SQL | undefined>) =>
    db
      .select(columns)
      .from(issues)
      .where(and(ofPhone(its, issues), isThere, ...conditions))
      .orderBy(...either({ sqlite: [desc(issues.issueId)], postgres: [desc(issues.createdAt), desc(issues.issueId)] }))

  const inRange = and(
    ofOwner(issues),
    gte(issues.issueId, bind(issues.issueId, 'from')),
    lt(issues.issueId, bind(issues.issueId, 'below')),
  )
  const createdWithin = and(
    gte(issues.createdAt, bind(issues.createdAt, 'createdFrom')),
    lt(issues.createdAt, bind(issues.createdAt, 'createdTo')),
  )
  const stored = (status: VerificationStatus) => eq(issues.verificationStatus, sql.raw(`'${status}'`))
  const unexpired = gt(issues.expiresAt, bind(issues.expiresAt, 'now'))
  const pastExpiry = lte(issues.expiresAt, bind(issues.expiresAt, 'now'))
  /** Filters that are not asked for are NULL, or empty; so one statement serves all of them. */
  const asked = (column: Column, name: string) =>
    sql`${column} IS NOT DISTINCT FROM coalesce(${bind(column, name)}, ${column})`
  const placeOf = (text: SQL, part: SQL) =>
    either({ sqlite: sql`instr(${text}, ${part})`, postgres: sql`strpos(${text}, ${part})` })
  const theirs = sql`${attempts.appId} = ${issues.appId} AND ${attempts.mode} = ${issues.mode} AND ${attempts.issueId} = ${issues.issueId}`
  const filters = [
    asked(issues.deliveryStatus, 'delivery'),
    asked(issues.channel, 'channel'),
    asked(issues.leg, 'leg'),
    asked(issues.country, 'country'),
    asked(issues.providerOutcomeCode, 'outcomeCode'),
    sql`${placeOf(sql`${issues.purpose}`, word('purpose'))} = 1`,
    sql`(${word('carrier')} = '' OR EXISTS (SELECT 1 FROM ${attempts} WHERE ${theirs} AND ${attempts.carrier} = ${word('carrier')}))`,
    sql`(${word('mentioned')} = '' OR ${placeOf(sql`${issues.metadata}`, word('value'))} > 0
      OR EXISTS (SELECT 1 FROM ${attempts} WHERE ${theirs} AND ${attempts.carrierMessageId} = ${word('mentioned')}))`,
  ]
  const walk = (order: typeof asc) => {
    const page = (...conditions: Array<SQL | undefined>) =>
      statement(() =>
        db
          .select(columns)
          .from(issues)
          .where(and(inRange, createdWithin, isThere, ...filters, ...conditions))
          .orderBy(order(issues.issueId))
          .limit(sql.placeholder('limit')),
      )
    return {
      pages: {
        any: page(hasCode),
        issued: page(hasCode, stored('issued'), unexpired),
        expired: page(hasCode, or(stored('expired'), and(stored('issued'), pastExpiry))),
        verified: page(hasCode, stored('verified')),
        max_attempts: page(hasCode, stored('max_attempts')),
        replaced: page(hasCode, stored('replaced')),
        unverified: page(hasCode, ne(issues.verificationStatus, sql.raw("'verified'"))),
        alone: page(isNull(issues.verificationStatus)),
      },
      /** The id `rows` rows further on. */
      further: statement(() =>
        db
          .select({ issueId: issues.issueId })
          .from(issues)
          .where(inRange)
          .orderBy(order(issues.issueId))
          .limit(1)
          .offset(sql.placeholder('rows')),
      ),
    }
  }
  return {
    find: statement(() => db.select(columns).from(issues).where(thisRow)),
    standing: statement(() =>
      db
        .select(columnsIn(getTableColumns(issues), STANDING))
        .from(issues)
        .where(thisIssue),
    ),
    newestOfPurpose: statement(() => newest(match(issues, 'appId', 'mode', 'purpose'), hasCode).limit(1)),
    newestOfPhone: statement(() => newest(sql`${issues.mode} = 'live'`).limit(sql.placeholder('limit'))),
    newestFirst: walk(desc),
    oldestFirst: walk(asc),
    apps: statement(() => db.select({ appId: apps.appId, organizationId: apps.organizationId }).from(apps)),
    /** Each app is asked by itself: a join would read the index of all phones ever. */
    testIssues: statement(() =>
      db
        .select({ issueId: issues.issueId, createdAt: issues.createdAt })
        .from(issues)
        .where(
          and(match(issues, 'appId'), sql`${issues.mode} = 'test'`, gt(issues.issueId, bind(issues.issueId, 'after'))),
        )
        .orderBy(issues.issueId)
        .limit(TESTS_PER_STEP),
    ),
    /** Rows of a step, which takes a few milliseconds: SQLite's are read on the event loop. */
    rowsPerStep: either({ sqlite: 500, postgres: 2_500 }),
  }
})

function walk(reads: Querying, { isOldestFirst, status, ...filter }: IssueFilter, now: number): IssuePages {
  const its = READS(reads)
  const { pages, further } = isOldestFirst ? its.oldestFirst : its.newestFirst
  const asked = { ...askedOf(filter), now }
  return {
    rowsPerStep: its.rowsPerStep,
    setBackMs: () => furthestSetBack(reads),
    further: async (range) => (await reads.get(further, { ...range }))?.issueId,
    read: async (range) => (await reads.all(pages[status ?? 'any'], { ...asked, ...range })).map(storedOf),
  }
}

export function issueReader(reads: Reads): IssueReader {
  const { scanning } = reads
  const its = READS(reads)
  const stored: IssueReader['stored'] = async ({ appId, mode }, issueId) => {
    const row = await reads.get(its.find, { appId, mode, issueId })
    return row && storedOf(row)
  }
  return {
    stored,
    async find(owner, issueId) {
      const found = await stored(owner, issueId)
      return found && hasCode(found) ? shownIssue(found) : undefined
    },
    standing: async ({ appId, mode }, issueId) =>
      found(await reads.get(its.standing, { appId, mode, issueId }), standingOf),
    async newest({ appId, mode }, phoneHash, purpose) {
      const row = await reads.get(its.newestOfPurpose, { appId, mode, phoneHash, purpose })
      return row && shownIssue(storedOf(row) as Verification)
    },
    newestOfPhone: async (phoneHash, limit) => (await reads.all(its.newestOfPhone, { phoneHash, limit })).map(storedOf),
    page: async (owner, filter, now) =>
      (await readIssuePage(owner, filter, walk(reads, filter, now))).filter(hasCode).map(shownIssue),
    search: (owner, filter, now) => readIssues(owner, filter, walk(reads, filter, now), ROWS_AT_MOST),
    async testIssuesSince(since) {
      const counted = new Map<string, number>()
      for (const { appId, organizationId } of await scanning.all(its.apps))
        for (let after: string | undefined = idFloor(since); after !== undefined; ) {
          const rows: Array<{ issueId: string; createdAt: number }> = await scanning.all(its.testIssues, {
            appId,
            after,
          })
          const issues = rows.filter(({ createdAt }) => createdAt >= since).length
          if (issues > 0) counted.set(organizationId, issues + (counted.get(organizationId) ?? 0))
          after = rows[TESTS_PER_STEP - 1]?.issueId
        }
      return [...counted].map(([organizationId, issues]) => ({ organizationId, issues }))
    },
  }
}
