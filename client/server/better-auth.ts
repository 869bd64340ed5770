/**
 * better-auth's plugin `phoneNumber` with codes of Watchword, which makes, sends and checks them: the code that better-auth
 * makes is never used. Nothing of better-auth is imported; what is used of it is written out here.
 */
import { type CallOptions, type IssueInput, type IssueOutput, newIdempotencyKey, type OtpClient } from '../client'
import { WatchwordError } from '../error'
import type { ReasonCode } from '../types'
import { type OrderExtras, refusedBy } from './backend'
import { proofIn } from './proof'

/** The used part of better-auth's context. */
export interface BetterAuthContext {
  path?: string | undefined
  headers?: Headers | undefined
  request?: Request | undefined
  /** Makes an error that better-auth answers as it is. */
  error(status: number | string, body: object, headers: Record<string, string>): unknown
  context: {
    internalAdapter: {
      createVerificationValue(data: Kept & { identifier: string; expiresAt: Date }): Promise<unknown>
      findVerificationValue(identifier: string): Promise<Kept | null>
      deleteVerificationByIdentifier(identifier: string): Promise<unknown>
    }
    logger: { error(message: string, ...details: unknown[]): void }
  }
}

interface Kept {
  value: string
  createdAt: Date
}

/** Set by the backend; the token of a challenge is what the page has sent, for example in a header. */
type PhoneNumberOrder = OrderExtras & Pick<Partial<IssueInput>, 'challenge'>

export interface WatchwordPhoneNumberOptions {
  /** `createOtpClient` with an `sk_` key. */
  otp: Pick<OtpClient, 'issue' | 'verify'>
  /** Purpose of codes that sign up, sign in, and change the number. */
  purpose: string
  /** Purpose of codes that only reset a password. When omitted no password can be reset by a code. */
  resetPurpose?: string
  /**
   * The end user's address, as the platform or your proxy tells it, for limits: a header that nobody else can write.
   * `undefined` where it is unknown.
   */
  clientIp: (headers: Headers, request: Request | undefined) => string | null | undefined
  /** Further fields of each `issue` request: `templateId`, `metadata`, … */
  input?: PhoneNumberOrder | ((ctx: BetterAuthContext) => PhoneNumberOrder | Promise<PhoneNumberOrder>)
  /**
   * Called with errors that the page is not told, such as a wrong key or an empty wallet. better-auth's logger when
   * omitted.
   */
  onError?: (error: WatchwordError, ctx: BetterAuthContext) => void
}

interface ToNumber {
  phoneNumber: string
}

/** Options of better-auth's `phoneNumber`. */
export interface WatchwordPhoneNumber {
  sendOTP(to: ToNumber, ctx?: BetterAuthContext): Promise<void>
  verifyOTP(typed: ToNumber & { code: string }, ctx?: BetterAuthContext): Promise<boolean>
  sendPasswordResetOTP?: (to: ToNumber, ctx?: BetterAuthContext) => Promise<void>
}

/**
 * ```ts
 * betterAuth({ plugins: [phoneNumber({ ...watchwordPhoneNumber({ otp, purpose: 'sign-in', clientIp }),
 * signUpOnVerification })] })
 * ```
 *
 * Which code is whose is kept in better-auth's own verification storage, for all processes.
 */
export function watchwordPhoneNumber(options: WatchwordPhoneNumberOptions): WatchwordPhoneNumber {
  const { purpose, resetPurpose } = options
  const callOf = (ctx: BetterAuthContext | undefined, about = purpose): Call => {
    if (!ctx?.context) throw new TypeError('This better-auth is too old: it does not say in which context it asks')
    return { ...options, ctx, purpose: about }
  }
  return {
    sendOTP: async ({ phoneNumber }, ctx) => send(callOf(ctx), phoneNumber),
    ...(resetPurpose !== undefined && {
      sendPasswordResetOTP: async ({ phoneNumber }: ToNumber, ctx?: BetterAuthContext) =>
        send(callOf(ctx, resetPurpose), phoneNumber),
    }),
    async verifyOTP({ phoneNumber, code }, ctx) {
      // better-auth has one function for both. A code for signing in must not set a password.
      if (ctx?.path !== RESET_PATH) return verify(callOf(ctx), phoneNumber, code)
      return resetPurpose !== undefined && verify(callOf(ctx, resetPurpose), phoneNumber, code)
    },
  }
}

const RESET_PATH = '/phone-number/reset-password'

