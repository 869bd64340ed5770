/** The audit log of what operators change, and its head: in a row of `facts`, and in a file where one is kept. */
import { asc, desc, eq, gte, sql } from 'drizzle-orm'
import { type AuditHead, writeHead } from '../../domain/operations/audit'
import type { HeadFile } from '../../ports/files'
import type { Tx } from '../../ports/store'
import type { AuditEnds, AuditReader } from '../../ports/store/people'
import type { Vault } from '../../ports/vault'
import { entryOf, entryRow, fileLine, HEAD, type HeadLine, keptHead, lineOf, mayMoveOn } from '../rows/person'
import { addition, bind, db, parameters, statement } from './connection/statement'
import { lock, type Querying, type Transaction } from './connection/transaction'
import { auditEntries, facts } from './schema'

export interface AuditTxDependencies {
  vault: Vault
  headFile: HeadFile | undefined
}

const STATEMENTS = {
  last: statement(() => db.select().from(auditEntries).orderBy(desc(auditEntries.seq)).limit(1).prepare('')),
  entry: statement(() =>
    db
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.seq, bind(auditEntries.seq, 'seq')))
      .prepare(''),
  ),
  insert: addition(auditEntries),
  head: statement(() =>
    db
      .select()
      .from(facts)
      .where(eq(facts.name, bind(facts.name, 'name')))
      .prepare(''),
  ),
  upsertHead: statement(() =>
    db
      .insert(facts)
      .values(parameters(facts))
      .onConflictDoUpdate({ target: facts.name, set: { value: sql`excluded.value` } })
      .prepare(''),
  ),
}

function auditEnds(asked: Querying, { vault, headFile }: AuditTxDependencies): AuditEnds {
  return {
    async find(seq) {
      const row = await asked.get(STATEMENTS.entry, { seq })
      return row && entryOf(row)
    },
    async heads() {
      const row = keptHead('database', await rowLine(asked, vault))
      return headFile ? [row, keptHead('file', fileLine(headFile, vault))] : [row]
    },
  }
}

async function rowLine(asked: Querying, vault: Vault): Promise<HeadLine> {
  const fact = await asked.get(STATEMENTS.head, { name: HEAD })
  return lineOf(fact && Buffer.from(fact.value).toString(), vault)
}

export function auditTx(transaction: Transaction, deps: AuditTxDependencies): Tx['audit'] {
  const { vault, headFile } = deps
  const ends = auditEnds(transaction, deps)
  const isFree = async (line: HeadLine) => mayMoveOn(line, line.head && (await ends.find(line.head.seq)))

  /** Writes the head to the database and the file; unless `inAnyCase`, only where it may move on. */
  async function keep(head: AuditHead, inAnyCase: boolean): Promise<void> {
    const line = writeHead(head, vault.auditHash)
    if (inAnyCase || (await isFree(await rowLine(transaction, vault))))
      transaction.run(STATEMENTS.upsertHead, { name: HEAD, value: Buffer.from(line) })
    if (!headFile) return
    const kept = fileLine(headFile, vault)
    const isBehind = (await isFree(kept)) && (kept.head?.seq ?? 0) < head.seq
    transaction.afterCommit(() => {
      try {
        if (inAnyCase || isBehind) headFile.write(line)
      } catch {
        // The disk may be full. The file then stays behind until the next entry.
      }
    })
  }

  const last = () => {
    lock(transaction, 'audit')
    return transaction.get(STATEMENTS.last)
  }

  return {
    ...ends,
    async lockLast() {
      const row = await last()
      return row && entryOf(row)
    },
    async add(entry) {
      transaction.run(STATEMENTS.insert, entryRow(entry))
      await keep(entry, false)
    },
    async storeHead({ inAnyCase }) {
      const row = await last()
      if (row) await keep(row, inAnyCase)
    },
  }
}

const isAny = (name: string) => sql`${sql.placeholder(name)}::text IS NULL`

const READS = {
  page: statement(() =>
    db
      .select()
      .from(auditEntries)
      .where(
        sql`${auditEntries.seq} < ${sql.placeholder('before')}
          AND (${isAny('actor')} OR ${auditEntries.actor} = ${sql.placeholder('actor')})
          AND (${isAny('action')} OR ${auditEntries.action} = ${sql.placeholder('action')})`,
      )
      .orderBy(desc(auditEntries.seq))
      .limit(sql.placeholder('limit'))
      .prepare(''),
  ),
  from: statement(() =>
    db
      .select()
      .from(auditEntries)
      .where(gte(auditEntries.seq, bind(auditEntries.seq, 'seq')))
      .orderBy(asc(auditEntries.seq))
      .limit(sql.placeholder('limit'))
      .prepare(''),
  ),
}

export const auditReader = (pool: Querying, deps: AuditTxDependencies): AuditReader => ({
  ...auditEnds(pool, deps),
  async page({ before = Number.MAX_SAFE_INTEGER, actor = null, action = null, limit }) {
    return (await pool.all(READS.page, { before, actor, action, limit })).map(entryOf)
  },
  from: async (seq, limit) => (await pool.all(READS.from, { seq, limit })).map(entryOf),
})
