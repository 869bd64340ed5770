/** While the master secret is being changed, a hash that somebody looks for may be stored in more than one way. */
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { HashCover } from '../../ports/vault'
import { type CoveredTable, type Sought, soughtRows, storedAnew } from '../covered'

/** Stores what is looked for as it is stored from now on, so that one look finds it. */
export function bringing(connection: Database, cover: HashCover, sought: Sought) {
  const text = soughtRows(sought)
  return (hash: Uint8Array, ...within: SQLQueryBindings[]): void => {
    for (const form of cover.otherwise(hash))
      for (const row of connection.query(text).values(form, ...within))
        storeAnew(connection, cover, sought.covered, row)
  }
}

export function storeAnew(
  connection: Database,
  cover: HashCover,
  covered: CoveredTable,
  row: readonly unknown[],
): void {
  for (const [text, values] of storedAnew(covered, row, cover))
    connection.query(text).run(...(values as SQLQueryBindings[]))
}
