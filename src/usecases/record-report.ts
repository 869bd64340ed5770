/**
 * Record what a carrier reports of a message it took: by callback, or because we asked. Duplicate, late and foreign
 * reports change nothing. Decisions: "Delivery (live)", "Credit" (report deadline).
 */

import type { Issue } from '../domain/codes/issue'
import { type AwaitedReport, withReport } from '../domain/delivery/attempt'
import {
  afterReport,
  type DeliveryReport,
  isFinal,
  REPORT_DEADLINE_MS,
  settlementOf,
} from '../domain/delivery/delivery'
import type { Job } from '../domain/operations/job'
import { isUuid, MINUTE_MS } from '../domain/shared/value'
import type { Carrier, ReportedMessage } from '../ports/carrier'
import type { Store, Tx } from '../ports/store'
import type { JobHandler } from '../ports/work'
import type { SaveDependencies } from './shared/save-issue'
import { noteAbsence, openMessages, takeStep } from './shared/take-step'

export interface ReportDependencies extends SaveDependencies {
  store: Store
  /** The carrier that took a message, by name, or undefined if it is no longer configured. */
  carrierNamed: (name: string) => Promise<Carrier | undefined>
}

/** A carrier answers or is given up within so long. */
const CALL_ENDS_WITHIN_MS = MINUTE_MS

/**
 * A callback of `carrier`. `unmatched`: it is about no message that we are waiting for. `early`: about none that is known, but a call
 * of this carrier is still under way, whose answer may tell that id.
 */
export function recordReport(
  deps: ReportDependencies,
  carrier: string,
  report: ReportedMessage,
): Promise<'recorded' | 'unmatched' | 'early'> {
  return deps.store.transaction(async (tx) => {
    const found = await findAwaited(tx, carrier, report.messageId)
    const issue = found && (await tx.issues.lock(found, found.issueId))
    // Another report may have ended it before the issue was locked.
    const awaited = found && (await tx.reports.find(found.messageId))
    if (!awaited) return (await tx.reports.hasUnanswered(carrier, tx.now - CALL_ENDS_WITHIN_MS)) ? 'early' : 'unmatched'
    if (report.mustAsk) {
      // Nobody signed it: the carrier's own answer decides, by the id that a lost answer to the send did not tell.
      const carrierMessageId = awaited.carrierMessageId ?? report.carrierMessageId?.slice(0, 256)
      await tx.reports.expect({ ...awaited, carrierMessageId })
      await tx.jobs.add({
        kind: 'await-report',
        owner: awaited,
        subjectId: awaited.issueId,
        runAt: tx.now,
        queue: carrier,
      })
      tx.afterCommit(() => deps.node.wakeUps.wake('await-report'))
    } else {
      if (awaited.messageId === issue?.messageId) await tx.jobs.remove('await-report', awaited.issueId)
      await applyReport(deps, tx, issue, awaited, report)
    }
    return 'recorded'
  })
}

/** The carrier's id first; ours only for a message of the same carrier. */
async function findAwaited(tx: Tx, carrier: string, messageId: string): Promise<AwaitedReport | undefined> {
  const byCarrier = await tx.reports.findByCarrier(carrier, messageId)
  if (byCarrier || !isUuid(messageId)) return byCarrier
  const ours = await tx.reports.find(messageId)
  return ours?.carrier === carrier ? ours : undefined
}

async function applyReport(
  deps: ReportDependencies,
  tx: Tx,
  issue: Issue | undefined,
  awaited: AwaitedReport,
  report: DeliveryReport,
): Promise<void> {
  const span = deps.telemetry.begin('report', issue?.origin?.trace)
  const { carrier, leg } = awaited
  tx.afterCommit(() =>
    span.end({
      attributes: { 'watchword.carrier': carrier, 'watchword.leg': leg, 'watchword.outcome': report.status },
    }),
  )
  await noteInAttempt(tx, awaited, report)
  if (!issue) return
  await noteAbsence(tx, issue, leg, report.absence)
  // A message that an earlier leg left open is over, and so is one that was under way when another leg was delivered.
  const isOver = isFinal(issue) || (report.status === 'failed' && awaited.messageId !== issue.messageId)
  if (isOver) await tx.reports.forget(awaited.messageId)
  const earlier = await openMessages(tx, issue)
  const steps = afterReport(issue, awaited, report, tx.now, earlier.at(-1))
  if (steps.length > 0 && report.status === 'delivered') {
    const isCurrent = awaited.messageId === issue.messageId
    revokeOthers(deps, tx, awaited, isCurrent ? earlier : [...earlier, await tx.reports.find(issue.messageId)])
  }
  let before = issue
  for (const step of steps) {
    await takeStep(deps, tx, before, step, { by: carrier, isKept: true })
    before = step.issue
  }
}

