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
  /** The field that is to blame, as the caller wrote it. */
  param?: string
  /** Why, for programs; and what its sentence speaks of, for words in another language. */
  reason?: RefusalReason
  about?: ReasonAbout | undefined
  /** `data.code` of the interface's error, where it has one. */
  code?: string
  /** Which limit was exceeded, and whose it is. */
  limit?: LimitName
  policy?: 'key' | 'platform'
  /** A proof that a person asks would let it pass. For the service itself, no part of the answer. */
  provable?: boolean
  /** When trying again may help, in milliseconds from now. */
  retryAfterMs?: number
  /** When an exhausted daily allowance starts anew, Unix milliseconds. */
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

/** Says which field is wrong, why in a word, and what about it in a sentence. */
export const invalid = <R extends RefusalReason>(
  param: string,
  reason: R,
  problem: string,
  ...[about]: ValuesOfRefusal<R>
) => new Refusal('invalid', `${param}: ${problem}`, { param, reason, about })
export const unauthorized = () => new Refusal('unauthorized', 'API key missing, malformed, inactive or unrecognized')
export const forbidden = <R extends RefusalReason>(reason: R, message: string, ...[about]: ValuesOfRefusal<R>) =>
  new Refusal('forbidden', message, { reason, about })
/** What an operator names and nobody has. */
export const missing = (what: Thing, id: string) =>
  new Refusal('not_found', `No such ${what}: ${id}`, { reason: 'no_such', about: { what } })
export const notFound = (what: string) => new Refusal('not_found', `No such ${what} for this app`)
export const conflict = (param: string, reason: RefusalReason, message: string) =>
  new Refusal('conflict', message, { param, reason })
export const unavailable = (message: string, retryAfterMs = 2_000) =>
  new Refusal('unavailable', message, { retryAfterMs })

// A type, so that it is one of the fields of a line.
export type ErrorFields = {
  /** The name of the error. */
  err: string
  /** Of SQLite, of the driver or of the system, such as `SQLITE_FULL` or `ENOSPC`. */
  code?: string | undefined
  /** What PostgreSQL says, five characters: https://www.postgresql.org/docs/current/errcodes-appendix.html */
  sqlState?: string | undefined
  /** The sentence of the database. */
  cause?: string | undefined
}

/** SQLSTATE classes whose sentences may quote values: of data, of functions, and of what should never happen. */
const QUOTES_DATA = /^(22|P0|WW|XX)/

interface KnownError extends Error {
  code?: unknown
  errno?: unknown
}

const isPostgres = ({ code }: KnownError) => String(code).startsWith('ERR_POSTGRES')
const isSqlite = ({ name }: KnownError) => name === 'SQLiteError'

export function errorFields(error: unknown): ErrorFields {
  // Its own message is logged beside these fields.
  const known: unknown = error instanceof Refusal ? (error.cause ?? error) : error
  if (!(known instanceof Error)) return { err: 'unknown' }
  const inner = known.cause instanceof Error ? known.cause : known
  const { code, errno, message } = inner as KnownError
  const sqlState = isPostgres(inner) && typeof errno === 'string' ? errno : undefined
  const isTold = isSqlite(inner) || (isPostgres(inner) && !(sqlState && QUOTES_DATA.test(sqlState)))
  return {
    err: known.name,
    ...(typeof code === 'string' && { code }),
    ...(sqlState && { sqlState }),
    ...(isTold && { cause: message }),
  }
}
