/** The log of what operators change. */
import type { AuditEntry, AuditHead } from '../../domain/operations/audit'

/** Where the log ends, and where it should. */
export interface AuditEnds {
  find(seq: number): Promise<AuditEntry | undefined>
  /** Of every place where one is kept. */
  heads(): Promise<KeptHead[]>
}

export interface AuditTx extends AuditEnds {
  /** The newest entry; until this ends nobody else adds one behind it. */
  lockLast(): Promise<AuditEntry | undefined>
  /** With it goes every head that is still held by the log. */
  add(entry: AuditEntry): Promise<void>
  /** Writes down where the log ends wherever that is not known, or `inAnyCase`. */
  keepHead(how: { inAnyCase: boolean }): Promise<void>
}

/** Where the audit log ended when that was last written down: `unreadable` where somebody else has written there. */
export type KeptHead = { readonly where: 'database' | 'file' } & (
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
