/** What is renewed once the master secret was changed, part by part: columns that are sealed, then tables with hashes that are covered. */
import type { RenewalPlace } from '../ports/store/ring'
import { ALL_COVERED } from './covered'
import { SEALED } from './sealed'

/** Where to go on behind a page of so many rows that was asked for: the next part, once there are no more. */
export function placeBehind(
  part: number,
  { last, isFull }: { last: RenewalPlace['key']; isFull: boolean },
): RenewalPlace | undefined {
  if (isFull) return { part, key: last }
  return part + 1 < SEALED.length + ALL_COVERED.length ? { part: part + 1, key: undefined } : undefined
}
