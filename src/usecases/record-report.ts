/**
 * Record what a provider reports of a message it took: by callback, or because we asked. Duplicate, late and foreign
 * reports change nothing. Decisions: "Delivery (live)", "Credit" (report deadline).
 */
import { afterReport, type DeliveryReport, isFinal, REPORT_DEADLINE_MS, settlementOf } from '../domain/delivery'
import type { Job } from '../domain/job'
import { isUuid } from '../domain/value'
import type { AwaitedReport, Provider, Random, ReportedMessage, Store, Tx } from '../ports'
import { takeStep } from './take-step'

export interface ReportDependencies {
  store: Store
  random: Random
  wakeDelivery: () => void
  /** The provider that took a message, by name, or undefined if it is no longer configured. */
  providerNamed: (name: string) => Promise<Provider | undefined>
}

/** A callback of `provider`; answers whether it was about a message we are waiting for. */
export function recordReport(deps: ReportDependencies, provider: string, report: ReportedMessage): Promise<boolean> {
  return deps.store.transaction(async (tx) => {
    const awaited = await findAwaited(tx, provider, report.messageId)
    if (!awaited) return false
    if (report.mustAsk) {
      // Nobody signed it: the provider's own answer decides, by the id that a lost answer to the send did not tell.
      const providerMessageId = awaited.providerMessageId ?? report.providerMessageId?.slice(0, 256)
      await tx.awaitReport({ ...awaited, providerMessageId })
      await tx.addJob({
        kind: 'await-report',
        owner: awaited,
        subjectId: awaited.issueId,
        runAt: tx.now,
        queue: provider,
      })
      tx.afterCommit(deps.wakeDelivery)
    } else {
      await applyReport(deps, tx, awaited, report)
    }
    return true
  })
}

/** The provider's id first; ours only for a message of the same provider. */
async function findAwaited(tx: Tx, provider: string, messageId: string): Promise<AwaitedReport | undefined> {
  const byProvider = await tx.findAwaited(provider, messageId)
  if (byProvider || !isUuid(messageId)) return byProvider
  const ours = await tx.awaitedReport(messageId)
  return ours?.provider === provider ? ours : undefined
}

async function applyReport(
  deps: ReportDependencies,
  tx: Tx,
  awaited: AwaitedReport,
  report: DeliveryReport,
): Promise<void> {
  await answerFromReport(tx, awaited)
  const issue = await tx.lockIssue(awaited, awaited.issueId)
  const step = issue && afterReport(issue, awaited.leg, report, tx.now)
  if (issue && step) await takeStep(deps, tx, issue, step)
}

/** A report that overtakes the carrier's answer is that answer: the message was accepted. */
async function answerFromReport(tx: Tx, { messageId, ...awaited }: AwaitedReport): Promise<void> {
  const attempts = await tx.attempts(awaited, awaited.issueId)
  const unanswered = attempts.find((attempt) => attempt.messageId === messageId && attempt.outcome === undefined)
  if (unanswered) await tx.answerAttempt({ ...unanswered, outcome: 'accepted', answeredAt: tx.now })
}

/** The job that asks for a report where the provider can be asked, and gives up at the deadline. */
export async function awaitReport(deps: ReportDependencies, job: Job): Promise<void> {
  const awaited = await deps.store.transaction((tx) => stillAwaited(deps, tx, job))
  if (!awaited) return
  const provider = await deps.providerNamed(awaited.provider)
  const canAsk = provider?.query && awaited.providerMessageId !== undefined
  const answer = canAsk ? await provider?.query?.(awaited) : undefined
  await deps.store.transaction(async (tx) => {
    if (!(await tx.holdsJob(job))) return
    if (answer && 'status' in answer) {
      await tx.finishJob(job)
      await applyReport(deps, tx, awaited, answer)
    } else {
      const deadline = awaited.answeredAt + REPORT_DEADLINE_MS
      await tx.rescheduleJob(job, answer ? Math.min(tx.now + answer.askAgainMs, deadline) : deadline, job.queue)
      tx.afterCommit(deps.wakeDelivery)
    }
  })
}

/** The message whose report is still wanted; ends the processing where none will come any more. */
async function stillAwaited(deps: ReportDependencies, tx: Tx, job: Job): Promise<AwaitedReport | undefined> {
  if (!(await tx.holdsJob(job))) return undefined
  const issue = await tx.lockIssue(job, job.subjectId)
  const awaited = issue && (await tx.awaitedReport(issue.messageId))
  if (!issue || !awaited || isFinal(issue)) {
    await tx.finishJob(job)
    return undefined
  }
  if (tx.now < awaited.answeredAt + REPORT_DEADLINE_MS) return awaited
  await tx.finishJob(job)
  await tx.forgetReport(awaited.messageId)
  await takeStep(deps, tx, issue, { issue, finish: settlementOf(issue) })
  return undefined
}
