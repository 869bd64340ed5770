/** Verify: say, once, whether what the user typed is right. Specification: `POST /verify`; decisions: "Interface". */
import { timingSafeEqual } from 'node:crypto'
import { fail, forgive } from '../domain/failure-budget'
import { attemptsRemaining, check, type Issue, phoneOf, type ReasonCode } from '../domain/issue'
import { isUuid, type Owner } from '../domain/value'
import type { Clock } from '../ports/clock'
import type { Store, Tx } from '../ports/store'
import type { Vault } from '../ports/vault'
import { saveIssue } from './shared/save-issue'
import type { TellDependencies } from './shared/tell-events'

export interface Verification {
  issueId: string
  verified: boolean
  reasonCode?: ReasonCode | undefined
  attemptsRemaining: number
  expiresAt: number
  verifiedAt?: number | undefined
}

interface VerifyDependencies extends TellDependencies {
  store: Store
  vault: Vault
  clock: Clock
}

/** A wrong code is an answer, not a refusal: the attempt it used is stored. */
export async function verifyCode(
  deps: VerifyDependencies,
  owner: Owner,
  request: { issueId: string; code: string },
): Promise<Verification> {
  const { store, vault, clock } = deps
  if (!isUuid(request.issueId)) return unknownIssue(request.issueId, clock.now())
  return store.transaction(async (tx) => {
    const found = await tx.issues.lockToVerify(owner, request.issueId)
    if (!found) return unknownIssue(request.issueId, tx.now)
    const { issue } = found
    const matches = timingSafeEqual(vault.codeHash(issue.issueId, request.code), issue.codeHash)
    const { verified, reasonCode, changed } = check(issue, matches, tx.now)
    if (changed) {
      await count(tx, found, verified)
      await saveIssue(deps, tx, issue, changed)
    }
    const after = changed ?? issue
    return {
      issueId: issue.issueId,
      verified,
      reasonCode,
      attemptsRemaining: attemptsRemaining(after),
      expiresAt: after.expiresAt,
      verifiedAt: after.verifiedAt,
    }
  })
}

/** A wrong code counts against its phone, over all its codes; a right one ends the row. */
async function count(tx: Tx, { issue, hasFailures }: { issue: Issue; hasFailures: boolean }, verified: boolean) {
  if (issue.mode === 'test' || (verified && !hasFailures)) return
  const phone = phoneOf(issue)
  const before = await tx.failures.lock(phone)
  const after = verified ? before && forgive(before) : fail(before, tx.now)
  if (after) await tx.failures.save(phone, after)
}

const unknownIssue = (issueId: string, now: number): Verification => ({
  issueId,
  verified: false,
  reasonCode: 'NOT_FOUND',
  attemptsRemaining: 0,
  expiresAt: now,
})
