/** Pages of the long lists, newest first. The walk is the same for either database. */

import type { Owner } from '../domain/shared/value'
import type { Stored } from '../domain/verification/verification'
import type { LedgerEntry } from '../domain/wallet/wallet'
import type { IssueFilter, IssuePage } from '../ports/store/issues'
import type { LedgerFilter } from '../ports/store/wallets'
import { BEYOND_ALL_IDS, idFloor } from './ids'

/** Where the attempts of each row are looked up, a step has this share of the rows. */
const SHARE_WITH_ATTEMPTS = 0.4
export const END_OF_TIME = 8_640_000_000_000_000
const smaller = (a: string, b: string) => (a < b ? a : b)
const larger = (a: string, b: string) => (a > b ? a : b)

interface IdRange extends Owner {
  /** Both are ids; `from` is included, `below` is not. */
  from: string
  below: string
}

export interface IssuePages {
  /** Rows scanned for their status in one step, which takes a few milliseconds. */
  readonly rowsPerStep: number
  /** How far the clock was set back in all. An id may be later than its row by as much. */
  setBackMs(): Promise<number> | number
  /** The id `rows` rows into the range, from its end or, for the oldest first, from its beginning. */
  further(range: IdRange & { rows: number }): Promise<string | undefined>
  /** Only rows of the filter. */
  read(range: IdRange & { createdFrom: number; createdTo: number; limit: number }): Promise<Stored[]>
}

/** Rows of one search, so that it answers soon and goes on when asked to. */
export const ROWS_AT_MOST = 200_000

/** The filters as parameters of the statements. */
export const askedOf = ({
  delivery,
  channel,
  leg,
  country,
  outcomeCode,
  purpose,
  carrier,
  mentioned,
}: IssueFilter) => ({
  // The columns are none that may be empty, so what is not asked for is said.
  ...{ delivery: delivery ?? null, channel: channel ?? null, leg: leg ?? null, country: country ?? null },
  outcomeCode: outcomeCode ?? null,
  purpose: purpose ?? '',
  carrier: carrier ?? '',
  mentioned: mentioned ?? '',
  // As it stands in the JSON of the metadata: no value has a quote behind a colon.
  value: `:${JSON.stringify(mentioned ?? '')}`,
})

export const readIssuePage = async (owner: Owner, filter: IssueFilter, pages: IssuePages): Promise<Stored[]> =>
  (await readIssues(owner, filter, pages)).issues

/** Rare rows are searched in steps, so that no query scans the whole table at once. */
export async function readIssues(
  { appId, mode }: Owner,
  {
    before,
    from: firstId,
    isOldestFirst,
    carrier,
    mentioned,
    createdFrom = 0,
    createdTo = END_OF_TIME,
    limit,
  }: IssueFilter,
  pages: IssuePages,
  rowsAtMost = Number.POSITIVE_INFINITY,
): Promise<IssuePage> {
  let below = smaller(before ?? BEYOND_ALL_IDS, idFloor(createdTo + (await pages.setBackMs())))
  let from = larger(firstId ?? '', idFloor(createdFrom))
  const found: Stored[] = []
  const rowsPerStep = pages.rowsPerStep * ((carrier ?? mentioned) === undefined ? 1 : SHARE_WITH_ATTEMPTS)
  for (let steps = 1, rows = 4 * limit; ; steps++, rows = rowsPerStep) {
    const edge = await pages.further({ appId, mode, from, below, rows })
    const range = isOldestFirst ? { from, below: edge ?? below } : { from: edge ?? from, below }
    const bounds = { appId, mode, createdFrom, createdTo, limit: limit - found.length }
    found.push(...(await pages.read({ ...bounds, ...range })))
    if (edge === undefined || found.length === limit) return { issues: found }
    if (steps * pages.rowsPerStep >= rowsAtMost) return { issues: found, next: edge }
    if (isOldestFirst) from = edge
    else below = edge
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
