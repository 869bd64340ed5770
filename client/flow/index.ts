/**
 * The verification flow without a user interface: what to show, what the user may do, and when.
 *
 * ```ts
 * const otp = createOtpClient({ baseUrl: 'https://otp.example.com/v1', apiKey: 'pk_…' })
 * const flow = createFlow({ transport: otp, purpose: 'signup', storage: sessionStorage })
 * flow.subscribe(() => render(flow.getSnapshot()))
 * await flow.send('010-1234-5678')
 * await flow.submit('123 456')
 * ```
 */
export type { FlowClock } from './clock'
export { readCode } from './code'
export { type ActionOptions, createFlow, type Flow, type FlowOptions, type SendOptions } from './flow'
export type {
  AwaitingCode,
  Failed,
  FlowCan,
  FlowReason,
  FlowState,
  FlowStatus,
  FlowText,
  FlowTextKey,
  Idle,
  LimitReason,
  Locked,
  NumberReason,
  Sending,
  Verified,
  Verifying,
} from './state'
export type { FlowStorage } from './storage'
export type {
  FlowAttempt,
  FlowDelivery,
  FlowIssue,
  FlowTransport,
  FlowVerdict,
  ScreenChallenge,
  ScreenSettings,
} from './transport'
