/** What things are called, for completion: read without a secret, and without making or migrating anything. */
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'

const OF_APP = '($appId IS NULL OR app_id = $appId)'

const QUERIES = {
  apps: 'SELECT app_id AS id, name AS about FROM apps WHERE removed_at IS NULL ORDER BY created_at',
  keys: `SELECT key_id AS id, prefix || '…' || last_four AS about FROM api_keys WHERE revoked_at IS NULL AND ${OF_APP} ORDER BY created_at`,
  webhooks: `SELECT endpoint_id AS id, mode || ' ' || url AS about FROM webhook_endpoints WHERE ${OF_APP} ORDER BY created_at`,
  templates: `SELECT DISTINCT template_id AS id, name AS about FROM templates WHERE ${OF_APP} ORDER BY template_id`,
  carriers: 'SELECT name AS id, type AS about FROM providers ORDER BY created_at',
  operators: 'SELECT email AS id, name AS about FROM operators ORDER BY created_at',
} as const

export type Named = keyof typeof QUERIES

export interface Name {
  id: string
  about: string
}

/** Of one app, where it is given and they belong to one. None where there is no such database, or an older one. */
export function readNames(file: string, what: Named, appId?: string): Name[] {
  if (!existsSync(file)) return []
  try {
    const db = new Database(file, { readonly: true, strict: true })
    try {
      const sql = QUERIES[what]
      return db.query(sql).all(...(sql.includes('$appId') ? [{ appId: appId ?? null }] : [])) as Name[]
    } finally {
      db.close()
    }
  } catch {
    return []
  }
}
