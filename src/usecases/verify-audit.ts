/** Whether the log of what operators change is whole, and what is done where it is not. */
import type { AuditEntry } from '../domain/operations/audit'
import type { Log } from '../ports/log'
import type { Reader, Store } from '../ports/store'
import type { AuditEnds } from '../ports/store/people'
import type { Vault } from '../ports/vault'
import { type AuditDependencies, chain, writeAudit } from './shared/write-audit'

/** A place where the end of the log was written down, and what speaks against the log, or the place. */
export interface LostEnd {
  where: 'database' | 'file'
  /** The log does not hold its entry `seq`; nobody with the key has written it; it is there no more, while others are. */
  problem: 'cut_off' | 'unreadable' | 'gone'
  seq?: number
}

/** Empty where the log goes as far as it is known to have gone. */
export async function lostEnds({ audit }: { audit: AuditEnds }): Promise<LostEnd[]> {
  const heads = await audit.heads()
  const isAnyKept = heads.some(({ state }) => state !== 'none')
  const found = await Promise.all(
    heads.map(async (kept): Promise<LostEnd | undefined> => {
      const { where } = kept
      if (kept.state !== 'kept') {
        if (kept.state === 'unreadable') return { where, problem: 'unreadable' }
        return isAnyKept ? { where, problem: 'gone' } : undefined
      }
      const { seq, hash } = kept.head
      const entry = await audit.find(seq)
      const isHeld = entry !== undefined && Buffer.from(entry.hash).equals(Buffer.from(hash))
      return isHeld ? undefined : { where, problem: 'cut_off', seq }
    }),
  )
  return found.filter((lost) => lost !== undefined)
}

/** Called at the start of a server: logs what is missing of the audit log, and stores where it ends. */
export async function checkAuditEnd({ store, log }: { store: Store; log: Log }): Promise<void> {
  for (const { problem, ...lost } of await lostEnds(store.read)) {
    if (problem === 'gone') log.warn(lost, 'where the audit log ended was written down here, and is no more')
    else log.error({ ...lost, problem }, 'the newest entries of the audit log are gone; see watchword doctor')
  }
  await store.transaction((tx) => tx.audit.storeHead({ inAnyCase: false }))
}

/** Takes the log as it is from now on, and says so in it. Answers what was missing. */
export function acceptAudit(deps: AuditDependencies & { store: Store }): Promise<LostEnd[]> {
  return deps.store.transaction(async (tx) => {
    await tx.audit.lockLast()
    const lost = await lostEnds(tx)
    await writeAudit(deps, tx, 'audit.accept', 'audit', { lost })
    await tx.audit.storeHead({ inAnyCase: true })
    return lost
  })
}

export interface AuditVerdict {
  /** Also false where the newest entries are gone. */
  isIntact: boolean
  entries: number
  /** Hash of the newest entry. */
  head: string
  /** The first entry that is not as it was written, or whose predecessor is missing. */
  brokenAt?: number
  lost: LostEnd[]
  /** Whether the hash that was asked for is that of an entry. */
  holdsHash?: boolean
}

const BATCH = 500

/** `hash`: of an entry that should be there, as a backup or an earlier look has told it. */
export async function verifyAudit({
  read,
  vault,
  hash,
}: {
  read: Reader
  vault: Vault
  hash?: string | undefined
}): Promise<AuditVerdict> {
  const lost = await lostEnds(read)
  const isLost = lost.some(({ problem }) => problem !== 'gone')
  let holdsHash = hash === undefined
  let previous: AuditEntry | undefined
  const verdict = (brokenAt?: number): AuditVerdict => ({
    isIntact: brokenAt === undefined && !isLost && holdsHash,
    entries: previous?.seq ?? 0,
    head: headOf(previous),
    lost,
    ...(brokenAt !== undefined && { brokenAt }),
    ...(hash !== undefined && { holdsHash }),
  })
  // The first entry is number 1: whatever stands before it was not written by this service.
  const [stray] = await read.audit.page({ before: 1, limit: 1 })
  if (stray) return verdict(stray.seq)
  for (;;) {
    const batch = await read.audit.from((previous?.seq ?? 0) + 1, BATCH)
    for (const entry of batch) {
      const isNext = entry.seq === (previous?.seq ?? 0) + 1
      if (!isNext || !Buffer.from(chain(vault, previous?.hash, entry)).equals(entry.hash)) return verdict(entry.seq)
      previous = entry
      holdsHash ||= headOf(entry) === hash
    }
    if (batch.length < BATCH) return verdict()
  }
}

export const headOf = (entry: Pick<AuditEntry, 'hash'> | undefined) => Buffer.from(entry?.hash ?? []).toString('hex')
