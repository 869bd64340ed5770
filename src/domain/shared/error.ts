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

// A type alias, since interfaces are not assignable to log fields.
export type ErrorFields = {
  /** The name of the error. */
  err: string
  /** Code of SQLite, the driver or the system, such as `SQLITE_FULL` or `ENOSPC`. */
  code?: string | undefined
  /** SQLSTATE of PostgreSQL, five characters: https://www.postgresql.org/docs/current/errcodes-appendix.html */
  sqlState?: string | undefined
  /** Message of the database. */
  cause?: string | undefined
}

/** SQLSTATE classes whose messages may quote values: data exceptions, functions, and internal errors. */
const QUOTES_DATA = /^(22|P0|WW|XX)/

interface KnownError extends Error {
  code?: unknown
  errno?: unknown
}

const isPostgres = ({ code }: KnownError) => String(code).startsWith('ERR_POSTGRES')
const isSqlite = ({ name }: KnownError) => name === 'SQLiteError'

/** Log fields of an error: its kind, and why a database has failed. They never hold data. */
export function errorFields(error: unknown): ErrorFields {
  // Our own message is logged beside these fields.
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
