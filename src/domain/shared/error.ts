/**
 * A refusal is a decision of the domain that a caller is told about. It is thrown, which rolls the transaction back:
 * a refused request changes nothing. `http/errors.ts` translates each kind into the interface's error, in one table.
 */
import type { ReasonAbout, RefusalReason, Thing, ValuesOfRefusal } from './reason'

export type RefusalKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'no_credit'
  | 'limited'
  | 'unavailable'
  | 'too_large'

export interface RefusalDetail {
  /** The field at fault, as the caller spelled it. */
  param?: string
  /** Reason for programs, and the values of its message for translations. */
  reason?: RefusalReason
  about?: ReasonAbout | undefined
  /** `data.code` of the interface's error, where it has one. */
  code?: string
  /** The exceeded limit, and whether it is of the key or the platform. */
  limit?: LimitName
  policy?: 'key' | 'platform'
  /** A proof of a human would lift the refusal. Internal, not part of the answer. */
  provable?: boolean
  /** When a retry may help, milliseconds from now. */
  retryAfterMs?: number
  /** When an exhausted daily limit resets, Unix milliseconds. */
  resetAt?: number
}

export type LimitName =
  | 'perKey'
  | 'perApp'
  | 'perIp'
  | 'perPhone'
  | 'perKeyDaily'
  | 'perOrgDaily'
  | 'testModeDaily'
  | 'abuse'
  | 'failures'
  | 'resend'

export class Refusal extends Error {
  override name = 'Refusal'
  constructor(
    readonly kind: RefusalKind,
    message: string,
    readonly detail: RefusalDetail = {},
  ) {
    super(message)
  }
}

/** Refuses a field, with a reason for programs and a message for people. */
export const invalid = <R extends RefusalReason>(
  param: string,
  reason: R,
  problem: string,
  ...[about]: ValuesOfRefusal<R>
) => new Refusal('invalid', `${param}: ${problem}`, { param, reason, about })
export const unauthorized = () => new Refusal('unauthorized', 'API key missing, malformed, inactive or unrecognized')
export const forbidden = <R extends RefusalReason>(reason: R, message: string, ...[about]: ValuesOfRefusal<R>) =>
  new Refusal('forbidden', message, { reason, about })
/** Refuses an operator's request for a thing that does not exist. */
export const missing = (what: Thing, id: string) =>
  new Refusal('not_found', `No such ${what}: ${id}`, { reason: 'no_such', about: { what } })
export const notFound = (what: string) => new Refusal('not_found', `No such ${what} for this app`)
export const conflict = (param: string, reason: RefusalReason, message: string) =>
  new Refusal('conflict', message, { param, reason })
export const unavailable = (message: string, retryAfterMs = 2_000) =>
  new Refusal('unavailable', message, { retryAfterMs })
