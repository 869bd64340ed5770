/** Operators, where they sign in from, their sessions and invitations. */
import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, notInArray, sql } from 'drizzle-orm'
import type { Operator } from '../../domain/operator'
import type { Reader, Tx, Vault } from '../../ports'
import { drizzle } from './drizzle'
import { apiKeys, facts, invitations, operatorAddresses, operatorSessions, operators } from './schema'
import { bind, changes, onFirstUse, parameters } from './statement'

const totpRow = (operatorId: string) => `operator-totp:${operatorId}`

const operatorOf = (vault: Vault, row: typeof operators.$inferSelect): Operator => ({
  ...row,
  totpSecret: row.totpSecret ? vault.open(totpRow(row.operatorId), row.totpSecret) : undefined,
  lastSeenAt: row.lastSeenAt ?? undefined,
  unlockedAt: row.unlockedAt ?? undefined,
})

const addressesOfOperator = eq(operatorAddresses.operatorId, bind(operatorAddresses.operatorId, 'operatorId'))
const thisAddress = eq(operatorAddresses.addressHash, bind(operatorAddresses.addressHash, 'addressHash'))

type ConsoleTx = Pick<
  Tx,
  | 'operators'
  | 'saveOperator'
  | 'removeOperator'
  | 'rememberAddress'
  | 'forgetAddresses'
  | 'saveOperatorSession'
  | 'touchOperatorSession'
  | 'removeOperatorSession'
  | 'removeOperatorSessions'
  | 'addInvitation'
  | 'invitation'
  | 'removeInvitation'
  | 'removeInvitationsOf'
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
          set: changes(operators, ['email', 'name', 'role', 'passwordHash', 'totpSecret', 'lastSeenAt', 'unlockedAt']),
        })
        .prepare(),
    ),
    upsertAddress: onFirstUse(() =>
      db
        .insert(operatorAddresses)
        .values(parameters(operatorAddresses))
        .onConflictDoUpdate({
          target: [operatorAddresses.operatorId, operatorAddresses.addressHash],
          set: changes(operatorAddresses, ['seenAt']),
        })
        .prepare(),
    ),
    deleteOlderAddresses: onFirstUse(() =>
      db
        .delete(operatorAddresses)
        .where(
          and(
            addressesOfOperator,
            notInArray(
              operatorAddresses.addressHash,
              db
                .select({ addressHash: operatorAddresses.addressHash })
                .from(operatorAddresses)
                .where(addressesOfOperator)
                // That of now is the newest, also under a clock that was set back.
                .orderBy(desc(thisAddress), desc(operatorAddresses.seenAt))
                .limit(sql.placeholder('kept')),
            ),
          ),
        )
        .prepare(),
    ),
    deleteAddresses: onFirstUse(() => db.delete(operatorAddresses).where(addressesOfOperator).prepare()),
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
    async saveOperator({ totpSecret, lastSeenAt = null, unlockedAt = null, ...operator }) {
      const sealed = totpSecret === undefined ? null : vault.seal(totpRow(operator.operatorId), totpSecret)
      run.upsertOperator.run({ ...operator, lastSeenAt, unlockedAt, totpSecret: sealed })
    },
    async rememberAddress(operatorId, addressHash, kept) {
      run.upsertAddress.run({ operatorId, addressHash, seenAt: this.now })
      run.deleteOlderAddresses.run({ operatorId, addressHash, kept })
    },
    async forgetAddresses(operatorId) {
      run.deleteAddresses.run({ operatorId })
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
    async touchKeys(usedAt) {
      for (const [keyId, lastUsedAt] of usedAt) run.touchKey.run({ keyId, lastUsedAt })
    },
  }
}

type ConsoleReader = Pick<Reader, 'installation' | 'operators' | 'knowsAddress' | 'invitations' | 'operatorSession'>

export function createConsoleReader(connection: Database, vault: Vault): ConsoleReader {
  const db = drizzle(connection)
  const run = {
    fact: onFirstUse(() =>
      db
        .select()
        .from(facts)
        .where(eq(facts.name, bind(facts.name, 'name')))
        .prepare(),
    ),
    operators: onFirstUse(() => db.select().from(operators).orderBy(asc(operators.createdAt)).prepare()),
    address: onFirstUse(() =>
      db
        .select({ seenAt: operatorAddresses.seenAt })
        .from(operatorAddresses)
        .where(and(addressesOfOperator, thisAddress))
        .prepare(),
    ),
    invitations: onFirstUse(() => db.select().from(invitations).orderBy(asc(invitations.createdAt)).prepare()),
    session: onFirstUse(() =>
      db
        .select({ session: operatorSessions, operator: operators })
        .from(operatorSessions)
        .innerJoin(operators, eq(operators.operatorId, operatorSessions.operatorId))
        .where(eq(operatorSessions.tokenHash, bind(operatorSessions.tokenHash, 'tokenHash')))
        .prepare(),
    ),
  }
  return {
    async installation() {
      const fact = run.fact.get({ name: 'installation' })
      return Buffer.from(fact?.value ?? []).toString('hex')
    },
    async operators() {
      return run.operators.all().map((row) => operatorOf(vault, row))
    },
    async knowsAddress(operatorId, addressHash) {
      return run.address.get({ operatorId, addressHash }) !== undefined
    },
    async invitations() {
      return run.invitations.all()
    },
    async operatorSession(tokenHash) {
      const row = run.session.get({ tokenHash })
      return row && { session: row.session, operator: operatorOf(vault, row.operator) }
    },
  }
}
