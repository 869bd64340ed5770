/**
 * The database's clock, which all servers go by: what this one adds to its own to read it. It is off by half a round trip at
 * most; what is stored is stamped by the database itself.
 */
import type { Clock } from '../ports/clock'

/** What one unit has seen: the database said `stamped` between two moments of a clock that never steps. */
export interface Sighting {
  stamped: number
  sentAt: number
  answeredAt: number
}

/** A slower answer says less, until the one before has grown old. */
const OLD_AFTER_MS = 5_000

export function databaseClock(own: Clock): { clock: Clock; see(sighting: Sighting): void } {
  let lead = own.now() - own.elapsed()
  let best: { tookMs: number; at: number } | undefined
  return {
    clock: { ...own, now: () => Math.round(own.elapsed() + lead) },
    see({ stamped, sentAt, answeredAt }) {
      const tookMs = answeredAt - sentAt
      if (best && tookMs > best.tookMs && answeredAt < best.at + OLD_AFTER_MS) return
      best = { tookMs, at: answeredAt }
      lead = stamped - (sentAt + answeredAt) / 2
    },
  }
}
