/** Internal state of a flow, and its transitions. Times are of the flow's clock. */
import type { IssueInput } from '../types'
import type { FlowReason, FlowStatus, NumberReason } from './state'
import { type FlowIssue, type FlowVerdict, isLost, type Refusal } from './transport'

export type Channel = NonNullable<IssueInput['channel']>

export interface Held<V> {
  phase: FlowStatus
  phoneNumber: string
  /** The live issue; undefined where there is none. */
  issue?: Issued | undefined
  /** Idempotency key of a request with unknown outcome: the next request repeats it. */
  pendingKey?: string | undefined
  /** The channel that the user chose; that of the options where omitted. */
  channel?: Channel | undefined
  /** When another code may be requested. */
  resendAt: number
  /** When a code may be entered. */
  submitAt: number
  reason?: FlowReason | undefined
  verifiedAt?: string | undefined
  proof?: string | undefined
  answer?: V | undefined
}

export interface Issued {
  issueId?: string | undefined
  /** The idempotency key it was made with. */
  key: string
  expiresAt: number
  attemptsRemaining?: number | undefined
}

export const PRISTINE: Held<never> = { phase: 'idle', phoneNumber: '', resendAt: 0, submitAt: 0 }

export const isLive = (issue: Issued | undefined, now: number): issue is Issued =>
  issue !== undefined && now < issue.expiresAt

/** The code has expired; its expiry is known without asking the service. */
export const expired = <V>(held: Held<V>): Held<V> => ended(held, 'EXPIRED')

const ended = <V>(held: Held<V>, reason: FlowReason): Held<V> => ({
  ...held,
  phase: 'failed',
  issue: undefined,
  reason,
})

/** The request is answered at `now`. The service's time was not later, so no wait ends too soon. */
export function issued<V>(held: Held<V>, key: string, answer: FlowIssue, now: number): Held<V> {
  const answeredAt = Date.parse(answer.serverTime ?? answer.queuedAt)
  const moment = (time: string) => now + Date.parse(time) - answeredAt
  const { issueId, attemptsRemaining, resendAvailableAt } = answer
  const expiresAt = moment(answer.expiresAt)
  const resendAt = moment(resendAvailableAt ?? answer.queuedAt)
  const { phoneNumber, channel } = held
  return {
    ...{ phase: 'awaiting_code', phoneNumber, channel, resendAt, submitAt: now },
    issue: { issueId, key, expiresAt, attemptsRemaining },
  }
}

/** The request was refused or its outcome is unknown. An earlier code stays. */
export function notIssued<V>(held: Held<V>, refusal: Refusal, now: number): Held<V> {
  const reason = reasonOf(refusal)
  const next = {
    ...held,
    pendingKey: isLost(refusal) ? held.pendingKey : undefined,
    resendAt: Math.max(held.resendAt, now + (refusal.retryAfterMs ?? 0)),
    reason,
  }
  if (isLive(held.issue, now)) return { ...next, phase: 'awaiting_code' }
  if (isOfNumber(reason) || reason === 'challenge_required') return { ...next, phase: 'idle' }
  return { ...next, issue: undefined, phase: reason === 'failures' ? 'locked' : 'failed' }
}

/** A code was verified or refused. */
export function checked<V extends FlowVerdict>(held: Held<V>, answer: V): Held<V> {
  const { verified, reasonCode = 'MISMATCH', attemptsRemaining, verifiedAt, proof } = answer
  const told = { verifiedAt, proof, answer }
  if (verified) return { ...held, phase: 'verified', ...told, reason: undefined, pendingKey: undefined }
  if (reasonCode === 'MAX_ATTEMPTS') return { ...ended(held, reasonCode), phase: 'locked' }
  if (reasonCode !== 'MISMATCH' || !held.issue) return ended(held, reasonCode)
  return { ...held, phase: 'awaiting_code', issue: { ...held.issue, attemptsRemaining }, reason: reasonCode }
}

/** The verification failed. With an unknown outcome it may have used an attempt. */
export function notChecked<V>(held: Held<V>, refusal: Refusal, now: number): Held<V> {
  const next = mayBeCarriedOut(refusal) ? withoutCount(held) : held
  return {
    ...next,
    phase: 'awaiting_code',
    reason: reasonOf(refusal),
    submitAt: now + (refusal.retryAfterMs ?? 0),
  }
}

/** A verification has no idempotency key. */
export const mayBeCarriedOut = (refusal: Refusal) => isLost(refusal) && refusal.status !== 503

/** The user cancelled. */
export function cancelled<V>(held: Held<V>, now: number): Held<V> {
  if (held.phase === 'verifying') return { ...withoutCount(held), phase: 'awaiting_code' }
  if (held.phase !== 'sending') return held
  return { ...held, phase: isLive(held.issue, now) ? 'awaiting_code' : 'idle' }
}

/** The number of attempts is unknown now. */
const withoutCount = <V>(held: Held<V>): Held<V> => ({
  ...held,
  issue: held.issue && { ...held.issue, attemptsRemaining: undefined },
})

const OF_NUMBER: Readonly<Record<NumberReason, true>> = {
  invalid_phone_number: true,
  ambiguous_phone_number: true,
  phone_number_without_texts: true,
  country_closed: true,
  test_number_required: true,
  test_number_in_live_mode: true,
}

const isOfNumber = (reason: string | undefined): reason is NumberReason =>
  reason !== undefined && Object.hasOwn(OF_NUMBER, reason)

/** A reason that has a text; unknown ones of newer services are mapped. */
export function reasonOf({ status, param, reason }: Refusal): FlowReason {
  if (status === 0) return 'NETWORK_ERROR'
  if (status === 429) return reason === 'resend' || reason === 'failures' ? reason : 'TOO_MANY_REQUESTS'
  if (isOfNumber(reason) || reason === 'code_not_six_digits') return reason
  if (reason === 'challenge_required' || reason === 'challenge_failed') return 'challenge_required'
  if (status === 400 && param === 'phoneNumber') return 'invalid_phone_number'
  return reason === 'idempotency_key_replaced' ? 'REPLACED' : 'SERVICE_UNAVAILABLE'
}

/** The carrier says that the message was not delivered. What the user did since is more recent. */
export const undelivered = <V>(held: Held<V>): Held<V> =>
  held.phase === 'awaiting_code' && held.reason === undefined ? { ...held, reason: 'undelivered' } : held
