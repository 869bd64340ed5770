/** What a flow knows, and what becomes of that with each answer. Moments are by the flow's clock. */
import type { FlowReason, FlowStatus, NumberReason } from './state'
import { type FlowIssue, type FlowVerdict, isLost, type Refusal } from './transport'

export interface Held<V> {
  phase: FlowStatus
  phoneNumber: string
  /** The code that may be typed; none where there is none any more. */
  issue?: Issued | undefined
  /** Of an order for this number of which nobody knows what became: the next one repeats it. */
  pendingKey?: string | undefined
  /** From when on another code may be asked for. */
  resendAt: number
  /** From when on a code may be typed. */
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

/** Nobody has to ask the service for this: it has said before when the code ends. */
export const expired = <V>(held: Held<V>): Held<V> => ended(held, 'EXPIRED')

const ended = <V>(held: Held<V>, reason: FlowReason): Held<V> => ({
  ...held,
  phase: 'failed',
  issue: undefined,
  reason,
})

/** The order is answered. `now` is when: the service's time as it answered was not later, so nothing is promised too soon. */
export function issued<V>(held: Held<V>, key: string, answer: FlowIssue, now: number): Held<V> {
  const answeredAt = Date.parse(answer.serverTime ?? answer.queuedAt)
  const moment = (time: string) => now + Date.parse(time) - answeredAt
  const { issueId, attemptsRemaining, resendAvailableAt } = answer
  const expiresAt = moment(answer.expiresAt)
  const resendAt = moment(resendAvailableAt ?? answer.queuedAt)
  const { phoneNumber } = held
  return {
    ...{ phase: 'awaiting_code', phoneNumber, resendAt, submitAt: now },
    issue: { issueId, key, expiresAt, attemptsRemaining },
  }
}

/** The order was refused, or nobody knows. A code that was there before is there still. */
export function notIssued<V>(held: Held<V>, refusal: Refusal, now: number): Held<V> {
  const reason = reasonOf(refusal)
  const next = {
    ...held,
    pendingKey: isLost(refusal) ? held.pendingKey : undefined,
    resendAt: Math.max(held.resendAt, now + (refusal.retryAfterMs ?? 0)),
    reason,
  }
  if (isLive(held.issue, now)) return { ...next, phase: 'awaiting_code' }
  if (isOfNumber(reason)) return { ...next, phase: 'idle' }
  return { ...next, issue: undefined, phase: reason === 'failures' ? 'locked' : 'failed' }
}

/** A code was checked. */
export function checked<V extends FlowVerdict>(held: Held<V>, answer: V): Held<V> {
  const { verified, reasonCode = 'MISMATCH', attemptsRemaining, verifiedAt, proof } = answer
  const told = { verifiedAt, proof, answer }
  if (verified) return { ...held, phase: 'verified', ...told, reason: undefined, pendingKey: undefined }
  if (reasonCode === 'MAX_ATTEMPTS') return { ...ended(held, reasonCode), phase: 'locked' }
  if (reasonCode !== 'MISMATCH' || !held.issue) return ended(held, reasonCode)
  return { ...held, phase: 'awaiting_code', issue: { ...held.issue, attemptsRemaining }, reason: reasonCode }
}

/** The check was refused, or nobody knows: then it may have used an attempt. */
export function notChecked<V>(held: Held<V>, refusal: Refusal, now: number): Held<V> {
  const next = mayBeCarriedOut(refusal) ? withoutCount(held) : held
  return {
    ...next,
    phase: 'awaiting_code',
    reason: reasonOf(refusal),
    submitAt: now + (refusal.retryAfterMs ?? 0),
  }
}

/** Of a check, which no key protects from being made twice. */
export const mayBeCarriedOut = (refusal: Refusal) => isLost(refusal) && refusal.status !== 503

/** Nobody has waited for the answer. */
export function cancelled<V>(held: Held<V>, now: number): Held<V> {
  if (held.phase === 'verifying') return { ...withoutCount(held), phase: 'awaiting_code' }
  if (held.phase !== 'sending') return held
  return { ...held, phase: isLive(held.issue, now) ? 'awaiting_code' : 'idle' }
}

/** One may be used up, or not. */
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

/** In words that there is a text for, also of what a newer service says. */
export function reasonOf({ status, param, reason }: Refusal): FlowReason {
  if (status === 0) return 'NETWORK_ERROR'
  if (status === 429) return reason === 'resend' || reason === 'failures' ? reason : 'TOO_MANY_REQUESTS'
  if (isOfNumber(reason) || reason === 'code_not_six_digits') return reason
  if (status === 400 && param === 'phoneNumber') return 'invalid_phone_number'
  return reason === 'idempotency_key_replaced' ? 'REPLACED' : 'SERVICE_UNAVAILABLE'
}
