/** Verify: say, once, whether what the user typed is right. Specification: `POST /verify`; decisions: "Interface". */
import { timingSafeEqual } from 'node:crypto'
import { fail, forgive } from '../abuse/rules/failure-budget'
import type { ApiKey } from '../domain/access/api-key'
import { phoneOf } from '../domain/access/rate-limits'
import type { Recipient } from '../domain/phone/phone'
import type { Origin } from '../domain/shared/addressed'
import { isUuid } from '../domain/shared/value'
import { unknownIssue, type VerifyAnswer, verifyAnswerOf } from '../domain/verification/proof'
import type { Verification } from '../domain/verification/verification'
import { check } from '../domain/verification/verification'
import type { Clock } from '../ports/clock'
import type { Node } from '../ports/node'
import type { Store, Tx } from '../ports/store'
import { type ProvingDependencies, prove } from './prove-verification'
import { type Modes, rulesOf } from './shared/mode'
import { type SaveDependencies, saveChange } from './shared/save-change'

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
): Promise<VerifyAnswer> {
  const { store, vault, clock, modes, telemetry } = deps
  const { phoneNumber } = request
  const claimed = phoneNumber === undefined ? undefined : rulesOf(modes, key).recipient(phoneNumber, key.region)
  if (!isUuid(request.issueId)) return unknownIssue(request.issueId, clock.now())
  const span = telemetry.begin('transaction', request.origin?.trace)
  const transaction = store.transaction(async (tx) => {
    const [found, endpoints] = await Promise.all([
      tx.issues.lockToVerify(key, request.issueId),
      tx.endpoints.ofOwner(key),
    ])
    if (!found) return { answer: unknownIssue(request.issueId, tx.now) }
    const { verification } = found
    const matches = timingSafeEqual(vault.codeHash(verification.issueId, request.code), verification.codeHash)
    const { verified, reasonCode, changed } = check(verification, matches, tx.now)
    if (changed) {
      await countCheck(tx, found, verified)
      await saveChange(deps, tx, verification, changed, { endpoints })
    }
    const answer = verifyAnswerOf(changed ?? verification, { verified, reasonCode })
    return { answer, verified: verified ? { verification, at: tx.now } : undefined }
  })
  const { answer, verified } = await transaction.finally(() => span.end())
  telemetry.codeChecked({ mode: key.mode, result: answer.reasonCode ?? 'verified' })
  if (!verified || !claimed || !isSentTo(deps, verified.verification, claimed)) return answer
  const app = await deps.node.directory.app(key.appId)
  return { ...answer, proof: prove(deps, { ...verified, to: claimed.to, app }) }
}

const isSentTo = ({ vault }: VerifyDependencies, { phoneHash }: Verification, { identity }: Recipient) =>
  timingSafeEqual(vault.phoneHash(identity), phoneHash)

/** A wrong code counts against its phone, over all its codes; a right one ends the row. */
export async function countCheck(
  tx: Tx,
  { verification, hasFailures }: { verification: Verification; hasFailures: boolean },
  verified: boolean,
) {
  if (verification.mode === 'test' || (verified && !hasFailures)) return
  const phone = phoneOf(verification)
  const before = await tx.failures.lock(phone)
  const after = verified ? before && forgive(before) : fail(before, tx.now)
  if (after) await tx.failures.save(phone, after)
}
