/** Issues, the idempotency keys that stand for them, and what is to be sent. */

import type { FailureCount } from '../../abuse/rules/failure-budget'
import type { PhoneOfApp } from '../../domain/access/rate-limits'
import type { Attempt, AwaitedReport } from '../../domain/delivery/attempt'
import type { AnswerCount } from '../../domain/delivery/carrier-answers'
import type { SendOutcome } from '../../domain/delivery/delivery'
import type { DeliveryStatus, Message } from '../../domain/message/message'
import type { RenderedMessage } from '../../domain/message/rendered-message'
import type { VerificationStatus } from '../../domain/shared/addressed'
import type { Channel, Leg, Owner } from '../../domain/shared/value'
import type { IdempotencyRecord } from '../../domain/verification/idempotency'
import type { Issue, IssueStanding } from '../../domain/verification/issue'
import type { Stored, Verification } from '../../domain/verification/verification'

/** Asks for the `nth` newest issue that is younger than `withinMs`. */
export interface NthNewest {
  nth: number
  withinMs: number
}

/** Each kind of key counts a phone for itself. */
export type Phone = Pick<PhoneOfApp, 'kind' | 'phoneHash'>

export interface KnownPhone {
  /** The issue stored as `issued` for the purpose; there is at most one. */
  live: Verification | undefined
  /** Wrong codes at the phone; the row is not locked. */
  failures: FailureCount | undefined
}

export interface IssueTx {
  lock(owner: Owner, issueId: string): Promise<Stored | undefined>
  lockMessage(owner: Owner, issueId: string): Promise<Message | undefined>
  /** Locks a verification to check a code. `hasFailures`: there is a failure count of its phone. */
  lockToVerify(owner: Owner, issueId: string): Promise<{ verification: Verification; hasFailures: boolean } | undefined>
  /** Locks a phone before a code is issued for it; no other transaction issues for the phone meanwhile. */
  lockPhone(owner: Owner, phone: Phone, purpose: string): Promise<KnownPhone>
  /** Messages without a code for a phone and purpose that may still be worth sending. The phone must be locked. */
  lockAlone(owner: Owner, phoneHash: Uint8Array, purpose: string): Promise<Message[]>
  /** Verifications stored as `issued` whose expiry has passed. */
  lockExpired(limit: number): Promise<Verification[]>
  /**
   * For each: when the `nth` newest live issue for the phone was made; undefined where it is older than `withinMs` or
   * missing. The phone must be locked.
   */
  nthNewest(phone: PhoneOfApp, asked: ReadonlyArray<NthNewest>): Promise<Array<number | undefined>>
  /** `key` is the idempotency key that the issue stands for. */
  add<S extends Stored>(stored: S, key?: Pick<IdempotencyRecord, 'keyHash' | 'fingerprint'>): Promise<void>
  /** The message whose call was begun with that message, and is not answered; it is not locked. */
  begunBy(messageId: string): Promise<Message | undefined>
  /** Locks messages whose calls were begun so long ago or longer, and are not answered; undefined: all of them. */
  lockBegun(agedMs: number | undefined, limit: number): Promise<Message[]>
  /**
   * Stores the changeable fields of a locked row. `before`: the copy that was read, so that only changed parts are
   * written.
   */
  save<S extends Stored>(stored: S, before?: Stored): Promise<void>
}

export interface IdempotencyTx {
  find(owner: Owner, keyHash: Uint8Array): Promise<IdempotencyRecord | undefined>
  drop(owner: Owner, keyHash: Uint8Array): Promise<void>
}

/** Sealed numbers and texts of messages, until they are erased. */
export interface OutboxTx {
  add(message: Message, rendered: RenderedMessage): Promise<void>
  find(issueId: string): Promise<RenderedMessage | undefined>
  erase(issueId: string): Promise<void>
}

/** A page of issues; times are Unix milliseconds. */
export interface IssueFilter {
  /** Newest first: only those before this id. */
  before?: string | undefined
  /** Oldest first: only this id and those after it. */
  from?: string | undefined
  isOldestFirst?: boolean | undefined
  /** `alone`: messages without a code, which are in no other page. `unverified`: whatever the reason. */
  status?: VerificationStatus | 'unverified' | 'alone' | undefined
  /** The beginning of a purpose. */
  purpose?: string | undefined
  delivery?: DeliveryStatus | undefined
  channel?: Channel | undefined
  leg?: Leg | undefined
  country?: string | undefined
  outcomeCode?: string | undefined
  /** A carrier that was called. */
  carrier?: string | undefined
  /** A whole value of the metadata, or a carrier's id of a message. */
  mentioned?: string | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
  limit: number
}

export interface IssuePage {
  issues: Stored[]
  /** The page is short since the search has looked at enough rows; it goes on before this id, or from it on. */
  next?: string | undefined
}

export interface IssueReader {
  /** The issue of a code, as its app is shown it. Undefined for a message alone. */
  find(owner: Owner, issueId: string): Promise<Issue | undefined>
  /** Whatever has the id. */
  stored(owner: Owner, issueId: string): Promise<Stored | undefined>
  /** The fields that the status view and a replay need, less than half of an issue. */
  standing(owner: Owner, issueId: string): Promise<IssueStanding | undefined>
  /** The newest issue for a phone and purpose, whatever its status. */
  newest(owner: Owner, phoneHash: Uint8Array, purpose: string): Promise<Issue | undefined>
  /** The newest live issues for a phone in all apps, newest first. */
  newestOfPhone(phoneHash: Uint8Array, limit: number): Promise<Stored[]>
  /** Newest first; `now` decides what is expired. */
  page(owner: Owner, filter: IssueFilter, now: number): Promise<Issue[]>
  /** A page that looks at a bounded number of rows. */
  search(owner: Owner, filter: IssueFilter, now: number): Promise<IssuePage>
  /** Number of test issues of each organization since a time (Unix milliseconds), removed apps included. */
  testIssuesSince(since: number): Promise<Array<{ organizationId: string; issues: number }>>
}

export interface AttemptTx {
  add(attempt: Attempt): Promise<void>
  /** Oldest first. */
  ofIssue(owner: Owner, issueId: string): Promise<Attempt[]>
  /** Stores the answer of an attempt; false where it had one already. */
  answer(attempt: Attempt): Promise<boolean>
  /** Stores what a report says of an attempt, and its moment. */
  noteReport(attempt: Attempt): Promise<void>
}

export interface ReportTx {
  /** Stores the id by which its carrier will report. */
  learn(messageId: string, carrierMessageId: string): Promise<void>
  find(messageId: string): Promise<AwaitedReport | undefined>
  /** The message of a report, by the carrier's own id; undefined where two messages have it, for it names neither. */
  findByCarrier(carrier: string, theirMessageId: string): Promise<AwaitedReport | undefined>
  forget(messageId: string): Promise<void>
  /** Whether a call of this carrier about a message that was made since then has no answer yet. */
  hasUnanswered(carrier: string, since: number): Promise<boolean>
}

export interface AttemptReader {
  /** Oldest first. */
  ofIssue(owner: Owner, issueId: string): Promise<Attempt[]>
  /** Outcomes of live sends by carrier, for messages issued since a time. */
  outcomesSince(since: number): Promise<Map<string, Record<SendOutcome['kind'], number>>>
  /** Answers of one carrier to live sends, for messages issued since a time. Equal ones are counted together. */
  answersSince(carrier: string, since: number): Promise<AnswerCount[]>
}
