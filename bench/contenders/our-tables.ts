/** The same rows as ours, in the same tables, by hand-written statements. */
import { Database } from 'bun:sqlite'
import { type Bindings, issueRows, openOurs } from './issue-rows'
import { idBytes, idText, type OpenTables } from './tables'

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
  const { file, db } = openOurs(dir)
  const write = issueRows(db, appId, vault)
  const reading = new Database(file, { readonly: true, strict: true })
  reading.run('PRAGMA cache_size = -65536')

  const owner = { appId }
  const byId = "SELECT * FROM issues WHERE app_id = $appId AND mode = 'live' AND issue_id = $id"
  const issue = db.query<Row, Bindings>(byId)
  const wallet = db.query<{ balance: number; reserved: number }, Bindings>(
    'SELECT * FROM wallets WHERE app_id = $appId',
  )
  const reserve = db.query('UPDATE wallets SET reserved = $reserved, updated_at = $now WHERE app_id = $appId')
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

    issue(input) {
      const { answer, fresh } = write(input)
      if (fresh) {
        const { id, now } = fresh
        const { reserved } = wallet.get(owner) as { reserved: number }
        reserve.run({ ...owner, reserved: reserved + 1, now })
        insertJob.run({ ...owner, id, now })
      }
      return answer
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
