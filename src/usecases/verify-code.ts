/** Verify: say, once, whether what the user typed is right. Specification: `POST /verify`; decisions: "Interface". */
import { timingSafeEqual } from 'node:crypto'
import { fail, forgive } from '../abuse/rules/failure-budget'
import type { ApiKey } from '../domain/access/api-key'
import { check, type Issue, type Origin, phoneOf } from '../domain/codes/issue'
import { unknownIssue, type Verification, verificationOf } from '../domain/codes/verification'
import type { Recipient } from '../domain/phone/phone'
import { isUuid } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Node } from '../ports/node'
import type { Store, Tx } from '../ports/store'
import { type ProvingDependencies, prove } from './prove-verification'
import { type Modes, rulesOf } from './shared/mode'
import { type SaveDependencies, saveIssue } from './shared/save-issue'

export interface VerifyDependencies extends SaveDependencies, ProvingDependencies {
  node: Pick<Node, 'directory' | 'wakeUps'>
  store: Store
  clock: Clock
  modes: Modes
}

interface VerifyRequest {
  issueId: string
  code: string
  /** The number that the code was sent to, as the caller says. */
  phoneNumber?: string | undefined
  /** The request that asks. */
  origin?: Origin | undefined
}

/**
 * A wrong code is an answer, not a refusal: the attempt it used is stored. Throws `invalid` for a number that no code could
 * have been sent to; whether it is the issue's is told by the proof alone, to who knows the code.
 */
export async function verifyCode(
  deps: VerifyDependencies,
  key: Pick<ApiKey, 'appId' | 'mode' | 'region'>,
  request: VerifyRequest,
): Promise<Verification> {
  const { store, vault, clock, modes, telemetry } = deps
  const { phoneNumber } = request
  const claimed = phoneNumber === undefined ? undefined : rulesOf(modes, key).recipient(phoneNumber, key.region)
  if (!isUuid(request.issueId)) return unknownIssue(request.issueId, clock.now())
  const span = telemetry.begin('transaction', request.origin?.trace)
  const transaction = store.transaction(
    async (tx) => {
      const found = await tx.issues.lockToVerify(key, request.issueId)
      if (!found || found.issue.keyKind === 'relay') return { verification: unknownIssue(request.issueId, tx.now) }
      const { issue } = found
      const matches = timingSafeEqual(vault.codeHash(issue.issueId, request.code), issue.codeHash)
      const { verified, reasonCode, changed } = check(issue, matches, tx.now)
      if (changed) {
        await countCheck(tx, found, verified)
        await saveIssue(deps, tx, issue, changed)
      }
      const verification = verificationOf(changed ?? issue, { verified, reasonCode })
      return { verification, verified: verified ? { issue, at: tx.now } : undefined }
    },
    { mayShare: true },
  )
  const { verification, verified } = await transaction.finally(() => span.end())
  telemetry.codeChecked({ mode: key.mode, result: verification.reasonCode ?? 'verified' })
  if (!verified || !claimed || !isSentTo(deps, verified.issue, claimed)) return verification
  const app = await deps.node.directory.app(key.appId)
  return { ...verification, proof: prove(deps, { ...verified, to: claimed.to, app }) }
}

const isSentTo = ({ vault }: VerifyDependencies, { phoneHash }: Issue, { identity }: Recipient) =>
  timingSafeEqual(vault.phoneHash(identity), phoneHash)

/** A wrong code counts against its phone, over all its codes; a right one ends the row. */
export async function countCheck(
  tx: Tx,
  { issue, hasFailures }: { issue: Issue; hasFailures: boolean },
  verified: boolean,
) {
  if (issue.mode === 'test' || (verified && !hasFailures)) return
  const phone = phoneOf(issue)
  const before = await tx.failures.lock(phone)
  const after = verified ? before && forgive(before) : fail(before, tx.now)
  if (after) await tx.failures.save(phone, after)
}
