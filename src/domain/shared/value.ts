/** Types and constants that the whole domain shares. */
import { CHANNELS, type Channel, LEGS, type Leg } from '../../../contract/constants'

/** Decided by the key's prefix; live and test data never mix. */
export const MODES = ['live', 'test'] as const
export type Mode = (typeof MODES)[number]

export { CHANNELS, type Channel, LEGS, type Leg }
export const isChannel = (text: string): text is Channel => CHANNELS.some((channel) => channel === text)
export const isLeg = (text: string): text is Leg => LEGS.some((leg) => leg === text)

export type MessageType = 'SMS' | 'LMS'

/** Owner of data: one app in one mode. Every look-up names its owner, so data of others is not found. */
export interface Owner {
  readonly appId: string
  readonly mode: Mode
}

export const CURRENCY = 'CREDIT'

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The next 00:00 UTC after `now`, Unix milliseconds. */
export const nextMidnightUtc = (now: number) => (Math.floor(now / DAY_MS) + 1) * DAY_MS

export const isUuid = (value: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)

/** Formats Unix milliseconds as ISO 8601, and caches the last result since calls repeat. */
export function momentWriter(): (at: number) => string {
  let last = 0
  let written = new Date(last).toISOString()
  return (at) => {
    if (at !== last) {
      written = new Date(at).toISOString()
      last = at
    }
    return written
  }
}
