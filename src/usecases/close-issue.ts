/** Closes an issue without a code: clients of Twilio Verify approve or cancel a verification. `/v1` has no such operation. */

import { notFound } from '../domain/shared/error'
import type { Owner } from '../domain/shared/value'
import { isActive, markReplaced, markVerified, type Verification } from '../domain/verification/verification'
import type { Store } from '../ports/store'
import { type SaveDependencies, saveChange } from './shared/save-change'
import { countCheck } from './verify-code'

export type Closing = 'approved' | 'canceled'

/** A cancelled issue is stored as `replaced`, without a newer one. Throws `not_found` where the issue is not active. */
export async function closeIssue(
  deps: SaveDependencies & { store: Store },
  owner: Owner,
  issueId: string,
  closing: Closing,
): Promise<Verification> {
  return deps.store.transaction(async (tx) => {
    const found = await tx.issues.lockToVerify(owner, issueId)
    if (!found || !isActive(found.verification, tx.now)) throw notFound('issue')
    const { verification } = found
    const closed = closing === 'approved' ? markVerified(verification, tx.now) : markReplaced(verification, tx.now)
    if (closing === 'approved') await countCheck(tx, found, true)
    await saveChange(deps, tx, verification, closed)
    return closed
  })
}
