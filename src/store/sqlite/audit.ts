/** The audit log of what operators change, and its head: in a row of `facts`, and in a file beside the database. */
import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, gte, sql } from 'drizzle-orm'
import { type AuditHead, writeHead } from '../../domain/operations/audit'
import type { HeadFile } from '../../ports/files'
import type { Reader, Tx } from '../../ports/store'
import type { AuditEnds } from '../../ports/store/people'
import type { Vault } from '../../ports/vault'
import { entryOf, entryRow, fileLine, HEAD, type HeadLine, keptHead, lineOf, mayMoveOn } from '../rows/person'
import { nextTurn } from './connection/read-group'
import { bind, changes, db, on, parameters, statement } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { auditEntries, facts } from './schema'

const headFact = statement(() =>
  db
    .select()
    .from(facts)
    .where(eq(facts.name, bind(facts.name, 'name')))
    .prepare(),
)

const entryBySeq = statement(() =>
  db
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.seq, bind(auditEntries.seq, 'seq')))
    .prepare(),
)

function createEnds(connection: Database, vault: Vault, file: HeadFile | undefined): AuditEnds {
  const entry = entryBySeq.on(connection)
  const fact = headFact.on(connection)
  return {
    async find(seq) {
      const row = entry.get({ seq })
      return row && entryOf(row)
    },
    async heads() {
      const stored = fact.get({ name: HEAD })
      const row = keptHead('database', lineOf(stored && Buffer.from(stored.value).toString(), vault))
      return file ? [row, keptHead('file', fileLine(file, vault))] : [row]
    },
  }
}

const AUDIT_TX = {
  last: statement(() => db.select().from(auditEntries).orderBy(desc(auditEntries.seq)).limit(1).prepare()),
  entry: entryBySeq,
  insert: statement(() => db.insert(auditEntries).values(parameters(auditEntries)).prepare()),
  head: headFact,
  upsertHead: statement(() =>
    db
      .insert(facts)
      .values(parameters(facts))
      .onConflictDoUpdate({ target: facts.name, set: changes(facts, ['value']) })
      .prepare(),
  ),
}

export function createAuditTx(
  connection: Database,
  vault: Vault,
  file: HeadFile | undefined,
  current: TransactionState,
): Pick<Tx, 'audit'> {
  const run = on(connection, AUDIT_TX)

  const isFree = (line: HeadLine): boolean => {
    const held = line.head && run.entry.get({ seq: line.head.seq })
    return mayMoveOn(line, held && entryOf(held))
  }

  const rowLine = () => {
    const fact = run.head.get({ name: HEAD })
    return lineOf(fact && Buffer.from(fact.value).toString(), vault)
  }

  /** Writes the head to the database and the file; unless `inAnyCase`, only where it may move on. */
  function keep(head: AuditHead, afterCommit: (effect: () => void) => void, inAnyCase: boolean): void {
    const line = writeHead(head, vault.auditHash)
    if (inAnyCase || isFree(rowLine())) run.upsertHead.run({ name: HEAD, value: Buffer.from(line) })
    if (!file) return
    afterCommit(() => {
      const kept = fileLine(file, vault)
      const isBehind = isFree(kept) && (kept.head?.seq ?? 0) < head.seq
      try {
        if (inAnyCase || isBehind) file.write(line)
      } catch {
        // The disk may be full. The file then stays behind until the next entry.
      }
    })
  }

  return {
    audit: {
      ...createEnds(connection, vault, file),
      async lockLast() {
        const row = run.last.get()
        return row && entryOf(row)
      },
      async add(entry) {
        run.insert.run(entryRow(entry))
        keep(entry, (effect) => current.afterCommit(effect), false)
      },
      async storeHead({ inAnyCase }) {
        const last = run.last.get()
        if (last) keep(last, (effect) => current.afterCommit(effect), inAnyCase)
      },
    },
  }
}

const AUDIT_READER = {
  audit: statement(() =>
    db
      .select()
      .from(auditEntries)
      .where(
        and(
          sql`${auditEntries.seq} < ${sql.placeholder('before')}`,
          sql`(${sql.placeholder('actor')} IS NULL OR ${auditEntries.actor} = ${sql.placeholder('actor')})`,
          sql`(${sql.placeholder('action')} IS NULL OR ${auditEntries.action} = ${sql.placeholder('action')})`,
        ),
      )
      .orderBy(desc(auditEntries.seq))
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
  auditFrom: statement(() =>
    db
      .select()
      .from(auditEntries)
      .where(gte(auditEntries.seq, bind(auditEntries.seq, 'seq')))
      .orderBy(asc(auditEntries.seq))
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
}

export function createAuditReader(
  connection: Database,
  vault: Vault,
  file: HeadFile | undefined,
): Pick<Reader, 'audit'> {
  const run = on(connection, AUDIT_READER)
  return {
    audit: {
      ...createEnds(connection, vault, file),
      async page({ before = Number.MAX_SAFE_INTEGER, actor = null, action = null, limit }) {
        return run.audit.all({ before, actor, action, limit }).map(entryOf)
      },
      async from(seq, limit) {
        const entries = run.auditFrom.all({ seq, limit }).map(entryOf)
        // Other requests wait for one page only, even if somebody reads the whole log.
        await nextTurn()
        return entries
      },
    },
  }
}
