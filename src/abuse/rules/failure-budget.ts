/**
 * How often somebody may guess at one phone, over all its codes. Each kind of key has a budget of its own, by what issued
 * the code: whoever finds a browser key cannot lock out what a backend does.
 *
 * NIST SP 800-63B-4 (3.2.2) allows 100 failures in a row on one account, whatever is issued anew in between. A success ends
 * a row, so a second count goes on over it: who guesses between two sign-ins of the owner stays under 500 a year.
 * Decisions: "Abuse". Live mode only.
 */

import { DAY_MS, MINUTE_MS } from '../../domain/shared/value'
import type { Protection } from './protection'
import { type FailureRule, isProvable, type RuleMatch, ruleMatch } from './rule'

/** Of one phone of an app and a kind of key; there is none of a phone whose codes were never mistaken. Times are Unix milliseconds. */
export interface FailureCount {
  /** Wrong codes in a row. */
  readonly inARow: number
  readonly lastAt: number
  /** Since when it is locked. */
  readonly lockedAt: number | undefined
  /** Wrong codes by day, the oldest first: days since 1970 in UTC, and how many. */
  readonly byDay: ReadonlyArray<readonly [day: number, count: number]>
  /** When a code was last issued, while they come seldom. */
  readonly issuedAt: number | undefined
}

/** The state of a phone without wrong codes, or of one that an operator has opened. */
export const NO_FAILURES: FailureCount = { inARow: 0, lastAt: 0, lockedAt: undefined, byDay: [], issuedAt: undefined }

/** From this many in a row on (as the index of phones that are held up has it), there is a pause before the next code. */
const PAUSES_FROM = 10
/** 1, 2, 4 … minutes. */
const LONGEST_PAUSE_MINUTES = 32
/** NIST's hundred. */
const LOCKS_AT = 100

/** From so many within so many days on, codes come seldom; a success does not change that. */
const SELDOM_FROM: ReadonlyArray<{ count: number; days: number }> = [
  { count: 60, days: 30 },
  { count: 300, days: 365 },
]
const SELDOM_EVERY_MS = 3 * DAY_MS
/** Of a code that comes seldom. */
const SELDOM_MAX_ATTEMPTS = 1
/** After so many without a wrong code nothing is known of a phone. */
export const REMEMBERED_DAYS = 365

const dayOf = (at: number) => Math.floor(at / DAY_MS)

/** After a wrong code. */
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

/** After a right code: the row has ended. What counts over months stays. */
export const forgive = (before: FailureCount): FailureCount => ({ ...before, inARow: 0, lockedAt: undefined })

/** How long until a next code may be issued; 0: now. `isLocked`: only that waits, an operator or a right code ends it. */
export interface FailureStanding {
  waitMs: number
  /** What it waits for longest; undefined: for nothing. */
  rule: FailureRule | undefined
  /** The part of the wait that no proof lifts: the same wait, or a shorter one. */
  unprovable: FailureRule | undefined
  isLocked: boolean
  /** Codes come seldom: one in three days, with one attempt. */
  isSeldom: boolean
}

export function standingOf(
  failures: FailureCount,
  { lockMs }: Pick<Protection, 'lockMs'>,
  now: number,
): FailureStanding {
  const { lockedAt } = failures
  const isSeldom = comesSeldom(failures, now)
  // A lock without an end is looked at again after a day.
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

/** The first of those that wait longest. */
function longestOf(waits: Record<FailureRule, number>, among: readonly FailureRule[]): FailureRule | undefined {
  const longest = Math.max(...among.map((name) => waits[name]))
  return longest > 0 ? among.find((name) => waits[name] === longest) : undefined
}

/** What a clock may be set back by: nobody waits longer than from now on. What lies further ahead was never so. */
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
  /** As they are to be remembered, where the code changes them. */
  failures: FailureCount | undefined
  /** What is against it. */
  found: RuleMatch | undefined
}

/**
 * A next code for the phone, and how many attempts it has. Where its owner only watches, it has all of them, and wrong codes
 * count as if it had been refused: whoever turns this on finds every phone as it would have been. A proof of a human has no code
 * wait because they come seldom; it has one attempt, so that each guess takes a proof and a message.
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
  // Whose lock has ended begins a new row.
  const unlocked = failures.lockedAt === undefined ? failures : forgive(failures)
  const changed = unlocked === failures ? undefined : unlocked
  const attempts = protection.failures === 'block' ? Math.min(maxAttempts, SELDOM_MAX_ATTEMPTS) : maxAttempts
  if (isOutweighed) return { maxAttempts: attempts, failures: changed, found: { ...found, isRefused: false } }
  if (!isSeldom) return { maxAttempts, failures: changed, found: undefined }
  return { maxAttempts: attempts, failures: { ...unlocked, issuedAt: now }, found: undefined }
}
