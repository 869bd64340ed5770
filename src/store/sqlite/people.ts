/** Operators, the addresses they sign in from, their sessions and invitations. */
import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, ne, notInArray, sql } from 'drizzle-orm'
import type { Reader, Tx } from '../../ports/store'
import type { Vault } from '../../ports/vault'
import { invitationOf, invitationRow, NO_SESSION, OPERATOR_CHANGING, operatorOf, operatorRow } from '../rows/person'
import { bind, changes, db, on, parameters, statement } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { facts, invitations, operatorAddresses, operatorSessions, operators } from './schema'

const addressesOfOperator = eq(operatorAddresses.operatorId, bind(operatorAddresses.operatorId, 'operatorId'))
const sessionsOfOperator = eq(operatorSessions.operatorId, bind(operatorSessions.operatorId, 'operatorId'))
const thisAddress = eq(operatorAddresses.addressHash, bind(operatorAddresses.addressHash, 'addressHash'))

const thisOperator = eq(operators.operatorId, bind(operators.operatorId, 'operatorId'))

const thisInvitation = eq(invitations.tokenHash, bind(invitations.tokenHash, 'tokenHash'))

const PEOPLE_TX = {
  operators: statement(() => db.select().from(operators).orderBy(asc(operators.createdAt)).prepare()),
  insertOperator: statement(() => db.insert(operators).values(parameters(operators)).prepare()),
  updateOperator: statement(() =>
    db.update(operators).set(changes(operators, OPERATOR_CHANGING)).where(thisOperator).prepare(),
  ),
  touchOperator: statement(() =>
    db
      .update(operators)
      .set(changes(operators, ['lastSeenAt']))
      .where(thisOperator)
      .prepare(),
  ),
  upsertAddress: statement(() =>
    db
      .insert(operatorAddresses)
      .values(parameters(operatorAddresses))
      .onConflictDoUpdate({
        target: [operatorAddresses.operatorId, operatorAddresses.addressHash],
        set: changes(operatorAddresses, ['seenAt']),
      })
      .prepare(),
  ),
  deleteOlderAddresses: statement(() =>
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
              // The current address counts as the newest, even after the clock was set back.
              .orderBy(desc(thisAddress), desc(operatorAddresses.seenAt))
              .limit(sql.placeholder('kept')),
          ),
        ),
      )
      .prepare(),
  ),
  deleteAddresses: statement(() => db.delete(operatorAddresses).where(addressesOfOperator).prepare()),
  deleteOperator: statement(() => db.delete(operators).where(thisOperator).prepare()),
  insertSession: statement(() => db.insert(operatorSessions).values(parameters(operatorSessions)).prepare()),
  touchSession: statement(() =>
    db
      .update(operatorSessions)
      .set(changes(operatorSessions, ['lastSeenAt']))
      .where(eq(operatorSessions.tokenHash, bind(operatorSessions.tokenHash, 'tokenHash')))
      .prepare(),
  ),
  deleteSession: statement(() =>
    db
      .delete(operatorSessions)
      .where(eq(operatorSessions.tokenHash, bind(operatorSessions.tokenHash, 'tokenHash')))
      .prepare(),
  ),
  deleteSessions: statement(() =>
    db
      .delete(operatorSessions)
      .where(and(sessionsOfOperator, ne(operatorSessions.tokenHash, bind(operatorSessions.tokenHash, 'kept'))))
      .returning({ operatorId: operatorSessions.operatorId })
      .prepare(),
  ),
  insertInvitation: statement(() => db.insert(invitations).values(parameters(invitations)).prepare()),
  invitation: statement(() => db.select().from(invitations).where(thisInvitation).prepare()),
  deleteInvitation: statement(() =>
    db.delete(invitations).where(thisInvitation).returning({ role: invitations.role }).prepare(),
  ),
  deleteInvitationsOf: statement(() =>
    db
      .delete(invitations)
      .where(eq(invitations.invitedBy, bind(invitations.invitedBy, 'invitedBy')))
      .prepare(),
  ),
}

