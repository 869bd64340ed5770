/**
 * The typed client, for browsers, Node, Bun, Deno and edge runtimes. All nine calls come from the contract.
 *
 * ```ts
 * const otp = createOtpClient({ baseUrl: 'https://otp.example.com/v1', apiKey: process.env.OTP_API_KEY ?? '' })
 * const { issueId } = await otp.issue({ phoneNumber, purpose: 'signup', idempotencyKey: newIdempotencyKey() })
 * const { verified, reasonCode } = await otp.verify({ issueId, code })
 * ```
 */
export {
  type CallOptions,
  createOtpClient,
  type IssueInput,
  type IssueOutput,
  newIdempotencyKey,
  type OtpClient,
  type OtpClientOptions,
  type ScreenClient,
  type VerifyOutput,
} from './client'
export { WatchwordError, type WatchwordErrorCode, type WatchwordErrorReason } from './error'
export type { RetryOptions } from './retry'
export type {
  Balance,
  EventType,
  GetIssueInput,
  GetTemplateInput,
  IssueProjection,
  LedgerEntry,
  ListCreditLedgerInput,
  ListCreditLedgerOutput,
  ListIssuesInput,
  ListIssuesOutput,
  OtpEvent,
  OtpEventOf,
  Reason,
  ReasonCode,
  StatusInput,
  StatusOutput,
  Template,
  TemplateList,
  VerifyInput,
} from './types'
export {
  verifyWebhook,
  verifyWebhookSignature,
  type WebhookFailure,
  type WebhookHeaders,
  type WebhookRequest,
  WebhookVerificationError,
} from './webhook'
