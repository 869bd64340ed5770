/**
 * The leanest layout known: every change is a row appended to one table, and whatever is looked up by a random key is
 * in memory, where a start would have to rebuild it from that table. A bound, not a design: it forgets nothing.
 */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { idBytes, LIFETIME_MS, MAX_ATTEMPTS, newCode, type OpenTables } from './tables'

const hashKey = (hash: Uint8Array) => Buffer.from(hash).toString('latin1')

interface Held {
  issueId: string
  codeHash: Uint8Array
  createdAt: number
  expiresAt: number
  status: 'issued' | 'replaced' | 'verified'
  attemptsUsed: number
}

export const leanTables: OpenTables = (dir, appId, vault) => {
  const db = new Database(join(dir, 'lean.db'), { create: true, strict: true })
  for (const pragma of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'cache_size = -65536',
    'wal_autocheckpoint = 12000',
  ])
    db.run(`PRAGMA ${pragma}`)
  db.run(`CREATE TABLE issues (n INTEGER PRIMARY KEY, app_id TEXT, issue_id BLOB, message_id BLOB, key_hash BLOB, fingerprint BLOB,
    purpose TEXT, phone_hash BLOB, code_hash BLOB, created_at INTEGER, expires_at INTEGER, reserved INTEGER, sealed BLOB) STRICT`)
  db.run('CREATE TABLE changes (n INTEGER PRIMARY KEY, issue_id BLOB, at INTEGER, status TEXT) STRICT')
  const append = db.query(
    `INSERT INTO issues VALUES (NULL, $appId, $id, $messageId, $keyHash, $fingerprint, $purpose, $phoneHash, $codeHash,
       $now, $expiresAt, $reserved, $sealed)`,
  )
  const change = db.query('INSERT INTO changes VALUES (NULL, $id, $now, $status)')

  const claims = new Map<string, Held>()
  const active = new Map<string, Held>()
  const issues = new Map<string, Held>()
  let reserved = 0

  return {
    db,

    issue({ phoneNumber, purpose, idempotencyKey }) {
      const now = Date.now()
      const keyHash = vault.claimHash(idempotencyKey)
      const fingerprint = vault.fingerprint(JSON.stringify([phoneNumber, purpose]))
      const known = claims.get(hashKey(keyHash))
      if (known) return answer(known)
      const phoneHash = vault.phoneHash(phoneNumber)
      const activeKey = `${hashKey(phoneHash)}${purpose}`
      const previous = active.get(activeKey)
      if (previous) {
        previous.status = 'replaced'
        change.run({ id: idBytes(previous.issueId), now, status: 'replaced' })
      }
      const issueId = Bun.randomUUIDv7('hex', now)
      const code = newCode()
      const held: Held = {
        issueId,
        codeHash: vault.codeHash(issueId, code),
        createdAt: now,
        expiresAt: now + LIFETIME_MS,
        status: 'issued',
        attemptsUsed: 0,
      }
      const rendered = { to: phoneNumber, text: `[Watchword] ${code} is your verification code.`, code }
      append.run({
        appId,
        id: idBytes(issueId),
        messageId: Bun.randomUUIDv7('buffer', now),
        keyHash,
        fingerprint,
        purpose,
        phoneHash,
        codeHash: held.codeHash,
        now,
        expiresAt: held.expiresAt,
        reserved: ++reserved,
        sealed: vault.seal(`outbox:${issueId}`, JSON.stringify(rendered)),
      })
      claims.set(hashKey(keyHash), held)
      active.set(activeKey, held)
      issues.set(issueId, held)
      return answer(held)
    },

    verify(issueId, code) {
      const held = issues.get(issueId)
      if (held?.status !== 'issued') return { issueId, verified: false }
      const now = Date.now()
      const isRight = Buffer.compare(vault.codeHash(issueId, code), held.codeHash) === 0
      if (isRight) held.status = 'verified'
      else held.attemptsUsed++
      change.run({ id: idBytes(issueId), now, status: isRight ? 'verified' : 'wrong' })
      return { issueId, verified: isRight, attemptsRemaining: MAX_ATTEMPTS - held.attemptsUsed, mode: 'live' }
    },

    status: (issueId) => answer(issues.get(issueId) as Held),
    list: () => ({ items: [] }),
  }
}

const answer = ({ issueId, createdAt, expiresAt }: Held) => ({
  issueId,
  expiresAt: new Date(expiresAt),
  attemptsRemaining: MAX_ATTEMPTS,
  queuedAt: new Date(createdAt),
  mode: 'live',
})
