/**
 * The log of what operators change: who, what, when, from where; never a secret. Written in the transaction of the
 * change, each entry hashed together with the one before, under a key that the database does not hold.
 */
import type { AuditEntry, Reader, Tx, Vault } from '../ports'

/** Whoever makes a change: `cli`, or an operator. */
export interface Actor {
  name: string
  ip?: string | undefined
}

export interface AuditDependencies {
  vault: Vault
  actor: Actor
}

export async function noteChange(
  { vault, actor }: AuditDependencies,
  tx: Tx,
  action: string,
  target: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const last = await tx.lastAuditEntry()
  const entry = { seq: (last?.seq ?? 0) + 1, at: tx.now, actor: actor.name, ip: actor.ip, action, target, detail }
  await tx.addAuditEntry({ ...entry, hash: chain(vault, last?.hash, entry) })
}

/** What the entry says and the hash before it, in one way of writing. */
function chain(vault: Vault, before: Uint8Array | undefined, entry: Omit<AuditEntry, 'hash'>): Uint8Array {
  const { seq, at, actor, ip = null, action, target, detail } = entry
  const previous = Buffer.from(before ?? []).toString('hex')
  return vault.auditHash(JSON.stringify([previous, seq, at, actor, ip, action, target, JSON.stringify(detail)]))
}

export interface AuditVerdict {
  isIntact: boolean
  entries: number
  /** Hash of the newest entry, to be kept elsewhere: only it tells that the newest entries were cut off. */
  head: string
  /** The first entry that is not as it was written, or whose predecessor is missing. */
  brokenAt?: number
}

const BATCH = 500

export async function verifyAudit({ read, vault }: { read: Reader; vault: Vault }): Promise<AuditVerdict> {
  let previous: AuditEntry | undefined
  for (;;) {
    const batch = await read.auditFrom((previous?.seq ?? 0) + 1, BATCH)
    for (const entry of batch) {
      const isNext = entry.seq === (previous?.seq ?? 0) + 1
      if (!isNext || !Buffer.from(chain(vault, previous?.hash, entry)).equals(entry.hash)) {
        return { isIntact: false, entries: previous?.seq ?? 0, head: headOf(previous), brokenAt: entry.seq }
      }
      previous = entry
    }
    if (batch.length < BATCH) return { isIntact: true, entries: previous?.seq ?? 0, head: headOf(previous) }
  }
}

const headOf = (entry: AuditEntry | undefined) => Buffer.from(entry?.hash ?? []).toString('hex')
