/** Pages of the long lists, newest first. The walk is the same for either database. */
import type { Issue } from '../domain/codes/issue'
import type { Owner } from '../domain/shared/value'
import type { LedgerEntry } from '../domain/wallet/wallet'
import type { IssueFilter } from '../ports/store/issues'
import type { LedgerFilter } from '../ports/store/wallets'
import { idFloor } from './ids'

/** Rows scanned for their status in one step, which takes a few milliseconds. */
const ISSUES_PER_STEP = 10_000
const BEYOND_ALL_IDS = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const END_OF_TIME = 8_640_000_000_000_000
const smaller = (a: string, b: string) => (a < b ? a : b)

interface IdRange extends Owner {
  /** Both are ids; `from` is included, `below` is not. */
  from: string
  below: string
}

export interface IssuePages {
  /** How far the clock was set back in all. An id may be later than its row by as much. */
  setBackMs(): Promise<number> | number
  /** The id `rows` rows below the beginning of the range. */
  further(range: IdRange & { rows: number }): Promise<string | undefined>
  /** Only rows of the filter. */
  read(range: IdRange & { createdFrom: number; createdTo: number; limit: number }): Promise<Issue[]>
}

/** Rare rows are searched in steps, so that no query scans the whole table at once. */
export async function readIssuePage(
  { appId, mode }: Owner,
  { before, createdFrom = 0, createdTo = END_OF_TIME, limit }: IssueFilter,
  pages: IssuePages,
): Promise<Issue[]> {
  let below = smaller(before ?? BEYOND_ALL_IDS, idFloor(createdTo + (await pages.setBackMs())))
  const from = idFloor(createdFrom)
  const found: Issue[] = []
  for (let rows = 4 * limit; ; rows = ISSUES_PER_STEP) {
    const edge = await pages.further({ appId, mode, from, below, rows })
    const range = { appId, mode, from: edge ?? from, below }
    found.push(...(await pages.read({ ...range, createdFrom, createdTo, limit: limit - found.length })))
    if (edge === undefined || found.length === limit) return found
    below = edge
  }
}

/** Entries scanned for their type in one step, which takes a few milliseconds. */
const ENTRIES_PER_STEP = 20_000
const BEYOND_ALL_TIMES = Number.MAX_SAFE_INTEGER

/** Exclusive at both ends. */
interface EntryRange {
  beforeAt: number
  beforeSeq: number
  fromAt: number
  fromSeq: number
}

export interface LedgerPages {
  /** The entry `rows` rows below the beginning of the range. */
  further(range: EntryRange & { rows: number }): Promise<{ createdAt: number; seq: number } | undefined>
  /** Only entries of the filter's type, if it has one. */
  read(range: EntryRange & { limit: number }): Promise<LedgerEntry[]>
}

/** A rare type is searched in steps, so that no query scans the whole ledger at once. */
export async function readLedgerPage(
  { before, entryType, createdFrom = 0, createdTo = BEYOND_ALL_TIMES, limit }: LedgerFilter,
  pages: LedgerPages,
): Promise<LedgerEntry[]> {
  // A single upper bound, so that the index search starts there and skips no rows.
  let start = before && before.createdAt < createdTo ? before : { createdAt: createdTo, seq: 0 }
  const found: LedgerEntry[] = []
  for (let rows = 4 * limit; ; rows = ENTRIES_PER_STEP) {
    const bounds = { beforeAt: start.createdAt, beforeSeq: start.seq, fromAt: createdFrom, fromSeq: 0 }
    const edge = entryType && (await pages.further({ ...bounds, rows }))
    const range = { ...bounds, ...(edge && { fromAt: edge.createdAt, fromSeq: edge.seq }) }
    found.push(...(await pages.read({ ...range, limit: limit - found.length })))
    if (edge === undefined || found.length === limit) return found
    start = edge
  }
}
