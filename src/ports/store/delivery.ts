/** What carriers were asked and answered, and which messages they may still report on. */
import type { Attempt, AwaitedReport } from '../../domain/delivery/attempt'
import type { SendOutcome } from '../../domain/delivery/delivery'
import type { Owner } from '../../domain/shared/value'

export interface AttemptTx {
  add(attempt: Attempt): Promise<void>
  /** Oldest first. */
  ofIssue(owner: Owner, issueId: string): Promise<Attempt[]>
  /** Said with the lock of an issue whose attempt is to be answered: who is far away looks then, instead of once more. */
  ahead(owner: Owner, issueId: string): void
  /** Records the answer of an attempt that has none; false when it had one. */
  answer(attempt: Attempt): Promise<boolean>
}

export interface ReportTx {
  /** Makes a message findable for its carrier's report, or says more about it. */
  expect(awaited: AwaitedReport): Promise<void>
  find(messageId: string): Promise<AwaitedReport | undefined>
  /** What a report is about, by the carrier's own id of the message. */
  findByCarrier(carrier: string, theirMessageId: string): Promise<AwaitedReport | undefined>
  forget(messageId: string): Promise<void>
}

export interface AttemptReader {
  /** Oldest first. */
  ofIssue(owner: Owner, issueId: string): Promise<Attempt[]>
  /** How calls of live carriers ended, by carrier, for messages issued since. */
  outcomesSince(since: number): Promise<Map<string, Record<SendOutcome['kind'], number>>>
}
