/** What a server knows of an app's traffic, as text: one that starts goes on from there, and reads only what came since. */

import type { TrafficSnapshot } from '../../ports/store/traffic'
import type { AgeBucket } from '../rules/traffic-counter'
import type { AppTrafficState } from './app-traffic'

/** Raised with each change of what is in it; a snapshot of another format is as none. */
const FORMAT = 2

export interface WatchedState {
  /** What was made before has been looked at, by age; Unix milliseconds. */
  readonly until: Readonly<Record<AgeBucket, number>>
  /** Codes that are not judged yet, by the second in which each was made. */
  readonly counted: ReadonlyArray<readonly [second: number, codes: readonly number[]]>
  readonly traffic: AppTrafficState
}

export const textOf = (state: WatchedState): string => JSON.stringify({ format: FORMAT, ...state })

/** Undefined where it is of another format, or says less than what is stored of issues since `since`, or more than there is `now`. */
export function stateIn(snapshot: TrafficSnapshot | undefined, since: number, now: number): WatchedState | undefined {
  if (!snapshot) return undefined
  const { format, ...state }: WatchedState & { format: number } = JSON.parse(snapshot.state)
  if (format !== FORMAT || state.until.late < since || state.until.sent > now) return undefined
  return state
}
