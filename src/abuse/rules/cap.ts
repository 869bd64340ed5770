/**
 * How much may be sent, at most: what one night can cost. In no hour or day, whenever it begins, is there more; what was sent
 * counts for a twelfth of one longer at most. Decisions: "Abuse". Live mode only.
 *
 * Of an app whose traffic is not known yet nothing tells people from an attack but what they type. So browser keys' caps of its
 * messages start small and grow with that: sent ≤ min(cap, start + 2 × verified), each within the cap's window. Half of the codes
 * of a launch are typed soon, which lets it grow as quickly as people come; an attack stays where it starts. Of our own; that a
 * bound grows with what was verified is Authgear's idea (`conversion.ts`), caps by place are GitLab's (per dial code and day).
 */

import type { KeyKind } from '../../domain/access/api-key'
import { invalid } from '../../domain/shared/error'
import { MINUTE_MS } from '../../domain/shared/value'
import type { TrafficCounter } from './traffic-counter'

export const CAP_PLACES = ['app', 'country', 'prefix'] as const
export const CAP_UNITS = ['messages', 'credits'] as const
export const CAP_WINDOWS = ['hour', 'day'] as const

/** Of each country, or each prefix, or of the whole app, for the keys of a kind together. */
export interface Cap {
  readonly kind: KeyKind
  readonly per: (typeof CAP_PLACES)[number]
  readonly of: (typeof CAP_UNITS)[number]
  readonly every: (typeof CAP_WINDOWS)[number]
  readonly max: number
}

const ofBrowserKeys = (per: 'prefix' | 'app', hour: number, day: number): Cap[] => [
  { kind: 'pk', per, of: 'messages', every: 'hour', max: hour },
  { kind: 'pk', per, of: 'messages', every: 'day', max: day },
]

/**
 * Browser keys are public; what servers send their owner bounds. Of the ten thousand numbers of a prefix one in seventy gets a
 * code in a day; of an app as many people as come in the few hours of a launch.
 */
export const NEW_CAPS: readonly Cap[] = [...ofBrowserKeys('prefix', 60, 150), ...ofBrowserKeys('app', 3_000, 15_000)]

/** What is sent of an app whose traffic is not known, before anybody has typed a code. */
export const START = { hour: 300, day: 500 } as const
/** A crowd of whom half type is let in as it comes, and one of whom a third do in the end. */
const START_TIMES = 2
/** What is typed meanwhile may let in more, long before anything is old enough to count no longer. */
const START_RETRY_MS = MINUTE_MS

/** A cap that an owner has named is decided: it holds as it is. */
const startsSmall = (cap: Cap): boolean =>
  cap.per === 'app' &&
  NEW_CAPS.some(
    ({ kind, per, of, every, max }) =>
      cap.kind === kind && cap.per === per && cap.of === of && cap.every === every && cap.max === max,
  )

/** How many of an app whose traffic is not known, before anybody has typed a code; undefined where the cap itself holds. */
export const startOf = (cap: Cap, tolerance: number): number | undefined =>
  startsSmall(cap) ? Math.floor(tolerance * START[cap.every]) : undefined

/** What is known of the app, and how much its owner tolerates. */
interface CapContext {
  readonly isKnown: boolean
  readonly tolerance: number
}

/** As many as there may be now. */
export function allowedBy(cap: Cap, counter: TrafficCounter, { isKnown, tolerance }: CapContext, now: number): number {
  if (isKnown || !startsSmall(cap)) return cap.max
  const grown = tolerance * START[cap.every] + START_TIMES * counter[cap.every].at(now).verified
  return Math.min(cap.max, Math.floor(grown))
}

const COUNTED = { messages: 'sent', credits: 'credits' } as const

/** Milliseconds until there is room for one more at that price, beside what is on its way in; 0 where there is. */
export function capWaitMs(cap: Cap, counter: TrafficCounter, price: number, regard: CapContext, now: number): number {
  const { of, every, max } = cap
  const wanted = (counter.inFlight + 1) * (of === 'messages' ? 1 : price)
  const allowed = allowedBy(cap, counter, regard, now)
  const waitMs = counter[every].surelyWaitMs(COUNTED[of], allowed - wanted + 1, now)
  return allowed < max ? Math.min(waitMs, START_RETRY_MS) : waitMs
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
