/** Names of a data folder: read without a secret, and without making or migrating anything. */
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { type Name, type NamedKind, namesQuery } from '../names'

/** Of one app, where it is given and they belong to one. None where there is no such database, or an older one. */
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
