/** Operators, and the audit log of their changes. Its head, a line with the last entry, is kept in the database and in a file. */
import type { Operator } from '../../domain/access/operator'
import { type AuditEntry, type AuditHead, readHead } from '../../domain/operations/audit'
import type { HeadFile } from '../../ports/files'
import type { StoredAuditHead } from '../../ports/store/people'
import type { Vault } from '../../ports/vault'

interface OperatorRow extends Omit<Operator, 'totpSecret' | 'totpBegun'> {
  /** Both are encrypted. */
  totpSecret: Uint8Array | undefined
  totpBegun: Uint8Array | undefined
}

export const totpSeal = (operatorId: string) => `operator-totp:${operatorId}`
export const begunSeal = (operatorId: string) => `operator-totp-begun:${operatorId}`

export const operatorOf = (vault: Vault, row: OperatorRow): Operator => ({
  ...row,
  totpSecret: row.totpSecret ? vault.open(totpSeal(row.operatorId), row.totpSecret) : undefined,
  totpBegun: row.totpBegun ? JSON.parse(vault.open(begunSeal(row.operatorId), row.totpBegun)) : undefined,
})

export const operatorRow = (vault: Vault, { totpSecret, totpBegun, ...operator }: Operator): OperatorRow => ({
  ...operator,
  appIds: operator.appIds && [...operator.appIds],
  totpSecret: totpSecret === undefined ? undefined : vault.seal(totpSeal(operator.operatorId), totpSecret),
  totpBegun: totpBegun ? vault.seal(begunSeal(operator.operatorId), JSON.stringify(totpBegun)) : undefined,
})

/** The columns of an operator that change, except for `lastSeenAt`. */
export const OPERATOR_CHANGING = [
  'email',
  'name',
  'role',
  'passwordHash',
  'totpSecret',
  'totpBegun',
  'unlockedAt',
  'appIds',
] as const

/** A token hash that no session has. */
export const NO_SESSION = new Uint8Array()

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
