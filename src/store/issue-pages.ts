/** How a list of issues is read, newest first: the same walk over either database. */
import type { Issue } from '../domain/codes/issue'
import type { Owner } from '../domain/shared/value'
import type { IssueFilter } from '../ports/store/issues'
import { idFloor } from './ids'

/** Rows of which only a status is looked at: what takes some milliseconds. */
const LOOKED_AT_ONCE = 10_000
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
  for (let rows = 4 * limit; ; rows = LOOKED_AT_ONCE) {
    const edge = status && (await pages.further({ appId, mode, from, below, rows }))
    const range = { appId, mode, from: edge ?? from, below }
    found.push(...(await pages.read({ ...range, createdFrom, createdTo, limit: limit - found.length })))
    if (edge === undefined || found.length === limit) return found
    below = edge
  }
}
