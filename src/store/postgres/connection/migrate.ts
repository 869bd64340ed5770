/**
 * Migrates a database to the schema of this binary, one server at a time. A migration must be compatible with the
 * release before, because both run side by side during a deploy. The SQL is embedded in the binary.
 */
import type { SQL } from 'bun'
import initial from '../../../../migrations/postgres/0001_initial.sql' with { type: 'text' }
import oneStore from '../../../../migrations/postgres/0002_one_store.sql' with { type: 'text' }
import { checksumsToStore, MIGRATIONS_FACT, type MigrationStep } from '../../migrations'
import { isLockConflict } from './failure'

/** In order. A released migration is never changed. */
export const MIGRATIONS: readonly string[] = [initial, oneStore]

export const SCHEMA_VERSION = MIGRATIONS.length

export class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError'
}

export class ForeignDatabaseError extends Error {
  override name = 'ForeignDatabaseError'
}

export class OldServerError extends Error {
  override name = 'OldServerError'
}

const OLDEST_SERVER = 14

/**
 * Applies the missing migrations, all or nothing. Throws `OldServerError`, `ForeignDatabaseError` for a schema with
 * tables of another program, `ChangedMigrationError`, and `NewerDatabaseError` where a later release has removed what
 * this one needs.
 */
export async function migrate(sql: SQL, migrations = MIGRATIONS, tell: Tell = () => {}): Promise<void> {
  await assertKnownServer(sql)
  if ((await applied(sql))?.version === migrations.length && !(await checksumsOf(sql, migrations))) return
  for (let run = 1; ; run++) {
    try {
      return await bringUp(sql, migrations, tell)
    } catch (error) {
      if (!isLockConflict(error) || run === MAX_RUNS) throw error
      await Bun.sleep(PAUSE_MS)
    }
  }
}

/**
 * ALTER TABLE needs an exclusive lock, and other queries queue behind a waiting one. So each attempt waits only
 * briefly, and tables that running servers hold are tried again.
 */
const WAITS_MS = 1_000
const PAUSE_MS = 200
const MAX_RUNS = 60

async function bringUp(sql: SQL, migrations: readonly string[], tell: Tell): Promise<void> {
  await sql.begin(async (tx) => {
    // The limit of requests would cancel a migration of a large table, or a server that waits for another one's.
    await tx.unsafe('SET LOCAL statement_timeout = 0')
    await tx`SELECT pg_advisory_xact_lock(hashtextextended('watchword migrations', 0))`
    await tx.unsafe(`SET LOCAL lock_timeout = ${WAITS_MS}`)
    const known = await applied(tx)
    if (known && known.needs > migrations.length)
      throw new NewerDatabaseError(
        `The database has schema version ${known.version}, this binary knows ${migrations.length}: run a newer release.`,
      )
    const checksums = known ? await checksumsOf(tx, migrations) : checksumsToStore(undefined, migrations)
    if (!known) await begin(tx)
    const before = known?.version ?? 0
    for (const [n, text] of migrations.slice(before).entries()) {
      if (known) tell({ migration: before + n + 1, of: migrations.length })
      await tx.unsafe(text)
    }
    if (before < migrations.length) await tx`UPDATE schema_version SET version = ${migrations.length}`
    if (checksums !== undefined)
      await tx`INSERT INTO facts (name, value) VALUES (${MIGRATIONS_FACT}, convert_to(${checksums}, 'UTF8'))
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`
  })
}

/** Called before each migration, also on each new attempt. */
type Tell = (step: MigrationStep) => void

async function checksumsOf(sql: SQL, migrations: readonly string[]): Promise<string | undefined> {
  const [fact] = await sql`SELECT convert_from(value, 'UTF8') AS checksums FROM facts WHERE name = ${MIGRATIONS_FACT}`
  return checksumsToStore(fact?.checksums, migrations)
}

export async function assertKnownServer(sql: SQL): Promise<void> {
  const [row] = await sql`SHOW server_version_num`
  const version = Math.floor(Number(row.server_version_num) / 10_000)
  if (version < OLDEST_SERVER)
    throw new OldServerError(`PostgreSQL ${version} is too old: Watchword needs ${OLDEST_SERVER} or newer.`)
}

export interface Applied {
  version: number
  /** The oldest schema version that a binary must know to use the database. */
  needs: number
}

/** Undefined where there are no tables of Watchword yet. */
export async function applied(sql: SQL): Promise<Applied | undefined> {
  // Not `to_regclass`, whose cached answer may date from before the lock was acquired.
  const [table] =
    await sql`SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version'`
  if (!table) return undefined
  const [row] = await sql`SELECT version, needs FROM schema_version`
  return { version: row.version, needs: row.needs }
}

async function begin(sql: SQL): Promise<void> {
  const [foreign] = await sql`SELECT 1 FROM pg_tables WHERE schemaname = current_schema() LIMIT 1`
  if (foreign)
    throw new ForeignDatabaseError('The schema has tables that are not of Watchword: give it an empty database.')
  await sql`CREATE TABLE schema_version (version integer NOT NULL, needs integer NOT NULL)`
  await sql`INSERT INTO schema_version VALUES (0, 1)`
}
