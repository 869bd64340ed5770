/** The keys that a database keeps, and what is sealed by them. */
import { and, eq } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import type { RingReader } from '../../ports/store/ring'
import type { RingRow, Vault } from '../../ports/vault'
import { OLDER, pageOf, placeBehind, SEALED, type SealedColumn, type SealedKey, updateOf } from '../sealed'
import { ringFact, SECRET_PROOF } from '../secret'
import { keyRing } from './schema'
import { settingsChanged } from './settings'
import { addition, bind, changes, db, keptBy, plain, statement } from './statement'
import type { Asked, Unit } from './unit'

const STATEMENTS = {
  /** Whoever reads it waits for nobody. */
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
  claim: plain('UPDATE facts SET value = $1 WHERE name = $2', ({ value }) => [value, SECRET_PROOF]),
  older: plain(
    OLDER,
    ({ mark }) => [mark],
    ([rows]) => Number(rows),
  ),
}

interface Sealed {
  key: SealedKey
  sealed: Uint8Array
}

const read = (row: readonly unknown[]): Sealed => ({
  key: row.slice(0, -1) as SealedKey,
  sealed: new Uint8Array(row.at(-1) as Uint8Array),
})

const page = keptBy((name: string) => {
  const [column = '', limit = '', behind = ''] = name.split('/')
  return plain(
    `${pageOf(SEALED[Number(column)] as SealedColumn, behind !== '', Number(limit))} FOR UPDATE SKIP LOCKED`,
    ({ mark, key }) => [mark, ...(key as SealedKey)],
    read,
  )
})

const update = keptBy((column: number) =>
  plain(updateOf(SEALED[column] as SealedColumn), ({ sealed, key }) => [sealed, ...(key as SealedKey)]),
)

export const ringOf = async (asked: Asked): Promise<RingRow[]> =>
  (await asked.all(STATEMENTS.all)).map((row) => ({ ...row, begunAt: row.begunAt ?? undefined }))

export function ringTx(unit: Unit, vault: Vault): Tx['ring'] {
  return {
    async lock() {
      await unit.all(STATEMENTS.lock)
      return ringOf(unit)
    },
    async add(rows) {
      for (const row of rows) unit.run(STATEMENTS.insert, { ...row, begunAt: row.begunAt ?? null })
      settingsChanged(unit)
    },
    async begin(name) {
      unit.run(STATEMENTS.begin, { name, begunAt: unit.now })
      settingsChanged(unit)
    },
    async drop({ name, secretId }) {
      unit.run(STATEMENTS.drop, { name, secretId })
      settingsChanged(unit)
    },
    async claim() {
      unit.run(STATEMENTS.claim, { value: ringFact(vault) })
    },
    async reseal(after, limit) {
      const { column: at, key } = after ?? { column: 0, key: undefined }
      const column = SEALED[at]
      const { mark } = vault.ring
      if (!column || !mark) return undefined
      const rows = await unit.change(page(`${at}/${limit}/${key ? 'behind' : ''}`), { mark, key: key ?? [] })
      for (const { key, sealed } of rows) {
        const rowId = column.rowId(key)
        unit.run(update(at), { key, sealed: vault.seal(rowId, vault.open(rowId, sealed)) })
      }
      return placeBehind(at, { last: rows.at(-1)?.key, isFull: rows.length === limit })
    },
  }
}

export const ringReader = (asked: Asked, vault: Vault): RingReader => ({
  all: () => ringOf(asked),
  async older() {
    const { mark } = vault.ring
    return mark ? ((await asked.get(STATEMENTS.older, { mark })) ?? 0) : 0
  },
})
