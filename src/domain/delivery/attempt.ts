/** Send attempts, and messages whose report is awaited. */

import type { BegunCall, Message } from '../message/message'
import type { Leg, Owner } from '../shared/value'
import { type DeliveryReport, presentableCode, presentableWords, type Retry, type SendOutcome } from './delivery'

/** One call to a carrier. */
export interface Attempt extends Owner {
  readonly issueId: string
  /** From 1, over all legs. */
  readonly number: number
  readonly leg: Leg
  readonly carrier: string
  readonly messageId: string
  readonly calledAt: number
  readonly answeredAt: number | undefined
  /** Undefined while the call is running. It is set once. */
  readonly outcome: SendOutcome['kind'] | undefined
  /** Retry class of a refusal. */
  readonly retry: Retry | undefined
  readonly code: string | undefined
  /** The carrier's own words on a failure, without digits. */
  readonly said: string | undefined
  /** As sent, masked. Undefined where the channel words it itself, and for a text of another platform. */
  readonly text: string | undefined
  /** The last report of its carrier, and when it came. */
  readonly report: DeliveryReport['status'] | undefined
  readonly reportedAt: number | undefined
  readonly carrierMessageId: string | undefined
  /** Since when its report is awaited; undefined: none is. */
  readonly awaitedAt: number | undefined
}

/** A message that its carrier may still report on. */
export interface AwaitedReport extends Owner {
  readonly messageId: string
  readonly carrier: string
  /** Undefined before the carrier has answered, and where the outcome is ambiguous. */
  readonly carrierMessageId: string | undefined
  readonly issueId: string
  readonly leg: Leg
  /** Since when it is awaited. */
  readonly answeredAt: number
}

/**
 * Why a leg was over when the next one began: its carriers refused it, it was reported as failed, or it was not reported within its wait.
 * `afterMs`: since its answer.
 */
export function endOfLeg(
  { outcome, report, reportedAt, answeredAt = 0 }: Partial<Attempt>,
  next: Pick<Attempt, 'calledAt'>,
): { why: 'refused' | 'failed' | 'silent'; afterMs: number } {
  const hasFailed = report === 'failed' && (reportedAt ?? 0) <= next.calledAt
  const why = outcome === 'refused' ? 'refused' : hasFailed ? 'failed' : 'silent'
  return { why, afterMs: Math.max(0, next.calledAt - answeredAt) }
}

/** The next attempt on the current leg, without an answer yet. */
export const newAttempt = (
  message: Message,
  { number, carrier, text }: Pick<Attempt, 'number' | 'carrier' | 'text'>,
  now: number,
): Attempt => ({
  appId: message.appId,
  mode: message.mode,
  issueId: message.issueId,
  number,
  leg: message.leg,
  carrier,
  messageId: message.messageId,
  calledAt: now,
  answeredAt: undefined,
  outcome: undefined,
  retry: undefined,
  code: undefined,
  said: undefined,
  text,
  report: undefined,
  reportedAt: undefined,
  carrierMessageId: undefined,
  // A fast carrier may report before it has answered.
  awaitedAt: now,
})

/** The attempt of a call that was begun with its issue. */
export const begunAttempt = (message: Message, { carrier, text, calledAt }: BegunCall): Attempt =>
  newAttempt(message, { number: 1, carrier, text }, calledAt)

export const withAnswer = (attempt: Attempt, outcome: SendOutcome, now: number): Attempt => ({
  ...attempt,
  answeredAt: now,
  outcome: outcome.kind,
  retry: retryOf(outcome),
  code: outcome.code === undefined ? undefined : presentableCode(outcome.code),
  said: outcome.kind === 'accepted' || outcome.said === undefined ? undefined : presentableWords(outcome.said),
  // By the clock of today, which may have been set since the call.
  awaitedAt: now,
  ...(outcome.kind === 'accepted' && { carrierMessageId: outcome.carrierMessageId }),
})

/** A report says more than the answer did. Its code counts only where it failed. */
export const withReport = (attempt: Attempt, { status, code, said }: DeliveryReport, now: number): Attempt => ({
  ...attempt,
  report: status,
  reportedAt: now,
  ...(status === 'failed' && code !== undefined && { code: presentableCode(code) }),
  ...(status === 'failed' && said !== undefined && { said: presentableWords(said) }),
})

const retryOf = (outcome: SendOutcome): Retry | undefined => {
  if (outcome.kind !== 'refused') return undefined
  switch (outcome.retry) {
    case 'unfit':
    case 'unreached':
      return 'later'
    default:
      return outcome.retry
  }
}

/** The message that a report of the attempt would be about; undefined where none is awaited. */
export const awaitedOf = ({ appId, mode, issueId, messageId, carrier, leg, ...attempt }: Attempt) =>
  attempt.awaitedAt === undefined
    ? undefined
    : {
        ...{ appId, mode, issueId, messageId, carrier, leg },
        ...{ carrierMessageId: attempt.carrierMessageId, answeredAt: attempt.awaitedAt },
      }
