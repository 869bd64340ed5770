/** The audit log, and its head: a line with the last entry, kept in the database and in a file. */
import { type AuditEntry, type AuditHead, readHead } from '../../domain/operations/audit'
import type { HeadFile } from '../../ports/files'
import type { StoredAuditHead } from '../../ports/store/people'
import type { Vault } from '../../ports/vault'
import type { Row } from '../tables'

export const entryOf = (row: Row<AuditEntry>): AuditEntry => ({ ...row, ip: row.ip ?? undefined })

export const entryRow = (entry: AuditEntry): Row<AuditEntry> => ({ ...entry, ip: entry.ip ?? null })

/** Name of the fact that holds the head in the database. */
export const HEAD = 'audit_head'

export interface HeadLine {
  text: string | undefined
  head: AuditHead | undefined
}

export const lineOf = (text: string | undefined, { auditHash }: Vault): HeadLine => ({
  text,
  head: text === undefined ? undefined : readHead(text, auditHash),
})

/** An unreadable file counts as an empty line. */
export function fileLine(file: HeadFile, vault: Vault): HeadLine {
  try {
    return lineOf(file.read(), vault)
  } catch {
    return { text: '', head: undefined }
  }
}

export function keptHead(where: StoredAuditHead['where'], { text, head }: HeadLine): StoredAuditHead {
  if (head) return { where, state: 'kept', head }
  return { where, state: text === undefined ? 'none' : 'unreadable' }
}

/** A head moves on only if the log contains the entry it names (`held`), so that a log that was cut off is detected. */
export const mayMoveOn = ({ text, head }: HeadLine, held: AuditEntry | undefined): boolean =>
  text === undefined ||
  (head !== undefined && held !== undefined && Buffer.from(held.hash).equals(Buffer.from(head.hash)))
