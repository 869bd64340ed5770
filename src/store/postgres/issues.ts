/** Issues, their idempotency records, and rendered messages. */
import { and, asc, desc, eq, getTableColumns, gt, gte, isNull, lt, lte, ne, or, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { STANDING, type VerificationStatus } from '../../domain/codes/issue'
import type { Owner } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import type { IssueFilter, IssueReader } from '../../ports/store/issues'
import type { Vault } from '../../ports/vault'
import { idFloor } from '../ids'
import { askedOf, type IssuePages, ROWS_AT_MOST, readIssuePage, readIssues } from '../list-pages'
import { ISSUE_CHANGING, issueOf, issueRow, openMessage, sealMessage, standingOf } from '../rows/issue'
import { columnsIn } from '../tables'
import { furthestSetBack } from './clock'
import { ClockSetError } from './connection/clock-lock'
import {
  addition,
  bind,
  changes,
  db,
  keptBy,
  ofOwner,
  type ParameterText,
  plain,
  statement,
} from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'
import { failuresIn } from './failures'
import { attempts, failures, idempotencyRecords, issues, outbox } from './schema'

export const thisIssue = and(ofOwner(issues), eq(issues.issueId, bind(issues.issueId, 'issueId')))
const thisRecord = and(
  ofOwner(idempotencyRecords),
  eq(idempotencyRecords.keyHash, bind(idempotencyRecords.keyHash, 'keyHash')),
)
const ofCaller = ne(issues.keyKind, sql.raw("'relay'"))
const ofRelay = eq(issues.keyKind, sql.raw("'relay'"))
/** An erased issue cannot be looked up; its row only serves counts. */
const isThere = isNull(issues.erasedAt)
export const thisMessage = eq(outbox.issueId, bind(outbox.issueId, 'issueId'))

/** Failures at the phone of an issue. */
/** The collation is that of its index: without it each check of a code would read all failures. */
const failuresOf = sql`(SELECT 1 FROM ${failures} WHERE ${failures.appId} = ${issues.appId} COLLATE "default"
  AND ${failures.keyKind} = ${issues.keyKind} AND ${failures.phoneHash} = ${issues.phoneHash}
  AND ${failures.state} <> 'null')`

const heldIssue = ({ issueId }: { issueId: string }) => `issue ${issueId}`

const STATEMENTS = {
  lock: statement((on) => on.select().from(issues).where(thisIssue).for('no key update').prepare(''), {
    sharedBy: heldIssue,
  }),
  lockToVerify: statement(
    (on) =>
      on
        .select({ ...getTableColumns(issues), hasFailures: sql<boolean>`EXISTS ${failuresOf}` })
        .from(issues)
        .where(and(thisIssue, isThere))
        .for('no key update')
        .prepare(''),
    { sharedBy: heldIssue },
  ),
  /**
   * Keeps others from issuing for the phone until the transaction ends. It also answers the failures at the phone,
   * which saves a query.
   */
  lockPhone: plain(
    (place) => `SELECT pg_advisory_xact_lock(hashtextextended(${place(1)}, 1)),
       (SELECT state FROM failures WHERE app_id = ${place(2)} AND key_kind = ${place(3)} AND phone_hash = ${place(4)})`,
    ({ appId, mode, kind, phoneHash }) => [
      `${appId}/${mode}/${Buffer.from(phoneHash as Uint8Array).toString('hex')}`,
      ...[appId, kind, phoneHash],
    ],
    ([, state]) => ({ failures: failuresIn(state) }),
    {
      types: ['text', 'text', 'text', 'bytea'],
      holds: (_, { appId, mode, phoneHash }) => `phone ${appId}/${mode}/${(phoneHash as Uint8Array).toHex()}`,
    },
  ),
  lockLive: statement(
    (on) =>
      on
        .select()
        .from(issues)
        .where(
          and(
            ofOwner(issues),
            eq(issues.phoneHash, bind(issues.phoneHash, 'phoneHash')),
            eq(issues.purpose, bind(issues.purpose, 'purpose')),
            sql`${issues.verificationStatus} = 'issued'`,
          ),
        )
        .for('no key update')
        .prepare(''),
    { sharedBy: heldIssue },
  ),
  /** Skips issues that another server is expiring. */
  lockExpired: statement(() =>
    db
      .select()
      .from(issues)
      .where(and(sql`${issues.verificationStatus} = 'issued'`, lte(issues.expiresAt, bind(issues.expiresAt, 'now'))))
      .orderBy(issues.expiresAt)
      .limit(sql.placeholder('limit'))
      .for('no key update', { skipLocked: true })
      .prepare(''),
  ),
  insert: addition(issues),
  update: statement(() => db.update(issues).set(changes(issues, ISSUE_CHANGING)).where(thisIssue).prepare('')),
  findRecord: statement((on) => on.select().from(idempotencyRecords).where(thisRecord).prepare(''), {
    sharedBy: 'anybody',
  }),
  insertRecord: addition(idempotencyRecords, ['appId', 'mode', 'keyHash', 'fingerprint', 'issueId', 'createdAt']),
  deleteRecord: statement(() => db.delete(idempotencyRecords).where(thisRecord).prepare('')),
  insertMessage: addition(outbox),
  findMessage: statement((on) => on.select().from(outbox).where(thisMessage).prepare(''), { sharedBy: 'anybody' }),
  deleteMessage: statement(() => db.delete(outbox).where(thisMessage).prepare('')),
}

/** How long a transaction may wait for the lock of its phone and still see its whole rate-limit window. */
const SLACK_MS = 60_000

/** When the `nth` newest live issue of a phone with one kind of key was created, if that is within the window. */
const youngerThan = (place: ParameterText, n: number) =>
  `(SELECT created_at FROM issues WHERE phone_hash = ${place(1)} AND app_id = ${place(2)} AND mode = 'live' AND key_kind = ${place(3)}
     AND created_at > clock_ms() - ${SLACK_MS} - ${place(2 * n + 4)}::bigint ORDER BY created_at DESC LIMIT 1 OFFSET ${place(2 * n + 5)}::bigint - 1)`

/** One statement for `count` windows; with an array parameter PostgreSQL would plan it anew each time. */
const nthNewest = keptBy((count: number) =>
  plain<{ clock: number; made: Array<number | undefined> }>(
    (place) => `SELECT clock_ms(), ${Array.from({ length: count }, (_, n) => youngerThan(place, n))}`,
    ({ phoneHash, appId, kind, asked }) => [phoneHash, appId, kind, ...(asked as number[])],
    ([clock, ...made]) => ({
      clock: Number(clock),
      made: made.map((createdAt) => (createdAt === null ? undefined : Number(createdAt))),
    }),
    { types: ['bytea', 'text', 'text', ...Array.from({ length: 2 * count }, () => 'bigint')] },
  ),
)

const owned = ({ appId, mode }: Owner) => ({ appId, mode })
const named = (issueId: string) => `issue ${issueId}`

/** `ahead` prefetches what events of an issue need: code that locks an issue will emit one. */
export function issueTx(transaction: Transaction, ahead: (owner: Owner) => void): Tx['issues'] {
  const lock = (owner: Owner, issueId: string) =>
    transaction.once(named(issueId), async () => {
      const row = await transaction.get(STATEMENTS.lock, { ...owned(owner), issueId })
      return row && issueOf(row)
    })
  return {
    async lock(owner, issueId) {
      const locked = lock(owner, issueId)
      ahead(owner)
      const issue = await locked
      return issue?.appId === owner.appId && issue.mode === owner.mode ? issue : undefined
    },
    async lockToVerify(owner, issueId) {
      const asked = transaction.get(STATEMENTS.lockToVerify, { ...owned(owner), issueId })
      ahead(owner)
      const row = await asked
      if (!row) return undefined
      const { hasFailures, ...found } = row
      const issue = issueOf(found)
      transaction.note(named(issueId), issue)
      return { issue, hasFailures }
    },
    async lockPhone(owner, phone, purpose) {
      const values = { ...phone, ...owned(owner), purpose }
      const [known, live] = await Promise.all([
        transaction.get(STATEMENTS.lockPhone, values),
        transaction.get(STATEMENTS.lockLive, values),
      ])
      return { live: live && issueOf(live), failures: known?.failures }
    },
    async lockExpired(limit) {
      await transaction.opened()
      return (await transaction.change(STATEMENTS.lockExpired, { now: transaction.now, limit })).map(issueOf)
    },
    async nthNewest({ appId, kind, phoneHash }, asked) {
      const values = asked.flatMap(({ withinMs, nth }) => [withinMs, nth])
      const found = await transaction.get(nthNewest(asked.length), { appId, kind, phoneHash, asked: values })
      if (!found) return []
      const { clock, made } = found
      // The query was sent before the time of the transaction was known. If the times differ, its window was a
      // different one.
      if (Math.abs(clock - transaction.stamped) > SLACK_MS) throw new ClockSetError()
      return made.map((at, n) =>
        at !== undefined && at > transaction.stamped - (asked[n]?.withinMs ?? 0) ? at : undefined,
      )
    },
    async add(issue) {
      transaction.run(STATEMENTS.insert, issueRow(issue))
    },
    async save(issue) {
      transaction.run(STATEMENTS.update, issueRow(issue))
      transaction.note(named(issue.issueId), issue)
    },
  }
}

export function idempotencyTx(transaction: Transaction): Tx['idempotency'] {
  return {
    async find(owner, keyHash) {
      return transaction.get(STATEMENTS.findRecord, { ...owned(owner), keyHash })
    },
    async add(record) {
      transaction.run(STATEMENTS.insertRecord, { ...record })
    },
    async drop(owner, keyHash) {
      transaction.run(STATEMENTS.deleteRecord, { ...owned(owner), keyHash })
    },
  }
}

export function outboxTx(transaction: Transaction, vault: Vault): Tx['outbox'] {
  return {
    async add({ issueId, expiresAt }, rendered) {
      transaction.run(STATEMENTS.insertMessage, { issueId, sealed: sealMessage(vault, issueId, rendered), expiresAt })
    },
    async find(issueId) {
      const row = await transaction.get(STATEMENTS.findMessage, { issueId })
      return row && openMessage(vault, issueId, row.sealed)
    },
    async erase(issueId) {
      transaction.run(STATEMENTS.deleteMessage, { issueId })
    },
  }
}

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
const asked = (column: AnyPgColumn, name: string) =>
  sql`${column} IS NOT DISTINCT FROM coalesce(${bind(column, name)}, ${column})`
const askedCarrier = sql`${bind(attempts.carrier, 'carrier')}::text`
const mentioned = sql`${bind(attempts.carrier, 'mentioned')}::text`
const theirs = sql`${attempts.appId} = ${issues.appId} AND ${attempts.mode} = ${issues.mode} AND ${attempts.issueId} = ${issues.issueId}`
const ASKED = [
  asked(issues.deliveryStatus, 'delivery'),
  asked(issues.channel, 'channel'),
  asked(issues.leg, 'leg'),
  asked(issues.country, 'country'),
  asked(issues.providerOutcomeCode, 'outcomeCode'),
  sql`starts_with(${issues.purpose}, ${bind(issues.purpose, 'purpose')})`,
  sql`(${askedCarrier} = '' OR EXISTS (SELECT 1 FROM ${attempts} WHERE ${theirs} AND ${attempts.carrier} = ${askedCarrier}))`,
  sql`(${mentioned} = '' OR strpos(${issues.metadata}, ${bind(attempts.carrier, 'value')}) > 0
    OR EXISTS (SELECT 1 FROM ${attempts} WHERE ${theirs} AND ${attempts.carrierMessageId} = ${mentioned}))`,
]
const page = (order: typeof asc, ...conditions: Parameters<typeof and>) =>
  statement(() =>
    db
      .select()
      .from(issues)
      .where(and(inRange, createdWithin, isThere, ...ASKED, ...conditions))
      .orderBy(order(issues.issueId))
      .limit(sql.placeholder('limit'))
      .prepare(''),
  )
const walkStatements = (order: typeof asc) => ({
  pages: {
    any: page(order, ofCaller),
    issued: page(order, ofCaller, stored('issued'), unexpired),
    expired: page(order, ofCaller, or(stored('expired'), and(stored('issued'), pastExpiry))),
    verified: page(order, ofCaller, stored('verified')),
    max_attempts: page(order, ofCaller, stored('max_attempts')),
    replaced: page(order, ofCaller, stored('replaced')),
    unverified: page(order, ofCaller, ne(issues.verificationStatus, sql.raw("'verified'"))),
    relayed: page(order, ofRelay),
  },
  /** The id `rows` rows further on. */
  further: statement(() =>
    db
      .select({ issueId: issues.issueId })
      .from(issues)
      .where(inRange)
      .orderBy(order(issues.issueId))
      .limit(1)
      .offset(sql.placeholder('rows'))
      .prepare(''),
  ),
})

const READS = {
  find: statement(() => db.select().from(issues).where(and(thisIssue, isThere)).prepare('')),
  standing: statement(() =>
    db
      .select(columnsIn(getTableColumns(issues), STANDING))
      .from(issues)
      .where(and(thisIssue, isThere))
      .prepare(''),
  ),
  newest: statement(() =>
    db
      .select()
      .from(issues)
      .where(
        and(
          eq(issues.phoneHash, bind(issues.phoneHash, 'phoneHash')),
          ofOwner(issues),
          eq(issues.purpose, bind(issues.purpose, 'purpose')),
          isThere,
        ),
      )
      .orderBy(desc(issues.createdAt), desc(issues.issueId))
      .limit(1)
      .prepare(''),
  ),
  newestOfPhone: statement(() =>
    db
      .select()
      .from(issues)
      .where(and(eq(issues.phoneHash, bind(issues.phoneHash, 'phoneHash')), sql`${issues.mode} = 'live'`, isThere))
      .orderBy(desc(issues.createdAt), desc(issues.issueId))
      .limit(sql.placeholder('limit'))
      .prepare(''),
  ),
  newestFirst: walkStatements(desc),
  oldestFirst: walkStatements(asc),
  testIssues: plain<{ organizationId: string; issues: number }>(
    (place) => `SELECT organization_id, count(*) FROM apps JOIN issues USING (app_id)
     WHERE mode = 'test' AND issue_id > ${place(1)} AND issues.created_at >= ${place(2)} GROUP BY organization_id`,
    ({ since }) => [idFloor(since as number), since],
    ([organizationId, issues]) => ({ organizationId: String(organizationId), issues: Number(issues) }),
    { types: ['uuid', 'bigint'] },
  ),
}

function walk(pool: Querying, { isOldestFirst, status, ...filter }: IssueFilter, now: number): IssuePages {
  const { pages, further } = isOldestFirst ? READS.oldestFirst : READS.newestFirst
  const asked = { ...askedOf(filter), now }
  return {
    // A step takes two round trips.
    rowsPerStep: 2_500,
    setBackMs: () => furthestSetBack(pool),
    further: async (range) => (await pool.get(further, { ...range }))?.issueId,
    read: async (range) => (await pool.all(pages[status ?? 'any'], { ...asked, ...range })).map(issueOf),
  }
}

export const issueReader = (pool: Querying): IssueReader => ({
  async find({ appId, mode }, issueId) {
    const row = await pool.get(READS.find, { appId, mode, issueId })
    return row && issueOf(row)
  },
  async standing({ appId, mode }, issueId) {
    const row = await pool.get(READS.standing, { appId, mode, issueId })
    return row && standingOf(row)
  },
  async newest({ appId, mode }, phoneHash, purpose) {
    const row = await pool.get(READS.newest, { appId, mode, phoneHash, purpose })
    return row && issueOf(row)
  },
  async newestOfPhone(phoneHash, limit) {
    return (await pool.all(READS.newestOfPhone, { phoneHash, limit })).map(issueOf)
  },
  page: (owner, filter, now) => readIssuePage(owner, filter, walk(pool, filter, now)),
  search: (owner, filter, now) => readIssues(owner, filter, walk(pool, filter, now), ROWS_AT_MOST),
  testIssuesSince: (since) => pool.all(READS.testIssues, { since }),
})
