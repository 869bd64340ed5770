/**
 * The log of what operators change: who, what, when, from where; never a secret. Written in the transaction of the
 * change, each entry hashed together with the one before, under a key that the database does not hold.
 */
import type { AdminRequest } from '../../domain/access/admin-token'
import type { AuditEntry } from '../../domain/operations/audit'
import { conflict } from '../../domain/shared/error'
import { DAY_MS } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import type { Vault } from '../../ports/vault'

export const COMMAND_LINE = 'cli'

/** Whoever makes a change: the command line, an operator, or a token. */
export interface Actor {
  name: string
  ip?: string | undefined
  /** What they change must have no newer entry in the log than this one. */
  unchangedSince?: number | undefined
  /** Noted with the change, so that it is made once. */
  request?: NotedRequest
}

/** `isNoted`: a change was made for it. */
export type NotedRequest = AdminRequest & { isNoted?: boolean; notedIn?: Tx }

/** The answer to a repeated request is kept for so long. */
const REQUEST_KEPT_MS = DAY_MS

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
  const { unchangedSince: seen } = actor
  if (seen !== undefined && (seen > (last?.seq ?? 0) || (await tx.audit.hasChanged(target, seen))))
    throw conflict(
      'If-Match',
      'changed_meanwhile',
      'Somebody has changed it since you read it: read it again, and use its new ETag',
    )
  if (actor.request) await note(tx, actor.request)
  const entry = { seq: (last?.seq ?? 0) + 1, at: tx.now, actor: actor.name, ip: actor.ip, action, target, detail }
  await tx.audit.add({ ...entry, hash: chain(vault, last?.hash, entry) })
}

/** A request may make several changes, in one transaction or in several. */
async function note(tx: Tx, request: NotedRequest): Promise<void> {
  if (request.notedIn === tx) return
  const isFirst = await tx.admin.noteRequest(request, tx.now - REQUEST_KEPT_MS)
  if (!isFirst && !request.isNoted)
    throw conflict('Idempotency-Key', 'idempotency_key_reused', 'The same request is just being carried out')
  request.notedIn = tx
  tx.afterCommit(() => {
    request.isNoted = true
  })
}

/** The text that is hashed: the entry and the hash before it, in one spelling. */
export function chain(vault: Vault, before: Uint8Array | undefined, entry: Omit<AuditEntry, 'hash'>): Uint8Array {
  const { seq, at, actor, ip = null, action, target, detail } = entry
  const previous = Buffer.from(before ?? []).toString('hex')
  return vault.auditHash(JSON.stringify([previous, seq, at, actor, ip, action, target, JSON.stringify(detail)]))
}
