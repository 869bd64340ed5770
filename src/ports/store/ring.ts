/** The keys that a database keeps, and what is sealed by them. */
import type { RingRow } from '../vault'

export interface RingTx {
  /** Until this ends nobody else changes any. */
  lock(): Promise<RingRow[]>
  add(rows: readonly RingRow[]): Promise<void>
  /** The keys of that name are used from now on. */
  begin(name: string): Promise<void>
  drop(row: Pick<RingRow, 'name' | 'secretId'>): Promise<void>
  /** No release that knows of no ring opens this database any more. */
  claim(): Promise<void>
  /**
   * Seals some rows behind a place anew that are not under the newest seal; answers where it has come to, undefined at the end.
   * What somebody else is about to change is left to the next time.
   */
  reseal(after: SealedPlace | undefined, limit: number): Promise<SealedPlace | undefined>
}

export interface RingReader {
  all(): Promise<RingRow[]>
  /** How many rows are under another seal than the newest. */
  older(): Promise<number>
}

/** A row among all that are sealed: which of the columns, and the row's key; no key: none of its rows yet. */
export interface SealedPlace {
  column: number
  key: ReadonlyArray<string | number> | undefined
}
