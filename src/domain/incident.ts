/**
 * Codes for a country that nobody types: what an operator is told of, and how long nothing more is sent there. One for an
 * app, a kind of key and a country. Decisions: "Abuse". Live mode only.
 *
 *   suspected ──▶ paused 30 min ──▶ three at a time ──verified again──▶ quiet for an hour ──▶ ended
 *                    ▲ 3 times as long ──not verified──┘
 */
import type { Rule } from './admission'
import type { KeyKind } from './key'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './value'

/** Times are Unix milliseconds, amounts credits. */
export interface Incident {
  readonly incidentId: string
  readonly appId: string
  readonly kind: KeyKind
  readonly country: string
  readonly since: number
  /** When something was refused, or would have been, for the last time. */
  readonly lastAt: number
  readonly endedAt: number | undefined
  /** Whether codes were refused; otherwise they would have been. */
  readonly isBlocked: boolean
  /** How many were refused, or would have been. */
  readonly refused: number
  /** Which rules were against them. */
  readonly rules: readonly Rule[]
  /** Until when nothing is sent there; undefined: it was never paused. */
  readonly pausedUntil: number | undefined
  readonly pauses: number
  /** When the operator was told. */
  readonly toldAt: number | undefined
  /** Credits given back for it. */
  readonly refunded: number | undefined
}

export type Pause = Pick<Incident, 'pauses' | 'pausedUntil'>

export const NO_PAUSE: Pause = { pauses: 0, pausedUntil: undefined }

const FIRST_PAUSE_MS = 30 * MINUTE_MS
const PAUSE_TIMES = 3
const LONGEST_PAUSE_MS = 12 * HOUR_MS
/** Without a refusal for so long it is over. */
const QUIET_MS = HOUR_MS

/** Where the country is suspected. */
export function pause({ pauses }: Pause, now: number): Pause {
  const forMs = Math.min(FIRST_PAUSE_MS * PAUSE_TIMES ** pauses, LONGEST_PAUSE_MS)
  return { pausedUntil: now + forMs, pauses: pauses + 1 }
}

/** As long again, where whoever was kept out still knocks: no code is spent on finding out. */
export const prolong = ({ pauses }: Pause, now: number): Pause =>
  pause({ pauses: pauses - 1, pausedUntil: undefined }, now)

export const isPaused = ({ pausedUntil }: Pause, now: number): boolean => pausedUntil !== undefined && now < pausedUntil

/** A pause that has ended is still remembered: the next one is longer. */
export const isOver = ({ lastAt, pausedUntil }: Pick<Incident, 'lastAt' | 'pausedUntil'>, now: number): boolean =>
  now >= lastAt + QUIET_MS && now >= (pausedUntil ?? 0) + QUIET_MS

/** While it is open and no pause: so few at a time may be too young to be judged. */
export const PENDING_AFTER_PAUSE = 3

/** How long what was decided is kept: addresses of end users are no older than this either. */
export const DECISIONS_KEPT_MS = 30 * DAY_MS
