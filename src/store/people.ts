/** Operators, the addresses they sign in from, their sessions and invitations. */
import { and, asc, desc, eq, ne, notInArray, sql } from 'drizzle-orm'
import type {
  InvitationReader,
  InvitationTx,
  PeopleReader,
  PeopleTx,
  SessionReader,
  SessionTx,
} from '../ports/store/people'
import type { Vault } from '../ports/vault'
import { inDialect } from './dialect'
import { NO_SESSION, OPERATOR_CHANGING, operatorOf, operatorRow } from './rows/person'
import type { Querying, Session } from './session'
import { statement } from './statement'

const STATEMENTS = inDialect(
  ({ db, tables: { invitations, operatorAddresses, operatorSessions, operators }, ...its }) => {
    const { match, changes, parameters, excluded, insert, locked, bind } = its
    const thisOperator = match(operators, 'operatorId')
    const everybody = () => db.select().from(operators).orderBy(asc(operators.createdAt), asc(operators.operatorId))
    const addressesOfOperator = match(operatorAddresses, 'operatorId')
    const thisAddress = match(operatorAddresses, 'addressHash')
    const thisSession = match(operatorSessions, 'tokenHash')
    const sessionsOfOperator = match(operatorSessions, 'operatorId')
    const thisInvitation = match(invitations, 'tokenHash')
    return {
      everybody: statement(everybody),
      lockAll: statement(() => locked(everybody())),
      insert: insert(operators),
      update: statement(() => db.update(operators).set(changes(operators, OPERATOR_CHANGING)).where(thisOperator)),
      touch: statement(() =>
        db
          .update(operators)
          .set(changes(operators, ['lastSeenAt']))
          .where(thisOperator),
      ),
      remove: statement(() => db.delete(operators).where(thisOperator)),

      address: statement(() =>
        db
          .select({ seenAt: operatorAddresses.seenAt })
          .from(operatorAddresses)
          .where(and(addressesOfOperator, thisAddress)),
      ),
      upsertAddress: statement(() =>
        db
          .insert(operatorAddresses)
          .values(parameters(operatorAddresses))
          .onConflictDoUpdate({
            target: [operatorAddresses.operatorId, operatorAddresses.addressHash],
            set: excluded(operatorAddresses, ['seenAt']),
          }),
      ),
      deleteOlderAddresses: statement(() =>
        db.delete(operatorAddresses).where(
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
        ),
      ),
      deleteAddresses: statement(() => db.delete(operatorAddresses).where(addressesOfOperator)),

      session: statement(() =>
        db
          .select({ session: operatorSessions, operator: operators })
          .from(operatorSessions)
          .innerJoin(operators, eq(operators.operatorId, operatorSessions.operatorId))
          .where(thisSession),
      ),
      sessionsOf: statement(() =>
        db
          .select()
          .from(operatorSessions)
          .where(sessionsOfOperator)
          .orderBy(desc(operatorSessions.createdAt))
          .limit(sql.placeholder('limit')),
      ),
      insertSession: insert(operatorSessions),
      touchSession: statement(() =>
        db
          .update(operatorSessions)
          .set(changes(operatorSessions, ['lastSeenAt']))
          .where(thisSession),
      ),
      removeSession: statement(() => db.delete(operatorSessions).where(thisSession)),
      removeSessionsOf: statement(() =>
        db
          .delete(operatorSessions)
          .where(and(sessionsOfOperator, ne(operatorSessions.tokenHash, bind(operatorSessions.tokenHash, 'kept')))),
      ),

      invitations: statement(() => db.select().from(invitations).orderBy(asc(invitations.createdAt))),
      lockInvitation: statement(() => locked(db.select().from(invitations).where(thisInvitation))),
      insertInvitation: insert(invitations),
      removeInvitation: statement(() => db.delete(invitations).where(thisInvitation)),
      removeInvitationsOf: statement(() => db.delete(invitations).where(match(invitations, 'invitedBy'))),
    }
  },
)

export function peopleTx(tx: Session, vault: Vault): PeopleTx {
  const its = STATEMENTS(tx)
  return {
    async lockAll() {
      tx.lock('people')
      return (await tx.all(its.lockAll)).map((row) => operatorOf(vault, row))
    },
    add: async (operator) => tx.run(its.insert, operatorRow(vault, operator)),
    save: async (operator) => tx.run(its.update, operatorRow(vault, operator)),
    async touch(operatorId) {
      await tx.opened()
      tx.run(its.touch, { operatorId, lastSeenAt: tx.now })
    },
    async rememberAddress(operatorId, addressHash, kept) {
      await tx.opened()
      tx.run(its.upsertAddress, { operatorId, addressHash, seenAt: tx.now })
      tx.run(its.deleteOlderAddresses, { operatorId, addressHash, kept })
    },
    forgetAddresses: async (operatorId) => tx.run(its.deleteAddresses, { operatorId }),
    async remove(operatorId) {
      tx.run(its.removeSessionsOf, { operatorId, kept: NO_SESSION })
      tx.run(its.remove, { operatorId })
    },
  }
}

export function peopleReader(reads: Querying, vault: Vault): PeopleReader {
  const its = STATEMENTS(reads)
  return {
    all: async () => (await reads.all(its.everybody)).map((row) => operatorOf(vault, row)),
    knowsAddress: async (operatorId, addressHash) =>
      (await reads.get(its.address, { operatorId, addressHash })) !== undefined,
  }
}

export function sessionTx(tx: Session): SessionTx {
  const its = STATEMENTS(tx)
  return {
    add: async (session) => tx.run(its.insertSession, { ...session }),
    async touch(tokenHash) {
      await tx.opened()
      tx.run(its.touchSession, { tokenHash, lastSeenAt: tx.now })
    },
    remove: async (tokenHash) => tx.run(its.removeSession, { tokenHash }),
    removeOf: async (operatorId, kept = NO_SESSION) => tx.change(its.removeSessionsOf, { operatorId, kept }),
  }
}

export function sessionReader(reads: Querying, vault: Vault): SessionReader {
  const its = STATEMENTS(reads)
  return {
    async find(tokenHash) {
      const row = await reads.get(its.session, { tokenHash })
      return row && { session: row.session, operator: operatorOf(vault, row.operator) }
    },
    newestOf: async (operatorId, limit) => reads.all(its.sessionsOf, { operatorId, limit }),
  }
}

export function invitationTx(tx: Session): InvitationTx {
  const its = STATEMENTS(tx)
  return {
    add: async (invitation) => tx.run(its.insertInvitation, invitation),
    lock: async (tokenHash) => tx.get(its.lockInvitation, { tokenHash }),
    remove: async (tokenHash) => (await tx.change(its.removeInvitation, { tokenHash })) > 0,
    removeOf: async (invitedBy) => tx.run(its.removeInvitationsOf, { invitedBy }),
  }
}

export const invitationReader = (reads: Querying): InvitationReader => ({
  all: async () => reads.all(STATEMENTS(reads).invitations),
})
