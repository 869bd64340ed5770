/** Simulates a delivery: the carrier answers after a while, and reports later. */

import { afterReport, afterSend, type Step } from '../../../src/domain/delivery/delivery'
import type { Issue } from '../../../src/domain/verification/issue'
import { testReport, testSend } from '../../../src/domain/verification/test-scenario'

/** The next step. */
export interface Next {
  at: number
  /** Applies the step to the issue; answers the step after it. */
  happen(issue: Issue): { issue: Issue; next: Next | undefined }
}

/** Sends the message of the current leg. */
export function sent(issue: Issue, scenario: number | undefined, now: number, newId: () => string): Next {
  const { messageId, leg: channel } = issue
  const { afterMs, outcome } = testSend({ messageId, channel, scenario, isFallback: channel !== issue.channel })
  const at = now + afterMs
  const carrierMessageId = outcome.kind === 'accepted' ? outcome.carrierMessageId : undefined

  const follow = (step: Step<Issue>, at: number): ReturnType<Next['happen']> => {
    const { sendAfterMs, awaitReportMs } = step
    if (sendAfterMs !== undefined) {
      // Each leg has a message id of its own.
      const next = { ...step.message, messageId: newId() }
      return { issue: next, next: sent(next, scenario, at + sendAfterMs, newId) }
    }
    const isReported = awaitReportMs !== undefined && carrierMessageId !== undefined
    return { issue: step.message, next: isReported ? report(at + awaitReportMs) : undefined }
  }

  const report = (at: number): Next => ({
    at,
    happen(issue) {
      const step = afterReport(issue, issue, testReport(carrierMessageId), at).at(-1)
      return step ? follow(step, at) : { issue, next: undefined }
    },
  })

  return {
    at,
    happen: (issue) => follow(afterSend(issue, outcome, { retryAfterMs: undefined, reports: true, now: at }), at),
  }
}
