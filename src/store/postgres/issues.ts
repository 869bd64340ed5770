/** Issues, the idempotency keys that stand for them, and what is to be sent. */
import { and, desc, eq, getTableColumns, gt, gte, isNull, lt, lte, or, sql } from 'drizzle-orm'
import { type Issue, STANDING, type VerificationStatus } from '../../domain/issue'
import { DAY_MS, type Owner } from '../../domain/value'
import type { Tx } from '../../ports/store'
import type { IssueReader } from '../../ports/store/issues'
import type { Vault } from '../../ports/vault'
import { COVERED, SOUGHT, type Sought } from '../covered'
import { idFloor } from '../ids'
import { readIssuePage } from '../issue-pages'
import { ISSUE_CHANGING, issueOf, issueRow, openLetter, sealLetter, standingOf } from '../rows/issue'
import { columnsIn } from '../rows/row'
import { bringing } from './bring'
import { furthestSetBack } from './clock'
import { ClockSetError } from './clock-watch'
import { bringFailures, failuresIn } from './failures'
import { claims, failures, issues, outbox } from './schema'
import { addition, bind, changes, db, keptBy, ofOwner, plain, statement } from './statement'
import type { Asked, Unit } from './unit'

export const thisIssue = and(ofOwner(issues), eq(issues.issueId, bind(issues.issueId, 'issueId')))
const thisClaim = and(ofOwner(claims), eq(claims.keyHash, bind(claims.keyHash, 'keyHash')))
/** Who was erased is found no more; the row is there to be counted. */
const isThere = isNull(issues.erasedAt)
export const thisLetter = eq(outbox.issueId, bind(outbox.issueId, 'issueId'))

/** As a list, which the index finds whatever the database knows of its rows. */
const eitherClaim = and(
  ofOwner(claims),
  sql`${claims.keyHash} IN (${bind(claims.keyHash, 'keyHash')}, ${bind(claims.keyHash, 'formerHash')})`,
)

/** Of the phone of an issue; where its kind of key was not noted, it counts as a backend's. */
const failuresOf = sql`(SELECT 1 FROM ${failures} WHERE ${failures.appId} = ${issues.appId}
  AND ${failures.keyKind} = coalesce(${issues.keyKind}, 'sk') AND ${failures.phoneHash} = ${issues.phoneHash}
  AND ${failures.state} <> 'null')`

const heldIssue = ({ issueId }: { issueId: string }) => `issue ${issueId}`

