/**
 * The budget of wrong codes at one phone, over all its codes. Each kind of key that issues has a budget of its own: a
 * leaked browser key cannot lock out the backend.
 *
 * NIST SP 800-63B-4 (3.2.2) allows 100 failures in a row on one account, however many codes are issued in between. A
 * success ends a row, so a second count ignores successes: guesses between sign-ins of the owner stay under 500 a year.
 * Decisions: "Abuse". Live mode only.
 */

import { DAY_MS, MINUTE_MS } from '../../domain/shared/value'
import type { Protection } from './protection'
import { type FailureRule, isProvable, type RuleMatch, ruleMatch } from './rule'

/** Wrong codes at one phone, by app and kind of key. A phone without wrong codes has none. Times are Unix milliseconds. */
export interface FailureCount {
  /** Wrong codes in a row. */
  readonly inARow: number
  readonly lastAt: number
  /** When it was locked; undefined: it is not. */
  readonly lockedAt: number | undefined
  /** Wrong codes by day, oldest first: days since 1970 (UTC), and the number. */
  readonly byDay: ReadonlyArray<readonly [day: number, count: number]>
  /** When a code was last issued while codes are rationed (`isSeldom`). */
  readonly issuedAt: number | undefined
}

/** The state of a phone without wrong codes, or of one that an operator unlocked. */
export const NO_FAILURES: FailureCount = { inARow: 0, lastAt: 0, lockedAt: undefined, byDay: [], issuedAt: undefined }

/** From so many in a row there is a pause before the next code. An index of the store has this number, too. */
const PAUSES_FROM = 10
/** Pauses grow: 1, 2, 4 … minutes. */
const LONGEST_PAUSE_MINUTES = 32
/** The limit of NIST. */
const LOCKS_AT = 100

/** From so many wrong codes within so many days codes are rationed, whatever succeeds in between. */
const SELDOM_FROM: ReadonlyArray<{ count: number; days: number }> = [
  { count: 60, days: 30 },
  { count: 300, days: 365 },
]
const SELDOM_EVERY_MS = 3 * DAY_MS
/** Attempts of a rationed code. */
const SELDOM_MAX_ATTEMPTS = 1
/** Days after which a phone without wrong codes is forgotten. */
export const REMEMBERED_DAYS = 365

const dayOf = (at: number) => Math.floor(at / DAY_MS)

/** The count after a wrong code. */
export function fail(before: FailureCount | undefined, now: number): FailureCount {
  const inARow = (before?.inARow ?? 0) + 1
  const today = dayOf(now)
  const days = new Map(before?.byDay.filter(([day]) => day > today - REMEMBERED_DAYS))
  days.set(today, (days.get(today) ?? 0) + 1)
  return {
    inARow,
    lastAt: now,
    lockedAt: before?.lockedAt ?? (inARow >= LOCKS_AT ? now : undefined),
    byDay: [...days].sort(([one], [other]) => one - other),
    issuedAt: before?.issuedAt,
  }
}

/** The count after a right code: the row ends, the daily counts stay. */
export const forgive = (before: FailureCount): FailureCount => ({ ...before, inARow: 0, lockedAt: undefined })

/**
 * How long a phone waits for the next code, milliseconds; 0: not at all. `isLocked`: an operator or a right code ends
 * the lock.
 */
export interface FailureStanding {
  waitMs: number
  /** The rule with the longest wait; undefined: no wait. */
  rule: FailureRule | undefined
  /** The rule with the longest wait that no proof lifts. */
  unprovable: FailureRule | undefined
  isLocked: boolean
  /** Codes are rationed: one in three days, with one attempt. */
  isSeldom: boolean
}

