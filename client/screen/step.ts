/** Steps of a screen and their messages. */
import type { Channel } from '../flow/internal-state'
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

/** Reasons that end a code which was sent. */
const OF_A_SENT_CODE: ReadonlySet<FlowReason> = new Set([
  ...(['EXPIRED', 'MAX_ATTEMPTS', 'REPLACED', 'ALREADY_VERIFIED', 'NOT_FOUND'] as const),
])

/** The button that asks for a code again: none may have been sent yet. */
export const resendText = <V>(state: FlowState<V>): 'send_another' | 'try_again' =>
  state.status === 'failed' && !OF_A_SENT_CODE.has(state.reason) ? 'try_again' : 'send_another'

/** The sentence around the number that a code was sent to; empty where none was sent. */
export const aroundNumber = <V>(state: FlowState<V>, sentTo: string): string[] =>
  resendText(state) === 'try_again' ? [] : sentTo.split('{number}')

/** The wait that the button shows, milliseconds, unless a message shows it. */
export const countdownOf = <V>(state: FlowState<V>): number =>
  'resendInMs' in state && state.text?.waitMs === undefined ? state.resendInMs : 0

/** The service asks for a proof of a human. */
export const needsChallenge = <V>(state: FlowState<V>): boolean =>
  'reason' in state && state.reason === 'challenge_required'

/** Another channel of those that the page offers. */
export const otherWayOf = <V>({ channel }: FlowState<V>, channels: readonly Channel[]): Channel | undefined =>
  channels.find((each) => each !== (channel ?? channels[0]))

const OF_THE_CODE: ReadonlySet<FlowReason> = new Set(['MISMATCH', 'code_not_six_digits'])

/** Whether the entered value is at fault. */
export const isWrong = <V>(state: FlowState<V>): boolean =>
  'reason' in state &&
  state.reason !== undefined &&
  ((state.status === 'idle' && !needsChallenge(state)) || OF_THE_CODE.has(state.reason))

/** The heading of a step. A code that has ended leaves the question of the number. */
export const titleOf = (step: Step): 'title' | 'title_code' => (step === 'code' ? 'title_code' : 'title')

/** The tick: a ring and a hook, in a square of 48. */
export const TICK = ['M24 4a20 20 0 1 1-.01 0', 'm15 24.5 6.5 6.5L34 18']
