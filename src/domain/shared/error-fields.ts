/** Log fields of an error: its kind, and the cause of a database failure. They never contain data. */
import { Refusal } from './error'

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
