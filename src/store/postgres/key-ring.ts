/** The key ring of a database, and re-encryption under its newest key. */
import { and, eq } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import type { KeyRingReader, RenewalPlace } from '../../ports/store/key-ring'
import type { RingRow, Vault } from '../../ports/vault'
import { COUNT_OLDER, nextPlace, pageQuery, SEALED, type SealedColumn, type SealedKey, updateQuery } from '../sealed'
import { addition, bind, changes, db, keptBy, plain, statement } from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'
import { keyRing } from './schema'
import { settingsChanged } from './settings'

const STATEMENTS = {
  /** The lock mode does not block readers. */
  lock: plain(
    'LOCK TABLE key_ring IN SHARE ROW EXCLUSIVE MODE',
    () => [],
    () => true,
  ),
  all: statement(() => db.select().from(keyRing).orderBy(keyRing.name).prepare('')),
  insert: addition(keyRing),
  begin: statement(() =>
    db
      .update(keyRing)
      .set(changes(keyRing, ['begunAt']))
      .where(eq(keyRing.name, bind(keyRing.name, 'name')))
      .prepare(''),
  ),
  drop: statement(() =>
    db
      .delete(keyRing)
      .where(
        and(eq(keyRing.name, bind(keyRing.name, 'name')), eq(keyRing.secretId, bind(keyRing.secretId, 'secretId'))),
      )
      .prepare(''),
  ),
}

export const keyRingRows = async (asked: Querying): Promise<RingRow[]> =>
  (await asked.all(STATEMENTS.all)).map((row) => ({ ...row, begunAt: row.begunAt ?? undefined }))

export function keyRingTx(transaction: Transaction, vault: Vault): Tx['keyRing'] {
  return {
    async lock() {
      await transaction.all(STATEMENTS.lock)
      return keyRingRows(transaction)
    },
    async add(rows) {
      for (const row of rows) transaction.run(STATEMENTS.insert, { ...row, begunAt: row.begunAt ?? null })
      settingsChanged(transaction)
    },
    async begin(name) {
      transaction.run(STATEMENTS.begin, { name, begunAt: transaction.now })
      settingsChanged(transaction)
    },
    async drop({ name, secretId }) {
      transaction.run(STATEMENTS.drop, { name, secretId })
      settingsChanged(transaction)
    },
    renew: (after, limit) => reencrypt(transaction, vault, after, limit),
  }
}

export const keyRingReader = (asked: Querying, vault: Vault): KeyRingReader => ({
  all: () => keyRingRows(asked),
  older: async () => Number((await asked.get(asGiven(COUNT_OLDER), { values: [vault.ring.mark] }))?.[0]),
})

/** A statement with raw values and rows. */
const asGiven = keptBy((text: string) =>
  plain<readonly unknown[]>(
    text,
    ({ values }) => values as unknown[],
    (row) => row,
  ),
)

/** Re-encrypts some rows behind a place with the newest key, and skips rows that another transaction is changing. */
async function reencrypt(
  transaction: Transaction,
  vault: Vault,
  { part, key: behind = [] }: RenewalPlace = { part: 0, key: undefined },
  limit: number,
): Promise<RenewalPlace | undefined> {
  const column = SEALED[part] as SealedColumn
  const page = asGiven(`${pageQuery(column, behind.length > 0, limit)} FOR UPDATE SKIP LOCKED`)
  const rows = await transaction.change(page, { values: [vault.ring.mark, ...behind] })
  const keys = rows.map((row) => {
    const key = row.slice(0, -1) as SealedKey
    const rowId = column.rowId(key)
    const sealed = vault.seal(rowId, vault.open(rowId, new Uint8Array(row.at(-1) as Uint8Array)))
    transaction.run(asGiven(updateQuery(column)), { values: [sealed, ...key] })
    return key
  })
  return nextPlace(part, keys, limit)
}
