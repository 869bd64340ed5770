/** The rows that any issue leaves in our tables, by hand-written statements. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { IssueInput } from './inputs'
import { idBytes, idText, LIFETIME_MS, MAX_ATTEMPTS, newCode, type Vault } from './tables'

export type Bindings = Record<string, string | number | Uint8Array | null>

export function openOurs(dir: string): { file: string; db: Database } {
  const file = join(dir, 'watchword.db')
  const db = new Database(file, { strict: true })
  for (const pragma of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'cache_size = -65536',
    'wal_autocheckpoint = 12000',
  ])
    db.run(`PRAGMA ${pragma}`)
  return { file, db }
}

/** What has just been written. */
export interface Fresh {
  id: Uint8Array
  messageId: Uint8Array
  rendered: { to: string; text: string }
  now: number
}

/** What is answered; and what it is about, unless that was written before. Called inside a transaction. */
export type WriteIssue = (input: IssueInput) => { answer: object; fresh?: Fresh }

/** `call`: what is written of the call that begins with the issue; none waits for it. */
export function issueRows(db: Database, appId: string, vault: Vault, call: string | null = null): WriteIssue {
  const owner = { appId }
  const claim = db.query<{ issue_id: Uint8Array }, Bindings>(
    "SELECT fingerprint, issue_id FROM issues WHERE app_id = $appId AND mode = 'live' AND key_hash = $keyHash",
  )
  const known = db.query<{ created_at: number; expires_at: number }, Bindings>(
    "SELECT * FROM issues WHERE app_id = $appId AND mode = 'live' AND issue_id = $id",
  )
  const live = db.query<{ issue_id: Uint8Array }, Bindings>(
    `SELECT * FROM issues WHERE app_id = $appId AND mode = 'live' AND phone_hash = $phoneHash AND purpose = $purpose
       AND verification_status = 'issued'`,
  )
  const replace = db.query(
    `UPDATE issues SET verification_status = 'replaced', updated_at = $now WHERE app_id = $appId AND mode = 'live' AND issue_id = $id`,
  )
  const erase = db.query('DELETE FROM outbox WHERE issue_id = $id')
  const insertIssue = db.query(
    `INSERT INTO issues VALUES ($appId, 'live', $id, $messageId, $purpose, 'otp_default_kr', 'sms', 1, $phoneHash, $codeHash,
       'KR', NULL, $now, $expiresAt, ${MAX_ATTEMPTS}, 'issued', 0, NULL, 'queued', 'sms', 1, 0, NULL, 'reserved', 1, 0, $now, 'sk', NULL,
       $prefixHash, NULL, lower(hex($id)), NULL, NULL, NULL, $keyHash, $fingerprint, $begunAt, $begunCall, NULL)`,
  )
  const insertOutbox = db.query('INSERT INTO outbox VALUES ($id, $sealed, $expiresAt)')

  return ({ phoneNumber, purpose, idempotencyKey }) => {
    const now = Date.now()
    const keyHash = vault.claimHash(idempotencyKey)
    const fingerprint = vault.fingerprint(JSON.stringify([phoneNumber, purpose]))
    const claimed = claim.get({ ...owner, keyHash })
    if (claimed) {
      const row = known.get({ ...owner, id: claimed.issue_id }) as { created_at: number; expires_at: number }
      const issueId = idText(claimed.issue_id)
      return { answer: { issueId, expiresAt: new Date(row.expires_at), queuedAt: new Date(row.created_at) } }
    }
    const phoneHash = vault.phoneHash(phoneNumber)
    const previous = live.get({ ...owner, phoneHash, purpose })
    if (previous) {
      replace.run({ ...owner, id: previous.issue_id, now })
      erase.run({ id: previous.issue_id })
    }
    const issueId = Bun.randomUUIDv7('hex', now)
    const id = idBytes(issueId)
    const messageId = Bun.randomUUIDv7('buffer', now)
    const code = newCode()
    const expiresAt = now + LIFETIME_MS
    const codeHash = vault.codeHash(issueId, code)
    const prefixHash = vault.prefixHash(phoneNumber.slice(0, -4))
    const begun = { begunAt: call && now, begunCall: call }
    const hashes = { phoneHash, codeHash, prefixHash, keyHash, fingerprint }
    insertIssue.run({ ...owner, id, messageId, purpose, now, expiresAt, ...hashes, ...begun })
    const rendered = { to: phoneNumber, text: `[Watchword] ${code} is your verification code.`, code }
    insertOutbox.run({ id, sealed: vault.seal(`outbox:${issueId}`, JSON.stringify(rendered)), expiresAt })
    const answer = {
      issueId,
      expiresAt: new Date(expiresAt),
      attemptsRemaining: MAX_ATTEMPTS,
      queuedAt: new Date(now),
      mode: 'live',
    }
    return { answer, fresh: { id, messageId, rendered, now } }
  }
}
