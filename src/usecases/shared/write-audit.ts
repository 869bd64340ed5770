/**
 * The log of what operators change: who, what, when, from where; never a secret. Written in the transaction of the
 * change, each entry hashed together with the one before, under a key that the database does not hold.
 */
import type { AuditEntry } from '../../domain/operations/audit'
import type { Tx } from '../../ports/store'
import type { Vault } from '../../ports/vault'

export const COMMAND_LINE = 'cli'

/** Whoever makes a change: the command line, or an operator. */
export interface Actor {
  name: string
  ip?: string | undefined
}

export interface AuditDependencies {
  vault: Vault
  actor: Actor
}

export async function writeAudit(
  { vault, actor }: AuditDependencies,
  tx: Tx,
  action: string,
  target: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const last = await tx.audit.lockLast()
  const entry = { seq: (last?.seq ?? 0) + 1, at: tx.now, actor: actor.name, ip: actor.ip, action, target, detail }
  await tx.audit.add({ ...entry, hash: chain(vault, last?.hash, entry) })
}

/** The text that is hashed: the entry and the hash before it, in one spelling. */
export function chain(vault: Vault, before: Uint8Array | undefined, entry: Omit<AuditEntry, 'hash'>): Uint8Array {
  const { seq, at, actor, ip = null, action, target, detail } = entry
  const previous = Buffer.from(before ?? []).toString('hex')
  return vault.auditHash(JSON.stringify([previous, seq, at, actor, ip, action, target, JSON.stringify(detail)]))
}
