/** How a ledger is read, newest first: the same walk over either database. */
import type { LedgerEntry } from '../domain/wallet/wallet'
import type { LedgerFilter } from '../ports/store/wallets'

/** Entries of which only a type is looked at: what takes some milliseconds. */
const LOOKED_AT_ONCE = 20_000
const BEYOND_ALL_TIMES = Number.MAX_SAFE_INTEGER

/** From one entry to another, both left out. */
interface EntryRange {
  beforeAt: number
  beforeSeq: number
  fromAt: number
  fromSeq: number
}

export interface LedgerPages {
  /** The entry that many rows below the beginning of the range. */
  further(range: EntryRange & { rows: number }): Promise<{ createdAt: number; seq: number } | undefined>
  /** Of that type, where one is named. */
  read(range: EntryRange & { limit: number }): Promise<LedgerEntry[]>
}

/** A type that few have is looked for step by step. */
export async function readLedgerPage(
  { before, entryType, createdFrom = 0, createdTo = BEYOND_ALL_TIMES, limit }: LedgerFilter,
  pages: LedgerPages,
): Promise<LedgerEntry[]> {
  // One bound, where the search starts: what is beyond it is not even looked at.
  let start = before && before.createdAt < createdTo ? before : { createdAt: createdTo, seq: 0 }
  const found: LedgerEntry[] = []
  for (let rows = 4 * limit; ; rows = LOOKED_AT_ONCE) {
    const bounds = { beforeAt: start.createdAt, beforeSeq: start.seq, fromAt: createdFrom, fromSeq: 0 }
    const edge = entryType && (await pages.further({ ...bounds, rows }))
    const range = { ...bounds, ...(edge && { fromAt: edge.createdAt, fromSeq: edge.seq }) }
    found.push(...(await pages.read({ ...range, limit: limit - found.length })))
    if (edge === undefined || found.length === limit) return found
    start = edge
  }
}
