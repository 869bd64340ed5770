/** Read-only looks into a database file, beside its server and without the master secret. */
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { type Name, type NamedKind, namesQuery } from '../names'

/** Counts of rows that a copy lacks; the times are those of the newest rows in either. */
export interface RowsSince {
  issues: number
  ledgerEntries: number
  auditEntries: number
  newest: number | undefined
  newestInCopy: number | undefined
}

/** Works beside a running server. Throws unless both files have the schema of this program. */
export function since(file: string, copy: string): RowsSince {
  const db = new Database(file, { readonly: true, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 5000')
    db.query('ATTACH ? AS copy').run(copy)
    const count = (table: string, key: string) =>
      (
        db
          .query(`SELECT count(*) AS n FROM (SELECT ${key} FROM main.${table} EXCEPT SELECT ${key} FROM copy.${table})`)
          .get() as { n: number }
      ).n
    const newestIn = (schema: string) =>
      (db.query(`SELECT max(at) AS at FROM (${newestOf(schema)})`).get() as { at: number | null }).at ?? undefined
    // One read transaction, so that all counts are of the same moment.
    return db.transaction(() => ({
      issues: count('issues', 'issue_id'),
      ledgerEntries: count('ledger_entries', 'app_id, seq'),
      auditEntries: count('audit_entries', 'seq'),
      newest: newestIn('main'),
      newestInCopy: newestIn('copy'),
    }))()
  } finally {
    db.close()
  }
}

const newestOf = (schema: string) =>
  [
    `SELECT max(updated_at) AS at FROM ${schema}.issues`,
    `SELECT max(created_at) FROM ${schema}.ledger_entries`,
    `SELECT max(at) FROM ${schema}.audit_entries`,
  ].join(' UNION ALL ')

/** Counts of the main tables. */
export function countsOf(file: string): Record<string, number> {
  const db = new Database(file, { readonly: true, strict: true })
  try {
    const count = (table: string) => (db.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
    return Object.fromEntries(Object.entries(COUNTED).map(([name, table]) => [name, count(table)]))
  } finally {
    db.close()
  }
}

const COUNTED = {
  apps: 'apps',
  issues: 'issues',
  ledgerEntries: 'ledger_entries',
  webhooks: 'webhook_endpoints',
  operators: 'operators',
}

/**
 * Names for completion; `appId` restricts kinds that belong to an app. Empty where the database is missing or too old.
 */
export function readNames(file: string, what: NamedKind, appId?: string): Name[] {
  if (!existsSync(file)) return []
  try {
    const db = new Database(file, { readonly: true, strict: true })
    try {
      const { text, isOfApp } = namesQuery(what, '$appId')
      return db.query(text).all(...(isOfApp ? [{ appId: appId ?? null }] : [])) as Name[]
    } finally {
      db.close()
    }
  } catch {
    return []
  }
}
