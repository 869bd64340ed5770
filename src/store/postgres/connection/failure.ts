/** What PostgreSQL could not do: run the transaction again, tell that it is unavailable, or a defect of ours. */
import { cannotRead } from '../../failure'

interface DatabaseError extends Error {
  /** Of Bun: who says it. */
  code?: string
  /** SQLSTATE, where the database says it. */
  errno?: string
  detail?: string
}

const isDatabaseError = (error: unknown): error is DatabaseError =>
  error instanceof Error && String((error as DatabaseError).code).startsWith('ERR_POSTGRES')

const stateOf = (error: unknown) => (isDatabaseError(error) ? error.errno : undefined)

/** Too little credit, with the overdraft limit as its detail. */
export const noCreditIn = (error: unknown): { overdraftLimit: number } | undefined =>
  stateOf(error) === 'WW402' ? { overdraftLimit: Number((error as DatabaseError).detail) } : undefined

/** A transaction that lost against another one: serialization, deadlock, or somebody else was first. */
const LOST_RACE = new Set(['40001', '40P01', '23505', '23503'])

export const lostRace = (error: unknown) => LOST_RACE.has(stateOf(error) ?? '')

/** Somebody else held what was wanted: for too long, or each waited for the other. */
export const isInTheWay = (error: unknown) => ['55P03', '40P01'].includes(stateOf(error) ?? '')

/** The database has recovered from a crash, and nobody has noted that yet: nothing may be stored. */
export class UnbegunError extends Error {
  override name = 'UnbegunError'
}

/** The same where the database itself says it. */
export const isUnbegun = (error: unknown) => error instanceof UnbegunError || stateOf(error) === 'WW001'

/** The connection is gone, and nobody knows what the last answer was. */
export const isLost = (error: unknown) => isDatabaseError(error) && stateOf(error) === undefined

/**
 * Out of reach or out of room, shutting down, a standby (0A000 where it is asked for a table that is not logged), or too slow
 * (it, or this server within a transaction): it may be better soon.
 */
const PASSING = /^(08|0A000|25006|25P03|25P04|53|55P03|57|58)/

export const isPassing = (error: unknown) => {
  const state = stateOf(error)
  return isLost(error) || (state !== undefined && PASSING.test(state))
}

export const readFailure = (error: unknown) => (isPassing(error) ? cannotRead(error) : error)

/** The connection ended while a commit was under way. */
export class CommitLostError extends Error {
  override name = 'CommitLostError'
  constructor(override readonly cause: unknown) {
    super('The answer to a commit was lost')
  }
}

export const aborted = () => new Error('The transaction was rolled back by the database')
