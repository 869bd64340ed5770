/** What rules were against, what was sent, and incidents, as owners look through them. */
import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { TrafficLists } from '../../ports/store/traffic'
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
import { bind, db, plain, statement } from './connection/statement'
import type { Querying } from './connection/unit'
import { incidents } from './schema'

/** What takes the event loop a few milliseconds to read. */
const AT_ONCE = 1_000

/** Rows of a table behind a key on, by its primary key, of which the first column is a time. */
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

const READS = {
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
  async function* pages(read: typeof READS.decisions, { appId, to }: { appId: string; to: number }, first: unknown[]) {
    for (let after: unknown[] | undefined = first; after !== undefined; ) {
      const rows: readonly unknown[][] = (await asked.all(read, { appId, to, after })) as unknown[][]
      if (rows.length > 0) yield rows
      after = rows[AT_ONCE - 1]?.slice(0, first.length)
    }
  }
  return {
    async *decisions(appId, from, to) {
      for await (const rows of pages(READS.decisions, { appId, to }, [from, '', '', '', false, NO_HASH, NO_HASH]))
        yield rows.map((row) => decisionIn(appId, row))
    },
    async *sent(appId, from, to) {
      for await (const rows of pages(READS.hours, { appId, to }, [from, '', ''])) yield rows.map(hourIn)
    },
    async open({ appId, limit }) {
      const rows = await asked.all(appId === undefined ? READS.openOfAll : READS.openOfApp, { appId, limit })
      return rows.map(incidentOf)
    },
    async ended(appId, { before = BEFORE_ANY, limit }) {
      const { since, incidentId } = before
      return (await asked.all(READS.ended, { appId, since, incidentId, limit })).map(incidentOf)
    },
  }
}
