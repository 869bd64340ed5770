/** The keys that a database keeps, and what is sealed by them. */
import type { RingRow } from '../vault'

export interface KeyRingTx {
  /** Until this ends nobody else changes any. */
  lock(): Promise<RingRow[]>
  add(rows: readonly RingRow[]): Promise<void>
  /** The keys of that name are used from now on. */
  begin(name: string): Promise<void>
  drop(row: Pick<RingRow, 'name' | 'secretId'>): Promise<void>
  /**
   * Seals some rows behind a place anew that are not under the newest key; answers where it has come to, undefined at the end. What somebody else is about to change is left to the next time.
   */
  renew(after: RenewalPlace | undefined, limit: number): Promise<RenewalPlace | undefined>
}

export interface KeyRingReader {
  all(): Promise<RingRow[]>
  /** How many rows are sealed by another key than the newest. */
  older(): Promise<number>
}

/** A row among all that are sealed: which column of them, and the row's key, of which only the store knows; no key: none of its rows yet. */
export interface RenewalPlace {
  part: number
  key: ReadonlyArray<unknown> | undefined
}
