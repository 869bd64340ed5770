/** Issues, the idempotency keys that stand for them, and what is to be sent. */

import type { FailureCount } from '../../abuse/rules/failure-budget'
import type { PhoneOfApp } from '../../domain/access/rate-limits'
import type { IdempotencyRecord } from '../../domain/codes/idempotency'
import type { Issue, IssueStanding, VerificationStatus } from '../../domain/codes/issue'
import type { Attempt, AwaitedReport } from '../../domain/delivery/attempt'
import type { SendOutcome } from '../../domain/delivery/delivery'
import type { RenderedMessage } from '../../domain/message/rendered-message'
import type { Owner } from '../../domain/shared/value'

/** The `nth` newest of those that are younger than `withinMs`. */
export interface NthNewest {
  nth: number
  withinMs: number
}

/** As a kind of key sees it. */
export type Phone = Pick<PhoneOfApp, 'kind' | 'phoneHash'>

export interface KnownPhone {
  /** The issue stored as `issued` for the purpose; there is at most one. */
  live: Issue | undefined
  /** Wrong codes at it; not locked. */
  failures: FailureCount | undefined
}

export interface IssueTx {
  /**
   * Reads an issue for change: no other transaction changes it until this one ends. `known`: as it once was, which may spare
   * reading what never changes.
   */
  lock(owner: Owner, issueId: string, known?: Issue): Promise<Issue | undefined>
  /** The same, to check a code; `hasFailures`: wrong codes are remembered of its phone. */
  lockToVerify(owner: Owner, issueId: string): Promise<{ issue: Issue; hasFailures: boolean } | undefined>
  /** What is known of a phone before it gets a code for a purpose. Until this ends nobody else issues for it. */
  lockPhone(owner: Owner, phone: Phone, purpose: string): Promise<KnownPhone>
  /** Issues stored as `issued` whose expiry has passed. */
  lockExpired(limit: number): Promise<Issue[]>
  /**
   * For each: when the `nth` newest live issue for a phone was made, where that is less than `withinMs` ago: then there are
   * so many. Asked behind `lockPhone`, nobody adds another meanwhile.
   */
  nthNewest(phone: PhoneOfApp, asked: ReadonlyArray<NthNewest>): Promise<Array<number | undefined>>
  add(issue: Issue): Promise<void>
  /** Stores what may change of an issue that is locked. `before`: as it was, which may spare a part of it. */
  save(issue: Issue, before?: Issue): Promise<void>
}

export interface IdempotencyTx {
  find(owner: Owner, keyHash: Uint8Array): Promise<IdempotencyRecord | undefined>
  add(claim: IdempotencyRecord): Promise<void>
  drop(owner: Owner, keyHash: Uint8Array): Promise<void>
}

/** Numbers and texts, sealed, until they are erased. */
export interface OutboxTx {
  add(issue: Issue, rendered: RenderedMessage): Promise<void>
  find(issueId: string): Promise<RenderedMessage | undefined>
  erase(issueId: string): Promise<void>
}

/** Where a page starts and what it shows; times are Unix milliseconds. */
export interface IssueFilter {
  before?: string
  status?: VerificationStatus
  createdFrom?: number
  createdTo?: number
  limit: number
}

export interface IssueReader {
  find(owner: Owner, issueId: string): Promise<Issue | undefined>
  /** The same, as far as its status or a replay tells: less than half of it. */
  standing(owner: Owner, issueId: string): Promise<IssueStanding | undefined>
  /** Newest first; `now` decides what is expired. */
  page(owner: Owner, filter: IssueFilter, now: number): Promise<Issue[]>
  /** How many test issues each organization has made since, Unix milliseconds; also by apps that were removed. */
  testIssuesSince(since: number): Promise<Array<{ organizationId: string; issues: number }>>
}

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
