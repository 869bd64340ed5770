/** Operators, their sessions and invitations, and the log of what they change. */
import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, gte, sql } from 'drizzle-orm'
import type { Operator } from '../../domain/operator'
import type { AuditEntry, Reader, Tx, Vault } from '../../ports'
import { drizzle } from './drizzle'
import { apiKeys, auditEntries, invitations, operatorSessions, operators } from './schema'
import { bind, changes, onFirstUse, parameters } from './statement'
import { nextTurn } from './turn'

const totpRow = (operatorId: string) => `operator-totp:${operatorId}`

const operatorOf = (vault: Vault, row: typeof operators.$inferSelect): Operator => ({
  ...row,
  totpSecret: row.totpSecret ? vault.open(totpRow(row.operatorId), row.totpSecret) : undefined,
  lastSeenAt: row.lastSeenAt ?? undefined,
})

const entryOf = (row: typeof auditEntries.$inferSelect): AuditEntry => ({ ...row, ip: row.ip ?? undefined })

type ConsoleTx = Pick<
  Tx,
  | 'operators'
  | 'saveOperator'
  | 'removeOperator'
  | 'saveOperatorSession'
  | 'touchOperatorSession'
  | 'removeOperatorSession'
  | 'removeOperatorSessions'
  | 'addInvitation'
  | 'invitation'
  | 'removeInvitation'
  | 'removeInvitationsOf'
  | 'lastAuditEntry'
  | 'addAuditEntry'
  | 'touchKeys'
>

export function createConsoleTx(connection: Database, vault: Vault): ConsoleTx & ThisType<Pick<Tx, 'now'>> {
  const db = drizzle(connection)
  const thisOperator = eq(operators.operatorId, bind(operators.operatorId, 'operatorId'))
  const thisInvitation = eq(invitations.tokenHash, bind(invitations.tokenHash, 'tokenHash'))
  const run = {
    operators: onFirstUse(() => db.select().from(operators).orderBy(asc(operators.createdAt)).prepare()),
    upsertOperator: onFirstUse(() =>
      db
        .insert(operators)
        .values(parameters(operators))
        .onConflictDoUpdate({
          target: operators.operatorId,
          set: changes(operators, ['email', 'name', 'role', 'passwordHash', 'totpSecret', 'lastSeenAt']),
        })
        .prepare(),
    ),
    deleteOperator: onFirstUse(() => db.delete(operators).where(thisOperator).prepare()),
    insertSession: onFirstUse(() => db.insert(operatorSessions).values(parameters(operatorSessions)).prepare()),
    touchSession: onFirstUse(() =>
      db
        .update(operatorSessions)
        .set(changes(operatorSessions, ['lastSeenAt']))
        .where(eq(operatorSessions.tokenHash, bind(operatorSessions.tokenHash, 'tokenHash')))
        .prepare(),
    ),
    deleteSession: onFirstUse(() =>
      db
        .delete(operatorSessions)
        .where(eq(operatorSessions.tokenHash, bind(operatorSessions.tokenHash, 'tokenHash')))
        .prepare(),
    ),
    deleteSessions: onFirstUse(() =>
      db
        .delete(operatorSessions)
        .where(eq(operatorSessions.operatorId, bind(operatorSessions.operatorId, 'operatorId')))
        .returning({ operatorId: operatorSessions.operatorId })
        .prepare(),
    ),
    insertInvitation: onFirstUse(() => db.insert(invitations).values(parameters(invitations)).prepare()),
    invitation: onFirstUse(() => db.select().from(invitations).where(thisInvitation).prepare()),
    deleteInvitation: onFirstUse(() =>
      db.delete(invitations).where(thisInvitation).returning({ role: invitations.role }).prepare(),
    ),
    deleteInvitationsOf: onFirstUse(() =>
      db
        .delete(invitations)
        .where(eq(invitations.invitedBy, bind(invitations.invitedBy, 'invitedBy')))
        .prepare(),
    ),
    lastEntry: onFirstUse(() => db.select().from(auditEntries).orderBy(desc(auditEntries.seq)).limit(1).prepare()),
    insertEntry: onFirstUse(() => db.insert(auditEntries).values(parameters(auditEntries)).prepare()),
    touchKey: onFirstUse(() =>
      db
        .update(apiKeys)
        .set(changes(apiKeys, ['lastUsedAt']))
        .where(eq(apiKeys.keyId, bind(apiKeys.keyId, 'keyId')))
        .prepare(),
    ),
  }

  return {
    async operators() {
      return run.operators.all().map((row) => operatorOf(vault, row))
    },
    async saveOperator({ totpSecret, lastSeenAt = null, ...operator }) {
      const sealed = totpSecret === undefined ? null : vault.seal(totpRow(operator.operatorId), totpSecret)
      run.upsertOperator.run({ ...operator, lastSeenAt, totpSecret: sealed })
    },
    async removeOperator(operatorId) {
      run.deleteSessions.all({ operatorId })
      run.deleteOperator.run({ operatorId })
    },
    async saveOperatorSession(session) {
      run.insertSession.run({ ...session })
    },
    async touchOperatorSession(tokenHash) {
      run.touchSession.run({ tokenHash, lastSeenAt: this.now })
    },
    async removeOperatorSession(tokenHash) {
      run.deleteSession.run({ tokenHash })
    },
    async removeOperatorSessions(operatorId) {
      return run.deleteSessions.all({ operatorId }).length
    },
    async addInvitation(invitation) {
      run.insertInvitation.run({ ...invitation })
    },
    async invitation(tokenHash) {
      return run.invitation.get({ tokenHash })
    },
    async removeInvitation(tokenHash) {
      return run.deleteInvitation.all({ tokenHash }).length > 0
    },
    async removeInvitationsOf(invitedBy) {
      run.deleteInvitationsOf.run({ invitedBy })
    },
    async lastAuditEntry() {
      const row = run.lastEntry.get()
      return row && entryOf(row)
    },
    async addAuditEntry({ ip = null, ...entry }) {
      run.insertEntry.run({ ...entry, ip })
    },
    async touchKeys(usedAt) {
      for (const [keyId, lastUsedAt] of usedAt) run.touchKey.run({ keyId, lastUsedAt })
    },
  }
}

