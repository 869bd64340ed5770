/** Traffic of live codes by country, decisions of rules, and incidents. */
import type { Database } from 'bun:sqlite'
import { and, desc, eq, getTableColumns, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Lists, Reader, Tx } from '../../ports/store'
import type { TrafficLists } from '../../ports/store/traffic'
import type { Vault } from '../../ports/vault'
import { idFloor, uuidBytes, uuidText } from '../ids'
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
import { nextTurn } from './connection/read-group'
import { bind, db, on, parameters, plain, statement } from './connection/statement'
import { decisions, incidents, trafficHours, trafficSnapshots } from './schema'

/** Rows in a page, which takes a few milliseconds to read and to count, also before the code is warm. */
const SEEN_AT_ONCE = 250

const ofSegment = and(
  eq(incidents.appId, bind(incidents.appId, 'appId')),
  eq(incidents.kind, bind(incidents.kind, 'kind')),
  eq(incidents.country, bind(incidents.country, 'country')),
)
const isOpen = sql`${incidents.endedAt} IS NULL`
const thisIncident = eq(incidents.incidentId, bind(incidents.incidentId, 'incidentId'))
const excluded = (name: string) => sql.raw(`excluded.${name}`)

const { appId: _, kind: __, country: ___, hour: ____, ...counted } = getTableColumns(trafficHours)

const changing = getTableColumns(incidents)

const TRAFFIC_TX = {
  saveSnapshot: statement(() =>
    db
      .insert(trafficSnapshots)
      .values(parameters(trafficSnapshots))
      .onConflictDoUpdate({
        target: trafficSnapshots.appId,
        set: { madeAt: excluded('made_at'), sealed: excluded('sealed') },
      })
      .prepare(),
  ),
  saveHour: statement(() =>
    db
      .insert(trafficHours)
      .values(parameters(trafficHours))
      .onConflictDoUpdate({
        target: [trafficHours.appId, trafficHours.hour, trafficHours.kind, trafficHours.country],
        set: Object.fromEntries(Object.entries(counted).map(([name, column]) => [name, excluded(column.name)])),
      })
      .prepare(),
  ),
  addDecision: statement(() =>
    db
      .insert(decisions)
      .values(parameters(decisions))
      .onConflictDoUpdate({
        target: [
          decisions.appId,
          decisions.minute,
          decisions.kind,
          decisions.country,
          decisions.rule,
          decisions.isRefused,
          decisions.prefixHash,
          decisions.networkHash,
        ],
        set: {
          times: sql`${decisions.times} + excluded.times`,
          credits: sql`${decisions.credits} + excluded.credits`,
        },
      })
      .prepare(),
  ),
  findOpen: statement(() => db.select().from(incidents).where(and(ofSegment, isOpen)).prepare()),
  findIncident: statement(() => db.select().from(incidents).where(thisIncident).prepare()),
  saveIncident: statement(() =>
    db
      .insert(incidents)
      .values(parameters(incidents))
      .onConflictDoUpdate({
        target: incidents.incidentId,
        set: Object.fromEntries(INCIDENT_CHANGING.map((name) => [name, excluded(changing[name].name)])),
      })
      .prepare(),
  ),
}

export function createTrafficTx(connection: Database, vault: Vault): Pick<Tx, 'traffic'> {
  const run = on(connection, TRAFFIC_TX)
  return {
    traffic: {
      async saveSnapshot(snapshot) {
        run.saveSnapshot.run({ ...snapshotRow(vault, snapshot) })
      },
      async saveHours(appId, hours) {
        for (const hour of hours) run.saveHour.run({ appId, ...hour })
      },
      async addDecisions(added) {
        for (const decision of added) run.addDecision.run({ ...decision })
      },
      async lockIncident(appId, segment) {
        const row = run.findOpen.get({ appId, kind: segment.kind, country: segment.country })
        return row && incidentOf(row)
      },
      async lockIncidentById(incidentId) {
        const row = run.findIncident.get({ incidentId })
        return row && incidentOf(row)
      },
      async saveIncident(incident) {
        run.saveIncident.run(incidentRow(incident))
      },
    },
  }
}

// Read by position instead of by Drizzle: a busy app has thousands of issues a second, each read a few times.
const seenWhere = (condition: string) =>
  plain<unknown[], [string, Uint8Array, Uint8Array, number]>(
    `SELECT ${SEEN_COLUMNS}
     FROM issues AS seen WHERE app_id = ? AND mode = 'live' AND issue_id > ? AND issue_id < ? AND ${condition} ORDER BY issue_id LIMIT ?`,
  )
const SEEN = {
  all: seenWhere(SEEN_WHERE.all),
  verified: seenWhere(SEEN_WHERE.verified),
  late: seenWhere(SEEN_WHERE.late),
}

