/** Issues, their idempotency records, and rendered messages. */
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { and, asc, desc, eq, getTableColumns, gt, gte, isNull, lt, lte, ne, or, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import { STANDING, type VerificationStatus } from '../../domain/codes/issue'
import type { Owner } from '../../domain/shared/value'
import type { Reader, Tx } from '../../ports/store'
import type { IssueFilter } from '../../ports/store/issues'
import type { Vault } from '../../ports/vault'
import { idFloor, uuidBytes } from '../ids'
import { askedOf, type IssuePages, ROWS_AT_MOST, readIssuePage, readIssues } from '../list-pages'
import {
  ISSUE_CHANGING,
  ISSUE_SINCE,
  issueOf,
  issueRow,
  issueSince,
  openMessage,
  sealMessage,
  standingOf,
} from '../rows/issue'
import { columnsIn } from '../tables'
import { furthestSetBack } from './clock'
import { type Connections, nextTurn } from './connection/read-group'
import { bind, changes, db, ofOwner, on, parameters, plain, statement, updating } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { failuresOf, theseFailures } from './failures'
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

/** Newest first, read by the index of phones. For the `+` see `bind`. */
export const NEWEST_OF_PHONE = `SELECT created_at FROM issues
  WHERE substr(phone_hash, 1, 6) = +?1 AND app_id = +?2 AND mode = 'live' AND issue_id >= +?3
    AND phone_hash = +?4 AND created_at >= +?5 AND key_kind = +?6
  ORDER BY issue_id DESC LIMIT +?7`
const PHONE_PREFIX_BYTES = 6

const ISSUE_TX = {
  newestOfPhone: plain<unknown, SQLQueryBindings[]>(NEWEST_OF_PHONE),
  findIssue: statement(() => db.select().from(issues).where(thisIssue).prepare()),
  findSince: statement(() =>
    db
      .select(columnsIn(getTableColumns(issues), ISSUE_SINCE))
      .from(issues)
      .where(thisIssue)
      .prepare(),
  ),
  findToVerify: statement(() =>
    db
      .select({ ...getTableColumns(issues), hasFailures: sql<number>`EXISTS ${failuresOf(issues)}` })
      .from(issues)
      .where(and(thisIssue, isThere))
      .prepare(),
  ),
  /** One statement, so that a phone without failures costs no second query. */
  findPhone: statement(() =>
    db
      .select({ failures: failures.state, live: issues })
      .from(sql`(SELECT 1)`)
      .leftJoin(failures, theseFailures)
      .leftJoin(
        issues,
        and(
          ofOwner(issues),
          eq(issues.phoneHash, bind(issues.phoneHash, 'phoneHash')),
          eq(issues.purpose, bind(issues.purpose, 'purpose')),
          sql`${issues.verificationStatus} = 'issued'`,
        ),
      )
      .prepare(),
  ),
  findExpired: statement(() =>
    db
      .select()
      .from(issues)
      .where(and(sql`${issues.verificationStatus} = 'issued'`, lte(issues.expiresAt, bind(issues.expiresAt, 'now'))))
      .orderBy(issues.expiresAt)
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
  insertIssue: statement(() => db.insert(issues).values(parameters(issues)).prepare()),

  findRecord: statement(() => db.select().from(idempotencyRecords).where(thisRecord).prepare()),
  insertRecord: statement(() =>
    db
      .insert(idempotencyRecords)
      .values(parameters(idempotencyRecords, ['appId', 'mode', 'keyHash', 'fingerprint', 'issueId', 'createdAt']))
      .prepare(),
  ),
  deleteRecord: statement(() => db.delete(idempotencyRecords).where(thisRecord).prepare()),

  insertOutbox: statement(() => db.insert(outbox).values(parameters(outbox)).prepare()),
  findOutbox: statement(() => db.select().from(outbox).where(thisMessage).prepare()),
  deleteOutbox: statement(() => db.delete(outbox).where(thisMessage).prepare()),
}

const update = updating(ISSUE_CHANGING, (names) =>
  db.update(issues).set(changes(issues, names)).where(thisIssue).prepare(),
)

export function createIssueTx(
  connection: Database,
  vault: Vault,
  current: TransactionState,
): Pick<Tx, 'issues' | 'idempotency' | 'outbox'> {
  const run = on(connection, ISSUE_TX)
  const owned = ({ appId, mode }: Owner) => ({ appId, mode })

  return {
    issues: {
      async lock(owner, issueId, known) {
        const key = { ...owned(owner), issueId }
        const since = known?.issueId === issueId ? run.findSince.get(key) : undefined
        if (known && since && since.erasedAt === null) return issueSince(known, since)
        const row = run.findIssue.get(key)
        return row && issueOf(row)
      },
      async lockToVerify(owner, issueId) {
        const row = run.findToVerify.get({ ...owned(owner), issueId })
        if (!row) return undefined
        const { hasFailures, ...issue } = row
        return { issue: issueOf(issue), hasFailures: hasFailures === 1 }
      },
      async lockPhone(owner, phone, purpose) {
        const row = run.findPhone.get({ ...phone, ...owned(owner), purpose })
        return { live: row?.live ? issueOf(row.live) : undefined, failures: row?.failures ?? undefined }
      },
      async lockExpired(limit) {
        return run.findExpired.all({ now: current.now, limit }).map(issueOf)
      },
      async nthNewest({ appId, kind, phoneHash }, asked) {
        const since = current.now - Math.max(...asked.map(({ withinMs }) => withinMs)) + 1
        const most = Math.max(...asked.map(({ nth }) => nth))
        const phone = phoneHash.subarray(0, PHONE_PREFIX_BYTES)
        const made = run.newestOfPhone.values(phone, appId, uuidBytes(idFloor(since)), phoneHash, since, kind, most)
        return asked.map(({ nth, withinMs }) => {
          const at = Number(made[nth - 1]?.[0] ?? 0)
          return at > current.now - withinMs ? at : undefined
        })
      },
      async add(issue) {
        run.insertIssue.run(issueRow(issue))
      },
      async save(issue, before) {
        update(connection, { ...owned(issue), issueId: issue.issueId }, issue, before)
      },
    },
    idempotency: {
      async find(owner, keyHash) {
        return run.findRecord.get({ ...owned(owner), keyHash })
      },
      async add(record) {
        run.insertRecord.run({ ...record })
      },
      async drop(owner, keyHash) {
        run.deleteRecord.run({ ...owned(owner), keyHash })
      },
    },
    outbox: {
      async add({ issueId, expiresAt }, rendered) {
        run.insertOutbox.run({ issueId, sealed: sealMessage(vault, issueId, rendered), expiresAt })
      },
      async find(issueId) {
        const row = run.findOutbox.get({ issueId })
        return row && openMessage(vault, issueId, row.sealed)
      },
      async erase(issueId) {
        run.deleteOutbox.run({ issueId })
      },
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
const asked = (column: AnySQLiteColumn, name: string) =>
  sql`${column} IS NOT DISTINCT FROM coalesce(${bind(column, name)}, ${column})`
const askedCarrier = bind(attempts.carrier, 'carrier')
const mentioned = bind(attempts.carrier, 'mentioned')
const theirs = sql`${attempts.appId} = ${issues.appId} AND ${attempts.mode} = ${issues.mode} AND ${attempts.issueId} = ${issues.issueId}`
const ASKED = [
  asked(issues.deliveryStatus, 'delivery'),
  asked(issues.channel, 'channel'),
  asked(issues.leg, 'leg'),
  asked(issues.country, 'country'),
  asked(issues.providerOutcomeCode, 'outcomeCode'),
  sql`instr(${issues.purpose}, ${bind(issues.purpose, 'purpose')}) = 1`,
  sql`(${askedCarrier} = '' OR EXISTS (SELECT 1 FROM ${attempts} WHERE ${theirs} AND ${attempts.carrier} = ${askedCarrier}))`,
  sql`(${mentioned} = '' OR instr(${issues.metadata}, ${bind(attempts.carrier, 'value')}) > 0
    OR EXISTS (SELECT 1 FROM ${attempts} WHERE ${theirs} AND ${attempts.carrierMessageId} = ${mentioned}))`,
]

/** After a page of this many rows other requests get their turn. */
const LONG_PAGE = 500

/** By the index, which has the first bytes of the hash. */
const ofPhone = and(
  sql`substr(${issues.phoneHash}, 1, 6) = substr(${bind(issues.phoneHash, 'phoneHash')}, 1, 6)`,
  eq(issues.phoneHash, bind(issues.phoneHash, 'phoneHash')),
)

const ISSUE_READER = {
  issueById: statement(() => db.select().from(issues).where(and(thisIssue, isThere)).prepare()),
  standingById: statement(() =>
    db
      .select(columnsIn(getTableColumns(issues), STANDING))
      .from(issues)
      .where(and(thisIssue, isThere))
      .prepare(),
  ),
  newestOfPurpose: statement(() =>
    db
      .select()
      .from(issues)
      .where(and(ofPhone, ofOwner(issues), eq(issues.purpose, bind(issues.purpose, 'purpose')), isThere))
      .orderBy(desc(issues.issueId))
      .limit(1)
      .prepare(),
  ),
  newestOfPhone: statement(() =>
    db
      .select()
      .from(issues)
      .where(and(ofPhone, sql`${issues.mode} = 'live'`, isThere))
      .orderBy(desc(issues.issueId))
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
}

const page = (order: typeof asc, ...conditions: Parameters<typeof and>) =>
  statement(() =>
    db
      .select()
      .from(issues)
      .where(and(inRange, createdWithin, isThere, ...ASKED, ...conditions))
      .orderBy(order(issues.issueId))
      .limit(sql.placeholder('limit'))
      .prepare(),
  )
const pages = (order: typeof asc) => ({
  any: page(order, ofCaller),
  issued: page(order, ofCaller, stored('issued'), unexpired),
  expired: page(order, ofCaller, or(stored('expired'), and(stored('issued'), pastExpiry))),
  verified: page(order, ofCaller, stored('verified')),
  max_attempts: page(order, ofCaller, stored('max_attempts')),
  replaced: page(order, ofCaller, stored('replaced')),
  unverified: page(order, ofCaller, ne(issues.verificationStatus, sql.raw("'verified'"))),
  relayed: page(order, ofRelay),
})
/** The id `rows` rows further on. */
const further = (order: typeof asc) =>
  statement(() =>
    db
      .select({ issueId: issues.issueId })
      .from(issues)
      .where(inRange)
      .orderBy(order(issues.issueId))
      .limit(1)
      .offset(sql.placeholder('rows'))
      .prepare(),
  )
const NEWEST_FIRST = { pages: pages(desc), further: further(desc) }
const OLDEST_FIRST = { pages: pages(asc), further: further(asc) }

/** Each app is asked by itself: a join would read the index of all phones ever. */
const TEST_ISSUES = {
  apps: plain<{ appId: string; organizationId: string }>(
    'SELECT app_id AS appId, organization_id AS organizationId FROM apps',
  ),
  of: plain<{ id: Uint8Array; createdAt: number }, [string, Uint8Array]>(
    `SELECT issue_id AS id, created_at AS createdAt FROM issues
     WHERE app_id = ? AND mode = 'test' AND issue_id > ? ORDER BY issue_id LIMIT ${LONG_PAGE}`,
  ),
}

export function createIssueReader({ reading: connection, scanning, group }: Connections): Pick<Reader, 'issues'> {
  const setBackMs = furthestSetBack(connection)
  const { issueById, standingById, newestOfPurpose, newestOfPhone } = on(connection, ISSUE_READER)
  const testIssues = on(scanning, TEST_ISSUES)
  const walk = ({ isOldestFirst, status, ...filter }: IssueFilter, now: number): IssuePages => {
    const order = isOldestFirst ? OLDEST_FIRST : NEWEST_FIRST
    const further = order.further.on(connection)
    const page = order.pages[status ?? 'any'].on(connection)
    const asked = { ...askedOf(filter), now }
    return {
      // A step holds the event loop.
      rowsPerStep: 500,
      setBackMs,
      async further(range) {
        const edge = further.get({ ...range })?.issueId
        await nextTurn()
        return edge
      },
      async read(range) {
        const rows = page.all({ ...asked, ...range })
        if (rows.length >= LONG_PAGE) await nextTurn()
        return rows.map(issueOf)
      },
    }
  }

  return {
    issues: {
      find({ appId, mode }, issueId) {
        return group.read(() => {
          const row = issueById.get({ appId, mode, issueId })
          return row && issueOf(row)
        })
      },
      standing({ appId, mode }, issueId) {
        return group.read(() => {
          const row = standingById.get({ appId, mode, issueId })
          return row && standingOf(row)
        })
      },
      newest({ appId, mode }, phoneHash, purpose) {
        return group.read(() => {
          const row = newestOfPurpose.get({ appId, mode, phoneHash, purpose })
          return row && issueOf(row)
        })
      },
      newestOfPhone(phoneHash, limit) {
        return group.read(() => newestOfPhone.all({ phoneHash, limit }).map(issueOf))
      },
      page: (owner, filter, now) => readIssuePage(owner, filter, walk(filter, now)),
      search: (owner, filter, now) => readIssues(owner, filter, walk(filter, now), ROWS_AT_MOST),
      async testIssuesSince(since) {
        const counted = new Map<string, number>()
        for (const { appId, organizationId } of testIssues.apps.all()) {
          for (let after: Uint8Array | undefined = uuidBytes(idFloor(since)); after !== undefined; ) {
            const rows: Array<{ id: Uint8Array; createdAt: number }> = testIssues.of.all(appId, after)
            const issues = rows.filter(({ createdAt }) => createdAt >= since).length
            if (issues > 0) counted.set(organizationId, issues + (counted.get(organizationId) ?? 0))
            after = rows[LONG_PAGE - 1]?.id
            await nextTurn()
          }
        }
        return [...counted].map(([organizationId, issues]) => ({ organizationId, issues }))
      },
    },
  }
}
