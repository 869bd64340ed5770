/** What was used, by hour. */
import type { UsageRow } from '../../domain/operations/usage'
import type { Owner } from '../../domain/shared/value'

export interface UsageTx {
  /** The first hour that is not counted and kept yet; undefined while there are no issues. */
  rolledUntil(): Promise<number | undefined>
  /** Counts the issues of one hour and keeps the result. */
  rollUp(hour: number): Promise<void>
}

export interface UsageReader {
  /**
   * Of the hours that begin at or after `from` and before `to`. Those that are over may be ten minutes old, the running
   * one a few seconds where counting it takes long.
   */
  rows(owner: Owner, from: number, to: number, now: number): Promise<UsageRow[]>
}
