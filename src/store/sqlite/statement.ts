/** Statements are prepared once; these two name their parameters. */
import { getTableColumns, Param, type Placeholder, type SQL, sql, type Table } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

/** A parameter of a condition, encoded as the column is (Drizzle leaves bare placeholders in conditions as they are). */
export const bind = (column: AnySQLiteColumn, name: string) => new Param(sql.placeholder(name), column)

/** The named columns as parameters of an UPDATE. */
export function changes<T extends SQLiteTable, const K extends keyof T['_']['columns'] & string>(
  table: T,
  names: readonly K[],
) {
  const columns = getTableColumns(table as Table)
  return Object.fromEntries(
    names.map((name) => [name, sql`${bind(columns[name] as AnySQLiteColumn, name)}`]),
  ) as Record<K, SQL>
}

/** Every column of a table, or the named ones, as parameters of an INSERT. */
export function parameters<T extends SQLiteTable>(table: T, names?: readonly string[]) {
  const columns = names ?? Object.keys(getTableColumns(table as Table))
  return Object.fromEntries(columns.map((name) => [name, sql.placeholder(name)])) as {
    [K in keyof T['$inferInsert']]-?: Placeholder
  }
}
