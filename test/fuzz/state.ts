/** What must be as it was after requests that were all refused, read behind the server's back. */
import { Database } from 'bun:sqlite'

export interface State {
  issues: number
  /** Everything else that lasts, by table. */
  digests: Record<string, string>
}

/** Tables, without the columns that reading, signing in and the telling of events change. */
const LASTING: Record<string, string> = {
  apps: '*',
  api_keys: 'key_id, app_id, kind, mode, hash, scopes, allowed_origins, allowed_cidrs, limits, expires_at, revoked_at',
  templates: '*',
  providers: 'name, type, channels, config, concurrency, timeout_ms, paused_at',
  routes: '*',
  wallets: 'app_id, balance, reserved, overdraft_limit, alert_below',
  ledger_entries: '*',
  webhook_endpoints: 'endpoint_id, app_id, mode, url, events, filters, template',
  operators: 'operator_id, email, name, role, password_hash, totp_secret',
  invitations: '*',
  audit_entries: '*',
}

/** Attempts at a code and successes, of all issues together. */
const VERIFIED =
  "SELECT coalesce(sum(attempts_used), 0) AS used, coalesce(sum(verification_status = 'verified'), 0) AS verified FROM issues"

export function readState(file: string): State {
  const db = new Database(file, { readonly: true })
  try {
    // One snapshot for all tables.
    return db.transaction(() => {
      const digest = (query: string) => Bun.hash(JSON.stringify(db.query(query).all())).toString(36)
      const tables = Object.entries(LASTING).map(([table, columns]) => [
        table,
        digest(`SELECT ${columns} FROM ${table} ORDER BY 1, 2, 3`),
      ])
      const { issues } = db.query('SELECT count(*) AS issues FROM issues').get() as { issues: number }
      return { issues, digests: { ...Object.fromEntries(tables), verifications: digest(VERIFIED) } }
    })()
  } finally {
    db.close()
  }
}

/** What differs, in words. `issued`: so many new issues were answered. */
export function changesBetween(before: State, after: State, issued: number): string[] {
  const changed = Object.keys(after.digests).filter((name) => after.digests[name] !== before.digests[name])
  const made = after.issues - before.issues
  return [
    ...changed.map((name) => `${name} changed`),
    ...(made === issued ? [] : [`${made} issues were made, and ${issued} told of`]),
  ]
}
