/** Seals and covers anew what is not under the newest key. */
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { RenewalPlace } from '../../ports/store/ring'
import type { Vault } from '../../ports/vault'
import { ALL_COVERED, type CoveredTable, furtherKey, OLDER_HASHES, olderPage } from '../covered'
import { uuidBytes, uuidText } from '../ids'
import { type Looked, lookedUpTo, placeBehind } from '../renewal'
import { OLDER, pageOf, SEALED, type SealedColumn, type SealedKey, updateOf } from '../sealed'
import { storeAnew } from './bring'

type Key = readonly unknown[]
type Values = SQLQueryBindings[]

const IDS = new Set(['issue_id', 'event_id', 'delivery_id'])

const keyIn = (values: Key): SealedKey =>
  values.map((value) => (value instanceof Uint8Array ? uuidText(value) : (value as string | number)))

const stored = ({ key: names }: SealedColumn, key: Key): Values =>
  key.map((value, n) => (IDS.has(names[n] ?? '') ? uuidBytes(String(value)) : (value as string | number)))

/** Renews some rows behind one. */
type Renew = (behind: Key | undefined, limit: number) => Looked

export function createRenewal(connection: Database, vault: Vault) {
  const sealAnew =
    (column: SealedColumn, mark: Uint8Array): Renew =>
    (behind, limit) => {
      const rows = connection
        .query(pageOf(column, behind !== undefined, limit))
        .values(mark, ...(behind ? stored(column, behind) : []))
      const update = connection.query(updateOf(column))
      const keys = rows.map((row) => {
        const key = keyIn(row.slice(0, -1))
        const rowId = column.rowId(key)
        update.run(vault.seal(rowId, vault.open(rowId, row.at(-1) as Uint8Array)), ...stored(column, key))
        return key
      })
      return lookedUpTo(undefined, keys, limit)
    }

  const coverAnew =
    (covered: CoveredTable): Renew =>
    (behind, limit) => {
      const place = [...(behind ?? [])] as Values
      const edge = connection.query(furtherKey(covered, behind !== undefined)).values(...place)[0] as Values | undefined
      const has = { behind: behind !== undefined, edge: edge !== undefined }
      const page = connection.query(olderPage(covered, has, limit))
      const rows = page.values(vault.cover.generation, ...place, ...(edge ?? []))
      for (const row of rows) storeAnew(connection, vault.cover, covered, row)
      const keys = rows.map((row) => row.slice(0, covered.key.length))
      return lookedUpTo(edge, keys, limit)
    }

  return (after: RenewalPlace | undefined, limit: number): RenewalPlace | undefined => {
    const { part, key } = after ?? { part: 0, key: undefined }
    const { mark } = vault.ring
    if (!mark) return undefined
    const renew = [...SEALED.map((column) => sealAnew(column, mark)), ...ALL_COVERED.map(coverAnew)][part]
    if (!renew) return undefined
    // What stood in the place of a row stays in the file otherwise.
    connection.run('PRAGMA secure_delete = ON')
    return placeBehind(part, renew(key, limit))
  }
}

/** How many are under another key. */
export function countOlder(connection: Database, vault: Vault): number {
  const { mark } = vault.ring
  if (!mark) return 0
  const count = (text: string, what: SQLQueryBindings) => (connection.query(text).get(what) as { rows: number }).rows
  return count(OLDER, mark) + count(OLDER_HASHES, vault.cover.generation)
}
