/**
 * Live numbers of reviewers, such as those of an app store: they get a fixed code and no message. Decisions: "Review numbers".
 */

import { DAY_MS } from '../shared/value'
import { type Issue, REVIEW_NUMBER, shownIssue } from './issue'
import type { Verification } from './verification'
import { hasMessage, type Stored } from './verification'

/** Kept with its app. The number itself is not stored. Times are Unix milliseconds. */
export interface ReviewNumber {
  /** Tells it from others, for example `App Store`. */
  readonly name: string
  /** Keyed hash, in hexadecimal. */
  readonly phoneHash: string
  /** Codes in 24 hours, for each kind of key. */
  readonly dailyMax: number
  readonly createdAt: number
  readonly endsAt: number
}

export const REVIEW_NUMBERS_MAX = 20
export const REVIEW_DAYS = { min: 1, max: 90 } as const
export const REVIEW_DAILY_MAX = { min: 1, max: 100 } as const

export const reviewEnd = (now: number, days: number): number => now + days * DAY_MS

/** The review number that a phone is at the moment. */
export const reviewNumberOf = (
  { reviewNumbers = [] }: { reviewNumbers?: readonly ReviewNumber[] | undefined },
  phoneHash: Uint8Array,
  now: number,
): ReviewNumber | undefined =>
  reviewNumbers.find((known) => now < known.endsAt && known.phoneHash === phoneHash.toHex())

/** The use of the key that a review code is derived from: the code stays the same, and is stored nowhere. */
export const reviewKeyName = (appId: string, { phoneHash }: Pick<ReviewNumber, 'phoneHash'>) =>
  `review ${appId} ${phoneHash}`

/** The changes that an app is told of as if a message had gone out, so that its own review passes every step. */
export function changesWithoutMessage(verification: Verification): Array<[before: Issue, after: Issue]> {
  const delivered = shownIssue(verification)
  const queued: Issue = { ...delivered, deliveryStatus: 'queued', sendPending: true }
  const sent: Issue = { ...queued, deliveryStatus: 'sent', sendPending: false }
  return [
    [queued, sent],
    [sent, delivered],
  ]
}

/** Nobody proved anything about a phone with the code of such a verification. */
export const isReviewed = (stored: Stored): boolean => !hasMessage(stored)

/** The same of an issue that is shown. */
export const isShownReviewed = ({
  price,
  providerOutcomeCode,
}: Pick<Issue, 'price' | 'providerOutcomeCode'>): boolean => price === 0 && providerOutcomeCode === REVIEW_NUMBER
