/** The keys that a database keeps, and what is sealed by them. */
import { and, eq } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import type { RingReader } from '../../ports/store/ring'
import type { RingRow, Vault } from '../../ports/vault'
import { ringFact, SECRET_PROOF } from '../secret'
import { countOlder, renew } from './renewal'
import { keyRing } from './schema'
import { settingsChanged } from './settings'
import { addition, bind, changes, db, plain, statement } from './statement'
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
}

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
    renew: (after, limit) => renew(unit, vault, after, limit),
  }
}

export const ringReader = (asked: Asked, vault: Vault): RingReader => ({
  all: () => ringOf(asked),
  older: () => countOlder(asked, vault),
})
