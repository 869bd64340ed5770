/** The key ring of a database, and re-encryption under its newest key. */
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { and, eq } from 'drizzle-orm'
import type { Reader, Tx } from '../../ports/store'
import type { RenewalPlace } from '../../ports/store/key-ring'
import type { RingRow, Vault } from '../../ports/vault'
import { uuidBytes, uuidText } from '../ids'
import { COUNT_OLDER, nextPlace, pageQuery, SEALED, type SealedColumn, type SealedKey, updateQuery } from '../sealed'
import { bind, changes, db, on, parameters, statement } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { keyRing } from './schema'

const ALL_KEYS = statement(() => db.select().from(keyRing).orderBy(keyRing.name).prepare())
const INSERT_KEY = statement(() => db.insert(keyRing).values(parameters(keyRing)).onConflictDoNothing().prepare())

export const keyRingRows = (connection: Database) => {
  const rows = ALL_KEYS.on(connection)
  return (): RingRow[] => rows.all().map((row) => ({ ...row, begunAt: row.begunAt ?? undefined }))
}

export function addKeys(connection: Database, rows: readonly RingRow[]): void {
  const insert = INSERT_KEY.on(connection)
  for (const row of rows) insert.run({ ...row, begunAt: row.begunAt ?? null })
}

const KEY_RING_TX = {
  begin: statement(() =>
    db
      .update(keyRing)
      .set(changes(keyRing, ['begunAt']))
      .where(eq(keyRing.name, bind(keyRing.name, 'name')))
      .prepare(),
  ),
  drop: statement(() =>
    db
      .delete(keyRing)
      .where(
        and(eq(keyRing.name, bind(keyRing.name, 'name')), eq(keyRing.secretId, bind(keyRing.secretId, 'secretId'))),
      )
      .prepare(),
  ),
}

export function createKeyRingTx(connection: Database, vault: Vault, current: TransactionState): Pick<Tx, 'keyRing'> {
  const run = on(connection, KEY_RING_TX)
  return {
    keyRing: {
      async lock() {
        return keyRingRows(connection)()
      },
      async add(rows) {
        addKeys(connection, rows)
        current.settingsChanged()
      },
      async begin(name) {
        run.begin.run({ name, begunAt: current.now })
        current.settingsChanged()
      },
      async drop({ name, secretId }) {
        // Otherwise the old value would remain readable in the file.
        connection.run('PRAGMA secure_delete = ON')
        run.drop.run({ name, secretId })
        current.settingsChanged()
      },
      async renew(after, limit) {
        return reencrypt(connection, vault, after, limit)
      },
    },
  }
}

export function createKeyRingReader(connection: Database, vault: Vault): Pick<Reader, 'keyRing'> {
  const rows = keyRingRows(connection)
  return {
    keyRing: {
      async all() {
        return rows()
      },
      async older() {
        return (connection.query(COUNT_OLDER).get(vault.ring.mark) as { rows: number }).rows
      },
    },
  }
}

const IDS = new Set(['issue_id', 'event_id', 'delivery_id'])

const keyIn = (values: readonly unknown[]): SealedKey =>
  values.map((value) => (value instanceof Uint8Array ? uuidText(value) : (value as string | number)))

const stored = ({ key: names }: SealedColumn, key: readonly unknown[]): SQLQueryBindings[] =>
  key.map((value, n) => (IDS.has(names[n] ?? '') ? uuidBytes(String(value)) : (value as string | number)))

/** Re-encrypts some rows behind a place with the newest key. */
function reencrypt(
  connection: Database,
  vault: Vault,
  { part, key: behind }: RenewalPlace = { part: 0, key: undefined },
  limit: number,
): RenewalPlace | undefined {
  const column = SEALED[part] as SealedColumn
  // Otherwise the old value would remain readable in the file.
  connection.run('PRAGMA secure_delete = ON')
  const rows = connection
    .query(pageQuery(column, behind !== undefined, limit))
    .values(vault.ring.mark as Uint8Array, ...(behind ? stored(column, behind) : []))
  const update = connection.query(updateQuery(column))
  const keys = rows.map((row) => {
    const key = keyIn(row.slice(0, -1))
    const rowId = column.rowId(key)
    update.run(vault.seal(rowId, vault.open(rowId, row.at(-1) as Uint8Array)), ...stored(column, key))
    return key
  })
  return nextPlace(part, keys, limit)
}