export function createPeopleTx(
  connection: Database,
  vault: Vault,
  current: TransactionState,
): Pick<Tx, 'people' | 'sessions' | 'invitations'> {
  const run = on(connection, PEOPLE_TX)

  return {
    people: {
      async lockAll() {
        return run.operators.all().map((row) => operatorOf(vault, row))
      },
      async add(operator) {
        run.insertOperator.run({ ...operatorRow(vault, operator) })
      },
      async save(operator) {
        run.updateOperator.run({ ...operatorRow(vault, operator) })
      },
      async touch(operatorId) {
        run.touchOperator.run({ operatorId, lastSeenAt: current.now })
      },
      async rememberAddress(operatorId, addressHash, kept) {
        run.upsertAddress.run({ operatorId, addressHash, seenAt: current.now })
        run.deleteOlderAddresses.run({ operatorId, addressHash, kept })
      },
      async forgetAddresses(operatorId) {
        run.deleteAddresses.run({ operatorId })
      },
      async remove(operatorId) {
        run.deleteSessions.all({ operatorId, kept: NO_SESSION })
        run.deleteOperator.run({ operatorId })
      },
    },
    sessions: {
      async add(session) {
        run.insertSession.run({ ...session })
      },
      async touch(tokenHash) {
        run.touchSession.run({ tokenHash, lastSeenAt: current.now })
      },
      async remove(tokenHash) {
        run.deleteSession.run({ tokenHash })
      },
      async removeOf(operatorId, kept = NO_SESSION) {
        return run.deleteSessions.all({ operatorId, kept }).length
      },
    },
    invitations: {
      async add(invitation) {
        run.insertInvitation.run({ ...invitationRow(invitation) })
      },
      async lock(tokenHash) {
        const row = run.invitation.get({ tokenHash })
        return row && invitationOf(row)
      },
      async remove(tokenHash) {
        return run.deleteInvitation.all({ tokenHash }).length > 0
      },
      async removeOf(invitedBy) {
        run.deleteInvitationsOf.run({ invitedBy })
      },
    },
  }
}

const PEOPLE_READER = {
  fact: statement(() =>
    db
      .select()
      .from(facts)
      .where(eq(facts.name, bind(facts.name, 'name')))
      .prepare(),
  ),
  operators: statement(() => db.select().from(operators).orderBy(asc(operators.createdAt)).prepare()),
  address: statement(() =>
    db
      .select({ seenAt: operatorAddresses.seenAt })
      .from(operatorAddresses)
      .where(and(addressesOfOperator, thisAddress))
      .prepare(),
  ),
  invitations: statement(() => db.select().from(invitations).orderBy(asc(invitations.createdAt)).prepare()),
  sessionsOf: statement(() =>
    db
      .select()
      .from(operatorSessions)
      .where(sessionsOfOperator)
      .orderBy(desc(operatorSessions.createdAt))
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
  session: statement(() =>
    db
      .select({ session: operatorSessions, operator: operators })
      .from(operatorSessions)
      .innerJoin(operators, eq(operators.operatorId, operatorSessions.operatorId))
      .where(eq(operatorSessions.tokenHash, bind(operatorSessions.tokenHash, 'tokenHash')))
      .prepare(),
  ),
}

export function createPeopleReader(
  connection: Database,
  vault: Vault,
): Pick<Reader, 'people' | 'sessions' | 'invitations' | 'installation'> {
  const run = on(connection, PEOPLE_READER)
  return {
    async installation() {
      const fact = run.fact.get({ name: 'installation' })
      return Buffer.from(fact?.value ?? []).toString('hex')
    },
    people: {
      async all() {
        return run.operators.all().map((row) => operatorOf(vault, row))
      },
      async knowsAddress(operatorId, addressHash) {
        return run.address.get({ operatorId, addressHash }) !== undefined
      },
    },
    invitations: {
      async all() {
        return run.invitations.all().map(invitationOf)
      },
    },
    sessions: {
      async find(tokenHash) {
        const row = run.session.get({ tokenHash })
        return row && { session: row.session, operator: operatorOf(vault, row.operator) }
      },
      async newestOf(operatorId, limit) {
        return run.sessionsOf.all({ operatorId, limit })
      },
    },
  }
}
