/**
 * Start the next leg of a delivery plan, with the same code, when the message of the current leg was not delivered within its wait.
 * A report that comes first takes the job away: both hold the issue's lock. Decisions: "Delivery plans".
 */

import { afterWait } from '../domain/delivery/delivery'
import type { Message } from '../domain/message/message'
import type { JobHandler } from '../ports/work'
import type { SaveDependencies } from './shared/save-change'
import { takeStep } from './shared/take-step'

export const startNextLeg = (deps: SaveDependencies): JobHandler<Message | undefined, never, never> => ({
  lock: (tx, job) => tx.issues.lockMessage(job, job.subjectId),
  async prepare(tx, job, message) {
    await tx.jobs.finish(job)
    const step = message && afterWait(message, tx.now)
    if (step) await takeStep(deps, tx, message, step)
    return undefined
  },
  async act(nothing) {
    return nothing
  },
  async record() {},
})