type ConsoleReader = Pick<Reader, 'operators' | 'invitations' | 'operatorSession' | 'audit' | 'auditFrom'>

export function createConsoleReader(connection: Database, vault: Vault): ConsoleReader {
  const db = drizzle(connection)
  const run = {
    operators: onFirstUse(() => db.select().from(operators).orderBy(asc(operators.createdAt)).prepare()),
    invitations: onFirstUse(() => db.select().from(invitations).orderBy(asc(invitations.createdAt)).prepare()),
    session: onFirstUse(() =>
      db
        .select({ session: operatorSessions, operator: operators })
        .from(operatorSessions)
        .innerJoin(operators, eq(operators.operatorId, operatorSessions.operatorId))
        .where(eq(operatorSessions.tokenHash, bind(operatorSessions.tokenHash, 'tokenHash')))
        .prepare(),
    ),
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
  }
  return {
    async operators() {
      return run.operators.all().map((row) => operatorOf(vault, row))
    },
    async invitations() {
      return run.invitations.all()
    },
    async operatorSession(tokenHash) {
      const row = run.session.get({ tokenHash })
      return row && { session: row.session, operator: operatorOf(vault, row.operator) }
    },
    async audit({ before = Number.MAX_SAFE_INTEGER, actor = null, action = null, limit }) {
      return run.audit.all({ before, actor, action, limit }).map(entryOf)
    },
    async auditFrom(seq, limit) {
      const entries = run.auditFrom.all({ seq, limit }).map(entryOf)
      // Whoever reads all of it has others wait for one page only.
      await nextTurn()
      return entries
    },
  }
}
