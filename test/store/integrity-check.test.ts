/** A database file is restored only if it has the schema of this program and consistent rows. */
import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { assertSound } from '../../src/store/sqlite/connection/integrity-check'
import { HANGS_AFTER_MS } from '../support/until'
import { openAt, Scratch } from './open'
import { furnish } from './sample'

setDefaultTimeout(HANGS_AFTER_MS)

/**
 * SQL, or a text of the schema with a replacement of the same length, which is written into the file because SQLite
 * refuses to.
 */
type Change = string | { text: string; becomes: string }

/** A database with an app, changed without the program. */
async function soundnessOf(change: Change): Promise<string> {
  using scratch = new Scratch()
  const store = openAt(scratch.file)
  await furnish(store)
  await store.close()
  const db = new Database(scratch.file, { strict: true })
  db.run('PRAGMA foreign_keys = OFF')
  db.run('INSERT INTO wallets (app_id, updated_at) SELECT app_id, 1 FROM apps')
  if (typeof change === 'string') db.run(change)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  if (typeof change !== 'string') rewrite(scratch.file, change)
  return verdictOn(scratch.file)
}

function rewrite(file: string, { text, becomes }: { text: string; becomes: string }): void {
  const [before, after] = [Buffer.from(text), Buffer.from(becomes.padEnd(text.length))]
  const bytes = readFileSync(file)
  let at = bytes.indexOf(before)
  if (at < 0 || after.length > before.length) throw new Error(`cannot be rewritten: ${text}`)
  // A free page may contain the text, too.
  for (; at >= 0; at = bytes.indexOf(before, at)) after.copy(bytes, at)
  writeFileSync(file, bytes)
}

function verdictOn(file: string): string {
  try {
    assertSound(file)
    return 'sound'
  } catch (error) {
    return (error as Error).message
  }
}

const LEDGER = 'app_id        TEXT NOT NULL REFERENCES apps,\n  created_at    INTEGER NOT NULL,\n  seq'

const ISSUE = `INSERT INTO issues (app_id, mode, issue_id, message_id, purpose, template_id, channel, sms_fallback,
  phone_hash, code_hash, created_at, expires_at, max_attempts, verification_status, attempts_used, delivery_status, leg,
  send_pending, outcome_ambiguous, billing_status, price, debited_amount, updated_at, key_kind)
  SELECT app_id, 'live', zeroblob(16), zeroblob(16), 'login', 'x', 'sms', 0, zeroblob(32), zeroblob(32), 1, 2, 3, 'expired',
    0, 'failed', 'sms', 0, 0, 'released', 1, 0, 1, 'sk' FROM apps`

test('a database as this program made it is sound', async () => {
  expect(await soundnessOf(ISSUE)).toBe('sound')
})

test.each<[string, string, Change]>([
  [
    'the trigger gift',
    'a trigger that makes credit',
    'CREATE TRIGGER gift AFTER INSERT ON issues BEGIN UPDATE wallets SET balance = balance + 9; END',
  ],
  [
    'the trigger keep',
    'a trigger that ignores revocations',
    'CREATE TRIGGER keep BEFORE UPDATE OF revoked_at ON api_keys BEGIN SELECT RAISE(IGNORE); END',
  ],
  [
    'the view routes',
    'a view in the place of a table',
    'DROP TABLE routes; CREATE VIEW routes AS SELECT 1 AS channel, 2 AS country, 3 AS app_id, 4 AS providers',
  ],
  ['the table wallets', 'a table without one of its checks', { text: 'CHECK (reserved >= 0)', becomes: '' }],
  [
    'the table ledger_entries',
    'a table without its foreign key',
    { text: LEDGER, becomes: LEDGER.replace('REFERENCES apps,', ',') },
  ],
  [
    'the table wallets',
    'a check that has become a comment',
    { text: 'CHECK (reserved >= 0),', becomes: '--HECK (reserve>=0)\n,' },
  ],
  ['the index issues_by_key', 'a database without an index that keeps rows unique', 'DROP INDEX issues_by_key'],
  ['the index one_app', 'an index that refuses rows', 'CREATE UNIQUE INDEX one_app ON apps (organization_id)'],
  ['the table extra', 'a table of somebody else', 'CREATE TABLE extra (app_id TEXT REFERENCES apps)'],
  [
    'An issue belongs to no app',
    'an issue of an app that is not there',
    `${ISSUE}; UPDATE issues SET app_id = 'app_gone'`,
  ],
  [
    'An attempt belongs to no issue',
    'an attempt whose issue is gone',
    `INSERT INTO attempts (app_id, mode, issue_id, number, leg, provider, message_id, called_at)
      SELECT app_id, 'live', zeroblob(16), 1, 'sms', 'main', zeroblob(16), 1 FROM apps`,
  ],
  [
    'A job belongs to no issue',
    'a job whose issue is gone',
    `INSERT INTO jobs (kind, app_id, mode, subject_id, run_at) SELECT 'await-report', app_id, 'live', zeroblob(16), 1 FROM apps`,
  ],
  [
    'A job belongs to no delivery of a webhook',
    'a job whose webhook is gone',
    `INSERT INTO jobs (kind, app_id, mode, subject_id, run_at) SELECT 'webhook', app_id, 'live', zeroblob(16), 1 FROM apps`,
  ],
  [
    'A job belongs to no message of a notice',
    'a job whose notice is gone',
    `INSERT INTO jobs (kind, app_id, mode, subject_id, run_at) SELECT 'notice', app_id, 'live', zeroblob(16), 1 FROM apps`,
  ],
  [
    'A rendered message belongs to no issue',
    'a message whose issue is gone',
    `INSERT INTO outbox (issue_id, expires_at, sealed) VALUES (zeroblob(16), 1, zeroblob(60))`,
  ],
  ['does not add up to its balance', 'a balance that the ledger does not add up to', 'UPDATE wallets SET balance = 7'],
  ['reserved', 'a reservation of no issue', 'UPDATE wallets SET reserved = 3'],
])('told of %s: %s', async (said, _, change) => {
  expect(await soundnessOf(change)).toContain(said)
})

test('what Litestream and ANALYZE keep in a database is none of its schema', async () => {
  const change = `CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
    CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER); ANALYZE`
  expect(await soundnessOf(change)).toBe('sound')
})
