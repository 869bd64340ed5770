/**
 * Data of one phone: its issues, wrong codes and erasures. It is looked up by a list of keyed hashes, one for each hash
 * key.
 */

import type { FailureCount } from '../../abuse/rules/failure-budget'
import type { CallerKind } from '../../domain/access/caller'
import type { PhoneOfApp } from '../../domain/access/rate-limits'
import type { RenderedMessage } from '../../domain/message/rendered-message'
import type { Erasure } from '../../domain/operations/erasure'
import type { Leg, Owner } from '../../domain/shared/value'
import type { Stored } from '../../domain/verification/verification'
import type { StoredEvent } from '../../domain/webhooks/event'

export type PhoneHashes = readonly Uint8Array[]

export interface PhonePage {
  /** Only issues after the one with this id. */
  after?: string | undefined
  limit: number
}

export interface PhoneIssues {
  rows: Stored[]
  /** Continue after this id, also where the page has fewer rows than its limit. */
  next: string | undefined
}

export interface PhoneReader {
  /** Live issues of the phone in an app, oldest first. */
  issues(appId: string, hashes: PhoneHashes, page: PhonePage): Promise<PhoneIssues>
  /** Wrong codes at the phone, by the kind of key that issued them. */
  failures(appId: string, hashes: PhoneHashes): Promise<Array<{ kind: CallerKind; failures: FailureCount }>>
  /** Phones of an app that wrong codes may pause or lock, those with the latest failure first. */
  held(appId: string, limit: number): Promise<Array<{ kind: CallerKind; failures: FailureCount }>>
  /** The message of an issue, while it may still be sent. */
  rendered(issueId: string): Promise<RenderedMessage | undefined>
  /** Events of an issue, oldest first. */
  events(issueId: string): Promise<StoredEvent[]>
  /** The channels that do not reach it. */
  absentFrom(phoneHash: Uint8Array, now: number): Promise<Leg[]>
  /** The oldest first. */
  erasures(): Promise<Erasure[]>
}

export interface AbsenceTx {
  /** The channel does not reach the phone until then. */
  note(channel: Leg, phoneHash: Uint8Array, until: number): Promise<void>
  forget(phoneHash: Uint8Array): Promise<void>
}

export interface ErasureTx {
  /** Stores an erasure that is to be done, also where the phone was erased before. A later time stays. */
  begin(erasure: Omit<Erasure, 'doneAt'>): Promise<void>
  /** False where another transaction finished it first. */
  finish(erasure: Erasure): Promise<boolean>
  /** Removes finished erasures from before a time; answers how many. */
  forget(before: number): Promise<number>
  /** Removes events and webhook deliveries of a locked issue. Answers how many events. */
  forgetEvents(issueId: string): Promise<number>
  /** Stores a locked issue without personal data. The row is removed later. */
  strip(stored: Stored): Promise<void>
  /**
   * Removes a locked issue with its attempts. Its ledger entries get `standIn` instead of its id. `isRemoved` knows it
   * until `forgetRemoved`.
   */
  remove(stored: Stored, standIn: string): Promise<void>
  /** Whether the issue was erased and removed. */
  isRemoved(issueId: string): Promise<boolean>
  /** Forgets removed issues that were made before a time; answers how many. */
  forgetRemoved(before: number): Promise<number>
  /** Erased rows of issues made before a time, oldest first. */
  bare(before: number, limit: number): Promise<Array<Owner & { issueId: string }>>
}

export interface FailureTx {
  /** Locks the failure count of a phone, also where there is none yet. */
  lock(phone: PhoneOfApp): Promise<FailureCount | undefined>
  save(phone: PhoneOfApp, failures: FailureCount): Promise<void>
}
