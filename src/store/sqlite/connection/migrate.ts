/** Migrates a database to the schema of this binary. The SQL is embedded in the binary. */
import { Database } from 'bun:sqlite'
import initial from '../../../../migrations/sqlite/0001_initial.sql' with { type: 'text' }
import oneStore from '../../../../migrations/sqlite/0002_one_store.sql' with { type: 'text' }
import { checksumsToStore, MIGRATIONS_FACT, type MigrationStep } from '../../migrations'

/**
 * In order; `PRAGMA user_version` counts those applied. A released migration must never change; checksums in the
 * database detect it.
 */
export const MIGRATIONS: readonly string[] = [initial, oneStore]

export const SCHEMA_VERSION = MIGRATIONS.length

export class NewerFileError extends Error {
  override name = 'NewerDatabaseError'
}

class ForeignFileError extends Error {
  override name = 'ForeignDatabaseError'
}

const applied = (db: Database) => (db.query('PRAGMA user_version').get() as { user_version: number }).user_version

/**
 * Applies the missing migrations, all or nothing. Throws `NewerDatabaseError` for a database of a later release,
 * `ForeignDatabaseError` for one of another program, and `ChangedMigrationError`.
 */
export function migrate(db: Database): void {
  for (const _ of migrating(db));
}

/** The same in steps, so that the caller can report each migration before it runs. */
export function* migrating(db: Database): Generator<MigrationStep & { bytes: number }> {
  if (applied(db) === MIGRATIONS.length && checksumsOf(db) === undefined) return
  // The version is read under the lock, because another process may be creating the same database.
  db.run('BEGIN IMMEDIATE')
  try {
    assertKnownVersion(db)
    const checksums = checksumsOf(db)
    const before = applied(db)
    for (const [n, migration] of MIGRATIONS.slice(before).entries()) {
      yield { migration: before + n + 1, of: MIGRATIONS.length, bytes: bytesOf(db) }
      db.run(migration)
    }
    if (checksums !== undefined)
      db.query('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)').run(MIGRATIONS_FACT, Buffer.from(checksums))
    db.run(`PRAGMA user_version = ${MIGRATIONS.length}`)
    db.run('COMMIT')
  } catch (error) {
    db.run('ROLLBACK')
    throw error
  }
}

function checksumsOf(db: Database): string | undefined {
  const stored =
    applied(db) === 0
      ? undefined
      : db.query<{ value: Uint8Array }, [string]>('SELECT value FROM facts WHERE name = ?').get(MIGRATIONS_FACT)
  return checksumsToStore(stored ? Buffer.from(stored.value).toString() : undefined, MIGRATIONS)
}

/** An empty database in memory with the schema `version`. */
export function emptyDatabase(version: number): Database {
  const db = new Database(':memory:', { strict: true })
  for (const migration of MIGRATIONS.slice(0, version)) db.run(migration)
  db.run(`PRAGMA user_version = ${version}`)
  return db
}

const bytesOf = (db: Database): number =>
  (
    db.query('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get() as {
      bytes: number
    }
  ).bytes

/** Throws `NewerDatabaseError` or `ForeignDatabaseError`. */
export function assertKnownVersion(db: Database): void {
  const version = applied(db)
  if (version > MIGRATIONS.length) {
    throw new NewerFileError(
      `The database has schema version ${version}, this binary knows ${MIGRATIONS.length}: run a newer release.`,
    )
  }
  const isForeign = version === 0 && db.query("SELECT 1 FROM sqlite_master WHERE type = 'table'").get() !== null
  if (isForeign) throw new ForeignFileError('The database file is not one of Watchword.')
}