const STATEMENTS = {
  lock: statement(() => db.select().from(issues).where(thisIssue).for('no key update').prepare(''), {
    sharedBy: heldIssue,
  }),
  lockToVerify: statement(
    () =>
      db
        .select({ ...getTableColumns(issues), hasFailures: sql<boolean>`EXISTS ${failuresOf}` })
        .from(issues)
        .where(and(thisIssue, isThere))
        .for('no key update')
        .prepare(''),
    { sharedBy: heldIssue },
  ),
  /** Nobody else issues for the phone until the unit ends. Its failures come along, so that they cost no look of their own. */
  lockPhone: plain(
    `SELECT pg_advisory_xact_lock(hashtextextended($1, 1)),
       (SELECT state FROM failures WHERE app_id = $2 AND key_kind = $3 AND phone_hash = $4)`,
    ({ appId, mode, kind, phoneHash }, { stored }) => [
      `${appId}/${mode}/${Buffer.from(phoneHash as Uint8Array).toString('hex')}`,
      ...[appId, kind, stored(phoneHash as Uint8Array)],
    ],
    ([, state]) => ({ failures: failuresIn(state) }),
    {
      types: ['text', 'text', 'text', 'bytea'],
      holds: (_, { appId, mode, phoneHash }) => `phone ${appId}/${mode}/${(phoneHash as Uint8Array).toHex()}`,
    },
  ),
  lockLive: statement(
    () =>
      db
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
  /** What another server is about to end is left to it. */
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
  findClaim: statement(() => db.select().from(claims).where(eitherClaim).prepare(''), { sharedBy: 'anybody' }),
  insertClaim: addition(claims, ['appId', 'mode', 'keyHash', 'fingerprint', 'issueId', 'createdAt', 'hashKey']),
  deleteClaim: statement(() => db.delete(claims).where(thisClaim).prepare('')),
  insertLetter: addition(outbox),
  findLetter: statement(() => db.select().from(outbox).where(thisLetter).prepare(''), { sharedBy: 'anybody' }),
  deleteLetter: statement(() => db.delete(outbox).where(thisLetter).prepare('')),
}

/** How long a unit may wait for its phone, and still look at all of its window. */
const SLACK_MS = 60_000

/** Issues made before kinds were noted count for each. */
const youngerThan = (withinMs: string, nth: string) =>
  `(SELECT created_at FROM issues WHERE phone_hash = $1 AND app_id = $2 AND mode = 'live' AND coalesce(key_kind, $3) = $3
     AND created_at > clock_ms() - ${SLACK_MS} - ${withinMs}::bigint ORDER BY created_at DESC LIMIT 1 OFFSET ${nth}::bigint - 1)`

/** Of as many at once; as a list of them it would be planned anew each time. */
const nthNewest = keptBy((count: number) =>
  plain<{ clock: number; made: Array<number | undefined> }>(
    `SELECT clock_ms(), ${Array.from({ length: count }, (_, n) => youngerThan(`$${2 * n + 4}`, `$${2 * n + 5}`))}`,
    ({ phoneHash, appId, kind, asked }, { stored }) => [
      ...[stored(phoneHash as Uint8Array), appId, kind],
      ...(asked as number[]),
    ],
    ([clock, ...made]) => ({
      clock: Number(clock),
      made: made.map((createdAt) => (createdAt === null ? undefined : Number(createdAt))),
    }),
    { types: ['bytea', 'text', 'text', ...Array.from({ length: 2 * count }, () => 'bigint')] },
  ),
)

/** Those that may still count. */
const RECENT_ISSUES: Sought = {
  ...{ covered: COVERED.issues, column: 'phone_hash', within: ['app_id'] },
  where: `mode = 'live' AND created_at > clock_ms() - ${2 * DAY_MS}`,
}

const bring = { live: bringing(SOUGHT.live), recent: bringing(RECENT_ISSUES), claim: bringing(SOUGHT.claim) }

const owned = ({ appId, mode }: Owner) => ({ appId, mode })
const named = (issueId: string) => `issue ${issueId}`

/** `ahead`: who locks an issue is about to tell of its change, and will ask for this. */
export function issueTx(unit: Unit, ahead: (owner: Owner) => void): Tx['issues'] {
  const lock = (owner: Owner, issueId: string) =>
    unit.once(named(issueId), async () => {
      const row = await unit.get(STATEMENTS.lock, { ...owned(owner), issueId })
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
      const asked = unit.get(STATEMENTS.lockToVerify, { ...owned(owner), issueId })
      ahead(owner)
      const row = await asked
      if (!row) return undefined
      const { hasFailures, ...found } = row
      const issue = issueOf(found)
      unit.note(named(issueId), issue)
      // They may be stored otherwise than the issue: whoever locks them finds out.
      return { issue, hasFailures: hasFailures || unit.cover.isChanging }
    },
    async lockPhone(owner, phone, purpose) {
      const values = { ...phone, ...owned(owner), purpose }
      if (unit.cover.isChanging) {
        // Each after what it belongs to, in the order in which who verifies locks them.
        await unit.get(STATEMENTS.lockPhone, values)
        await bring.live(unit, phone.phoneHash, owner.appId, owner.mode, purpose)
        await unit.get(STATEMENTS.lockLive, values)
        await bringFailures(unit, { ...phone, ...owner })
      }
      const [known, live] = await Promise.all([
        unit.get(STATEMENTS.lockPhone, values),
        unit.get(STATEMENTS.lockLive, values),
      ])
      return { live: live && issueOf(live), failures: known?.failures }
    },
    async lockExpired(limit) {
      await unit.opened()
      return (await unit.change(STATEMENTS.lockExpired, { now: unit.now, limit })).map(issueOf)
    },
    async nthNewest({ appId, kind, phoneHash }, asked) {
      await bring.recent(unit, phoneHash, appId)
      const values = asked.flatMap(({ withinMs, nth }) => [withinMs, nth])
      const found = await unit.get(nthNewest(asked.length), { appId, kind, phoneHash, asked: values })
      if (!found) return []
      const { clock, made } = found
      // Asked for before the time of the unit is known: what is younger by another time is not what counts.
      if (Math.abs(clock - unit.stamped) > SLACK_MS) throw new ClockSetError()
      return made.map((at, n) => (at !== undefined && at > unit.stamped - (asked[n]?.withinMs ?? 0) ? at : undefined))
    },
    async add(issue) {
      unit.run(STATEMENTS.insert, issueRow(issue))
    },
    async save(issue) {
      unit.run(STATEMENTS.update, issueRow(issue))
      unit.note(named(issue.issueId), issue)
    },
  }
}

export function claimTx(unit: Unit): Tx['claims'] {
  return {
    async find(owner, keyHash, former = () => keyHash) {
      const formerHash = former()
      if (unit.cover.isChanging) {
        // In one order, so that nobody waits for one that waits for it.
        for (const hash of [keyHash, formerHash].toSorted(Buffer.compare))
          await bring.claim(unit, hash, owner.appId, owner.mode)
      }
      return unit.get(STATEMENTS.findClaim, { ...owned(owner), keyHash, formerHash })
    },
    async add(claim) {
      unit.run(STATEMENTS.insertClaim, { ...claim })
    },
    async drop(owner, keyHash) {
      await bring.claim(unit, keyHash, owner.appId, owner.mode)
      unit.run(STATEMENTS.deleteClaim, { ...owned(owner), keyHash })
    },
  }
}

export function outboxTx(unit: Unit, vault: Vault): Tx['outbox'] {
  return {
    async add({ issueId, expiresAt }, letter) {
      unit.run(STATEMENTS.insertLetter, { issueId, sealed: sealLetter(vault, issueId, letter), expiresAt })
    },
    async find(issueId) {
      const row = await unit.get(STATEMENTS.findLetter, { issueId })
      return row && openLetter(vault, issueId, row.sealed)
    },
    async erase(issueId) {
      unit.run(STATEMENTS.deleteLetter, { issueId })
    },
  }
}

const RECENT_AT_ONCE = 5_000

const page = (...conditions: Parameters<typeof and>) =>
  statement(() =>
    db
      .select()
      .from(issues)
      .where(
        and(
          ofOwner(issues),
          gte(issues.issueId, bind(issues.issueId, 'from')),
          lt(issues.issueId, bind(issues.issueId, 'below')),
          gte(issues.createdAt, bind(issues.createdAt, 'createdFrom')),
          lt(issues.createdAt, bind(issues.createdAt, 'createdTo')),
          isThere,
          ...conditions,
        ),
      )
      .orderBy(desc(issues.issueId))
      .limit(sql.placeholder('limit'))
      .prepare(''),
  )
const stored = (status: VerificationStatus) => eq(issues.verificationStatus, sql.raw(`'${status}'`))
const unexpired = gt(issues.expiresAt, bind(issues.expiresAt, 'now'))
const pastExpiry = lte(issues.expiresAt, bind(issues.expiresAt, 'now'))

const READS = {
  find: statement(() => db.select().from(issues).where(and(thisIssue, isThere)).prepare('')),
  standing: statement(() =>
    db
      .select(columnsIn(getTableColumns(issues), STANDING))
      .from(issues)
      .where(and(thisIssue, isThere))
      .prepare(''),
  ),
  pages: {
    any: page(),
    issued: page(stored('issued'), unexpired),
    expired: page(or(stored('expired'), and(stored('issued'), pastExpiry))),
    verified: page(stored('verified')),
    max_attempts: page(stored('max_attempts')),
    replaced: page(stored('replaced')),
  },
  /** The id that many rows further down. */
  further: statement(() =>
    db
      .select({ issueId: issues.issueId })
      .from(issues)
      .where(
        and(
          ofOwner(issues),
          gte(issues.issueId, bind(issues.issueId, 'from')),
          lt(issues.issueId, bind(issues.issueId, 'below')),
        ),
      )
      .orderBy(desc(issues.issueId))
      .limit(1)
      .offset(sql.placeholder('rows'))
      .prepare(''),
  ),
  recent: statement(() =>
    db
      .select({
        issueId: issues.issueId,
        phoneHash: issues.phoneHash,
        hashKey: issues.hashKey,
        keyKind: issues.keyKind,
        createdAt: issues.createdAt,
      })
      .from(issues)
      .where(and(ofOwner(issues), gt(issues.issueId, bind(issues.issueId, 'after'))))
      .orderBy(issues.issueId)
      .limit(RECENT_AT_ONCE)
      .prepare(''),
  ),
}

export const issueReader = (pool: Asked): IssueReader => ({
  async find({ appId, mode }, issueId) {
    const row = await pool.get(READS.find, { appId, mode, issueId })
    return row && issueOf(row)
  },
  async standing({ appId, mode }, issueId) {
    const row = await pool.get(READS.standing, { appId, mode, issueId })
    return row && standingOf(row)
  },
  page: (owner, filter, now) =>
    readIssuePage(owner, filter, {
      setBackMs: () => furthestSetBack(pool),
      further: async (range) => (await pool.get(READS.further, { ...range }))?.issueId,
      read: async (range) => (await pool.all(READS.pages[filter.status ?? 'any'], { ...range, now })).map(issueOf),
    }),
  async *since({ appId, mode }, since) {
    let after: string | undefined = idFloor(since)
    while (after !== undefined) {
      const rows: Array<{
        issueId: string
        keyKind: Issue['keyKind'] | null
        phoneHash: Uint8Array
        createdAt: number
      }> = await pool.all(READS.recent, { appId, mode, after })
      yield rows.map(({ keyKind, ...issue }) => ({ ...issue, keyKind: keyKind ?? undefined }))
      after = rows[RECENT_AT_ONCE - 1]?.issueId
    }
  },
})
