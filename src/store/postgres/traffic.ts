/** Traffic of live codes by country, decisions of rules, and incidents. */
import { and, desc, eq, getTableColumns, isNotNull, isNull, sql } from 'drizzle-orm'
import { MINUTE_MS } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import type {
  CountedIssues,
  IssueTrafficRow,
  SegmentHour,
  TrafficLists,
  TrafficReader,
} from '../../ports/store/traffic'
import type { Vault } from '../../ports/vault'
import { idFloor } from '../ids'
import {
  BEFORE_ANY,
  DECISION_COLUMNS,
  DECISION_KEY,
  decisionIn,
  HOUR_COLUMNS,
  HOUR_KEY,
  hourIn,
  INCIDENT_CHANGING,
  incidentOf,
  incidentRow,
  SEEN_COLUMNS,
  SEEN_WHERE,
  seenIn,
  snapshotOf,
  snapshotRow,
} from '../rows/traffic'
import { bind, db, listOf, parameters, plain, statement } from './connection/statement'
import { lock, type Querying, type Transaction } from './connection/transaction'
import { incidents, trafficHours, trafficSnapshots } from './schema'

const SEEN_AT_ONCE = 1_000

const ofSegment = and(
  eq(incidents.appId, bind(incidents.appId, 'appId')),
  eq(incidents.kind, bind(incidents.kind, 'kind')),
  eq(incidents.country, bind(incidents.country, 'country')),
)
const isOpen = sql`${incidents.endedAt} IS NULL`

const thisIncident = eq(incidents.incidentId, bind(incidents.incidentId, 'incidentId'))

const ADDED = 'app_id, minute, key_kind, country, rule, refused, prefix_hash, network_hash, times, credits'
const incidentColumns = getTableColumns(incidents)

const STATEMENTS = {
  saveSnapshot: statement(() =>
    db
      .insert(trafficSnapshots)
      .values(parameters(trafficSnapshots))
      .onConflictDoUpdate({
        target: trafficSnapshots.appId,
        set: { madeAt: sql`excluded.made_at`, sealed: sql`excluded.sealed` },
      })
      .prepare(''),
  ),
  saveHour: plain(
    `INSERT INTO traffic_hours (app_id, key_kind, country, hour, sent, credits, verified, unverified)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (app_id, hour, key_kind, country) DO UPDATE SET
       sent = excluded.sent, credits = excluded.credits, verified = excluded.verified, unverified = excluded.unverified`,
    (hour) => [
      ...[hour.appId, hour.kind, hour.country, hour.hour],
      ...[hour.sent, hour.credits, hour.verified, hour.unverified],
    ],
  ),
  addDecision: plain(
    `INSERT INTO decisions (${ADDED}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (app_id, minute, key_kind, country, rule, refused, prefix_hash, network_hash) DO UPDATE SET
       times = decisions.times + excluded.times, credits = decisions.credits + excluded.credits`,
    (one) => [
      ...[one.appId, one.minute, one.kind, one.country, one.rule, one.isRefused],
      ...[one.prefixHash, one.networkHash, one.times, one.credits],
    ],
  ),
  lockOpen: statement(() => db.select().from(incidents).where(and(ofSegment, isOpen)).for('no key update').prepare('')),
  lockById: statement(() => db.select().from(incidents).where(thisIncident).for('no key update').prepare('')),
  saveIncident: statement(() =>
    db
      .insert(incidents)
      .values(parameters(incidents))
      .onConflictDoUpdate({
        target: incidents.incidentId,
        set: Object.fromEntries(
          INCIDENT_CHANGING.map((name) => [name, sql.raw(`excluded.${incidentColumns[name].name}`)]),
        ),
      })
      .prepare(''),
  ),
}

const bySegment = (one: { kind: string; country: string }, other: { kind: string; country: string }) =>
  one.kind.localeCompare(other.kind) || one.country.localeCompare(other.country)

const inOrder = (decision: object) => JSON.stringify(Object.values(decision).map(String))

