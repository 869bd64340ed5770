import { type AwaitedReport, awaitedOf } from '../../domain/delivery/attempt'
import { ABSENT_MS, type Absence, isFinal, maySendAgain, type Step } from '../../domain/delivery/delivery'
import type { Message } from '../../domain/message/message'
import { settled } from '../../domain/message/message'
import type { JobKind } from '../../domain/operations/job'
import type { Leg } from '../../domain/shared/value'
import { debit, release, type Settlement } from '../../domain/wallet/wallet'
import type { Tx } from '../../ports/store'
import type { KnownEndpoints } from './emit-events'
import { type SaveDependencies, type SentMessage, saveChange } from './save-change'

/** Does what the delivery's next step asks: stores the issue and queues what follows from it, in the caller's transaction. */
export async function takeStep(
  deps: SaveDependencies,
  tx: Tx,
  before: Message,
  step: Step,
  sent: Partial<SentMessage> & KnownEndpoints = {},
): Promise<void> {
  let message = step.message.begunCall ? { ...step.message, begunCall: undefined } : step.message
  // Another leg is another message, unless it comes back to one that is open.
  const isNewMessage = message.leg !== before.leg && message.messageId === before.messageId
  if (isNewMessage) message = { ...message, messageId: deps.random.uuid(tx.now) }
  const settlement = message.billingStatus === 'reserved' ? step.finish : undefined
  if (settlement) message = settled(message, settlement)
  await saveChange(deps, tx, before, message, sent)
  if (sent.rendered && sent.isKept === false && maySendAgain(message)) await tx.outbox.add(message, sent.rendered)
  if (step.sendAfterMs !== undefined) await queue(deps, tx, before, { kind: 'deliver', waitMs: step.sendAfterMs })
  // In a queue of its carrier: one that answers slowly must not keep us from asking the others.
  if (step.awaitReportMs !== undefined)
    await queue(deps, tx, before, { kind: 'await-report', waitMs: step.awaitReportMs, at: sent.by })
  if (step.nextLegAfterMs !== undefined)
    await queue(deps, tx, before, { kind: 'next-leg', waitMs: step.nextLegAfterMs })
  // The wait of a leg that has failed must not end the next one, which may have no wait of its own.
  else if (before.legs && message.leg !== before.leg) await tx.jobs.remove('next-leg', message.issueId)
  await forgetReports(tx, before, message, { ...step, isAccepted: sent.isAccepted })
  if (!settlement) return
  await settle(tx, message, settlement)
  const ended = { message, carrier: sent.by, endedAt: tx.now }
  tx.afterCommit(() => deps.telemetry.deliveryEnded(ended))
}

/** Ends the reservation in the wallet, once for each issue, in the transaction that stores it as settled. */
async function settle(tx: Tx, message: Message, settlement: Settlement): Promise<void> {
  const wallet = await tx.wallets.lock(message.appId)
  if (settlement === 'release') return tx.wallets.save(release(wallet, message.price))
  const charged = debit(wallet, message, tx.now)
  await tx.wallets.save(charged.wallet)
  await tx.wallets.addEntry(charged.entry)
}

/** The next codes of the phone leave that leg out for a while. */
export async function noteAbsence(
  tx: Tx,
  { phoneHash, erasedAt }: Message,
  leg: Leg,
  absence: Absence | undefined,
): Promise<void> {
  if (absence && erasedAt === undefined) await tx.absences.note(leg, phoneHash, tx.now + ABSENT_MS[absence])
}

/** Forgets the messages whose reports can change nothing any more. */
async function forgetReports(
  tx: Tx,
  before: Message,
  after: Message,
  { staysOpen, isAccepted = false }: Pick<Step, 'staysOpen'> & { isAccepted?: boolean | undefined },
): Promise<void> {
  const isOtherMessage = after.messageId !== before.messageId
  // The message of the current leg may be under way: what its carrier reports is noted with its attempt.
  const isUnderWay = before.sendPending && isOtherMessage && after.deliveryStatus === 'delivered'
  if (!isAccepted && !isUnderWay && (isFinal(after) || (isOtherMessage && !staysOpen)))
    await tx.reports.forget(before.messageId)
  if (!isFinal(after) || before.legs === undefined) return
  // A report of an earlier leg has ended the delivery: nobody asks about the current one any more.
  await tx.jobs.remove('await-report', after.issueId)
  for (const { messageId } of await openMessages(tx, before)) await tx.reports.forget(messageId)
}

/** The messages of earlier legs whose reports are still awaited, the oldest first. Only an issue with a delivery plan has any. */
export async function openMessages(tx: Tx, message: Message): Promise<AwaitedReport[]> {
  if (message.legs === undefined) return []
  const attempts = await tx.attempts.ofIssue(message, message.issueId)
  const newest = new Map(attempts.map((attempt) => [attempt.messageId, attempt]))
  newest.delete(message.messageId)
  return [...newest.values()].map(awaitedOf).filter((awaited) => awaited !== undefined)
}

function queue(
  { node }: SaveDependencies,
  tx: Tx,
  message: Message,
  { kind, waitMs, at }: { kind: JobKind; waitMs: number; at?: string | undefined },
): Promise<void> {
  tx.afterCommit(() => node.wakeUps.wake(kind))
  return tx.jobs.add({
    kind,
    owner: message,
    subjectId: message.issueId,
    runAt: tx.now + waitMs,
    ...(at && { queue: at }),
  })
}