const TRAFFIC_READER = {
  appsSince: plain<{ app_id: string }, [Uint8Array, number]>(`SELECT app_id FROM apps
     WHERE EXISTS (SELECT 1 FROM issues WHERE issues.app_id = apps.app_id AND mode = 'live' AND issue_id > ?) LIMIT ?`),
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
      .prepare(),
  ),
  open: statement(() =>
    db
      .select()
      .from(incidents)
      .where(and(eq(incidents.appId, bind(incidents.appId, 'appId')), isOpen))
      .prepare(),
  ),
  snapshot: statement(() =>
    db
      .select()
      .from(trafficSnapshots)
      .where(eq(trafficSnapshots.appId, bind(trafficSnapshots.appId, 'appId')))
      .prepare(),
  ),
  allOpen: statement(() => db.select().from(incidents).where(isOpen).prepare()),
  byId: statement(() => db.select().from(incidents).where(thisIncident).prepare()),
}

export function createTrafficReader(
  connection: Database,
  scanning: Database,
  vault: Vault,
): Pick<Reader & Lists, 'traffic'> {
  const seen = on(scanning, SEEN)
  const { appsSince, hours, open, snapshot, allOpen, byId } = on(connection, TRAFFIC_READER)
  return {
    traffic: {
      ...createTrafficLists(connection),
      async incident(incidentId) {
        const row = byId.get({ incidentId })
        return row && incidentOf(row)
      },
      async *issues(appId, from, to, which) {
        let after: Uint8Array | undefined = uuidBytes(idFloor(from))
        const below = uuidBytes(idFloor(to))
        while (after !== undefined) {
          const rows: unknown[][] = seen[which].values(appId, after, below, SEEN_AT_ONCE)
          if (rows.length > 0) yield rows.map((row) => seenIn(row, uuidText(row[0] as Uint8Array)))
          after = rows[SEEN_AT_ONCE - 1]?.[0] as Uint8Array | undefined
          if (after !== undefined) await nextTurn()
        }
      },
      async snapshot(appId) {
        const row = snapshot.get({ appId })
        return row && snapshotOf(vault, row)
      },
      async appsSince(from, limit) {
        return appsSince.all(uuidBytes(idFloor(from)), limit).map(({ app_id }) => app_id)
      },
      async hours(appId, since) {
        return hours.all({ appId, since }).map(({ appId: _, ...hour }) => hour)
      },
      async allOpenIncidents() {
        return allOpen.all().map(incidentOf)
      },
      async openIncidents(appId) {
        return open.all({ appId }).map(incidentOf)
      },
    },
  }
}

/** Rows in a page, which takes a millisecond or two to read. */
const AT_ONCE = 1_000

type Value = string | number | Uint8Array
const NO_HASH = new Uint8Array()

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
      .prepare(),
  )
const before = sql`(${incidents.since}, ${incidents.incidentId}) <
  (${bind(incidents.since, 'since')}, ${bind(incidents.incidentId, 'incidentId')})`
const INCIDENT_LISTS = {
  openOfAll: open(),
  openOfApp: open(and(ofApp, isNull(incidents.endedAt))),
  ended: statement(() =>
    db
      .select()
      .from(incidents)
      .where(and(ofApp, isNotNull(incidents.endedAt), before))
      .orderBy(...newestFirst)
      .limit(limit)
      .prepare(),
  ),
}

function createTrafficLists(connection: Database): TrafficLists {
  /** A page of a table behind a primary key whose first column is a time. */
  const pages = (table: string, key: string, columns: string) => {
    const text = `SELECT ${columns} FROM ${table} WHERE app_id = ? AND (${key}) > (${key.replace(/\w+/g, '?')})
      AND ${key.split(',')[0]} < ? ORDER BY ${key} LIMIT ${AT_ONCE}`
    return async function* (appId: string, first: Value[], to: number) {
      const query = connection.query<unknown[], Value[]>(text)
      for (let after: Value[] | undefined = first; after !== undefined; ) {
        const rows: unknown[][] = query.values(appId, ...after, to)
        if (rows.length > 0) yield rows
        after = rows[AT_ONCE - 1]?.slice(0, first.length) as Value[] | undefined
        if (after !== undefined) await nextTurn()
      }
    }
  }
  const decisionPages = pages('decisions', DECISION_KEY, DECISION_COLUMNS)
  const hourPages = pages('traffic_hours', HOUR_KEY, HOUR_COLUMNS)

  const { openOfAll, openOfApp, ended } = on(connection, INCIDENT_LISTS)
  return {
    async *decisions(appId, from, to) {
      for await (const rows of decisionPages(appId, [from, '', '', '', 0, NO_HASH, NO_HASH], to))
        yield rows.map((row) => decisionIn(appId, row))
    },
    async *sent(appId, from, to) {
      for await (const rows of hourPages(appId, [from, '', ''], to)) yield rows.map(hourIn)
    },
    async open({ appId, limit }) {
      const rows = appId === undefined ? openOfAll.all({ limit }) : openOfApp.all({ appId, limit })
      return rows.map(incidentOf)
    },
    async ended(appId, { before = BEFORE_ANY, limit }) {
      const { since, incidentId } = before
      return ended.all({ appId, since, incidentId, limit }).map(incidentOf)
    },
  }
}
