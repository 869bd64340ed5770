/**
 * Record what a carrier reports of a message it took: by callback, or because we asked. Duplicate, late and foreign
 * reports change nothing. Decisions: "Delivery (live)", "Credit" (report deadline).
 */

import { type AwaitedReport, awaitedOf, begunAttempt, withReport } from '../domain/delivery/attempt'
import {
  afterReport,
  type DeliveryReport,
  isFinal,
  REPORT_DEADLINE_MS,
  settlementOf,
} from '../domain/delivery/delivery'
import type { Message } from '../domain/message/message'
import type { Job } from '../domain/operations/job'
import { isUuid, MINUTE_MS } from '../domain/shared/value'
import type { Carrier, ReportedMessage } from '../ports/carrier'
import type { Store, Tx } from '../ports/store'
import type { JobHandler } from '../ports/work'
import { storeBegun } from './adopt-calls'
import type { SaveDependencies } from './shared/save-change'
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
    const locked = found && (await tx.issues.lockMessage(found, found.issueId))
    const message = locked?.begunCall && !report.mustAsk ? await storeBegun(tx, locked) : locked
    // Another report may have ended it before the issue was locked.
    const awaited = found && (await tx.reports.find(found.messageId))
    if (!awaited) return (await tx.reports.hasUnanswered(carrier, tx.now - CALL_ENDS_WITHIN_MS)) ? 'early' : 'unmatched'
    if (report.mustAsk) {
      // Nobody signed it: the carrier's own answer decides, by the id that a lost answer to the send did not tell.
      if (awaited.carrierMessageId === undefined && report.carrierMessageId !== undefined)
        await tx.reports.learn(awaited.messageId, report.carrierMessageId.slice(0, 256))
      await tx.jobs.add({
        kind: 'await-report',
        owner: awaited,
        subjectId: awaited.issueId,
        runAt: tx.now,
        queue: carrier,
      })
      tx.afterCommit(() => deps.node.wakeUps.wake('await-report'))
    } else {
      if (awaited.messageId === message?.messageId) await tx.jobs.remove('await-report', awaited.issueId)
      await applyReport(deps, tx, message, awaited, report)
    }
    return 'recorded'
  })
}

/** The carrier's id first; ours only for a message of the same carrier. */
async function findAwaited(tx: Tx, carrier: string, messageId: string): Promise<AwaitedReport | undefined> {
  const byCarrier = await tx.reports.findByCarrier(carrier, messageId)
  if (byCarrier || !isUuid(messageId)) return byCarrier
  const ours = (await tx.reports.find(messageId)) ?? awaitedOfBegun(await tx.issues.begunBy(messageId))
  return ours?.carrier === carrier ? ours : undefined
}

const awaitedOfBegun = (message: Message | undefined) =>
  message?.begunCall && awaitedOf(begunAttempt(message, message.begunCall))

async function applyReport(
  deps: ReportDependencies,
  tx: Tx,
  message: Message | undefined,
  awaited: AwaitedReport,
  report: DeliveryReport,
): Promise<void> {
  const span = deps.telemetry.begin('report', message?.origin?.trace)
  const { carrier, leg } = awaited
  tx.afterCommit(() =>
    span.end({
      attributes: { 'watchword.carrier': carrier, 'watchword.leg': leg, 'watchword.outcome': report.status },
    }),
  )
  await noteInAttempt(tx, awaited, report)
  if (!message) return
  await noteAbsence(tx, message, leg, report.absence)
  // A message that an earlier leg left open is over, and so is one that was under way when another leg was delivered.
  const isOver = isFinal(message) || (report.status === 'failed' && awaited.messageId !== message.messageId)
  if (isOver) await tx.reports.forget(awaited.messageId)
  const earlier = await openMessages(tx, message)
  const steps = afterReport(message, awaited, report, tx.now, earlier.at(-1))
  if (steps.length > 0 && report.status === 'delivered') {
    const isCurrent = awaited.messageId === message.messageId
    revokeOthers(deps, tx, awaited, isCurrent ? earlier : [...earlier, await tx.reports.find(message.messageId)])
  }
  let before = message
  for (const step of steps) {
    await takeStep(deps, tx, before, step, { by: carrier, isKept: true })
    before = step.message
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
): JobHandler<Message | undefined, AwaitedReport, Awaited<ReturnType<typeof ask>>> => ({
  lock: (tx, job) => tx.issues.lockMessage(job, job.subjectId),
  prepare: (tx, job, message) => stillAwaited(deps, tx, job, message),
  act: (awaited) => ask(deps, awaited),
  async record(tx, job, message, awaited, answer) {
    if (answer && 'status' in answer) {
      await tx.jobs.finish(job)
      await applyReport(deps, tx, message, awaited, answer)
      // The job asked about an earlier leg: the current one is still to be asked about.
      const current =
        awaited.messageId === message?.messageId ? undefined : message && (await tx.reports.find(message.messageId))
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
  message: Message | undefined,
): Promise<AwaitedReport | undefined> {
  const awaited =
    message &&
    ((await openMessages(tx, message)).find(({ carrier }) => carrier === job.queue) ??
      (await tx.reports.find(message.messageId)))
  if (!message || !awaited || isFinal(message)) return void (await tx.jobs.finish(job))
  if (tx.now < awaited.answeredAt + REPORT_DEADLINE_MS) return awaited
  await tx.jobs.finish(job)
  // Its send has not been answered yet, whatever the clock says: what comes of that is waited for anew.
  if (message.sendPending) return undefined
  for (const { messageId } of [awaited, ...(await openMessages(tx, message))]) await tx.reports.forget(messageId)
  await takeStep(deps, tx, message, { message, finish: settlementOf(message) }, { by: awaited.carrier, isKept: true })
  return undefined
}
