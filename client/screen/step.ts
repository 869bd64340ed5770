/** What a screen shows of a flow: where the person is, and what is said there. */
import type { FlowReason, FlowState, FlowText } from '../flow/state'

/** The number is typed, the code is typed, there is no code to type, or all is done. */
export type Step = 'number' | 'code' | 'over' | 'verified'

/** While another code is being sent the screen stays where it was. */
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

/** Nothing is being asked: the person goes on. */
export const isAtRest = <V>({ status }: FlowState<V>) => status !== 'sending' && status !== 'verifying'

export interface Said {
  /** Something is wrong: it is said at once, whatever else is being said. */
  isError: boolean
  text: FlowText
  /** Another one for other words; not for another second of a countdown. */
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

/** Whether what was typed is to blame. */
export const isWrong = <V>(state: FlowState<V>): boolean =>
  'reason' in state && state.reason !== undefined && (state.status === 'idle' || OF_THE_CODE.has(state.reason))

/** Until another code may be asked for, where that is the case. */
export const untilResend = <V>(state: FlowState<V>): number => ('resendInMs' in state ? state.resendInMs : 0)
