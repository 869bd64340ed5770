/** The same rows as ours, in the same tables, by hand-written statements. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { idBytes, idText, LIFETIME_MS, MAX_ATTEMPTS, newCode, type OpenTables } from './tables'

type Bindings = Record<string, string | number | Uint8Array>

interface Row {
  issue_id: Uint8Array
  message_id: Uint8Array
  code_hash: Uint8Array
  purpose: string
  template_id: string
  channel: string
  verification_status: string
  delivery_status: string
  billing_status: string
  debited_amount: number
  attempts_used: number
  max_attempts: number
  created_at: number
  expires_at: number
  verified_at: number | null
  updated_at: number
}

export const ourTables: OpenTables = (dir, appId, vault) => {
  const file = join(dir, 'watchword.db')
  const db = new Database(file, { strict: true })
  for (const pragma of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'cache_size = -65536',
    'wal_autocheckpoint = 12000',
  ])
    db.run(`PRAGMA ${pragma}`)
  const reading = new Database(file, { readonly: true, strict: true })
  reading.run('PRAGMA cache_size = -65536')

  const owner = { appId }
  const claim = db.query<{ fingerprint: Uint8Array; issue_id: Uint8Array }, Bindings>(
    "SELECT fingerprint, issue_id FROM claims WHERE app_id = $appId AND mode = 'live' AND key_hash = $keyHash",
  )
  const byId = "SELECT * FROM issues WHERE app_id = $appId AND mode = 'live' AND issue_id = $id"
  const issue = db.query<Row, Bindings>(byId)
  const live = db.query<Row, Bindings>(
    `SELECT * FROM issues WHERE app_id = $appId AND mode = 'live' AND phone_hash = $phoneHash AND purpose = $purpose
       AND verification_status = 'issued'`,
  )
  const replace = db.query(
    `UPDATE issues SET verification_status = 'replaced', updated_at = $now WHERE app_id = $appId AND mode = 'live' AND issue_id = $id`,
  )
  const erase = db.query('DELETE FROM outbox WHERE issue_id = $id')
  const wallet = db.query<{ balance: number; reserved: number }, Bindings>(
    'SELECT * FROM wallets WHERE app_id = $appId',
  )
  const reserve = db.query('UPDATE wallets SET reserved = $reserved, updated_at = $now WHERE app_id = $appId')
  const insertIssue = db.query(
    `INSERT INTO issues VALUES ($appId, 'live', $id, $messageId, $purpose, 'otp_default_kr', 'sms', 1, $phoneHash, $codeHash,
       'KR', NULL, $now, $expiresAt, ${MAX_ATTEMPTS}, 'issued', 0, NULL, 'queued', 'sms', 1, 0, NULL, 'reserved', 1, 0, $now, 'sk', NULL)`,
  )
  const insertClaim = db.query(
    `INSERT INTO claims (app_id, mode, key_hash, fingerprint, issue_id, created_at)
     VALUES ($appId, 'live', $keyHash, $fingerprint, $id, $now)`,
  )
  const insertOutbox = db.query('INSERT INTO outbox VALUES ($id, $sealed, $expiresAt)')
  const insertJob = db.query(
    `INSERT INTO jobs (kind, app_id, mode, subject_id, run_at) VALUES ('deliver', $appId, 'live', $id, $now)`,
  )
  const verified = db.query(
    `UPDATE issues SET verification_status = 'verified', verified_at = $now, updated_at = $now
     WHERE app_id = $appId AND mode = 'live' AND issue_id = $id`,
  )
  const wrong = db.query(
    `UPDATE issues SET attempts_used = $used, verification_status = $status, updated_at = $now
     WHERE app_id = $appId AND mode = 'live' AND issue_id = $id`,
  )
  const readIssue = reading.query<Row, Bindings>(byId)
  const page = reading.query<Row, Bindings>(
    "SELECT * FROM issues WHERE app_id = $appId AND mode = 'live' ORDER BY issue_id DESC LIMIT $limit",
  )

  return {
    db,

    issue({ phoneNumber, purpose, idempotencyKey }) {
      const now = Date.now()
      const keyHash = vault.claimHash(idempotencyKey)
      const fingerprint = vault.fingerprint(JSON.stringify([phoneNumber, purpose]))
      const known = claim.get({ ...owner, keyHash })
      if (known) {
        const row = issue.get({ ...owner, id: known.issue_id }) as Row
        return {
          issueId: idText(known.issue_id),
          expiresAt: new Date(row.expires_at),
          queuedAt: new Date(row.created_at),
        }
      }
      const phoneHash = vault.phoneHash(phoneNumber)
      const previous = live.get({ ...owner, phoneHash, purpose })
      if (previous) {
        replace.run({ ...owner, id: previous.issue_id, now })
        erase.run({ id: previous.issue_id })
      }
      const { reserved } = wallet.get(owner) as { reserved: number }
      reserve.run({ ...owner, reserved: reserved + 1, now })
      const issueId = Bun.randomUUIDv7('hex', now)
      const id = idBytes(issueId)
      const code = newCode()
      const expiresAt = now + LIFETIME_MS
      insertIssue.run({
        ...owner,
        id,
        messageId: Bun.randomUUIDv7('buffer', now),
        purpose,
        phoneHash,
        codeHash: vault.codeHash(issueId, code),
        now,
        expiresAt,
      })
      insertClaim.run({ ...owner, keyHash, fingerprint, id, now })
      const letter = { to: phoneNumber, text: `[Watchword] ${code} is your verification code.`, code }
      insertOutbox.run({ id, sealed: vault.seal(`outbox:${issueId}`, JSON.stringify(letter)), expiresAt })
      insertJob.run({ ...owner, id, now })
      return {
        issueId,
        expiresAt: new Date(expiresAt),
        attemptsRemaining: MAX_ATTEMPTS,
        queuedAt: new Date(now),
        mode: 'live',
      }
    },

    verify(issueId, code) {
      const now = Date.now()
      const id = idBytes(issueId)
      const row = issue.get({ ...owner, id })
      if (row?.verification_status !== 'issued') return { issueId, verified: false }
      const answer = { issueId, expiresAt: new Date(row.expires_at), mode: 'live' }
      const attemptsRemaining = row.max_attempts - row.attempts_used
      if (Buffer.compare(vault.codeHash(issueId, code), row.code_hash) === 0) {
        verified.run({ ...owner, id, now })
        return { ...answer, verified: true, attemptsRemaining, verifiedAt: new Date(now) }
      }
      const used = row.attempts_used + 1
      wrong.run({ ...owner, id, used, status: used < row.max_attempts ? 'issued' : 'max_attempts', now })
      return { ...answer, verified: false, reasonCode: 'MISMATCH', attemptsRemaining: attemptsRemaining - 1 }
    },

    status: (issueId) => view(readIssue.get({ ...owner, id: idBytes(issueId) }) as Row),

    list: (limit) => ({ items: page.all({ ...owner, limit }).map(view), mode: 'live' }),
  }
}

const view = (row: Row) => ({
  issueId: idText(row.issue_id),
  purpose: row.purpose,
  templateId: row.template_id,
  verificationStatus: row.verification_status,
  deliveryStatus: row.delivery_status,
  overallStatus: row.verification_status,
  expiresAt: new Date(row.expires_at),
  verifiedAt: row.verified_at === null ? undefined : new Date(row.verified_at),
  attemptsUsed: row.attempts_used,
  maxAttempts: row.max_attempts,
  attemptsRemaining: row.max_attempts - row.attempts_used,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
  mode: 'live',
})
