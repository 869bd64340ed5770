/** Brings a database to the schema this binary knows. The SQL is text in the binary: nothing is read from a folder. */
import type { Database } from 'bun:sqlite'
import initial from '../../../migrations/sqlite/0001_initial.sql' with { type: 'text' }
import carrierQueues from '../../../migrations/sqlite/0002_carrier_queues.sql' with { type: 'text' }
import webhooks from '../../../migrations/sqlite/0003_webhooks.sql' with { type: 'text' }
import consoleTables from '../../../migrations/sqlite/0004_console.sql' with { type: 'text' }
import ledgerByIssue from '../../../migrations/sqlite/0005_ledger_by_issue.sql' with { type: 'text' }
import removedApps from '../../../migrations/sqlite/0006_removed_apps.sql' with { type: 'text' }
import browserKeys from '../../../migrations/sqlite/0007_browser_keys.sql' with { type: 'text' }
import signIn from '../../../migrations/sqlite/0008_sign_in.sql' with { type: 'text' }
import clockSteps from '../../../migrations/sqlite/0009_clock_steps.sql' with { type: 'text' }
import totpBegun from '../../../migrations/sqlite/0010_totp_begun.sql' with { type: 'text' }
import failures from '../../../migrations/sqlite/0011_failures.sql' with { type: 'text' }
import protection from '../../../migrations/sqlite/0012_protection.sql' with { type: 'text' }
import traffic from '../../../migrations/sqlite/0013_traffic.sql' with { type: 'text' }
import challenge from '../../../migrations/sqlite/0014_challenge.sql' with { type: 'text' }
import texts from '../../../migrations/sqlite/0015_texts.sql' with { type: 'text' }
import proofs from '../../../migrations/sqlite/0016_proofs.sql' with { type: 'text' }
import origins from '../../../migrations/sqlite/0017_origins.sql' with { type: 'text' }
import privacy from '../../../migrations/sqlite/0018_privacy.sql' with { type: 'text' }
import secrets from '../../../migrations/sqlite/0019_secrets.sql' with { type: 'text' }
import heldPhones from '../../../migrations/sqlite/0020_held_phones.sql' with { type: 'text' }
import quickChecks from '../../../migrations/sqlite/0021_quick_checks.sql' with { type: 'text' }

/** In order; `PRAGMA user_version` counts those applied. A landed migration is never changed. */
const MIGRATIONS: ReadonlyArray<string | ForSmall> = [
  initial,
  carrierQueues,
  webhooks,
  consoleTables,
  ledgerByIssue,
  removedApps,
  browserKeys,
  signIn,
  clockSteps,
  totpBegun,
  failures,
  protection,
  traffic,
  challenge,
  texts,
  proofs,
  origins,
  privacy,
  secrets,
  heldPhones,
  { ofSmall: quickChecks },
]

/** Makes tables anew that are as right, only slower, without it: nobody waits for that at the start of a large database. */
interface ForSmall {
  ofSmall: string
}

/** With all of it in such tables it takes about a second. */
const SMALL_BYTES = 64 * 2 ** 20

export class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError'
}

export class ForeignDatabaseError extends Error {
  override name = 'ForeignDatabaseError'
}

const applied = (db: Database) => (db.query('PRAGMA user_version').get() as { user_version: number }).user_version

/**
 * Applies what is missing, all or nothing. Throws `NewerDatabaseError` for a database of a later release,
 * `ForeignDatabaseError` for one of another program, and leaves both as they are.
 */
export function migrate(db: Database): void {
  if (applied(db) === MIGRATIONS.length) return
  // Looked at under the lock: another process may be making this very database.
  db.run('BEGIN IMMEDIATE')
  try {
    assertKnownVersion(db)
    for (const migration of MIGRATIONS.slice(applied(db))) apply(db, migration)
    db.run(`PRAGMA user_version = ${MIGRATIONS.length}`)
    db.run('COMMIT')
  } catch (error) {
    db.run('ROLLBACK')
    throw error
  }
}

function apply(db: Database, migration: string | ForSmall): void {
  if (typeof migration === 'string') db.run(migration)
  else if (bytesOf(db) <= SMALL_BYTES) db.run(migration.ofSmall)
}

const bytesOf = (db: Database): number =>
  (
    db.query('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get() as {
      bytes: number
    }
  ).bytes

function assertKnownVersion(db: Database): void {
  const version = applied(db)
  if (version > MIGRATIONS.length) {
    throw new NewerDatabaseError(
      `The database has schema version ${version}, this binary knows ${MIGRATIONS.length}: run a newer release.`,
    )
  }
  const isForeign = version === 0 && db.query("SELECT 1 FROM sqlite_master WHERE type = 'table'").get() !== null
  if (isForeign) throw new ForeignDatabaseError('The database file is not one of Watchword.')
}
