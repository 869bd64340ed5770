/** What rules were against, what was sent, and incidents, as owners look through them. */
import type { Database } from 'bun:sqlite'
import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { TrafficLists } from '../../ports/store/traffic'
import { nextTurn } from '../next-turn'
import {
  BEFORE_ANY,
  DECISION_COLUMNS,
  DECISION_KEY,
  decisionIn,
  HOUR_COLUMNS,
  HOUR_KEY,
  hourIn,
  incidentOf,
} from '../rows/traffic'
import { drizzle } from './connection/drizzle'
import { bind, onFirstUse } from './connection/statement'
import { incidents } from './schema'

/** What takes a millisecond or two. */
const AT_ONCE = 1_000

type Value = string | number | Uint8Array
const NO_HASH = new Uint8Array()

export function createTrafficLists(connection: Database): TrafficLists {
  /** Rows of a table behind a key on, by its primary key, of which the first column is a time. */
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

  const db = drizzle(connection)
  const newestFirst = [desc(incidents.since), desc(incidents.incidentId)] as const
  const ofApp = eq(incidents.appId, bind(incidents.appId, 'appId'))
  const limit = sql.placeholder('limit')
  const open = (which = isNull(incidents.endedAt)) =>
    onFirstUse(() =>
      db
        .select()
        .from(incidents)
        .where(which)
        .orderBy(...newestFirst)
        .limit(limit)
        .prepare(),
    )
  const openOfAll = open()
  const openOfApp = open(and(ofApp, isNull(incidents.endedAt)))
  const before = sql`(${incidents.since}, ${incidents.incidentId}) <
    (${bind(incidents.since, 'since')}, ${bind(incidents.incidentId, 'incidentId')})`
  const ended = onFirstUse(() =>
    db
      .select()
      .from(incidents)
      .where(and(ofApp, isNotNull(incidents.endedAt), before))
      .orderBy(...newestFirst)
      .limit(limit)
      .prepare(),
  )
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