export function trafficTx(transaction: Transaction, vault: Vault): Tx['traffic'] {
  return {
    async saveSnapshot(snapshot) {
      transaction.run(STATEMENTS.saveSnapshot, { ...snapshotRow(vault, snapshot) })
    },
    // Several servers save the same rows; a fixed order avoids deadlocks.
    async saveHours(appId, hours) {
      for (const hour of hours.toSorted((one, other) => one.hour - other.hour || bySegment(one, other)))
        transaction.run(STATEMENTS.saveHour, { appId, ...hour })
    },
    async addDecisions(decisions) {
      for (const decision of decisions.toSorted((one, other) => (inOrder(one) < inOrder(other) ? -1 : 1)))
        transaction.run(STATEMENTS.addDecision, { ...decision })
    },
    async lockIncident(appId, { kind, country }) {
      lock(transaction, `incident ${appId}/${kind}/${country}`)
      const row = await transaction.get(STATEMENTS.lockOpen, { appId, kind, country })
      return row && incidentOf(row)
    },
    async lockIncidentById(incidentId) {
      const row = await transaction.get(STATEMENTS.lockById, { incidentId })
      return row && incidentOf(row)
    },
    async saveIncident(incident) {
      transaction.run(STATEMENTS.saveIncident, { ...incidentRow(incident) })
    },
  }
}

/** Live issues of an app between two ids, both excluded. */
interface IssueRange {
  appId: string
  after: string
  below: string
  which: CountedIssues
}

/** One page for each of several ranges; `place` numbers them. */
const SEEN = plain<{ place: number; issue: IssueTrafficRow }>(
  `SELECT ${SEEN_COLUMNS}, place
   FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[]) WITH ORDINALITY AS look (app_id, after, below, which, place),
     LATERAL (SELECT * FROM issues WHERE issues.app_id = look.app_id AND mode = 'live' AND issue_id > look.after AND issue_id < look.below
       AND CASE look.which WHEN 'all' THEN ${SEEN_WHERE.all} WHEN 'verified' THEN ${SEEN_WHERE.verified} ELSE ${SEEN_WHERE.late} END ORDER BY issue_id LIMIT ${SEEN_AT_ONCE}) AS seen
   ORDER BY place, issue_id`,
  ({ looks }) => {
    const asked = looks as readonly IssueRange[]
    const each = (value: (look: IssueRange) => string) => listOf(asked.map(value))
    return [
      ...[each(({ appId }) => appId), each(({ after }) => after), each(({ below }) => below)],
      each(({ which }) => which),
    ]
  },
  (row) => ({ place: Number(row[12]) - 1, issue: seenIn(row, String(row[0])) }),
)

async function pagesOf(pool: Querying, looks: readonly IssueRange[]): Promise<IssueTrafficRow[][]> {
  const pages = looks.map((): IssueTrafficRow[] => [])
  for (const { place, issue } of await pool.all(SEEN, { looks })) pages[place]?.push(issue)
  return pages
}

/** Longer ranges are read alone: their pages are full, and each takes the event loop a few milliseconds. */
const SHORT_MS = MINUTE_MS

const READS = {
  appsSince: plain<string>(
    `SELECT app_id FROM apps
     WHERE EXISTS (SELECT 1 FROM issues WHERE issues.app_id = apps.app_id AND mode = 'live' AND issue_id > $1) LIMIT $2`,
    ({ from, limit }) => [idFloor(from as number), limit],
    ([appId]) => String(appId),
  ),
  hours: statement(() =>
    db
      .select()
      .from(trafficHours)
      .where(
        and(
          eq(trafficHours.appId, bind(trafficHours.appId, 'appId')),
          sql`${trafficHours.hour} >= ${bind(trafficHours.hour, 'since')}`,
        ),
      )
      .prepare(''),
  ),
  snapshot: statement(() =>
    db
      .select()
      .from(trafficSnapshots)
      .where(eq(trafficSnapshots.appId, bind(trafficSnapshots.appId, 'appId')))
      .prepare(''),
  ),
  allOpen: statement(() => db.select().from(incidents).where(isOpen).prepare('')),
  byId: statement(() => db.select().from(incidents).where(thisIncident).prepare('')),
  open: statement(() =>
    db
      .select()
      .from(incidents)
      .where(and(sql`${incidents.appId} = ANY (${sql.placeholder('appIds')}::text[])`, isOpen))
      .prepare(''),
  ),
}

/** Every second a server queries each app in use, so the queries of all apps are batched. */
export function trafficReader(pool: Querying, vault: Vault): TrafficReader {
  const shortLook = batched((looks: readonly IssueRange[]) => pagesOf(pool, looks))
  const openOf = batched(async (appIds: readonly string[]) => {
    const open = (await pool.all(READS.open, { appIds: listOf(appIds) })).map(incidentOf)
    return appIds.map((appId) => open.filter((incident) => incident.appId === appId))
  })
  return {
    async incident(incidentId) {
      const row = await pool.get(READS.byId, { incidentId })
      return row && incidentOf(row)
    },
    async *issues(appId, from, to, which) {
      const below = idFloor(to)
      let after: string | undefined = idFloor(from)
      const look = to - from <= SHORT_MS ? shortLook : async (one: IssueRange) => (await pagesOf(pool, [one]))[0] ?? []
      while (after !== undefined) {
        const rows: IssueTrafficRow[] = await look({ appId, after, below, which })
        if (rows.length > 0) yield rows
        after = rows[SEEN_AT_ONCE - 1]?.issueId
      }
    },
    async snapshot(appId) {
      const row = await pool.get(READS.snapshot, { appId })
      return row && snapshotOf(vault, row)
    },
    appsSince: (from, limit) => pool.all(READS.appsSince, { from, limit }),
    hours: async (appId, since) =>
      (await pool.all(READS.hours, { appId, since })).map(({ appId: _, ...hour }): SegmentHour => hour),
    allOpenIncidents: async () => (await pool.all(READS.allOpen)).map(incidentOf),
    openIncidents: openOf,
  }
}

