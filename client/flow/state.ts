/** What a flow shows: what it is at, what the user may do now, and which text says so. */
import type { Reason, ReasonCode } from '../types'
import { type Held, PRISTINE } from './held'
import type { FlowVerdict } from './transport'

/** What is wrong with a phone number. */
export type NumberReason = Extract<
  Reason,
  | 'invalid_phone_number'
  | 'ambiguous_phone_number'
  | 'phone_number_without_texts'
  | 'country_closed'
  | 'test_number_required'
  | 'test_number_in_live_mode'
>

/** What to wait for: the code before is too young, too many wrong codes were typed for this phone, or any other limit. */
export type LimitReason = 'resend' | 'failures' | 'TOO_MANY_REQUESTS'

/** Why a flow is where it is, in the words of the service. `NETWORK_ERROR`: nothing was answered. */
export type FlowReason =
  | ReasonCode
  | NumberReason
  | LimitReason
  | Extract<Reason, 'code_not_six_digits'>
  | 'NETWORK_ERROR'
  | 'SERVICE_UNAVAILABLE'

/** Which text to show: a key of `Texts` in `@watchword/client/texts`, and what it speaks of. */
export interface FlowText {
  key: FlowTextKey
  /** How long to wait. */
  waitMs?: number
  /** Wrong codes still allowed. */
  attemptsRemaining?: number
}

export type FlowTextKey = FlowReason | 'sending' | 'code_sent' | 'verifying' | 'verified' | 'resend_possible'

/** What the user may do now. Whatever else is called is ignored. */
export interface FlowCan {
  send: boolean
  submit: boolean
  resend: boolean
  changeNumber: boolean
  cancel: boolean
}

interface Shown<Status extends string> {
  status: Status
  /** As it was typed. */
  phoneNumber: string
  can: FlowCan
  /** Nothing has to be said where there is none. */
  text?: FlowText
}

/** No code was asked for, or the number has to be another one. */
export interface Idle extends Shown<'idle'> {
  reason?: FlowReason
}

/** A code is being asked for. */
export interface Sending extends Shown<'sending'> {}

/** A code is on its way, or there. All waits are in whole seconds, rounded up, so that a state changes once a second at most. */
export interface AwaitingCode extends Shown<'awaiting_code'> {
  issueId?: string
  expiresInMs: number
  /** Until another code may be asked for. */
  resendInMs: number
  /** Until a code may be typed; 0 but where the service has asked to wait. */
  submitInMs: number
  /** Unknown where an answer was lost. */
  attemptsRemaining?: number
  /** What was wrong last. */
  reason?: FlowReason
}

/** A code is being checked. */
export interface Verifying extends Shown<'verifying'> {
  issueId?: string
  expiresInMs: number
}

/** The code was right. Whoever has to be sure of that looks at the proof, or asks the service, and not the browser. */
export interface Verified<V> extends Shown<'verified'> {
  issueId?: string
  verifiedAt?: string
  /** Your backend believes this: a JWT, good for some minutes. */
  proof?: string
  /** What `verify` has answered; after a reload it is gone. */
  answer?: V
}

/** Too many wrong codes: for this one, or (`failures`) for this phone. */
export interface Locked extends Shown<'locked'> {
  reason: 'MAX_ATTEMPTS' | 'failures'
  /** Until another code may be asked for. */
  resendInMs: number
}

/** There is no code to type: it can no longer be used, or was not made. */
export interface Failed extends Shown<'failed'> {
  reason: FlowReason
  /** Until another code may be asked for. */
  resendInMs: number
}

export type FlowState<V = FlowVerdict> = Idle | Sending | AwaitingCode | Verifying | Verified<V> | Locked | Failed

export type FlowStatus = FlowState['status']

const NOTHING: FlowCan = { send: false, submit: false, resend: false, changeNumber: false, cancel: false }

export function show<V>(held: Held<V>, now: number): FlowState<V> {
  const { phoneNumber, issue, reason } = held
  const waits = {
    expiresInMs: left(issue?.expiresAt ?? now, now),
    resendInMs: left(held.resendAt, now),
    submitInMs: left(held.submitAt, now),
  }
  const { expiresInMs, resendInMs, submitInMs } = waits
  const known = issue?.issueId !== undefined && { issueId: issue.issueId }
  const said = reason && { reason }
  const text = textOf(held, Math.max(resendInMs, submitInMs))
  const common = { phoneNumber, ...(text && { text }) }
  const afterwards = { ...NOTHING, resend: resendInMs === 0, changeNumber: true }
  switch (held.phase) {
    case 'idle':
      return { status: 'idle', ...common, ...said, can: { ...NOTHING, send: true } }
    case 'sending':
      return { status: 'sending', ...common, can: { ...NOTHING, changeNumber: true, cancel: true } }
    case 'awaiting_code': {
      const attempts = issue?.attemptsRemaining !== undefined && { attemptsRemaining: issue.attemptsRemaining }
      const can = { ...afterwards, submit: submitInMs === 0 }
      return { status: 'awaiting_code', ...common, ...known, ...waits, ...attempts, ...said, can }
    }
    case 'verifying':
      return {
        ...{ status: 'verifying', ...common, ...known, expiresInMs },
        can: { ...NOTHING, changeNumber: true, cancel: true },
      }
    case 'verified': {
      const { verifiedAt, proof, answer } = held
      const verified = {
        ...(verifiedAt !== undefined && { verifiedAt }),
        ...(proof !== undefined && { proof }),
        ...(answer !== undefined && { answer }),
      }
      return { status: 'verified', ...common, ...known, ...verified, can: NOTHING }
    }
    case 'locked':
      return {
        ...{ status: 'locked', ...common, resendInMs, can: afterwards },
        reason: reason === 'failures' ? reason : 'MAX_ATTEMPTS',
      }
    case 'failed':
      return { status: 'failed', ...common, resendInMs, reason: reason ?? 'SERVICE_UNAVAILABLE', can: afterwards }
  }
}

/** What a state counts down to. */
export function momentsOf<V>({ phase, issue, resendAt, submitAt }: Held<V>): number[] {
  const expiresAt = issue ? [issue.expiresAt] : []
  if (phase === 'awaiting_code') return [...expiresAt, resendAt, submitAt]
  if (phase === 'verifying') return expiresAt
  return phase === 'locked' || phase === 'failed' ? [resendAt] : []
}

/** In whole seconds, rounded up. */
const left = (deadline: number, now: number) => Math.ceil(Math.max(0, deadline - now) / 1_000) * 1_000

const LIMITS: ReadonlySet<FlowReason> = new Set(['resend', 'failures', 'TOO_MANY_REQUESTS'])

function textOf<V>({ phase, reason, issue }: Held<V>, waitMs: number): FlowText | undefined {
  if (phase === 'sending' || phase === 'verifying' || phase === 'verified') return { key: phase }
  const byDefault = phase === 'awaiting_code' ? ({ key: 'code_sent' } as const) : undefined
  if (reason === undefined) return byDefault
  if (!LIMITS.has(reason)) {
    const attempts = reason === 'MISMATCH' && issue?.attemptsRemaining !== undefined
    return { key: reason, ...(attempts && { attemptsRemaining: issue.attemptsRemaining }) }
  }
  // What was to be waited for is over.
  return waitMs > 0 ? { key: reason, waitMs } : (byDefault ?? { key: 'resend_possible' })
}

/** Before there is a flow. */
export const IDLE: FlowState<never> = show(PRISTINE, 0)
