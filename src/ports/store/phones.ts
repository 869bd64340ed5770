/** What belongs to one phone. It is asked for by a list of its keyed hashes: each is of one key, and keys may change. */

import type { FailureCount } from '../../abuse/rules/failure-budget'
import type { KeyKind } from '../../domain/access/api-key'
import type { PhoneOfApp } from '../../domain/access/rate-limits'
import type { Issue } from '../../domain/codes/issue'
import type { RenderedMessage } from '../../domain/message/rendered-message'
import type { Erasure } from '../../domain/operations/erasure'
import type { Owner } from '../../domain/shared/value'
import type { StoredEvent } from '../../domain/webhooks/event'

export type PhoneHashes = readonly Uint8Array[]

export interface PhonePage {
  /** Only behind the issue of this id. */
  after?: string | undefined
  limit: number
}

export interface PhoneIssues {
  rows: Issue[]
  /** There may be more behind that id, though the page is short of rows. Others had their turn. */
  next: string | undefined
}

export interface PhoneReader {
  /** Its live issues of an app, the oldest first. */
  issues(appId: string, hashes: PhoneHashes, page: PhonePage): Promise<PhoneIssues>
  /** Wrong codes at it, by the kind of key that issued them. */
  failures(appId: string, hashes: PhoneHashes): Promise<Array<{ kind: KeyKind; failures: FailureCount }>>
  /** Of an app's phones: those that wrong codes may hold up, those with the latest one first. */
  held(appId: string, limit: number): Promise<Array<{ kind: KeyKind; failures: FailureCount }>>
  /** Number and text of a message that may still be sent. */
  rendered(issueId: string): Promise<RenderedMessage | undefined>
  /** What there was to tell of an issue, the oldest first. */
  events(issueId: string): Promise<StoredEvent[]>
  /** The oldest first. */
  erasures(): Promise<Erasure[]>
}

export interface ErasureTx {
  /** Is to be done, also where it was done before. What was erased later stays so. */
  begin(erasure: Omit<Erasure, 'doneAt'>): Promise<void>
  /** False where somebody else has. */
  finish(erasure: Erasure): Promise<boolean>
  /** Those from before are remembered no more, where they are done; answers how many. */
  forget(before: number): Promise<number>
  /** Of an issue that is locked: what there was to tell of it, and whom it was told. Answers how many events. */
  forgetEvents(issueId: string): Promise<number>
  /** Stores a locked issue as a bare row, which is to be removed later. */
  strip(issue: Issue): Promise<void>
  /**
   * Removes a locked issue with its attempts; its ledger entries say `standIn` in the place of its id. That it was there is
   * known until `forgetRemoved`.
   */
  remove(issue: Issue, standIn: string): Promise<void>
  /** Whether that issue was erased, and is removed. */
  isRemoved(issueId: string): Promise<boolean>
  /** Of issues made before; answers how many. */
  forgetRemoved(before: number): Promise<number>
  /** Bare rows of issues made before, the oldest first. */
  bare(before: number, limit: number): Promise<Array<Owner & { issueId: string }>>
}

export interface FailureTx {
  /** Reads them for change: undefined, there are none, and nobody else makes any until this ends. */
  lock(phone: PhoneOfApp): Promise<FailureCount | undefined>
  save(phone: PhoneOfApp, failures: FailureCount): Promise<void>
}
