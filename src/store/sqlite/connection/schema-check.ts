/** Whether a database has the schema that this program makes, and nothing else: neither triggers nor views, and every constraint. */
import type { Database } from 'bun:sqlite'
import { emptyDatabase } from './migrate'

interface SchemaObject {
  type: string
  name: string
  table: string
  sql: string
}

/** Every object but the statistics of ANALYZE. */
const OBJECTS = `SELECT type, name, tbl_name AS "table", coalesce(sql, '') AS sql FROM sqlite_schema
  WHERE type <> 'table' OR name NOT IN ('sqlite_stat1', 'sqlite_stat4')`

/** Litestream keeps two tables of its own in the database that it copies. */
const OF_LITESTREAM: readonly SchemaObject[] = [
  {
    ...{ type: 'table', name: '_litestream_seq', table: '_litestream_seq' },
    sql: 'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
  },
  {
    ...{ type: 'table', name: '_litestream_lock', table: '_litestream_lock' },
    sql: 'CREATE TABLE _litestream_lock (id INTEGER)',
  },
]

/** What of the schema is not as migrations made it, as the end of a sentence; undefined where all of it is. */
export function schemaDifference(db: Database, version: number): string | undefined {
  using empty = emptyDatabase(version)
  return differencesBetween(objectsIn(db), objectsIn(empty))[0]
}

const objectsIn = (db: Database) => db.query(OBJECTS).all() as SchemaObject[]

function differencesBetween(found: readonly SchemaObject[], made: readonly SchemaObject[]): string[] {
  const missing = new Map(made.map((object) => [identityOf(object), object]))
  const allowed = new Set(OF_LITESTREAM.map(identityOf))
  const foreign = found.filter((object) => !missing.delete(identityOf(object)) && !allowed.has(identityOf(object)))
  return [
    ...foreign.map(({ type, name }) => `the ${type} ${name} is not one that this program makes`),
    ...[...missing.values()].map(({ type, name }) => `the ${type} ${name} is missing`),
  ]
}

const identityOf = ({ sql, ...object }: SchemaObject) => JSON.stringify({ ...object, sql: withoutComments(sql) })

/** Comments and white space say nothing; what is quoted stays as it is. */
const withoutComments = (sql: string) =>
  sql.replace(/('[^']*'|"[^"]*")|(?:--[^\n]*|[ \t\r\n])+/g, (_, quoted?: string) => quoted ?? ' ')
