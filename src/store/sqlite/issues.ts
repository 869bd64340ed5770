/** Issues, the idempotency keys that stand for them, and what is to be sent. NULL in a row is undefined outside. */
import type { Database } from 'bun:sqlite'
import { and, desc, eq, getTableColumns, gt, gte, isNull, lt, lte, or, sql } from 'drizzle-orm'
import { STANDING, type VerificationStatus } from '../../domain/issue'
import type { Owner } from '../../domain/value'
import type { Reader, Tx } from '../../ports/store'
import type { Newest } from '../../ports/store/issues'
import type { Vault } from '../../ports/vault'
import { SOUGHT } from '../covered'
import { idFloor, uuidBytes } from '../ids'
import { readIssuePage } from '../issue-pages'
import {
  ISSUE_CHANGING,
  ISSUE_SINCE,
  issueOf,
  issueRow,
  issueSince,
  openLetter,
  sealLetter,
  standingOf,
} from '../rows/issue'
import { columnsIn } from '../rows/row'
import { recentIn } from '../rows/traffic'
import { nextTurn } from '../turn'
import { bringing } from './bring'
import { furthestSetBack } from './clock'
import type { Current } from './current'
import { drizzle } from './drizzle'
import { bringingFailures, failuresOf, theseFailures } from './failures'
import type { Connections } from './read-group'
import { claims, failures, issues, outbox } from './schema'
import { bind, changes, ofOwner, onFirstUse, parameters, updating } from './statement'

export const thisIssue = and(ofOwner(issues), eq(issues.issueId, bind(issues.issueId, 'issueId')))
const thisClaim = and(ofOwner(claims), eq(claims.keyHash, bind(claims.keyHash, 'keyHash')))
/** Who was erased is found no more; the row is there to be counted. */
const isThere = isNull(issues.erasedAt)
export const thisLetter = eq(outbox.issueId, bind(outbox.issueId, 'issueId'))

/** In how many ways an issue changes there is a statement for; some ten are known. */
const MANNERS = 24

export function createIssueTx(
  connection: Database,
  vault: Vault,
  current: Current,
): Pick<Tx, 'issues' | 'claims' | 'outbox'> {
  const { cover } = vault
  const db = drizzle(connection, cover)
  const bring = {
    live: bringing(connection, cover, SOUGHT.live),
    failures: bringingFailures(connection, cover),
    claim: bringing(connection, cover, SOUGHT.claim),
  }
  const run = {
    findIssue: onFirstUse(() => db.select().from(issues).where(thisIssue).prepare()),
    findSince: onFirstUse(() =>
      db
        .select(columnsIn(getTableColumns(issues), ISSUE_SINCE))
        .from(issues)
        .where(thisIssue)
        .prepare(),
    ),
    findToVerify: onFirstUse(() =>
      db
        .select({ ...getTableColumns(issues), hasFailures: sql<number>`EXISTS ${failuresOf(issues)}` })
        .from(issues)
        .where(and(thisIssue, isThere))
        .prepare(),
    ),
    /** One statement, so that a phone without failures costs no look of its own. */
    findPhone: onFirstUse(() =>
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
    findExpired: onFirstUse(() =>
      db
        .select()
        .from(issues)
        .where(and(sql`${issues.verificationStatus} = 'issued'`, lte(issues.expiresAt, bind(issues.expiresAt, 'now'))))
        .orderBy(issues.expiresAt)
        .limit(sql.placeholder('limit'))
        .prepare(),
    ),
    nthNewest: onFirstUse(() =>
      db
        .select({ createdAt: issues.createdAt })
        .from(issues)
        .where(
          and(
            sql`${issues.appId} = ${bind(issues.appId, 'appId')} AND ${issues.mode} = 'live'`,
            eq(issues.phoneHash, bind(issues.phoneHash, 'phoneHash')),
            sql`coalesce(${issues.keyKind}, ${sql.placeholder('kind')}) = ${sql.placeholder('kind')}`,
            gte(issues.createdAt, bind(issues.createdAt, 'since')),
          ),
        )
        .orderBy(desc(issues.createdAt))
        .limit(1)
        .offset(sql.placeholder('before'))
        .prepare(),
    ),
    insertIssue: onFirstUse(() => db.insert(issues).values(parameters(issues)).prepare()),

    findClaim: onFirstUse(() => db.select().from(claims).where(thisClaim).prepare()),
    insertClaim: onFirstUse(() =>
      db
        .insert(claims)
        .values(parameters(claims, ['appId', 'mode', 'keyHash', 'fingerprint', 'issueId', 'createdAt', 'hashKey']))
        .prepare(),
    ),
    deleteClaim: onFirstUse(() => db.delete(claims).where(thisClaim).prepare()),

    insertOutbox: onFirstUse(() => db.insert(outbox).values(parameters(outbox)).prepare()),
    findOutbox: onFirstUse(() => db.select().from(outbox).where(thisLetter).prepare()),
    deleteOutbox: onFirstUse(() => db.delete(outbox).where(thisLetter).prepare()),
  }
  const owned = ({ appId, mode }: Owner) => ({ appId, mode })
  const hasFormerClaims = startsWithFormerClaim(connection)
  const update = updating(ISSUE_CHANGING, MANNERS, (names) =>
    db.update(issues).set(changes(issues, names)).where(thisIssue).prepare(),
  )

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
        // They may be stored otherwise than the issue: whoever locks them finds out.
        return { issue: issueOf(issue), hasFailures: hasFailures === 1 || cover.isChanging }
      },
      async lockPhone(owner, phone, purpose) {
        bring.live(phone.phoneHash, owner.appId, owner.mode, purpose)
        bring.failures({ ...phone, ...owner })
        const row = run.findPhone.get({ ...phone, ...owned(owner), purpose })
        return { live: row?.live ? issueOf(row.live) : undefined, failures: row?.failures ?? undefined }
      },
      async lockExpired(limit) {
        return run.findExpired.all({ now: current.now, limit }).map(issueOf)
      },
      async nthNewest({ appId, kind, phoneHash }, asked) {
        const at = ({ nth, withinMs }: Newest) => ({ since: current.now - withinMs + 1, before: nth - 1 })
        return asked.map((one) => run.nthNewest.get({ appId, kind, phoneHash, ...at(one) })?.createdAt)
      },
      async add(issue) {
        run.insertIssue.run(issueRow(issue))
      },
      async save(issue, before) {
        update({ ...owned(issue), issueId: issue.issueId }, issue, before)
      },
    },
    claims: {
      async find(owner, keyHash, formerHash = () => keyHash) {
        const hashes = hasFormerClaims ? [keyHash, formerHash()] : [keyHash]
        for (const hash of hashes) bring.claim(hash, owner.appId, owner.mode)
        for (const hash of hashes) {
          const claim = run.findClaim.get({ ...owned(owner), keyHash: hash })
          if (claim) return claim
        }
        return undefined
      },
      async add(claim) {
        run.insertClaim.run({ ...claim })
      },
      async drop(owner, keyHash) {
        bring.claim(keyHash, owner.appId, owner.mode)
        run.deleteClaim.run({ ...owned(owner), keyHash })
      },
    },
    outbox: {
      async add({ issueId, expiresAt }, letter) {
        run.insertOutbox.run({ issueId, sealed: sealLetter(vault, issueId, letter), expiresAt })
      },
      async find(issueId) {
        const row = run.findOutbox.get({ issueId })
        return row && openLetter(vault, issueId, row.sealed)
      },
      async erase(issueId) {
        run.deleteOutbox.run({ issueId })
      },
    },
  }
}

