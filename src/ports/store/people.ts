/** Operators, where they sign in from, their sessions and invitations. */
import type { Invitation, Operator, OperatorSession } from '../../domain/access/operator'
import type { AuditEntry, AuditHead } from '../../domain/operations/audit'

export interface PeopleTx {
  /** Everybody, locked together: there must remain an owner, and addresses of mail are taken once. */
  lockAll(): Promise<Operator[]>
  add(operator: Operator): Promise<void>
  /** Stores what may change of an operator, but for when they were seen. */
  save(operator: Operator): Promise<void>
  /** The operator signs in now. */
  touch(operatorId: string): Promise<void>
  /** With all sessions. */
  remove(operatorId: string): Promise<void>
  /** The operator signs in from there; of the addresses known before only the newest stay, `kept` in all. */
  rememberAddress(operatorId: string, addressHash: Uint8Array, kept: number): Promise<void>
  forgetAddresses(operatorId: string): Promise<void>
}

export interface PeopleReader {
  all(): Promise<Operator[]>
  /** Whether an operator has signed in from an address, among the newest. */
  knowsAddress(operatorId: string, addressHash: Uint8Array): Promise<boolean>
}

export interface SessionTx {
  add(session: OperatorSession): Promise<void>
  /** It is used now; one that has ended stays so. */
  touch(tokenHash: Uint8Array): Promise<void>
  remove(tokenHash: Uint8Array): Promise<void>
  /** Answers how many. */
  removeOf(operatorId: string): Promise<number>
}

export interface SessionReader {
  /** A session and whose it is. */
  find(tokenHash: Uint8Array): Promise<{ session: OperatorSession; operator: Operator } | undefined>
}

export interface InvitationTx {
  add(invitation: Invitation): Promise<void>
  lock(tokenHash: Uint8Array): Promise<Invitation | undefined>
  /** False where somebody else has removed it. */
  remove(tokenHash: Uint8Array): Promise<boolean>
  removeOf(invitedBy: string): Promise<void>
}

export interface InvitationReader {
  all(): Promise<Invitation[]>
}

/** Where the log ends, and where it should. */
export interface AuditEnds {
  find(seq: number): Promise<AuditEntry | undefined>
  /** Of every place where one is kept. */
  heads(): Promise<StoredAuditHead[]>
}

export interface AuditTx extends AuditEnds {
  /** The newest entry; until this ends nobody else adds one behind it. */
  lockLast(): Promise<AuditEntry | undefined>
  /** With it goes every head that is still held by the log. */
  add(entry: AuditEntry): Promise<void>
  /** Writes down where the log ends wherever that is not known, or `inAnyCase`. */
  storeHead(how: { inAnyCase: boolean }): Promise<void>
}

/** Where the audit log ended when that was last written down: `unreadable` where somebody else has written there. */
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
