/**
 * Caps on messages or credits in any hour or day: what one night can cost. Windows slide by twelfths, and a message may
 * count a twelfth longer. Decisions: "Abuse". Live mode only.
 *
 * Until an app's traffic is learned only verified codes tell people from an attack. So its caps of browser keys start
 * small and grow: sent ≤ min(cap, start + 2 × verified), each within the cap's window. Half of the codes of a launch
 * are verified soon, so it grows as quickly as people come; an attack does not grow. Growth with verified codes is
 * Authgear's idea (`baseline.ts`), caps by place are GitLab's (per dial code and day).
 */

import type { KeyKind } from '../../domain/access/api-key'
import { invalid } from '../../domain/shared/error'
import { MINUTE_MS } from '../../domain/shared/value'
import type { UsualSent } from './baseline'
import type { TrafficCounter } from './traffic-counter'

export const CAP_PLACES = ['app', 'country', 'prefix'] as const
export const CAP_UNITS = ['messages', 'credits'] as const
export const CAP_WINDOWS = ['hour', 'day'] as const

/** A cap on the app, on each country or on each prefix, for all keys of one kind together. */
export interface Cap {
  readonly kind: KeyKind
  readonly per: (typeof CAP_PLACES)[number]
  readonly of: (typeof CAP_UNITS)[number]
  readonly every: (typeof CAP_WINDOWS)[number]
  readonly max: number
}

const ofPublic = (kind: KeyKind, per: Cap['per'], hour: number, day: number): Cap[] => [
  { kind, per, of: 'messages', every: 'hour', max: hour },
  { kind, per, of: 'messages', every: 'day', max: day },
]

/**
 * Caps of new apps. Browser keys are public, and so are the forms of platforms behind relays; caps of secret keys are for their owner to set. A prefix: one in seventy
 * of its ten thousand numbers gets a code in a day. An app: as many people as come in a few hours of a launch. Nobody tells whether
 * the codes of a relay are typed, so its caps follow what it usually sends once that is known (`KNOWN_RELAY`).
 */
export const NEW_CAPS: readonly Cap[] = [
  ...ofPublic('pk', 'prefix', 60, 150),
  ...ofPublic('pk', 'app', 3_000, 15_000),
  ...ofPublic('relay', 'prefix', 300, 1_000),
  ...ofPublic('relay', 'country', 3_000, 10_000),
  ...ofPublic('relay', 'app', 3_000, 15_000),
]

/** The most that a relay of a week sends to a country, or in all: so many messages, or so many times its usual day. */
const KNOWN_RELAY = {
  hour: { least: 500, times: 2 },
  day: { least: 1_500, times: 4 },
  prefix: { least: 0, times: 1 },
} as const

/** Messages of an app that is not learned, before any code is verified. */
export const START = { hour: 300, day: 500 } as const
/** Messages added per verified code: a crowd of whom half verify never waits. */
const START_TIMES = 2
/** The same for a block of numbers, such as a company's. Whoever types fewer than a third does not grow. */
const PREFIX_TIMES = 3
/** In an app whose traffic is known, rules about unverified codes hold a prefix long before its cap. */
const KNOWN_PREFIX_TIMES = 4
/** Codes verified meanwhile raise the cap long before old ones leave the window. */
const START_RETRY_MS = MINUTE_MS

/** A cap that the owner has set holds as it is. */
const isOfNewApps = (cap: Cap): boolean =>
  NEW_CAPS.some(
    ({ kind, per, of, every, max }) =>
      cap.kind === kind && cap.per === per && cap.of === of && cap.every === every && cap.max === max,
  )
/** A block of numbers whose people type has room for more within minutes. */
const grows = (cap: Cap): boolean => cap.per === 'prefix' && cap.kind === 'pk' && isOfNewApps(cap)
const startsSmall = (cap: Cap): boolean => cap.per === 'app' && cap.kind !== 'relay' && isOfNewApps(cap)

/** The start of a cap that grows; undefined where the cap holds as it is. */
export const startOf = (cap: Cap, tolerance: number): number | undefined =>
  startsSmall(cap) ? Math.floor(tolerance * START[cap.every]) : undefined

interface CapContext {
  readonly isKnown: boolean
  readonly tolerance: number
  /** The usual number of messages in the place of the cap. */
  readonly usual?: UsualSent | undefined
}

/** The value of the cap now. */
export function allowedBy(
  cap: Cap,
  counter: TrafficCounter,
  { isKnown, tolerance, usual }: CapContext,
  now: number,
): number {
  const { kind, per, every, max } = cap
  if (!isOfNewApps(cap)) return max
  if (kind === 'relay') {
    if (!usual?.isKnown) return max
    const { least, times } = KNOWN_RELAY[per === 'prefix' ? 'prefix' : every]
    return Math.floor(tolerance * Math.max(per === 'prefix' ? max : least, times * usual.aDay))
  }
  const { verified } = counter[every].at(now)
  if (per === 'prefix')
    return Math.floor(tolerance * max * (isKnown ? KNOWN_PREFIX_TIMES : 1) + PREFIX_TIMES * verified)
  if (isKnown) return max
  return Math.min(max, Math.floor(tolerance * START[every] + START_TIMES * verified))
}

const COUNTED = { messages: 'sent', credits: 'credits' } as const

/** Milliseconds until one more message at that price fits, requests in flight included; 0: now. */
export function capWaitMs(cap: Cap, counter: TrafficCounter, price: number, regard: CapContext, now: number): number {
  const { of, every, max } = cap
  const wanted = (counter.inFlight + 1) * (of === 'messages' ? 1 : price)
  const allowed = allowedBy(cap, counter, regard, now)
  const waitMs = counter[every].surelyWaitMs(COUNTED[of], allowed - wanted + 1, now)
  return grows(cap) || allowed < max ? Math.min(waitMs, START_RETRY_MS) : waitMs
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