export function batched<Ask, Answer>(
  askAll: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
): (ask: Ask) => Promise<Answer> {
  let waiting: { asks: Ask[]; answers: Promise<readonly Answer[]> } | undefined
  const begin = () => {
    const asks: Ask[] = []
    const answers = Promise.resolve().then(() => {
      waiting = undefined
      return askAll(asks)
    })
    return { asks, answers }
  }
  return async (ask) => {
    waiting ??= begin()
    const { asks, answers } = waiting
    const place = asks.push(ask) - 1
    return (await answers)[place] as Answer
  }
}

/** Rows in a page, which takes the event loop a few milliseconds to read. */
const AT_ONCE = 1_000

/** A page of a table behind a primary key whose first column is a time. */
function page(table: string, key: string, columns: string) {
  const names = key.split(', ')
  return plain<readonly unknown[]>(
    `SELECT ${columns} FROM ${table} WHERE app_id = $1 AND ${names[0]} < $2
       AND (${key}) > (${names.map((_, place) => `$${place + 3}`).join(', ')}) ORDER BY ${key} LIMIT ${AT_ONCE}`,
    ({ appId, to, after }) => [appId, to, ...(after as unknown[])],
    (row) => row,
  )
}

const newestFirst = [desc(incidents.since), desc(incidents.incidentId)] as const
const ofApp = eq(incidents.appId, bind(incidents.appId, 'appId'))
const limit = sql.placeholder('limit')
const open = (which = isNull(incidents.endedAt)) =>
  statement(() =>
    db
      .select()
      .from(incidents)
      .where(which)
      .orderBy(...newestFirst)
      .limit(limit)
      .prepare(''),
  )
const before = sql`(${incidents.since}, ${incidents.incidentId}) <
  (${bind(incidents.since, 'since')}, ${bind(incidents.incidentId, 'incidentId')})`

const LIST_READS = {
  decisions: page('decisions', DECISION_KEY, DECISION_COLUMNS),
  hours: page('traffic_hours', HOUR_KEY, HOUR_COLUMNS),
  openOfAll: open(),
  openOfApp: open(and(ofApp, isNull(incidents.endedAt))),
  ended: statement(() =>
    db
      .select()
      .from(incidents)
      .where(and(ofApp, isNotNull(incidents.endedAt), before))
      .orderBy(...newestFirst)
      .limit(limit)
      .prepare(''),
  ),
}

const NO_HASH = Buffer.alloc(0)

export function trafficLists(asked: Querying): TrafficLists {
  async function* pages(
    read: typeof LIST_READS.decisions,
    { appId, to }: { appId: string; to: number },
    first: unknown[],
  ) {
    for (let after: unknown[] | undefined = first; after !== undefined; ) {
      const rows: readonly unknown[][] = (await asked.all(read, { appId, to, after })) as unknown[][]
      if (rows.length > 0) yield rows
      after = rows[AT_ONCE - 1]?.slice(0, first.length)
    }
  }
  return {
    async *decisions(appId, from, to) {
      for await (const rows of pages(LIST_READS.decisions, { appId, to }, [from, '', '', '', false, NO_HASH, NO_HASH]))
        yield rows.map((row) => decisionIn(appId, row))
    },
    async *sent(appId, from, to) {
      for await (const rows of pages(LIST_READS.hours, { appId, to }, [from, '', ''])) yield rows.map(hourIn)
    },
    async open({ appId, limit }) {
      const rows = await asked.all(appId === undefined ? LIST_READS.openOfAll : LIST_READS.openOfApp, { appId, limit })
      return rows.map(incidentOf)
    },
    async ended(appId, { before = BEFORE_ANY, limit }) {
      const { since, incidentId } = before
      return (await asked.all(LIST_READS.ended, { appId, since, incidentId, limit })).map(incidentOf)
    },
  }
}
