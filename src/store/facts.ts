/** Facts of the installation: a name and a value each. */
import { inDialect } from './dialect'
import type { Querying, Session } from './session'
import { statement } from './statement'

const STATEMENTS = inDialect(({ db, tables: { facts }, match, parameters, excluded }) => ({
  find: statement(() => db.select().from(facts).where(match(facts, 'name'))),
  save: statement(() =>
    db
      .insert(facts)
      .values(parameters(facts))
      .onConflictDoUpdate({ target: facts.name, set: excluded(facts, ['value']) }),
  ),
  remove: statement(() => db.delete(facts).where(match(facts, 'name'))),
}))

/** As text; undefined where there is none. */
export async function readFact(asked: Querying, name: string): Promise<string | undefined> {
  const row = await asked.get(STATEMENTS(asked).find, { name })
  return row && Buffer.from(row.value).toString()
}

export const saveFact = (tx: Session, name: string, value: string): void =>
  tx.run(STATEMENTS(tx).save, { name, value: Buffer.from(value) })

export const removeFact = (tx: Session, name: string): void => tx.run(STATEMENTS(tx).remove, { name })

/** Tells this installation from others; hexadecimal digits. */
export async function installation(asked: Querying): Promise<string> {
  const row = await asked.get(STATEMENTS(asked).find, { name: 'installation' })
  return Buffer.from(row?.value ?? []).toString('hex')
}
