/**
 * A verification by way of the app's own backend: what it takes from a page, what it asks Watchword, and what it answers. The
 * page is `<watchword-verify action="…">`, or any `createFlow`. No framework is spoken of here.
 */
import type { IssueInput, OtpClient } from '../client'
import { WatchwordError } from '../error'
import { type Proof, proofIn } from './proof'

/** Who was verified: a number that its user has a code from, for the purpose of this backend. */
export type VerifiedPhone = Pick<Proof, 'issueId' | 'phoneNumber' | 'purpose' | 'mode'>

/** Decided by the backend; a page decides about none of it. */
export type OrderExtras = Omit<Partial<IssueInput>, 'phoneNumber' | 'purpose' | 'idempotencyKey' | 'challenge'>

/** `Visit` is what the framework knows of a request. */
export interface BackendOptions<Visit, Told> {
  /** `createOtpClient` with an `sk_` key. */
  otp: Pick<OtpClient, 'issue' | 'verify'>
  purpose: string
  /** What else each order has: `templateId`, `metadata`, … */
  input?: OrderExtras | ((visit: Visit) => OrderExtras | Promise<OrderExtras>)
  /** Their session gets the number here, and a new id. The page is answered once this is done. */
  onVerified: (verified: VerifiedPhone, visit: Visit) => Told | Promise<Told>
  /** Told of what the page is not: a key that is wrong, a wallet that is empty, for a log. */
  onError?: (error: unknown, visit: Visit) => void
}

export interface Asked<Visit> {
  visit: Visit
  method: string
  /** Its last part says what is asked for. */
  path: string
  contentType: string
  /** The end user's, for limits. */
  clientIp: string | undefined
  body: () => Promise<unknown>
}

export interface Answered<Told> {
  status: number
  body: object
  retryAfterMs?: number | undefined
  /** What `onVerified` has answered. */
  told?: Told
}

/** Never throws but for what `onVerified` throws. */
export async function answerTo<Visit, Told>(
  options: BackendOptions<Visit, Told>,
  asked: Asked<Visit>,
): Promise<Answered<Told>> {
  const step = asked.path.match(/\/(issue|verify)\/?$/)?.[1]
  if (step === undefined) return refusal(404, 'NOT_FOUND', 'No such path')
  if (asked.method !== 'POST') return refusal(405, 'BAD_REQUEST', 'POST is the only method')
  // A page of another site may not send this without being asked first, and nobody here says yes.
  if (!/^application\/json\s*(;|$)/i.test(asked.contentType)) return refusal(415, 'BAD_REQUEST', 'JSON is wanted')
  const body = await bodyOf(asked)
  if (!body) return refusal(400, 'BAD_REQUEST', 'The body is not JSON')
  try {
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
  { otp, purpose, input }: BackendOptions<Visit, unknown>,
  { visit, clientIp }: Asked<Visit>,
  { phoneNumber, idempotencyKey, challenge, locale }: Body,
): Promise<Answered<never>> {
  const extras = typeof input === 'function' ? await input(visit) : input
  // What has the wrong type is refused by the service, which says so.
  const order = { locale, ...extras, phoneNumber, purpose, idempotencyKey, challenge } as IssueInput
  return { status: 200, body: await otp.issue(order, clientIp === undefined ? {} : { clientIp }) }
}

/** The number is the one that was issued to, or there is no proof: a page that names another one has verified nothing. */
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

/** What the user can mend, or wait for. All else is between the backend and the service. */
const OF_THE_USER: ReadonlySet<number> = new Set([400, 409, 429, 503])

/** What of it the page is told; `tell` is called where that is not all. */
export function refusedBy(error: WatchwordError, tell: () => void): Refused {
  const { status, code, message, data, retryAfterMs, reason } = error
  const isOfTheUser = OF_THE_USER.has(status) || (status === 403 && OF_A_COUNTRY_OR_PROOF.has(reason ?? ''))
  if (isOfTheUser) return { ...refusal(status, code, message, data as object | undefined), retryAfterMs }
  tell()
  return refusal(503, 'SERVICE_UNAVAILABLE', 'Codes cannot be sent or checked at the moment')
}

const OF_A_COUNTRY_OR_PROOF: ReadonlySet<string> = new Set(['country_closed', 'challenge_required', 'challenge_failed'])
