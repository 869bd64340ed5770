/**
 * Start the next leg of a delivery plan, with the same code, when the message of the current leg was not delivered within its wait.
 * A report that comes first takes the job away: both hold the issue's lock. Decisions: "Delivery plans".
 */
import type { Issue } from '../domain/codes/issue'
import { afterWait } from '../domain/delivery/delivery'
import type { JobHandler } from '../ports/work'
import type { SaveDependencies } from './shared/save-issue'
import { takeStep } from './shared/take-step'

export const startNextLeg = (deps: SaveDependencies): JobHandler<Issue | undefined, never, never> => ({
  lock: (tx, job) => tx.issues.lock(job, job.subjectId),
  async prepare(tx, job, issue) {
    await tx.jobs.finish(job)
    const step = issue && afterWait(issue, tx.now)
    if (step) await takeStep(deps, tx, issue, step)
    return undefined
  },
  async act(nothing) {
    return nothing
  },
  async record() {},
})
