/** The keys that a database keeps, and what is sealed by them. */
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { and, eq } from 'drizzle-orm'
import type { Reader, Tx } from '../../ports/store'
import type { RingRow, Vault } from '../../ports/vault'
import { uuidBytes, uuidText } from '../ids'
import { OLDER, pageOf, placeBehind, SEALED, type SealedColumn, type SealedKey, updateOf } from '../sealed'
import { ringFact, SECRET_PROOF } from '../secret'
import type { Current } from './current'
import { drizzle } from './drizzle'
import { keyRing } from './schema'
import { bind, changes, onFirstUse, parameters } from './statement'

const all = (connection: Database) => {
  const rows = onFirstUse(() => drizzle(connection).select().from(keyRing).orderBy(keyRing.name).prepare())
  return (): RingRow[] => rows.all().map((row) => ({ ...row, begunAt: row.begunAt ?? undefined }))
}

/** For who opens a database, or meets a key that is not known. */
export const ringIn = (connection: Database): RingRow[] => all(connection)()

const IDS = new Set(['issue_id', 'event_id', 'delivery_id'])

const keyIn = (values: readonly unknown[]): SealedKey =>
  values.map((value) => (value instanceof Uint8Array ? uuidText(value) : (value as string | number)))

const stored = ({ key: names }: SealedColumn, key: SealedKey): SQLQueryBindings[] =>
  key.map((value, n) => (IDS.has(names[n] ?? '') ? uuidBytes(String(value)) : value))

export function createRingTx(connection: Database, vault: Vault, current: Current): Pick<Tx, 'ring'> {
  const db = drizzle(connection)
  const run = {
    all: all(connection),
    insert: onFirstUse(() => db.insert(keyRing).values(parameters(keyRing)).onConflictDoNothing().prepare()),
    begin: onFirstUse(() =>
      db
        .update(keyRing)
        .set(changes(keyRing, ['begunAt']))
        .where(eq(keyRing.name, bind(keyRing.name, 'name')))
        .prepare(),
    ),
    drop: onFirstUse(() =>
      db
        .delete(keyRing)
        .where(
          and(eq(keyRing.name, bind(keyRing.name, 'name')), eq(keyRing.secretId, bind(keyRing.secretId, 'secretId'))),
        )
        .prepare(),
    ),
  }
  // What stood in the place of a row stays in the file otherwise.
  const wipe = () => connection.run('PRAGMA secure_delete = ON')
  return {
    ring: {
      async lock() {
        return run.all()
      },
      async add(rows) {
        for (const row of rows) run.insert.run({ ...row, begunAt: row.begunAt ?? null })
        current.settingsChanged()
      },
      async begin(name) {
        run.begin.run({ name, begunAt: current.now })
        current.settingsChanged()
      },
      async drop({ name, secretId }) {
        wipe()
        run.drop.run({ name, secretId })
        current.settingsChanged()
      },
      async claim() {
        connection.query('UPDATE facts SET value = $1 WHERE name = $2').run(ringFact(vault), SECRET_PROOF)
      },
      async reseal(after, limit) {
        const { column: at, key } = after ?? { column: 0, key: undefined }
        const column = SEALED[at]
        const { mark } = vault.ring
        if (!column || !mark) return undefined
        const rows = connection
          .query(pageOf(column, key !== undefined, limit))
          .values(mark, ...(key ? stored(column, key) : []))
        wipe()
        const update = connection.query(updateOf(column))
        for (const row of rows) {
          const found = keyIn(row.slice(0, -1))
          const rowId = column.rowId(found)
          const sealed = vault.seal(rowId, vault.open(rowId, row.at(-1) as Uint8Array))
          update.run(sealed, ...stored(column, found))
        }
        const last = rows.at(-1)
        return placeBehind(at, { last: last && keyIn(last.slice(0, -1)), isFull: rows.length === limit })
      },
    },
  }
}

export function createRingReader(connection: Database, vault: Vault): Pick<Reader, 'ring'> {
  const rows = all(connection)
  return {
    ring: {
      async all() {
        return rows()
      },
      async older() {
        const { mark } = vault.ring
        if (!mark) return 0
        return (connection.query(OLDER).get(mark) as { rows: number }).rows
      },
    },
  }
}
