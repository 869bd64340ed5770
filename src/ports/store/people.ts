/** Operators, their known addresses, sessions and invitations, and the audit log of what they change. */
import type { Invitation, Operator, OperatorSession } from '../../domain/access/operator'
import type { AuditEntry, AuditHead } from '../../domain/operations/audit'

export interface PeopleTx {
  /** Locks all operators: an owner must remain, and e-mail addresses are unique. */
  lockAll(): Promise<Operator[]>
  add(operator: Operator): Promise<void>
  /** Stores the changeable fields of an operator, except when they were last seen. */
  save(operator: Operator): Promise<void>
  /** Notes that the operator signs in now. */
  touch(operatorId: string): Promise<void>
  /** Removes an operator with all sessions. */
  remove(operatorId: string): Promise<void>
  /** Remembers an address that the operator signed in from; only the newest `kept` addresses stay. */
  rememberAddress(operatorId: string, addressHash: Uint8Array, kept: number): Promise<void>
  forgetAddresses(operatorId: string): Promise<void>
}

export interface PeopleReader {
  all(): Promise<Operator[]>
  /** Whether the operator has signed in from the address, among the remembered ones. */
  knowsAddress(operatorId: string, addressHash: Uint8Array): Promise<boolean>
}

export interface SessionTx {
  add(session: OperatorSession): Promise<void>
  /** Notes that the session is used now. One that has ended is not revived. */
  touch(tokenHash: Uint8Array): Promise<void>
  remove(tokenHash: Uint8Array): Promise<void>
  /** Removes all but that one; answers how many were removed. */
  removeOf(operatorId: string, kept?: Uint8Array): Promise<number>
}

export interface SessionReader {
  /** A session and its operator. */
  find(tokenHash: Uint8Array): Promise<{ session: OperatorSession; operator: Operator } | undefined>
  /** Newest first, also those that are no longer live. */
  newestOf(operatorId: string, limit: number): Promise<OperatorSession[]>
}

export interface InvitationTx {
  add(invitation: Invitation): Promise<void>
  lock(tokenHash: Uint8Array): Promise<Invitation | undefined>
  /** False where another transaction removed it first. */
  remove(tokenHash: Uint8Array): Promise<boolean>
  removeOf(invitedBy: string): Promise<void>
}

export interface InvitationReader {
  all(): Promise<Invitation[]>
}

/** The end of the log, and the heads that say where it should end. */
export interface AuditEnds {
  find(seq: number): Promise<AuditEntry | undefined>
  /** The heads in the database and in the file. */
  heads(): Promise<StoredAuditHead[]>
}

export interface AuditTx extends AuditEnds {
  /** Locks the newest entry, so that one transaction at a time appends. */
  lockLast(): Promise<AuditEntry | undefined>
  /** Whether the log has an entry of this target after the one with the number. */
  hasChanged(target: string, since: number): Promise<boolean>
  /** Adds an entry and moves every head that still matches the log. */
  add(entry: AuditEntry): Promise<void>
  /** Stores the head wherever it is missing, or everywhere where `inAnyCase`. */
  storeHead(how: { inAnyCase: boolean }): Promise<void>
}

/** A stored head of the audit log; `unreadable` where it was not written with our key. */
export type StoredAuditHead = { readonly where: 'database' | 'file' } & (
  | { readonly state: 'kept'; readonly head: AuditHead }
  | { readonly state: 'none' | 'unreadable' }
)

export interface AuditFilter {
  before?: number | undefined
  actor?: string | undefined
  action?: string | undefined
  limit: number
}

export interface AuditReader extends AuditEnds {
  /** Newest first. */
  page(filter: AuditFilter): Promise<AuditEntry[]>
  /** Oldest first, from that entry on. */
  from(seq: number, limit: number): Promise<AuditEntry[]>
}