/**
 * The code has arrived: messages of other legs that may still be delivered are taken back, where their carrier can do that. An ambiguous
 * one has no id to take it back by. Best effort: a failure changes nothing, and nothing is retried.
 */
function revokeOthers(
  { carrierNamed }: ReportDependencies,
  tx: Tx,
  delivered: AwaitedReport,
  open: ReadonlyArray<AwaitedReport | undefined>,
): void {
  for (const { messageId, carrier, carrierMessageId: id } of open.filter((one) => one !== undefined)) {
    if (messageId === delivered.messageId || id === undefined) continue
    tx.afterCommit(() => {
      carrierNamed(carrier)
        .then((found) => found?.revoke?.(id))
        // The carriers could not be read: the message stays.
        .catch(() => {})
    })
  }
}

/** A report that overtakes the carrier's answer is that answer: the message was accepted. What it says is kept with its attempt. */
async function noteInAttempt(tx: Tx, { messageId, ...awaited }: AwaitedReport, report: DeliveryReport): Promise<void> {
  const attempts = await tx.attempts.ofIssue(awaited, awaited.issueId)
  const attempt = attempts.findLast((one) => one.messageId === messageId && one.outcome !== 'refused')
  if (!attempt) return
  if (attempt.outcome === undefined) await tx.attempts.answer({ ...attempt, outcome: 'accepted', answeredAt: tx.now })
  await tx.attempts.noteReport(withReport(attempt, report, tx.now))
}

/** The job that asks for a report where the carrier can be asked, and gives up at the deadline. */
export const reportQuery = (
  deps: ReportDependencies,
): JobHandler<Issue | undefined, AwaitedReport, Awaited<ReturnType<typeof ask>>> => ({
  lock: (tx, job) => tx.issues.lock(job, job.subjectId),
  prepare: (tx, job, issue) => stillAwaited(deps, tx, job, issue),
  act: (awaited) => ask(deps, awaited),
  async record(tx, job, issue, awaited, answer) {
    if (answer && 'status' in answer) {
      await tx.jobs.finish(job)
      await applyReport(deps, tx, issue, awaited, answer)
      // The job asked about an earlier leg: the current one is still to be asked about.
      const current =
        awaited.messageId === issue?.messageId ? undefined : issue && (await tx.reports.find(issue.messageId))
      if (current)
        await tx.jobs.add({
          kind: 'await-report',
          owner: current,
          subjectId: current.issueId,
          runAt: tx.now,
          queue: current.carrier,
        })
    } else {
      const deadline = awaited.answeredAt + REPORT_DEADLINE_MS
      await tx.jobs.reschedule(job, answer ? Math.min(tx.now + answer.askAgainMs, deadline) : deadline, job.queue)
      tx.afterCommit(() => deps.node.wakeUps.wake('await-report'))
    }
  },
})

/** Undefined where the carrier cannot be asked. */
async function ask({ carrierNamed }: ReportDependencies, awaited: AwaitedReport) {
  const carrier = await carrierNamed(awaited.carrier)
  return awaited.carrierMessageId === undefined ? undefined : carrier?.query?.(awaited)
}

/** The message whose report is still wanted; ends the processing where none will come any more. */
async function stillAwaited(
  deps: ReportDependencies,
  tx: Tx,
  job: Job,
  issue: Issue | undefined,
): Promise<AwaitedReport | undefined> {
  const awaited =
    issue &&
    ((await openMessages(tx, issue)).find(({ carrier }) => carrier === job.queue) ??
      (await tx.reports.find(issue.messageId)))
  if (!issue || !awaited || isFinal(issue)) return void (await tx.jobs.finish(job))
  if (tx.now < awaited.answeredAt + REPORT_DEADLINE_MS) return awaited
  await tx.jobs.finish(job)
  // Its send has not been answered yet, whatever the clock says: what comes of that is waited for anew.
  if (issue.sendPending) return undefined
  for (const { messageId } of [awaited, ...(await openMessages(tx, issue))]) await tx.reports.forget(messageId)
  await takeStep(deps, tx, issue, { issue, finish: settlementOf(issue) }, { by: awaited.carrier, isKept: true })
  return undefined
}
