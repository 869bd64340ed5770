/** Steps of a screen and their messages. */
import type { FlowReason, FlowState, FlowText } from '../flow/state'

/** Entering the number, entering the code, no usable code, or done. */
export type Step = 'number' | 'code' | 'over' | 'verified'

/** The step of a state. It stays while another code is being sent. */
export function stepOf<V>({ status }: FlowState<V>, before: Step): Step {
  switch (status) {
    case 'idle':
      return 'number'
    case 'sending':
      return before === 'verified' ? 'number' : before
    case 'awaiting_code':
    case 'verifying':
      return 'code'
    case 'locked':
    case 'failed':
      return 'over'
    case 'verified':
      return 'verified'
  }
}

/** No request is running. */
export const isAtRest = <V>({ status }: FlowState<V>) => status !== 'sending' && status !== 'verifying'

export interface Said {
  /** An error, which is announced at once. */
  isError: boolean
  text: FlowText
  /** Identifies a text, regardless of the seconds of its countdown. */
  id: string
}

export function saidIn<V>(state: FlowState<V>): Said | undefined {
  const { text } = state
  if (!text) return undefined
  const isError = 'reason' in state && state.reason !== undefined && text.key !== 'code_sent'
  const { waitMs: _, ...words } = text
  return { isError, text, id: JSON.stringify([state.status, words]) }
}

const OF_THE_CODE: ReadonlySet<FlowReason> = new Set(['MISMATCH', 'code_not_six_digits'])

/** Whether the entered value is at fault. */
export const isWrong = <V>(state: FlowState<V>): boolean =>
  'reason' in state && state.reason !== undefined && (state.status === 'idle' || OF_THE_CODE.has(state.reason))

/** Time until another code may be requested, milliseconds. */
export const untilResend = <V>(state: FlowState<V>): number => ('resendInMs' in state ? state.resendInMs : 0)