/**
 * Whether claims may be there that are found by their former hash. They were made before any other, for issues whose kind of
 * key was not noted, and nobody makes more of them. Of an issue that is gone nobody knows.
 */
function startsWithFormerClaim(connection: Database): boolean {
  const first = connection.query<{ keyKind: string | null }, []>(
    `SELECT issues.key_kind AS keyKind FROM claims LEFT JOIN issues USING (app_id, mode, issue_id) ORDER BY claim_id LIMIT 1`,
  )
  return first.get()?.keyKind === null
}

/** What takes some milliseconds. */
const RECENT_AT_ONCE = 1_000
/** A page of this many is read together with others by whoever looks for something. */
const LONG_PAGE = 500

export function createIssueReader(
  { reading: connection, scanning, together }: Connections,
  { cover }: Vault,
): Pick<Reader, 'issues'> {
  const db = drizzle(connection, cover)
  const setBackMs = furthestSetBack(connection)
  const issueById = onFirstUse(() => db.select().from(issues).where(and(thisIssue, isThere)).prepare())
  const standingById = onFirstUse(() =>
    db
      .select(columnsIn(getTableColumns(issues), STANDING))
      .from(issues)
      .where(and(thisIssue, isThere))
      .prepare(),
  )
  const page = (...conditions: Parameters<typeof and>) =>
    onFirstUse(() =>
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
        .prepare(),
    )
  const stored = (status: VerificationStatus) => eq(issues.verificationStatus, sql.raw(`'${status}'`))
  const unexpired = gt(issues.expiresAt, bind(issues.expiresAt, 'now'))
  const pastExpiry = lte(issues.expiresAt, bind(issues.expiresAt, 'now'))
  const pages = {
    any: page(),
    issued: page(stored('issued'), unexpired),
    expired: page(or(stored('expired'), and(stored('issued'), pastExpiry))),
    verified: page(stored('verified')),
    max_attempts: page(stored('max_attempts')),
    replaced: page(stored('replaced')),
  }

  /** The id that many rows further down. */
  const further = onFirstUse(() =>
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
      .prepare(),
  )

  // Read by their places: a busy day has hundreds of thousands.
  const recent = scanning.query<unknown[], [string, string, Uint8Array, number]>(
    `SELECT issue_id, key_kind, phone_hash, created_at, hash_key FROM issues
     WHERE app_id = ? AND mode = ? AND issue_id > ? ORDER BY issue_id LIMIT ?`,
  )

  return {
    issues: {
      find({ appId, mode }, issueId) {
        return together.read(() => {
          const row = issueById.get({ appId, mode, issueId })
          return row && issueOf(row)
        })
      },
      standing({ appId, mode }, issueId) {
        return together.read(() => {
          const row = standingById.get({ appId, mode, issueId })
          return row && standingOf(row)
        })
      },
      page: (owner, filter, now) =>
        readIssuePage(owner, filter, {
          setBackMs,
          async further(range) {
            const edge = further.get({ ...range })?.issueId
            if (edge !== undefined) await nextTurn()
            return edge
          },
          async read(range) {
            const rows = pages[filter.status ?? 'any'].all({ ...range, now })
            if (rows.length >= LONG_PAGE) await nextTurn()
            return rows.map(issueOf)
          },
        }),
      async *since({ appId, mode }, since) {
        let after: Uint8Array | undefined = uuidBytes(idFloor(since))
        while (after !== undefined) {
          const rows: unknown[][] = recent.values(appId, mode, after, RECENT_AT_ONCE)
          yield rows.map((row) => recentIn(row, cover))
          after = rows[RECENT_AT_ONCE - 1]?.[0] as Uint8Array | undefined
          if (after !== undefined) await nextTurn()
        }
      },
    },
  }
}
