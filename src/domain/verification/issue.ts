/** An issue, as the specification shows it: a verification with the message that carries its code. */
import type { DeliveryStatus, Message } from '../message/message'
import { effectiveStatus, hasCode, hasMessage, type Stored, type Verification } from './verification'

export type Issue = Message & Verification

/** `providerOutcomeCode` of an issue to a review number. */
export const REVIEW_NUMBER = 'REVIEW_NUMBER'

/** The message that an app is shown of a verification alone: delivered, and free. */
export const WITHOUT_MESSAGE = {
  smsFallback: false,
  deliveryStatus: 'delivered',
  legs: undefined,
  sendPending: false,
  providerOutcomeAmbiguous: false,
  providerOutcomeCode: REVIEW_NUMBER,
  billingStatus: 'released',
  price: 0,
  debitedAmount: 0,
} as const satisfies Partial<Message>

/** A code as its app is shown it. */
export const shownIssue = (stored: Verification | Issue): Issue =>
  hasMessage(stored) ? stored : { ...(stored as Verification), ...WITHOUT_MESSAGE, leg: stored.channel }

/** A message, with its code where it has one, or a code as its app is shown it. */
export const shownMessage = (stored: Stored): Message & Partial<Verification> =>
  hasCode(stored) ? shownIssue(stored) : (stored as Message)

export type OverallStatus =
  | 'delivered'
  | 'delivery_failed'
  | 'expired'
  | 'in_progress'
  | 'max_attempts'
  | 'pending_lookup'
  | 'replaced'
  | 'verified'

/** The fields that the status view and a replay need. */
export const STANDING = [
  'mode',
  'issueId',
  'messageId',
  'purpose',
  'templateId',
  'createdAt',
  'expiresAt',
  'promisedExpiresAt',
  'maxAttempts',
  'verificationStatus',
  'attemptsUsed',
  'verifiedAt',
  'deliveryStatus',
  'providerOutcomeAmbiguous',
  'providerOutcomeCode',
  'updatedAt',
] as const satisfies ReadonlyArray<keyof Issue>
export type IssueStanding = Pick<Issue, (typeof STANDING)[number]>

const WHILE_ISSUED: Readonly<Record<DeliveryStatus | 'unknown', OverallStatus>> = {
  delivered: 'delivered',
  failed: 'delivery_failed',
  queued: 'in_progress',
  sent: 'in_progress',
  unknown: 'pending_lookup',
}

/** The overall status of a message alone follows from its delivery. */
export function overallStatus(
  shown: Pick<Message, 'deliveryStatus' | 'verificationStatus' | 'expiresAt'>,
  now: number,
): OverallStatus {
  const { verificationStatus = 'issued' } = shown
  const status = shown.verificationStatus && effectiveStatus({ ...shown, verificationStatus }, now)
  return status === undefined || status === 'issued' ? WHILE_ISSUED[shown.deliveryStatus] : status
}
