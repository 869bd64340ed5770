/** Kinds of errors of PostgreSQL: those to retry, those that mean `unavailable`, and defects of this program. */
import { cannotRead } from '../../failure'

interface DatabaseError extends Error {
  /** Set by Bun's driver. */
  code?: string
  /** SQLSTATE, if the error comes from the database. */
  errno?: string
}

const isDatabaseError = (error: unknown): error is DatabaseError =>
  error instanceof Error && String((error as DatabaseError).code).startsWith('ERR_POSTGRES')

const stateOf = (error: unknown) => (isDatabaseError(error) ? error.errno : undefined)

/** Serialization failure, deadlock, and violations of unique and foreign keys. */
const CONFLICTS = new Set(['40001', '40P01', '23505', '23503'])

export const isConflict = (error: unknown) => CONFLICTS.has(stateOf(error) ?? '')

/** A lock timeout or a deadlock. */
export const isLockConflict = (error: unknown) => ['55P03', '40P01'].includes(stateOf(error) ?? '')

/** The database has recovered from a crash that is not noted yet, so nothing may be stored. */
export class UnbegunError extends Error {
  override name = 'UnbegunError'
}

/** True for that error, also if the database raised it. */
export const isUnbegun = (error: unknown) => error instanceof UnbegunError || stateOf(error) === 'WW001'

/** The server has no TLS although the URL asks for it, or no way to sign in that the driver knows: waiting does not help. */
const FINAL =
  /^ERR_POSTGRES_(TLS_NOT_AVAILABLE|TLS_UPGRADE_FAILED|UNSUPPORTED_AUTHENTICATION_METHOD|UNKNOWN_AUTHENTICATION_METHOD)$/

/** The connection was lost, and with it the last answer. */
export const isLost = (error: unknown) =>
  isDatabaseError(error) && stateOf(error) === undefined && !FINAL.test(error.code ?? '')

/**
 * SQLSTATEs of conditions that may pass: out of reach, out of disk or memory, shutting down, a standby (0A000 for an
 * unlogged table), or a timeout within a transaction.
 */
const TRANSIENT = /^(08|0A000|25006|25P03|25P04|53|55P03|57|58)/

export const isTransient = (error: unknown) => {
  const state = stateOf(error)
  return isLost(error) || (state !== undefined && TRANSIENT.test(state))
}

/** The lack of a pooler in front of the database, in words for operators. */
export function poolerFailureIn(error: unknown): string | undefined {
  if (['42P05', '26000'].includes(stateOf(error) ?? ''))
    return 'is behind a pooler that gives each transaction another connection: set pool_mode = session'
  if (isDatabaseError(error) && error.message === 'query_wait_timeout')
    return 'is behind a pooler without a free connection: raise default_pool_size'
  return undefined
}

export const readFailure = (error: unknown) => (isTransient(error) ? cannotRead(error) : error)

/** The connection was lost during a commit. */
export class CommitLostError extends Error {
  override name = 'CommitLostError'
  constructor(override readonly cause: unknown) {
    super('The answer to a commit was lost')
  }
}

export const aborted = () => new Error('The transaction was rolled back by the database')
