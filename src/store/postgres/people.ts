/** Operators, the addresses they sign in from, their sessions and invitations. */
import { and, asc, desc, eq, ne, notInArray, sql } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import type { InvitationReader, PeopleReader, SessionReader } from '../../ports/store/people'
import type { Vault } from '../../ports/vault'
import { invitationOf, invitationRow, NO_SESSION, OPERATOR_CHANGING, operatorOf, operatorRow } from '../rows/person'
import { addition, bind, changes, db, parameters, statement } from './connection/statement'
import { lock, type Querying, type Transaction } from './connection/transaction'
import { facts, invitations, operatorAddresses, operatorSessions, operators } from './schema'

const thisOperator = eq(operators.operatorId, bind(operators.operatorId, 'operatorId'))
const ofOperator = eq(operatorAddresses.operatorId, bind(operatorAddresses.operatorId, 'operatorId'))
const thisAddress = eq(operatorAddresses.addressHash, bind(operatorAddresses.addressHash, 'addressHash'))
const thisSession = eq(operatorSessions.tokenHash, bind(operatorSessions.tokenHash, 'tokenHash'))
const sessionsOfOperator = eq(operatorSessions.operatorId, bind(operatorSessions.operatorId, 'operatorId'))
const thisInvitation = eq(invitations.tokenHash, bind(invitations.tokenHash, 'tokenHash'))

const everybody = () => db.select().from(operators).orderBy(asc(operators.createdAt), asc(operators.operatorId))

const STATEMENTS = {
  lockAll: statement(() => everybody().for('no key update').prepare('')),
  insert: addition(operators),
  update: statement(() =>
    db.update(operators).set(changes(operators, OPERATOR_CHANGING)).where(thisOperator).prepare(''),
  ),
  touch: statement(() =>
    db
      .update(operators)
      .set(changes(operators, ['lastSeenAt']))
      .where(thisOperator)
      .prepare(''),
  ),
  upsertAddress: statement(() =>
    db
      .insert(operatorAddresses)
      .values(parameters(operatorAddresses))
      .onConflictDoUpdate({
        target: [operatorAddresses.operatorId, operatorAddresses.addressHash],
        set: { seenAt: sql`excluded.seen_at` },
      })
      .prepare(''),
  ),
  deleteOlderAddresses: statement(() =>
    db
      .delete(operatorAddresses)
      .where(
        and(
          ofOperator,
          notInArray(
            operatorAddresses.addressHash,
            db
              .select({ addressHash: operatorAddresses.addressHash })
              .from(operatorAddresses)
              .where(ofOperator)
              // The current address counts as the newest, even after the clock was set back.
              .orderBy(desc(thisAddress), desc(operatorAddresses.seenAt))
              .limit(sql.placeholder('kept')),
          ),
        ),
      )
      .prepare(''),
  ),
  deleteAddresses: statement(() => db.delete(operatorAddresses).where(ofOperator).prepare('')),
  remove: statement(() => db.delete(operators).where(thisOperator).prepare('')),
  insertSession: addition(operatorSessions),
  touchSession: statement(() =>
    db
      .update(operatorSessions)
      .set(changes(operatorSessions, ['lastSeenAt']))
      .where(thisSession)
      .prepare(''),
  ),
  removeSession: statement(() => db.delete(operatorSessions).where(thisSession).prepare('')),
  removeSessionsOf: statement(() =>
    db
      .delete(operatorSessions)
      .where(and(sessionsOfOperator, ne(operatorSessions.tokenHash, bind(operatorSessions.tokenHash, 'kept'))))
      .returning({ operatorId: operatorSessions.operatorId })
      .prepare(''),
  ),
  insertInvitation: addition(invitations),
  lockInvitation: statement(() => db.select().from(invitations).where(thisInvitation).for('update').prepare('')),
  removeInvitation: statement(() =>
    db.delete(invitations).where(thisInvitation).returning({ role: invitations.role }).prepare(''),
  ),
  removeInvitationsOf: statement(() =>
    db
      .delete(invitations)
      .where(eq(invitations.invitedBy, bind(invitations.invitedBy, 'invitedBy')))
      .prepare(''),
  ),
}

