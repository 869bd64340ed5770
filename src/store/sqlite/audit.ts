/** The log of what operators change, and where it ends: in a row of another table, and in a file beside the database. */
import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, gte, sql } from 'drizzle-orm'
import { type AuditHead, readHead, writeHead } from '../../domain/audit-head'
import type { AuditEntry, HeadFile, KeptHead, Reader, Vault } from '../../ports'
import { drizzle } from './drizzle'
import type { TxPart } from './opened'
import { auditEntries, facts } from './schema'
import { bind, changes, onFirstUse, parameters } from './statement'
import { nextTurn } from './turn'

const entryOf = (row: typeof auditEntries.$inferSelect): AuditEntry => ({ ...row, ip: row.ip ?? undefined })

const HEAD = 'audit_head'

const headFact = (connection: Database) =>
  onFirstUse(() =>
    drizzle(connection)
      .select()
      .from(facts)
      .where(eq(facts.name, bind(facts.name, 'name')))
      .prepare(),
  )

interface Line {
  text: string | undefined
  head: AuditHead | undefined
}

const lineOf = (text: string | undefined, { auditHash }: Vault): Line => ({
  text,
  head: text === undefined ? undefined : readHead(text, auditHash),
})

/** What cannot be read is a line that says nothing. */
function fileLine(file: HeadFile, vault: Vault): Line {
  try {
    return lineOf(file.read(), vault)
  } catch {
    return { text: '', head: undefined }
  }
}

type AuditTx = TxPart<'lastAuditEntry' | 'addAuditEntry' | 'keepAuditHead'>

export function createAuditTx(connection: Database, vault: Vault, file: HeadFile | undefined): AuditTx {
  const db = drizzle(connection)
  const run = {
    last: onFirstUse(() => db.select().from(auditEntries).orderBy(desc(auditEntries.seq)).limit(1).prepare()),
    entry: onFirstUse(() =>
      db
        .select({ hash: auditEntries.hash })
        .from(auditEntries)
        .where(eq(auditEntries.seq, bind(auditEntries.seq, 'seq')))
        .prepare(),
    ),
    insert: onFirstUse(() => db.insert(auditEntries).values(parameters(auditEntries)).prepare()),
    head: headFact(connection),
    upsertHead: onFirstUse(() =>
      db
        .insert(facts)
        .values(parameters(facts))
        .onConflictDoUpdate({ target: facts.name, set: changes(facts, ['value']) })
        .prepare(),
    ),
  }

  /** A head moves on only while the log holds it: one that was cut off stays to be seen. */
  function mayMoveOn({ text, head }: Line): boolean {
    if (text === undefined) return true
    const entry = head && run.entry.get({ seq: head.seq })
    return entry !== undefined && Buffer.from(entry.hash).equals(Buffer.from(head?.hash ?? []))
  }

  const rowLine = () => {
    const fact = run.head.get({ name: HEAD })
    return lineOf(fact && Buffer.from(fact.value).toString(), vault)
  }

  /** Both, or those that may. */
  function keep(head: AuditHead, afterCommit: (effect: () => void) => void, inAnyCase: boolean): void {
    const line = writeHead(head, vault.auditHash)
    if (inAnyCase || mayMoveOn(rowLine())) run.upsertHead.run({ name: HEAD, value: Buffer.from(line) })
    if (!file) return
    afterCommit(() => {
      const kept = fileLine(file, vault)
      const isBehind = mayMoveOn(kept) && (kept.head?.seq ?? 0) < head.seq
      try {
        if (inAnyCase || isBehind) file.write(line)
      } catch {
        // The disk is full, for example: the file stays behind, and the next entry takes it along.
      }
    })
  }

  return {
    async lastAuditEntry() {
      const row = run.last.get()
      return row && entryOf(row)
    },
    async addAuditEntry({ ip = null, ...entry }) {
      run.insert.run({ ...entry, ip })
      keep(entry, (effect) => this.afterCommit(effect), false)
    },
    async keepAuditHead({ inAnyCase }) {
      const last = run.last.get()
      if (last) keep(last, (effect) => this.afterCommit(effect), inAnyCase)
    },
  }
}

type AuditReader = Pick<Reader, 'audit' | 'auditFrom' | 'auditHeads'>

export function createAuditReader(connection: Database, vault: Vault, file: HeadFile | undefined): AuditReader {
  const db = drizzle(connection)
  const run = {
    audit: onFirstUse(() =>
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
    auditFrom: onFirstUse(() =>
      db
        .select()
        .from(auditEntries)
        .where(gte(auditEntries.seq, bind(auditEntries.seq, 'seq')))
        .orderBy(asc(auditEntries.seq))
        .limit(sql.placeholder('limit'))
        .prepare(),
    ),
    head: headFact(connection),
  }
  const keptHead = (where: KeptHead['where'], { text, head }: Line): KeptHead => {
    if (head) return { where, state: 'kept', head }
    return { where, state: text === undefined ? 'none' : 'unreadable' }
  }
  return {
    async audit({ before = Number.MAX_SAFE_INTEGER, actor = null, action = null, limit }) {
      return run.audit.all({ before, actor, action, limit }).map(entryOf)
    },
    async auditFrom(seq, limit) {
      const entries = run.auditFrom.all({ seq, limit }).map(entryOf)
      // Whoever reads all of it has others wait for one page only.
      await nextTurn()
      return entries
    },
    async auditHeads() {
      const fact = run.head.get({ name: HEAD })
      const row = keptHead('database', lineOf(fact && Buffer.from(fact.value).toString(), vault))
      return file ? [row, keptHead('file', fileLine(file, vault))] : [row]
    },
  }
}
