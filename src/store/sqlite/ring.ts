/** The keys that a database keeps, and what is sealed by them. */
import type { Database } from 'bun:sqlite'
import { and, eq } from 'drizzle-orm'
import type { Reader, Tx } from '../../ports/store'
import type { RingRow, Vault } from '../../ports/vault'
import { ringFact, SECRET_PROOF } from '../secret'
import type { Current } from './current'
import { drizzle } from './drizzle'
import { countOlder, createRenewal } from './renewal'
import { keyRing } from './schema'
import { bind, changes, onFirstUse, parameters } from './statement'

const all = (connection: Database) => {
  const rows = onFirstUse(() => drizzle(connection).select().from(keyRing).orderBy(keyRing.name).prepare())
  return (): RingRow[] => rows.all().map((row) => ({ ...row, begunAt: row.begunAt ?? undefined }))
}

/** For who opens a database, or meets a key that is not known. */
export const ringIn = (connection: Database): RingRow[] => all(connection)()

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
  const renew = createRenewal(connection, vault)
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
        // What stood in the place of a row stays in the file otherwise.
        connection.run('PRAGMA secure_delete = ON')
        run.drop.run({ name, secretId })
        current.settingsChanged()
      },
      async claim() {
        connection.query('UPDATE facts SET value = $1 WHERE name = $2').run(ringFact(vault), SECRET_PROOF)
      },
      async renew(after, limit) {
        return renew(after, limit)
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
        return countOlder(connection, vault)
      },
    },
  }
}
