/** What becomes of a message by itself: its carrier answers after a while, and reports after another one. */

import type { Issue } from '../../../src/domain/codes/issue'
import { testReport, testSend } from '../../../src/domain/codes/test-scenario'
import { afterReport, afterSend, type Step } from '../../../src/domain/delivery/delivery'

/** The next thing that happens. */
export interface Next {
  at: number
  /** What it makes of the issue, and what happens then. */
  happen(issue: Issue): { issue: Issue; next: Next | undefined }
}

/** The message of the leg an issue is on goes out. */
export function sent(issue: Issue, scenario: number | undefined, now: number, newId: () => string): Next {
  const { messageId, leg: channel } = issue
  const { afterMs, outcome } = testSend({ messageId, channel, scenario, isFallback: channel !== issue.channel })
  const at = now + afterMs
  const carrierMessageId = outcome.kind === 'accepted' ? outcome.carrierMessageId : undefined

  const follow = (step: Step, at: number): ReturnType<Next['happen']> => {
    const { sendAfterMs, awaitReportMs } = step
    if (sendAfterMs !== undefined) {
      // Another leg is another message.
      const next = { ...step.issue, messageId: newId() }
      return { issue: next, next: sent(next, scenario, at + sendAfterMs, newId) }
    }
    const isReported = awaitReportMs !== undefined && carrierMessageId !== undefined
    return { issue: step.issue, next: isReported ? report(at + awaitReportMs) : undefined }
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
