/**
 * Verification over the app's own backend, independent of a framework: it takes requests of a page, calls Watchword and
 * answers. The page uses `<watchword-verify action="…">` or `createFlow`.
 */
import type { IssueInput, OtpClient } from '../client'
import { WatchwordError } from '../error'
import { type Proof, proofIn } from './proof'

/** A number verified for the purpose of this backend. */
export type VerifiedPhone = Pick<Proof, 'issueId' | 'phoneNumber' | 'purpose' | 'mode'>

/** Set by the backend; a page cannot choose it. */
export type OrderExtras = Omit<Partial<IssueInput>, 'phoneNumber' | 'purpose' | 'idempotencyKey' | 'challenge'>

/** `Visit`: the request type of the framework. */
export interface BackendOptions<Visit, Told> {
  /** `createOtpClient` with an `sk_` key. */
  otp: Pick<OtpClient, 'issue' | 'verify'> & Partial<Pick<OtpClient, 'status'>>
  purpose: string
  /** Further fields of each `issue` request: `templateId`, `metadata`, … */
  input?: OrderExtras | ((visit: Visit) => OrderExtras | Promise<OrderExtras>)
  /** Channels that the page may choose from; none when omitted. */
  channels?: readonly NonNullable<IssueInput['channel']>[]
  /** Called before the page is answered: give the session the number, and a new id. */
  onVerified: (verified: VerifiedPhone, visit: Visit) => Told | Promise<Told>
  /** Called with errors that the page is not told, such as a wrong key or an empty wallet, for a log. */
  onError?: (error: unknown, visit: Visit) => void
}

export interface Asked<Visit> {
  visit: Visit
  method: string
  /** The last segment names the operation. */
  path: string
  contentType: string
  /** Address of the end user, for limits. */
  clientIp: string | undefined
  body: () => Promise<unknown>
}

export interface Answered<Told> {
  status: number
  body: object
  retryAfterMs?: number | undefined
  /** The result of `onVerified`. */
  told?: Told
}

/** Throws only what `onVerified` throws. */
export async function answerTo<Visit, Told>(
  options: BackendOptions<Visit, Told>,
  asked: Asked<Visit>,
): Promise<Answered<Told>> {
  const step = asked.path.match(/\/(issue|verify|delivery)\/?$/)?.[1]
  if (step === undefined) return refusal(404, 'NOT_FOUND', 'No such path')
  if (asked.method !== 'POST') return refusal(405, 'BAD_REQUEST', 'POST is the only method')
  // This content type needs a CORS preflight from other sites, and nobody permits it: a protection against CSRF.
  if (!/^application\/json\s*(;|$)/i.test(asked.contentType)) return refusal(415, 'BAD_REQUEST', 'JSON is wanted')
  const body = await bodyOf(asked)
  if (!body) return refusal(400, 'BAD_REQUEST', 'The body is not JSON')
  try {
    if (step === 'delivery') return await delivery(options, body)
    return await (step === 'issue' ? issue(options, asked, body) : verify(options, asked, body))
  } catch (error) {
    if (!(error instanceof WatchwordError)) throw error
    return refusedBy(error, () => options.onError?.(error, asked.visit))
  }
}

type Body = Readonly<Record<string, unknown>>

async function bodyOf({ body }: Asked<unknown>): Promise<Body | undefined> {
  const json = await body().catch(() => undefined)
  return typeof json === 'object' && json !== null ? (json as Body) : undefined
}

async function issue<Visit>(
  { otp, purpose, input, channels }: BackendOptions<Visit, unknown>,
  { visit, clientIp }: Asked<Visit>,
  { phoneNumber, idempotencyKey, challenge, locale, channel }: Body,
): Promise<Answered<never>> {
  const extras = typeof input === 'function' ? await input(visit) : input
  // The service refuses values of a wrong type with a message.
  const chosen = channels?.find((each) => each === channel)
  const order = {
    locale,
    ...extras,
    ...(chosen && { channel: chosen }),
    phoneNumber,
    purpose,
    idempotencyKey,
    challenge,
  } as IssueInput
  return { status: 200, body: await otp.issue(order, clientIp === undefined ? {} : { clientIp }) }
}

/** A page that knows the id of an issue is told whether its message was delivered, and nothing else. */
async function delivery(
  { otp }: Pick<BackendOptions<unknown, unknown>, 'otp'>,
  { issueId }: Body,
): Promise<Answered<never>> {
  if (!otp.status) return refusal(404, 'NOT_FOUND', 'No such path')
  const { deliveryStatus } = await otp.status({ issueId: issueId as string })
  return { status: 200, body: { deliveryStatus } }
}

/** The service makes a proof only for the number that it sent to, so a page cannot name another one. */
async function verify<Visit, Told>(
  { otp, purpose, onVerified }: BackendOptions<Visit, Told>,
  { visit, clientIp }: Asked<Visit>,
  { issueId, code, phoneNumber }: Body,
): Promise<Answered<Told>> {
  const attempt = { issueId, code, phoneNumber } as Parameters<OtpClient['verify']>[0]
  const { proof, ...verdict } = await otp.verify(attempt, clientIp === undefined ? {} : { clientIp })
  if (!verdict.verified) return { status: 200, body: verdict }
  const proven = proof === undefined ? undefined : proofIn(proof)
  if (proven?.purpose !== purpose) return refusal(400, 'BAD_REQUEST', 'This is not the number of the code', NOT_THEIRS)
  const { issueId: id, mode } = proven
  const told = await onVerified({ issueId: id, phoneNumber: proven.phoneNumber, purpose, mode }, visit)
  return { status: 200, body: verdict, told }
}

const NOT_THEIRS = { param: 'phoneNumber', reason: 'invalid_phone_number' }

interface Refused extends Answered<never> {
  body: { defined: true; code: string; status: number; message: string; data?: object }
}

const refusal = (status: number, code: string, message: string, data?: object): Refused => ({
  status,
  body: { defined: true, code, status, message, ...(data && { data }) },
})

/** Errors that the user can act on. All others are hidden from the page. */
const OF_THE_USER: ReadonlySet<number> = new Set([400, 409, 429, 503])

/** The error that the page gets; `tell` is called where something is hidden. */
export function refusedBy(error: WatchwordError, tell: () => void): Refused {
  const { status, code, message, data, retryAfterMs, reason } = error
  const isOfTheUser = OF_THE_USER.has(status) || (status === 403 && OF_A_COUNTRY_OR_PROOF.has(reason ?? ''))
  if (isOfTheUser) return { ...refusal(status, code, message, data as object | undefined), retryAfterMs }
  tell()
  return refusal(503, 'SERVICE_UNAVAILABLE', 'Codes cannot be sent or checked at the moment')
}

const OF_A_COUNTRY_OR_PROOF: ReadonlySet<string> = new Set(['country_closed', 'challenge_required', 'challenge_failed'])
