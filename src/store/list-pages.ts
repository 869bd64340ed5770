/** Pages of the long lists, newest first: the same walk over either database. */
import type { Issue } from '../domain/codes/issue'
import type { Owner } from '../domain/shared/value'
import type { LedgerEntry } from '../domain/wallet/wallet'
import type { IssueFilter } from '../ports/store/issues'
import type { LedgerFilter } from '../ports/store/money'
import { idFloor } from './ids'

/** Rows of which only a status is looked at: what takes some milliseconds. */
const ISSUES_PER_STEP = 10_000
const BEYOND_ALL_IDS = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const END_OF_TIME = 8_640_000_000_000_000
const smaller = (a: string, b: string) => (a < b ? a : b)

interface IdRange extends Owner {
  /** Ids, the first included and the last not. */
  from: string
  below: string
}

export interface IssuePages {
  /** By how much the clock was set back at most: by so much ids may be later than their rows. */
  setBackMs(): Promise<number> | number
  /** The id that many rows below the beginning of the range. */
  further(range: IdRange & { rows: number }): Promise<string | undefined>
  /** Of that status, where one is named. */
  read(range: IdRange & { createdFrom: number; createdTo: number; limit: number }): Promise<Issue[]>
}

/** A status that few have is looked for step by step. */
export async function readIssuePage(
  { appId, mode }: Owner,
  { before, status, createdFrom = 0, createdTo = END_OF_TIME, limit }: IssueFilter,
  pages: IssuePages,
): Promise<Issue[]> {
  let below = smaller(before ?? BEYOND_ALL_IDS, idFloor(createdTo + (await pages.setBackMs())))
  const from = idFloor(createdFrom)
  const found: Issue[] = []
  for (let rows = 4 * limit; ; rows = ISSUES_PER_STEP) {
    const edge = status && (await pages.further({ appId, mode, from, below, rows }))
    const range = { appId, mode, from: edge ?? from, below }
    found.push(...(await pages.read({ ...range, createdFrom, createdTo, limit: limit - found.length })))
    if (edge === undefined || found.length === limit) return found
    below = edge
  }
}

/** Entries of which only a type is looked at: what takes some milliseconds. */
const ENTRIES_PER_STEP = 20_000
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
  for (let rows = 4 * limit; ; rows = ENTRIES_PER_STEP) {
    const bounds = { beforeAt: start.createdAt, beforeSeq: start.seq, fromAt: createdFrom, fromSeq: 0 }
    const edge = entryType && (await pages.further({ ...bounds, rows }))
    const range = { ...bounds, ...(edge && { fromAt: edge.createdAt, fromSeq: edge.seq }) }
    found.push(...(await pages.read({ ...range, limit: limit - found.length })))
    if (edge === undefined || found.length === limit) return found
    start = edge
  }
}
