/** What is renewed once the master secret was changed, part by part: columns that are sealed, then tables with hashes that are covered. */
import type { RenewalPlace } from '../ports/store/ring'
import { ALL_COVERED } from './covered'
import { SEALED } from './sealed'

/** What was looked through: the key of the last row, and whether there may be more behind it. */
export interface Looked {
  last: RenewalPlace['key']
  isFull: boolean
}

/** Where to go on: the next part, once there are no more rows. */
export function placeBehind(part: number, { last, isFull }: Looked): RenewalPlace | undefined {
  if (isFull) return { part, key: last }
  return part + 1 < SEALED.length + ALL_COVERED.length ? { part: part + 1, key: undefined } : undefined
}

/** Of rows up to an edge of which only so many were asked for. */
export const lookedUpTo = (
  edge: RenewalPlace['key'],
  keys: ReadonlyArray<readonly unknown[]>,
  limit: number,
): Looked => (keys.length === limit ? { last: keys.at(-1), isFull: true } : { last: edge, isFull: edge !== undefined })
