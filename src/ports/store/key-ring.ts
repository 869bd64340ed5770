/** The wrapped keys that a database stores, and resealing of data under the newest one. */
import type { RingRow } from '../vault'

export interface KeyRingTx {
  /** Locks all keys. */
  lock(): Promise<RingRow[]>
  add(rows: readonly RingRow[]): Promise<void>
  /** Puts the keys of that name into use. */
  begin(name: string): Promise<void>
  drop(row: Pick<RingRow, 'name' | 'secretId'>): Promise<void>
  /**
   * Reseals up to `limit` rows after a place that are not under the newest key. Answers the place it reached, undefined
   * at the end. Locked rows are left to the next run.
   */
  renew(after: RenewalPlace | undefined, limit: number): Promise<RenewalPlace | undefined>
}

export interface KeyRingReader {
  all(): Promise<RingRow[]>
  /** Number of rows that are not sealed by the newest key. */
  older(): Promise<number>
}

/**
 * Progress of resealing: the number of the sealed column, and the primary key of the last row in it. Undefined key:
 * before its first row.
 */
export interface RenewalPlace {
  part: number
  key: ReadonlyArray<unknown> | undefined
}