export function peopleTx(transaction: Transaction, vault: Vault): Tx['people'] {
  return {
    async lockAll() {
      lock(transaction, 'people')
      return (await transaction.all(STATEMENTS.lockAll)).map((row) => operatorOf(vault, row))
    },
    async add(operator) {
      transaction.run(STATEMENTS.insert, { ...operatorRow(vault, operator) })
    },
    async save(operator) {
      transaction.run(STATEMENTS.update, { ...operatorRow(vault, operator) })
    },
    async touch(operatorId) {
      await transaction.opened()
      transaction.run(STATEMENTS.touch, { operatorId, lastSeenAt: transaction.now })
    },
    async rememberAddress(operatorId, addressHash, kept) {
      await transaction.opened()
      transaction.run(STATEMENTS.upsertAddress, { operatorId, addressHash, seenAt: transaction.now })
      transaction.run(STATEMENTS.deleteOlderAddresses, { operatorId, addressHash, kept })
    },
    async forgetAddresses(operatorId) {
      transaction.run(STATEMENTS.deleteAddresses, { operatorId })
    },
    async remove(operatorId) {
      transaction.run(STATEMENTS.removeSessionsOf, { operatorId, kept: NO_SESSION })
      transaction.run(STATEMENTS.remove, { operatorId })
    },
  }
}

export function sessionTx(transaction: Transaction): Tx['sessions'] {
  return {
    async add(session) {
      transaction.run(STATEMENTS.insertSession, { ...session })
    },
    async touch(tokenHash) {
      await transaction.opened()
      transaction.run(STATEMENTS.touchSession, { tokenHash, lastSeenAt: transaction.now })
    },
    async remove(tokenHash) {
      transaction.run(STATEMENTS.removeSession, { tokenHash })
    },
    async removeOf(operatorId, kept = NO_SESSION) {
      return (await transaction.change(STATEMENTS.removeSessionsOf, { operatorId, kept })).length
    },
  }
}

export function invitationTx(transaction: Transaction): Tx['invitations'] {
  return {
    async add(invitation) {
      transaction.run(STATEMENTS.insertInvitation, { ...invitationRow(invitation) })
    },
    async lock(tokenHash) {
      const row = await transaction.get(STATEMENTS.lockInvitation, { tokenHash })
      return row && invitationOf(row)
    },
    async remove(tokenHash) {
      return (await transaction.change(STATEMENTS.removeInvitation, { tokenHash })).length > 0
    },
    async removeOf(invitedBy) {
      transaction.run(STATEMENTS.removeInvitationsOf, { invitedBy })
    },
  }
}

const READS = {
  fact: statement(() =>
    db
      .select()
      .from(facts)
      .where(eq(facts.name, bind(facts.name, 'name')))
      .prepare(''),
  ),
  everybody: statement(() => everybody().prepare('')),
  address: statement(() =>
    db
      .select({ seenAt: operatorAddresses.seenAt })
      .from(operatorAddresses)
      .where(and(ofOperator, thisAddress))
      .prepare(''),
  ),
  invitations: statement(() => db.select().from(invitations).orderBy(asc(invitations.createdAt)).prepare('')),
  sessionsOf: statement(() =>
    db
      .select()
      .from(operatorSessions)
      .where(sessionsOfOperator)
      .orderBy(desc(operatorSessions.createdAt))
      .limit(sql.placeholder('limit'))
      .prepare(''),
  ),
  session: statement(() =>
    db
      .select({ session: operatorSessions, operator: operators })
      .from(operatorSessions)
      .innerJoin(operators, eq(operators.operatorId, operatorSessions.operatorId))
      .where(thisSession)
      .prepare(''),
  ),
}

export const peopleReader = (pool: Querying, vault: Vault): PeopleReader => ({
  all: async () => (await pool.all(READS.everybody)).map((row) => operatorOf(vault, row)),
  async knowsAddress(operatorId, addressHash) {
    return (await pool.get(READS.address, { operatorId, addressHash })) !== undefined
  },
})

export const sessionReader = (pool: Querying, vault: Vault): SessionReader => ({
  async find(tokenHash) {
    const row = await pool.get(READS.session, { tokenHash })
    return row && { session: row.session, operator: operatorOf(vault, row.operator) }
  },
  newestOf: (operatorId, limit) => pool.all(READS.sessionsOf, { operatorId, limit }),
})

export const invitationReader = (pool: Querying): InvitationReader => ({
  all: async () => (await pool.all(READS.invitations)).map(invitationOf),
})

export async function installation(pool: Querying): Promise<string> {
  const fact = await pool.get(READS.fact, { name: 'installation' })
  return Buffer.from(fact?.value ?? []).toString('hex')
}
