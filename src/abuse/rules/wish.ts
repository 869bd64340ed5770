/**
 * A wish: one phone from its first code until a code is typed or the last one is over. Five codes of which one is typed are
 * one kept wish. Rules against abuse count wishes. Decisions: "Abuse". Live mode only.
 *
 *   sent ──20 s──▶ early ──80 s──▶ soon ──4 min──▶ judged: kept or lost ──10 min──▶ late: kept after all
 */
import type { CallerKind } from '../../domain/access/caller'
import { MINUTE_MS, SECOND_MS } from '../../domain/shared/value'

/** The fields of an issue that are counted. Times are Unix milliseconds, hashes are keyed. */
export interface IssueSample {
  readonly issueId: string
  readonly kind: CallerKind
  readonly country: string
  /** Hash of all but the last four digits of the number; undefined where it was not stored. */
  readonly prefix: string | undefined
  /** Hash of the end user's IPv4 address or IPv6 /64; undefined where it is unknown. */
  readonly network: string | undefined
  /** 48 bits of the phone's hash. */
  readonly phone: number
  readonly createdAt: number
  readonly verifiedAt: number | undefined
  /** A newer code has taken its place, and has the wish. */
  readonly isReplaced: boolean
  /** Whether a code that is not typed says something: it may have arrived, and somebody tells what is typed. */
  readonly isEvidence: boolean
  /** Credits. */
  readonly price: number
  /** Messages sent so far: a plan may have several ways. */
  readonly messages: number
}

/** Ages at which a code is looked at, milliseconds. */
export const AGE_MS = {
  sent: 0,
  early: 20 * SECOND_MS,
  soon: 80 * SECOND_MS,
  judged: 4 * MINUTE_MS,
  late: 10 * MINUTE_MS,
} as const
export type AgeBucket = keyof typeof AGE_MS

/** Results that were found at the age before are not found again. */
const PREVIOUS_AGE = { early: 'sent', soon: 'early', judged: 'soon', late: 'judged' } as const

export type WishResult = 'kept' | 'lost'

/** The result of a code that is new at this age; undefined where there is none, or it was found before. */
export function resultAt(
  { createdAt, verifiedAt, isReplaced, isEvidence }: IssueSample,
  age: Exclude<AgeBucket, 'sent'>,
): WishResult | undefined {
  const tookMs = verifiedAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, verifiedAt - createdAt)
  if (tookMs < AGE_MS[PREVIOUS_AGE[age]]) return undefined
  if (tookMs < AGE_MS[age]) return 'kept'
  return age === 'judged' && isEvidence && !isReplaced ? 'lost' : undefined
}
