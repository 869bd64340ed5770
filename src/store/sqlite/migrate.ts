/** Brings a database to the schema this binary knows. The SQL is text in the binary: nothing is read from a folder. */
import type { Database } from 'bun:sqlite'
import initial from '../../../migrations/sqlite/0001_initial.sql' with { type: 'text' }

/** In order; `PRAGMA user_version` counts those applied. A landed migration is never changed. */
const MIGRATIONS: readonly string[] = [initial]

export class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError'
}

export class ForeignDatabaseError extends Error {
  override name = 'ForeignDatabaseError'
}

/** Applies what is missing, all or nothing; throws `NewerDatabaseError` for a database of a later release, `ForeignDatabaseError` for one of another program. */
export function migrate(db: Database): void {
  const applied = () => (db.query('PRAGMA user_version').get() as { user_version: number }).user_version
  if (applied() > MIGRATIONS.length) {
    throw new NewerDatabaseError(
      `The database has schema version ${applied()}, this binary knows ${MIGRATIONS.length}: run a newer release.`,
    )
  }
  if (applied() === MIGRATIONS.length) return
  const isForeign = applied() === 0 && db.query("SELECT 1 FROM sqlite_master WHERE type = 'table'").get() !== null
  if (isForeign) throw new ForeignDatabaseError('The database file is not one of Watchword.')
  db.run('BEGIN IMMEDIATE')
  try {
    for (const sql of MIGRATIONS.slice(applied())) db.run(sql)
    db.run(`PRAGMA user_version = ${MIGRATIONS.length}`)
    db.run('COMMIT')
  } catch (error) {
    db.run('ROLLBACK')
    throw error
  }
}
