/** Counters of an app's traffic as text, so that a server that starts reads only the issues that came later. */

import type { TrafficSnapshot } from '../../ports/store/traffic'
import type { AgeBucket } from '../rules/wish'
import type { AppTrafficState } from './app-traffic'

/** Raised with each change of the stored state. A snapshot of another format is ignored. */
const FORMAT = 4

export interface WatchedState {
  /** By age: issues made before this time have been recorded; Unix milliseconds. */
  readonly until: Readonly<Record<AgeBucket, number>>
  /** Random parts of the ids of issues that are recorded and not judged yet, by the second they were made. */
  readonly counted: ReadonlyArray<readonly [second: number, codes: readonly number[]]>
  readonly traffic: AppTrafficState
}

export const textOf = (state: WatchedState): string => JSON.stringify({ format: FORMAT, ...state })

/** Undefined where the format differs, or the snapshot ends before `since` or after `now`. */
export function stateIn(snapshot: TrafficSnapshot | undefined, since: number, now: number): WatchedState | undefined {
  if (!snapshot) return undefined
  const { format, ...state }: WatchedState & { format: number } = JSON.parse(snapshot.state)
  if (format !== FORMAT || state.until.late < since || state.until.sent > now) return undefined
  return state
}
