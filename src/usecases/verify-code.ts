/** Verify: say, once, whether what the user typed is right. Specification: `POST /verify`; decisions: "Interface". */
import { timingSafeEqual } from 'node:crypto'
import { attemptsRemaining, check, type ReasonCode } from '../domain/issue'
import { isUuid, type Owner } from '../domain/value'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'
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
    const issue = await tx.issues.lock(owner, request.issueId)
    if (!issue) return unknownIssue(request.issueId, tx.now)
    const matches = timingSafeEqual(vault.codeHash(issue.issueId, request.code), issue.codeHash)
    const { verified, reasonCode, changed } = check(issue, matches, tx.now)
    if (changed) await saveIssue(deps, tx, issue, changed)
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

const unknownIssue = (issueId: string, now: number): Verification => ({
  issueId,
  verified: false,
  reasonCode: 'NOT_FOUND',
  attemptsRemaining: 0,
  expiresAt: now,
})