interface Call extends WatchwordPhoneNumberOptions {
  ctx: BetterAuthContext
}

async function send(call: Call, phoneNumber: string): Promise<void> {
  const { otp, purpose, input, ctx } = call
  if (!E164.test(phoneNumber)) throw notThisNumber(ctx)
  const extras = typeof input === 'function' ? await input(ctx) : input
  const idempotencyKey = ctx.headers?.get('idempotency-key') ?? newIdempotencyKey()
  const order = { ...extras, phoneNumber, purpose, idempotencyKey }
  await keep(call, phoneNumber, await answered(call, otp.issue(order, callerOf(call))))
}

/** better-auth stores a number as the page spelled it, so two spellings would be two accounts. */
const E164 = /^\+[1-9]\d{6,14}$/

async function verify(call: Call, phoneNumber: string, code: string): Promise<boolean> {
  const { otp, purpose, ctx } = call
  const identifier = identifierOf(purpose, phoneNumber)
  const kept = await ctx.context.internalAdapter.findVerificationValue(identifier)
  if (!kept) throw refusal(ctx, 400, 'OTP_NOT_FOUND', 'OTP not found')
  const attempt = { issueId: kept.value, code, phoneNumber }
  const { verified, reasonCode, proof } = await answered(call, otp.verify(attempt, callerOf(call)))
  if (!verified) return notVerified(ctx, reasonCode)
  await ctx.context.internalAdapter.deleteVerificationByIdentifier(identifier)
  const proven = proof === undefined ? undefined : proofIn(proof)
  if (proven?.phoneNumber !== phoneNumber || proven.purpose !== purpose) throw notThisNumber(ctx)
  return true
}

/** Result for better-auth, which answers `INVALID_OTP` for false. */
function notVerified(ctx: BetterAuthContext, reason: ReasonCode | undefined): false {
  switch (reason) {
    case 'EXPIRED':
    case 'REPLACED':
      throw refusal(ctx, 400, 'OTP_EXPIRED', 'OTP expired')
    case 'NOT_FOUND':
      throw refusal(ctx, 400, 'OTP_NOT_FOUND', 'OTP not found')
    case 'MAX_ATTEMPTS':
      throw refusal(ctx, 403, 'TOO_MANY_ATTEMPTS', 'Too many attempts')
    default:
      return false
  }
}

const identifierOf = (purpose: string, phoneNumber: string) => `watchword-${purpose}-${phoneNumber}`

/** Longer than any code lives, so that the service itself answers `EXPIRED`. */
const KEPT_MS = 60 * 60_000

/**
 * After two concurrent requests the newer issue counts, by the time of the service, whichever answer comes first. A
 * store without order, such as Redis, keeps the last write.
 */
async function keep({ ctx, purpose }: Call, phoneNumber: string, issue: IssueOutput): Promise<void> {
  const { internalAdapter } = ctx.context
  const identifier = identifierOf(purpose, phoneNumber)
  const createdAt = new Date(issue.queuedAt)
  const known = await internalAdapter.findVerificationValue(identifier)
  if (known && new Date(known.createdAt) > createdAt) return
  const expiresAt = new Date(Date.now() + KEPT_MS)
  await internalAdapter.createVerificationValue({ identifier, value: issue.issueId, createdAt, expiresAt })
}

function callerOf({ ctx, clientIp }: Call): CallOptions {
  const address = clientIp(ctx.headers ?? new Headers(), ctx.request)
  return address === null || address === undefined ? {} : { clientIp: address }
}

/** Returns the service's answer, or throws its refusal as an error of better-auth. */
async function answered<T>({ ctx, onError }: Call, asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof WatchwordError)) throw error
    const tell = () => (onError ? onError(error, ctx) : ctx.context.logger.error(error.message, error))
    const { status, body, retryAfterMs } = refusedBy(error, tell)
    const code = CODES[error.param ?? ''] ?? body.code
    const waits = retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }
    throw ctx.error(status, { ...body, code }, { ...waits })
  }
}

/** Error codes of better-auth, for which its screens have texts. */
const CODES: Readonly<Record<string, string>> = { phoneNumber: 'INVALID_PHONE_NUMBER', code: 'INVALID_OTP' }

const refusal = (ctx: BetterAuthContext, status: number, code: string, message: string) =>
  ctx.error(status, { code, message }, {})

const notThisNumber = (ctx: BetterAuthContext) =>
  refusal(ctx, 400, 'INVALID_PHONE_NUMBER', 'The phone number has to be written in full, as +821012345678')
