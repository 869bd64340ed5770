/** The audit log, and the line that says where it ends, wherever one is kept. */
import { type AuditEntry, type AuditHead, readHead } from '../../domain/operations/audit'
import type { HeadFile } from '../../ports/files'
import type { KeptHead } from '../../ports/store/people'
import type { Vault } from '../../ports/vault'
import type { Row } from './row'

export const entryOf = (row: Row<AuditEntry>): AuditEntry => ({ ...row, ip: row.ip ?? undefined })

export const entryRow = (entry: AuditEntry): Row<AuditEntry> => ({ ...entry, ip: entry.ip ?? null })

/** The fact that holds the line in the database. */
export const HEAD = 'audit_head'

export interface HeadLine {
  text: string | undefined
  head: AuditHead | undefined
}

export const lineOf = (text: string | undefined, { auditHash }: Vault): HeadLine => ({
  text,
  head: text === undefined ? undefined : readHead(text, auditHash),
})

/** What cannot be read is a line that says nothing. */
export function fileLine(file: HeadFile, vault: Vault): HeadLine {
  try {
    return lineOf(file.read(), vault)
  } catch {
    return { text: '', head: undefined }
  }
}

export function keptHead(where: KeptHead['where'], { text, head }: HeadLine): KeptHead {
  if (head) return { where, state: 'kept', head }
  return { where, state: text === undefined ? 'none' : 'unreadable' }
}

/** A head moves on only while the log holds it: one that was cut off stays to be seen. `held`: the entry it names. */
export const mayMoveOn = ({ text, head }: HeadLine, held: AuditEntry | undefined): boolean =>
  text === undefined ||
  (head !== undefined && held !== undefined && Buffer.from(held.hash).equals(Buffer.from(head.hash)))
