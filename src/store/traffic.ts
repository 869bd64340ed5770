/** Traffic of live codes by country, decisions of rules, and incidents. */
import { and, desc, gte, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { CountedIssues, IssueTrafficRow, TrafficLists, TrafficReader, TrafficTx } from '../ports/store/traffic'
import type { Vault } from '../ports/vault'
import { inDialect, type Tables } from './dialect'
import { idFloor } from './ids'
import {
  BEFORE_ANY,
  decisionOf,
  INCIDENT_CHANGING,
  incidentOf,
  incidentRow,
  SEEN_COLUMNS,
  SEEN_WHERE,
  seenIn,
  snapshotOf,
  snapshotRow,
} from './rows/traffic'
import { found, type Querying, type Reads, type Session } from './session'
import { statement } from './statement'

const TRAFFIC = inDialect(
  ({ db, tables: { decisions, incidents, issues, trafficHours, trafficSnapshots }, ...its }) => {
    const { match, parameters, excluded, locked, bind, word, plain, idIn, either } = its
    const ofSegment = and(match(incidents, 'appId', 'kind', 'country'), isNull(incidents.endedAt))
    const thisIncident = match(incidents, 'incidentId')
    const [decisionKey, hourKey] = [
      [
        ...([decisions.appId, decisions.minute, decisions.kind, decisions.country] as const),
        ...([decisions.rule, decisions.isRefused, decisions.prefixHash, decisions.networkHash] as const),
      ],
      [trafficHours.appId, trafficHours.hour, trafficHours.kind, trafficHours.country],
    ]
    /** Rows in a page, which takes a few milliseconds to read and to count, also before the code is warm. */
    const seenAtOnce = either({ sqlite: 250, postgres: 1_000 })
    // Read by position instead of by Drizzle: a busy app has thousands of issues a second, each read a few times.
    const seen = (which: CountedIssues) =>
      plain(
        () => sql`SELECT ${sql.raw(SEEN_COLUMNS)} FROM issues AS seen
        WHERE app_id = ${word('appId')} AND mode = 'live' AND issue_id > ${bind(issues.issueId, 'after')}
          AND issue_id < ${bind(issues.issueId, 'below')} AND ${sql.raw(SEEN_WHERE[which])}
        ORDER BY issue_id LIMIT ${sql.raw(String(seenAtOnce))}`,
        (row) => seenIn(row, idIn(row[0])),
      )
    return {
      saveSnapshot: statement(() =>
        db
          .insert(trafficSnapshots)
          .values(parameters(trafficSnapshots))
          .onConflictDoUpdate({
            target: trafficSnapshots.appId,
            set: excluded(trafficSnapshots, ['madeAt', 'sealed']),
          }),
      ),
      saveHour: statement(() =>
        db
          .insert(trafficHours)
          .values(parameters(trafficHours))
          .onConflictDoUpdate({
            target: hourKey,
            set: excluded(trafficHours, ['sent', 'credits', 'verified', 'unverified']),
          }),
      ),
      addDecision: statement(() =>
        db
          .insert(decisions)
          .values(parameters(decisions))
          .onConflictDoUpdate({
            target: decisionKey,
            set: {
              times: sql`${decisions.times} + excluded.times`,
              credits: sql`${decisions.credits} + excluded.credits`,
            },
          }),
      ),
      lockOpen: statement(() => locked(db.select().from(incidents).where(ofSegment))),
      lockIncident: statement(() => locked(db.select().from(incidents).where(thisIncident))),
      saveIncident: statement(() =>
        db
          .insert(incidents)
          .values(parameters(incidents))
          .onConflictDoUpdate({ target: incidents.incidentId, set: excluded(incidents, INCIDENT_CHANGING) }),
      ),

      seen: { all: seen('all'), verified: seen('verified'), late: seen('late') },
      seenAtOnce,
      appsSince: plain(
        () => sql`SELECT app_id FROM apps WHERE EXISTS (SELECT 1 FROM issues WHERE issues.app_id = apps.app_id
        AND mode = 'live' AND issue_id > ${bind(issues.issueId, 'from')}) LIMIT ${sql.placeholder('limit')}`,
        ([appId]) => String(appId),
      ),
      nthNewest: plain(
        () => sql`SELECT created_at FROM issues WHERE app_id = ${word('appId')} AND mode = 'live'
        AND issue_id > ${bind(issues.issueId, 'from')} ORDER BY issue_id DESC LIMIT 1 OFFSET +${sql.placeholder('nth')}`,
        ([createdAt]) => Number(createdAt),
      ),
      hours: statement(() =>
        db
          .select()
          .from(trafficHours)
          .where(and(match(trafficHours, 'appId'), gte(trafficHours.hour, bind(trafficHours.hour, 'since')))),
      ),
      snapshot: statement(() => db.select().from(trafficSnapshots).where(match(trafficSnapshots, 'appId'))),
      open: statement(() =>
        db
          .select()
          .from(incidents)
          .where(and(match(incidents, 'appId'), isNull(incidents.endedAt))),
      ),
      allOpen: statement(() => db.select().from(incidents).where(isNull(incidents.endedAt))),
      incident: statement(() => db.select().from(incidents).where(thisIncident)),
    }
  },
)

const bySegment = (one: { kind: string; country: string }, other: { kind: string; country: string }) =>
  one.kind.localeCompare(other.kind) || one.country.localeCompare(other.country)

const inOrder = (decision: object) => JSON.stringify(Object.values(decision).map(String))

export function trafficTx(tx: Session, vault: Vault): TrafficTx {
  const its = TRAFFIC(tx)
  return {
    saveSnapshot: async (snapshot) => tx.run(its.saveSnapshot, snapshotRow(vault, snapshot)),
    // Several servers save the same rows; a fixed order avoids deadlocks.
    async saveHours(appId, hours) {
      for (const hour of hours.toSorted((one, other) => one.hour - other.hour || bySegment(one, other)))
        tx.run(its.saveHour, { appId, ...hour })
    },
    async addDecisions(decisions) {
      for (const decision of decisions.toSorted((one, other) => (inOrder(one) < inOrder(other) ? -1 : 1)))
        tx.run(its.addDecision, { ...decision })
    },
    async lockIncident(appId, { kind, country }) {
      tx.lock(`incident ${appId}/${kind}/${country}`)
      const row = await tx.get(its.lockOpen, { appId, kind, country })
      return row && incidentOf(row)
    },
    lockIncidentById: async (incidentId) => found(await tx.get(its.lockIncident, { incidentId }), incidentOf),
    saveIncident: async (incident) => tx.run(its.saveIncident, incidentRow(incident)),
  }
}

export function trafficReader(reads: Reads, vault: Vault): TrafficReader {
  const its = TRAFFIC(reads)
  return {
    async *issues(appId, from, to, which) {
      const below = idFloor(to)
      for (let after: string | undefined = idFloor(from); after !== undefined; ) {
        const rows: IssueTrafficRow[] = await reads.scanning.all(its.seen[which], { appId, after, below })
        if (rows.length > 0) yield rows
        after = rows[its.seenAtOnce - 1]?.issueId
      }
    },
    snapshot: async (appId) => found(await reads.get(its.snapshot, { appId }), (row) => snapshotOf(vault, row)),
    appsSince: async (from, limit) => reads.all(its.appsSince, { from: idFloor(from), limit }),
    nthNewest: async (appId, from, nth) => reads.get(its.nthNewest, { appId, from: idFloor(from), nth }),
    hours: async (appId, since) => (await reads.all(its.hours, { appId, since })).map(({ appId: _, ...hour }) => hour),
    openIncidents: async (appId) => (await reads.all(its.open, { appId })).map(incidentOf),
    allOpenIncidents: async () => (await reads.all(its.allOpen)).map(incidentOf),
    incident: async (incidentId) => found(await reads.get(its.incident, { incidentId }), incidentOf),
  }
}

/** Rows in a page, which takes a millisecond or two to read. */
const AT_ONCE = 1_000
const NO_HASH = new Uint8Array()

const LISTS = inDialect(({ db, tables: { decisions, incidents, trafficHours }, match, bind }) => {
  const newestFirst = [desc(incidents.since), desc(incidents.incidentId)] as const
  const list = (...conditions: Array<SQL | undefined>) =>
    statement(() =>
      db
        .select()
        .from(incidents)
        .where(and(...conditions))
        .orderBy(...newestFirst)
        .limit(sql.placeholder('limit')),
    )
  const ofApp = match(incidents, 'appId')
  const [key, hourKey] = [
    [
      ...[decisions.minute, decisions.kind, decisions.country, decisions.rule],
      ...[decisions.isRefused, decisions.prefixHash, decisions.networkHash],
    ],
    [trafficHours.hour, trafficHours.kind, trafficHours.country],
  ]
  const tuple = (parts: SQL[]) => sql`(${sql.join(parts, sql`, `)})`
  const behind = (columns: ReadonlyArray<(typeof key)[number] | (typeof hourKey)[number]>, names: readonly string[]) =>
    sql`${tuple(columns.map((column) => sql`${column}`))} > ${tuple(columns.map((column, n) => bind(column, names[n] as string)))}`
  return {
    /** Behind a row, by the primary key. */
    decisions: statement(() =>
      db
        .select()
        .from(decisions)
        .where(
          and(
            match(decisions, 'appId'),
            lt(decisions.minute, bind(decisions.minute, 'to')),
            behind(key, ['minute', 'kind', 'country', 'rule', 'isRefused', 'prefixHash', 'networkHash']),
          ),
        )
        .orderBy(...key)
        .limit(AT_ONCE),
    ),
    hours: statement(() =>
      db
        .select()
        .from(trafficHours)
        .where(
          and(
            match(trafficHours, 'appId'),
            lt(trafficHours.hour, bind(trafficHours.hour, 'to')),
            behind(hourKey, ['hour', 'kind', 'country']),
          ),
        )
        .orderBy(...hourKey)
        .limit(AT_ONCE),
    ),
    openOfAll: list(isNull(incidents.endedAt)),
    openOfApp: list(ofApp, isNull(incidents.endedAt)),
    ended: list(
      ofApp,
      isNotNull(incidents.endedAt),
      sql`(${incidents.since}, ${incidents.incidentId}) < (${bind(incidents.since, 'since')}, ${bind(incidents.incidentId, 'incidentId')})`,
    ),
  }
})

type DecisionRow = Tables['decisions']['$inferSelect']
type HourRow = Tables['trafficHours']['$inferSelect']

export function trafficLists(asked: Querying): TrafficLists {
  const its = LISTS(asked)
  return {
    async *decisions(appId, from, to) {
      const before = { minute: from, kind: '', country: '', rule: '', isRefused: false }
      let after: object | undefined = { ...before, prefixHash: NO_HASH, networkHash: NO_HASH }
      while (after !== undefined) {
        const rows: DecisionRow[] = await asked.all(its.decisions, { appId, to, ...after })
        if (rows.length > 0) yield rows.map(decisionOf)
        after = rows[AT_ONCE - 1]
      }
    },
    async *sent(appId, from, to) {
      let after: object | undefined = { hour: from, kind: '', country: '' }
      while (after !== undefined) {
        const rows: HourRow[] = await asked.all(its.hours, { appId, to, ...after })
        if (rows.length > 0) yield rows.map(({ appId: _, ...hour }) => hour)
        after = rows[AT_ONCE - 1]
      }
    },
    async open({ appId, limit }) {
      const rows = await asked.all(appId === undefined ? its.openOfAll : its.openOfApp, { appId, limit })
      return rows.map(incidentOf)
    },
    ended: async (appId, { before: { since, incidentId } = BEFORE_ANY, limit }) =>
      (await asked.all(its.ended, { appId, since, incidentId, limit })).map(incidentOf),
  }
}
