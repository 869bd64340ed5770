/** States of a flow: status, allowed actions, and the text to show. */
import type { Reason, ReasonCode } from '../types'
import { type Channel, type Held, PRISTINE } from './internal-state'
import type { FlowVerdict } from './transport'

/** Reasons of a refused phone number. */
export type NumberReason = Extract<
  Reason,
  | 'invalid_phone_number'
  | 'ambiguous_phone_number'
  | 'phone_number_without_texts'
  | 'country_closed'
  | 'test_number_required'
  | 'test_number_in_live_mode'
>

/** Reasons of a wait: the code before is too young, too many wrong codes for this phone, or another limit. */
export type LimitReason = 'resend' | 'failures' | 'TOO_MANY_REQUESTS'

/** Reason of a state, as the service names it. `NETWORK_ERROR`: there was no answer. */
export type FlowReason =
  | ReasonCode
  | NumberReason
  | LimitReason
  | Extract<Reason, 'code_not_six_digits'>
  | 'NETWORK_ERROR'
  | 'SERVICE_UNAVAILABLE'
  /** The app asks for a proof of a human: send again with a `challenge`. */
  | 'challenge_required'
  /** The carrier could not deliver the message. */
  | 'undelivered'

/** The text to show: a key of `Texts` in `@watchword/client/texts`, and its values. */
export interface FlowText {
  key: FlowTextKey
  /** Wait, milliseconds. */
  waitMs?: number
  /** Wrong codes still allowed. */
  attemptsRemaining?: number
}

export type FlowTextKey = FlowReason | 'sending' | 'code_sent' | 'verifying' | 'verified' | 'resend_possible'

/** Allowed actions. Others are ignored. */
export interface FlowCan {
  send: boolean
  submit: boolean
  resend: boolean
  changeNumber: boolean
  cancel: boolean
}

interface Shown<Status extends string> {
  status: Status
  /** The number as it was typed. */
  phoneNumber: string
  can: FlowCan
  /** The channel that was chosen for the next code, in place of that of the options. */
  channel?: Channel
  /** Undefined where there is nothing to show. */
  text?: FlowText
}

/** No code was requested, or the number was refused. */
export interface Idle extends Shown<'idle'> {
  reason?: FlowReason
}

/** A code is being requested. */
export interface Sending extends Shown<'sending'> {}

/** A code was sent. Waits are whole seconds, rounded up, in milliseconds: a state changes once a second at most. */
export interface AwaitingCode extends Shown<'awaiting_code'> {
  issueId?: string
  expiresInMs: number
  /** Time until another code may be requested, milliseconds. */
  resendInMs: number
  /** Time until a code may be entered, milliseconds; 0 unless the service asked to wait. */
  submitInMs: number
  /** Unknown where an answer was lost. */
  attemptsRemaining?: number
  /** The last error. */
  reason?: FlowReason
}

/** A code is being checked. */
export interface Verifying extends Shown<'verifying'> {
  issueId?: string
  expiresInMs: number
}

/** The code was right. A backend must check the proof or ask the service, and not trust the browser. */
export interface Verified<V> extends Shown<'verified'> {
  issueId?: string
  verifiedAt?: string
  /** The proof for your backend: a JWT, valid for some minutes. */
  proof?: string
  /** The answer of `verify`; undefined after a reload. */
  answer?: V
}

/** Too many wrong codes: for this code, or (`failures`) for this phone. */
export interface Locked extends Shown<'locked'> {
  reason: 'MAX_ATTEMPTS' | 'failures'
  /** Time until another code may be requested, milliseconds. */
  resendInMs: number
}

/** There is no usable code: it has ended, or none was issued. */
export interface Failed extends Shown<'failed'> {
  reason: FlowReason
  /** Time until another code may be requested, milliseconds. */
  resendInMs: number
}

export type FlowState<V = FlowVerdict> = Idle | Sending | AwaitingCode | Verifying | Verified<V> | Locked | Failed

export type FlowStatus = FlowState['status']

const NOTHING: FlowCan = { send: false, submit: false, resend: false, changeNumber: false, cancel: false }

export function show<V>(held: Held<V>, now: number): FlowState<V> {
  const { phoneNumber, issue, reason, channel } = held
  const waits = {
    expiresInMs: left(issue?.expiresAt ?? now, now),
    resendInMs: left(held.resendAt, now),
    submitInMs: left(held.submitAt, now),
  }
  const { expiresInMs, resendInMs, submitInMs } = waits
  const known = issue?.issueId !== undefined && { issueId: issue.issueId }
  const said = reason && { reason }
  const text = textOf(held, Math.max(resendInMs, submitInMs))
  const common = { phoneNumber, ...(channel && { channel }), ...(text && { text }) }
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

/** End of a wait. */
export function momentsOf<V>({ phase, issue, resendAt, submitAt }: Held<V>): number[] {
  const expiresAt = issue ? [issue.expiresAt] : []
  if (phase === 'awaiting_code') return [...expiresAt, resendAt, submitAt]
  if (phase === 'verifying') return expiresAt
  return phase === 'locked' || phase === 'failed' ? [resendAt] : []
}

/** Rounded up to whole seconds, milliseconds. */
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
  // The wait is over.
  return waitMs > 0 ? { key: reason, waitMs } : (byDefault ?? { key: 'resend_possible' })
}

/** The state before a flow exists. */
export const IDLE: FlowState<never> = show(PRISTINE, 0)
