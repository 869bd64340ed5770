/**
 * Caps on messages or credits in any hour or day: what one night can cost. Windows slide by twelfths, and a message may
 * count a twelfth longer. Decisions: "Abuse". Live mode only.
 *
 * A cap that the owner has set holds as it is. Those of a new app grow with what is typed, so that people are never in
 * their way: sent ≤ cap + 3 × kept, each within the cap's window. An attack does not grow. Growth with verified codes is
 * Authgear's idea (`docs/specs/fraud-protection.md`), caps by place are GitLab's (per dial code and day).
 */

import { type CallerKind, SEES_TYPING } from '../../domain/access/caller'
import { invalid } from '../../domain/shared/error'
import { MINUTE_MS } from '../../domain/shared/value'
import type { UsualSent } from './baseline'
import type { Place } from './place'

export const CAP_PLACES = ['app', 'country', 'prefix'] as const
export const CAP_UNITS = ['messages', 'credits'] as const
export const CAP_WINDOWS = ['hour', 'day'] as const

/** A cap on the app, on each country or on each prefix, for all keys of one kind together. */
export interface Cap {
  readonly kind: CallerKind
  readonly per: (typeof CAP_PLACES)[number]
  readonly of: (typeof CAP_UNITS)[number]
  readonly every: (typeof CAP_WINDOWS)[number]
  readonly max: number
}

const ofPublic = (kind: CallerKind, per: Cap['per'], hour: number, day: number): Cap[] => [
  { kind, per, of: 'messages', every: 'hour', max: hour },
  { kind, per, of: 'messages', every: 'day', max: day },
]

/**
 * Caps of new apps. Browser keys are public, and so are the forms of platforms behind relays; caps of secret keys are for their owner to set. A prefix: one in seventy
 * of its ten thousand numbers gets a code in a day. An app: as many people as come in a few hours of a launch. Nobody tells whether
 * the codes of a relay are typed, so its caps follow what it usually sends.
 */
export const NEW_CAPS: readonly Cap[] = [
  ...ofPublic('pk', 'prefix', 60, 150),
  ...ofPublic('pk', 'app', 3_000, 15_000),
  ...ofPublic('relay', 'prefix', 300, 1_000),
  ...ofPublic('relay', 'country', 3_000, 10_000),
  ...ofPublic('relay', 'app', 3_000, 15_000),
]

/** How many usual days a cap of a new app leaves room for, once it is known what is usual. */
const USUAL_TIMES = { app: 4, country: 4, prefix: 1 } as const
/** Messages added per kept wish: whoever types fewer than a third does not grow. */
const GROWS_TIMES = 3
/** Codes verified meanwhile raise the cap long before old ones leave the window. */
const GROWN_RETRY_MS = MINUTE_MS

const isOfNewApps = (cap: Cap): boolean =>
  NEW_CAPS.some(
    ({ kind, per, of, every, max }) =>
      cap.kind === kind && cap.per === per && cap.of === of && cap.every === every && cap.max === max,
  )

/** Whether the cap has more room with each code that is typed; another platform does not tell. */
export const growsWithKept = (cap: Cap): boolean => SEES_TYPING[cap.kind] && isOfNewApps(cap)

interface CapContext {
  readonly tolerance: number
  /** The usual number of messages in the place of the cap. */
  readonly usual?: UsualSent | undefined
}

/** The value of the cap now. */
export function allowedBy(cap: Cap, place: Place, { tolerance, usual }: CapContext, now: number): number {
  const { per, every, max } = cap
  if (!isOfNewApps(cap)) return max
  const base = Math.max(max, usual?.isKnown ? USUAL_TIMES[per] * usual.aDay : 0)
  return Math.floor(tolerance * base + GROWS_TIMES * place[every].total('kept', now))
}

const COUNTED = { messages: 'sent', credits: 'credits' } as const

/** Milliseconds until one more message at that price fits, requests in flight included; 0: now. */
export function capWaitMs(cap: Cap, place: Place, price: number, regard: CapContext, now: number): number {
  const { of, every } = cap
  const wanted = (place.inFlight + 1) * (of === 'messages' ? 1 : price)
  const allowed = allowedBy(cap, place, regard, now)
  const waitMs = place[every].surelyWaitMs(COUNTED[of], allowed - wanted + 1, now)
  return isOfNewApps(cap) ? Math.min(waitMs, GROWN_RETRY_MS) : waitMs
}

const MOST_CAPS = 24
const GREATEST_CAP = 1_000_000_000

/** Throws `invalid`. */
export function assertCaps(caps: readonly Cap[]): void {
  if (caps.length > MOST_CAPS) throw invalid('caps', 'too_many', `at most ${MOST_CAPS}`, { max: MOST_CAPS })
  for (const { max } of caps)
    if (!Number.isSafeInteger(max) || max < 1 || max > GREATEST_CAP)
      throw invalid('caps', 'out_of_range', `must be whole numbers from 1 to ${GREATEST_CAP}`, {
        min: 1,
        max: GREATEST_CAP,
      })
  const names = new Set(caps.map(({ kind, per, of, every }) => `${kind}/${per}/${of}/${every}`))
  if (names.size < caps.length) throw invalid('caps', 'duplicate_field', 'each may be given once')
}
