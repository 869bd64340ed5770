import { type Issue, settled } from '../../domain/codes/issue'
import type { AwaitedReport } from '../../domain/delivery/attempt'
import { ABSENT_MS, type Absence, isFinal, maySendAgain, type Step } from '../../domain/delivery/delivery'
import type { JobKind } from '../../domain/operations/job'
import type { Leg } from '../../domain/shared/value'
import type { Settlement } from '../../domain/wallet/wallet'
import type { Tx } from '../../ports/store'
import { type SaveDependencies, type SentMessage, saveIssue } from './save-issue'

/** Does what the delivery's next step asks: stores the issue and queues what follows from it, in the caller's transaction. */
export async function takeStep(
  deps: SaveDependencies,
  tx: Tx,
  before: Issue,
  step: Step,
  sent?: SentMessage,
): Promise<void> {
  let issue = step.issue
  // Another leg is another message, unless the issue comes back to one that is open.
  const isNewMessage = issue.leg !== before.leg && issue.messageId === before.messageId
  if (isNewMessage) issue = { ...issue, messageId: deps.random.uuid(tx.now) }
  const settlement = issue.billingStatus === 'reserved' ? step.finish : undefined
  if (settlement) issue = settled(issue, settlement)
  await saveIssue(deps, tx, before, issue, sent)
  if (sent?.rendered && !sent.isKept && maySendAgain(issue)) await tx.outbox.add(issue, sent.rendered)
  if (step.sendAfterMs !== undefined) await queue(deps, tx, before, { kind: 'deliver', waitMs: step.sendAfterMs })
  // In a queue of its carrier: one that answers slowly must not keep us from asking the others.
  if (step.awaitReportMs !== undefined)
    await queue(deps, tx, before, { kind: 'await-report', waitMs: step.awaitReportMs, at: sent?.by })
  if (step.nextLegAfterMs !== undefined)
    await queue(deps, tx, before, { kind: 'next-leg', waitMs: step.nextLegAfterMs })
  // The wait of a leg that has failed must not end the next one, which may have no wait of its own.
  else if (before.legs && issue.leg !== before.leg) await tx.jobs.remove('next-leg', issue.issueId)
  await forgetReports(tx, before, issue, step)
  if (!settlement) return
  await settle(tx, issue, settlement)
  const ended = { issue, carrier: sent?.by, endedAt: tx.now }
  tx.afterCommit(() => deps.telemetry.deliveryEnded(ended))
}

/** Ends the reservation in the wallet, once for each issue, in the transaction that stores it as settled. */
const settle = (tx: Tx, issue: Issue, settlement: Settlement): Promise<void> =>
  settlement === 'debit' ? tx.wallets.debit(issue.appId, issue) : tx.wallets.release(issue.appId, issue.price)

/** The next codes of the phone leave that leg out for a while. */
export async function noteAbsence(
  tx: Tx,
  { phoneHash, erasedAt }: Issue,
  leg: Leg,
  absence: Absence | undefined,
): Promise<void> {
  if (absence && erasedAt === undefined) await tx.absences.note(leg, phoneHash, tx.now + ABSENT_MS[absence])
}

/** Forgets the messages whose reports can change nothing any more. */
async function forgetReports(tx: Tx, before: Issue, after: Issue, { staysOpen }: Step): Promise<void> {
  const isOtherMessage = after.messageId !== before.messageId
  // The message of the current leg may be under way: what its carrier reports is noted with its attempt.
  const isUnderWay = before.sendPending && isOtherMessage && after.deliveryStatus === 'delivered'
  if (!isUnderWay && (isFinal(after) || (isOtherMessage && !staysOpen))) await tx.reports.forget(before.messageId)
  if (!isFinal(after) || before.legs === undefined) return
  // A report of an earlier leg has ended the delivery: nobody asks about the current one any more.
  await tx.jobs.remove('await-report', after.issueId)
  for (const { messageId } of await openMessages(tx, before)) await tx.reports.forget(messageId)
}

/** The messages of earlier legs whose reports are still awaited, the oldest first. Only an issue with a delivery plan has any. */
export async function openMessages(tx: Tx, issue: Issue): Promise<AwaitedReport[]> {
  if (issue.legs === undefined) return []
  const attempts = await tx.attempts.ofIssue(issue, issue.issueId)
  const earlier = new Set(attempts.map(({ messageId }) => messageId).filter((id) => id !== issue.messageId))
  const found = await Promise.all([...earlier].map((messageId) => tx.reports.find(messageId)))
  return found.filter((awaited) => awaited !== undefined)
}

function queue(
  { node }: SaveDependencies,
  tx: Tx,
  issue: Issue,
  { kind, waitMs, at }: { kind: JobKind; waitMs: number; at?: string | undefined },
): Promise<void> {
  tx.afterCommit(() => node.wakeUps.wake(kind))
  return tx.jobs.add({ kind, owner: issue, subjectId: issue.issueId, runAt: tx.now + waitMs, ...(at && { queue: at }) })
}
