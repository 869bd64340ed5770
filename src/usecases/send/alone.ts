/** A message alone: it carries no code of ours, so nothing of it is verified. */
import { isFinal } from '../../domain/delivery/delivery'
import type { Message } from '../../domain/message/message'
import type { RenderedMessage } from '../../domain/message/rendered-message'
import { hasCode, hasMessage } from '../../domain/verification/verification'
import type { Tx } from '../../ports/store'
import { ownerOf, type SendRequest } from './request'
import { type Carried, type Given, type SendDependencies, send } from './send'

/** Throws what `send` throws. The same again answers the same. */
export const sendAlone = (
  deps: SendDependencies,
  request: SendRequest,
  render: (given: Given) => { rendered: RenderedMessage; sealedCode?: string | undefined },
  /** Whether it takes the place of those for the same phone and purpose that still wait. */
  { replaces = false } = {},
): Promise<{ issueId: string }> => {
  const carried: Carried<Message, { issueId: string }> = {
    isIt: (stored): stored is Message => hasMessage(stored) && !hasCode(stored),
    answer: ({ issueId }) => ({ issueId }),
    async answerFromDisk(issueId) {
      return (await deps.store.read.issues.stored(ownerOf(request), issueId)) && { issueId }
    },
    draft(tx, given) {
      const { rendered, sealedCode } = render(given)
      return {
        rendered,
        async make({ message }) {
          if (replaces) await endWaiting(deps, tx, message)
          return { stored: { ...message, sealedCode }, hit: undefined }
        },
      }
    },
  }
  return send(deps, request, carried)
}

/** They are not worth sending any more; a call that is on its way ends as it does. */
async function endWaiting(
  { node }: SendDependencies,
  tx: Tx,
  { phoneHash, purpose, ...owner }: Message,
): Promise<void> {
  for (const waiting of await tx.issues.lockAlone(owner, phoneHash, purpose)) {
    if (isFinal(waiting)) continue
    await tx.issues.save({ ...waiting, expiresAt: tx.now, updatedAt: tx.now }, waiting)
    await tx.jobs.hasten('deliver', waiting.issueId)
    tx.afterCommit(() => node.wakeUps.wake('deliver'))
  }
}