export function standingOf(
  failures: FailureCount,
  { lockMs }: Pick<Protection, 'lockMs'>,
  now: number,
): FailureStanding {
  const { lockedAt } = failures
  const isSeldom = comesSeldom(failures, now)
  // A lock without an end answers a wait of a day.
  const lock = lockedAt === undefined ? 0 : lockMs === null ? DAY_MS : remaining(lockedAt, lockMs, now)
  const seldom = isSeldom && failures.issuedAt !== undefined ? remaining(failures.issuedAt, SELDOM_EVERY_MS, now) : 0
  const waits = { failures_locked: lock, failures_seldom: seldom, failures_paused: pause(failures, now) }
  const rule = longestOf(waits, WAITS)
  const unprovable = longestOf(
    waits,
    WAITS.filter((name) => !isProvable(name)),
  )
  return { waitMs: rule ? waits[rule] : 0, rule, unprovable, isLocked: lock > 0, isSeldom }
}

const WAITS = ['failures_locked', 'failures_seldom', 'failures_paused'] as const

/** The first rule with the longest wait. */
function longestOf(waits: Record<FailureRule, number>, among: readonly FailureRule[]): FailureRule | undefined {
  const longest = Math.max(...among.map((name) => waits[name]))
  return longest > 0 ? among.find((name) => waits[name] === longest) : undefined
}

/** Times further ahead are ignored: the clock was set back. Nobody waits longer than the full time from now. */
const SET_BACK_MS = 10 * MINUTE_MS

const remaining = (from: number, forMs: number, now: number) =>
  from > now + SET_BACK_MS ? 0 : Math.max(0, Math.min(from, now) + forMs - now)

function pause({ inARow, lastAt }: FailureCount, now: number): number {
  if (inARow < PAUSES_FROM) return 0
  const minutes = Math.min(2 ** (inARow - PAUSES_FROM), LONGEST_PAUSE_MINUTES)
  return remaining(lastAt, minutes * MINUTE_MS, now)
}

const comesSeldom = ({ byDay }: FailureCount, now: number) =>
  SELDOM_FROM.some(({ count, days }) => countOf(byDay, dayOf(now), days) >= count)

const countOf = (byDay: FailureCount['byDay'], today: number, days: number) =>
  byDay.reduce((sum, [day, count]) => (day > today - days && day <= today + 1 ? sum + count : sum), 0)

export interface NextCode {
  maxAttempts: number
  /** The count to store, where the code changes it. */
  failures: FailureCount | undefined
  /** The rule that is against it. */
  found: RuleMatch | undefined
}

/**
 * Whether a next code is issued for the phone, and how many attempts it has. In the mode `watch` the code has all
 * attempts. The counts stay as if it had been refused, so that the owner can refuse such codes later. With a proof of a
 * human a rationed code need not wait. It has one attempt, so each guess takes a proof and a message.
 */
export function admitNext(
  failures: FailureCount | undefined,
  maxAttempts: number,
  protection: Pick<Protection, 'lockMs' | 'failures'>,
  now: number,
  isProven = false,
): NextCode {
  if (!failures) return { maxAttempts, failures, found: undefined }
  const { waitMs, rule, unprovable, isSeldom } = standingOf(failures, protection, now)
  const found = rule && ruleMatch(protection.failures, unprovable ?? rule, waitMs)
  const isOutweighed = isProven && found?.isRefused && unprovable === undefined
  if (rule && !isOutweighed) return { maxAttempts, failures: undefined, found }
  // A new row begins after a lock.
  const unlocked = failures.lockedAt === undefined ? failures : forgive(failures)
  const changed = unlocked === failures ? undefined : unlocked
  const attempts = protection.failures === 'block' ? Math.min(maxAttempts, SELDOM_MAX_ATTEMPTS) : maxAttempts
  if (isOutweighed) return { maxAttempts: attempts, failures: changed, found: { ...found, isRefused: false } }
  if (!isSeldom) return { maxAttempts, failures: changed, found: undefined }
  return { maxAttempts: attempts, failures: { ...unlocked, issuedAt: now }, found: undefined }
}
