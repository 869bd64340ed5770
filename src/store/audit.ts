/** The audit log of what operators change, and its head: a fact, and a file where one is kept. */
import { and, asc, desc, gt, gte, sql } from 'drizzle-orm'
import { type AuditHead, writeHead } from '../domain/operations/audit'
import type { HeadFile } from '../ports/files'
import type { AuditEnds, AuditReader, AuditTx } from '../ports/store/people'
import type { Vault } from '../ports/vault'
import { inDialect } from './dialect'
import { readFact, saveFact } from './facts'
import { fileLine, HEAD, type HeadLine, keptHead, lineOf, mayMoveOn } from './rows/person'
import type { Querying, Session } from './session'
import { statement } from './statement'

export interface SealedStore {
  vault: Vault
  headFile: HeadFile | undefined
}

const STATEMENTS = inDialect(({ db, tables: { auditEntries }, match, insert, bind, number, word }) => {
  const entries = () => db.select().from(auditEntries)
  return {
    last: statement(() => entries().orderBy(desc(auditEntries.seq)).limit(1)),
    find: statement(() => entries().where(match(auditEntries, 'seq'))),
    insert: insert(auditEntries),
    changed: statement(() =>
      db
        .select({ seq: auditEntries.seq })
        .from(auditEntries)
        .where(and(match(auditEntries, 'target'), gt(auditEntries.seq, bind(auditEntries.seq, 'since'))))
        .limit(1),
    ),
    page: statement(() =>
      entries()
        .where(
          sql`${auditEntries.seq} < ${number('before')}
            AND (${word('actor')} IS NULL OR ${auditEntries.actor} = ${word('actor')})
            AND (${word('action')} IS NULL OR ${auditEntries.action} = ${word('action')})`,
        )
        .orderBy(desc(auditEntries.seq))
        .limit(sql.placeholder('limit')),
    ),
    from: statement(() =>
      entries()
        .where(gte(auditEntries.seq, bind(auditEntries.seq, 'seq')))
        .orderBy(asc(auditEntries.seq))
        .limit(sql.placeholder('limit')),
    ),
  }
})

const storedLine = async (asked: Querying, vault: Vault): Promise<HeadLine> =>
  lineOf(await readFact(asked, HEAD), vault)

function auditEnds(asked: Querying, { vault, headFile }: SealedStore): AuditEnds {
  return {
    find: async (seq) => asked.get(STATEMENTS(asked).find, { seq }),
    async heads() {
      const stored = keptHead('database', await storedLine(asked, vault))
      return headFile ? [stored, keptHead('file', fileLine(headFile, vault))] : [stored]
    },
  }
}

export function auditTx(tx: Session, deps: SealedStore): AuditTx {
  const its = STATEMENTS(tx)
  const { vault, headFile } = deps
  const ends = auditEnds(tx, deps)
  const isFree = async (line: HeadLine) => mayMoveOn(line, line.head && (await ends.find(line.head.seq)))

  /** Writes the head to the database and the file; unless `inAnyCase`, only where it may move on. */
  async function keep(head: AuditHead, inAnyCase: boolean): Promise<void> {
    const line = writeHead(head, vault.auditHash)
    if (inAnyCase || (await isFree(await storedLine(tx, vault)))) saveFact(tx, HEAD, line)
    if (!headFile) return
    const kept = fileLine(headFile, vault)
    const isBehind = (await isFree(kept)) && (kept.head?.seq ?? 0) < head.seq
    tx.afterCommit(() => {
      try {
        if (inAnyCase || isBehind) headFile.write(line)
      } catch {
        // The disk may be full. The file then stays behind until the next entry.
      }
    })
  }

  const last = () => {
    tx.lock('audit')
    return tx.get(its.last)
  }

  return {
    ...ends,
    lockLast: async () => last(),
    hasChanged: async (target, since) => (await tx.get(its.changed, { target, since })) !== undefined,
    async add(entry) {
      tx.run(its.insert, entry)
      await keep(entry, false)
    },
    async storeHead({ inAnyCase }) {
      const row = await last()
      if (row) await keep(row, inAnyCase)
    },
  }
}

export function auditReader(reads: Querying, deps: SealedStore): AuditReader {
  const its = STATEMENTS(reads)
  return {
    ...auditEnds(reads, deps),
    page: async ({ before = Number.MAX_SAFE_INTEGER, actor = null, action = null, limit }) =>
      await reads.all(its.page, { before, actor, action, limit }),
    from: async (seq, limit) => reads.all(its.from, { seq, limit }),
  }
}
