/**
 * How much may be sent, at most: what one night can cost. In no hour or day, whenever it begins, is there more; what was sent
 * counts for a twelfth of one longer at most. Decisions: "Abuse". Live mode only.
 */
import { invalid } from './error'
import type { KeyKind } from './key'
import type { Tally } from './traffic'

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

/** Browser keys are public; what servers send their owner bounds. */
export const NEW_CAPS: readonly Cap[] = [
  { kind: 'pk', per: 'prefix', of: 'messages', every: 'hour', max: 200 },
  { kind: 'pk', per: 'prefix', of: 'messages', every: 'day', max: 600 },
  { kind: 'pk', per: 'app', of: 'messages', every: 'hour', max: 2_000 },
  { kind: 'pk', per: 'app', of: 'messages', every: 'day', max: 10_000 },
]

const COUNTED = { messages: 'sent', credits: 'credits' } as const

/** Milliseconds until there is room for one more at that price, beside what is on its way in; 0 where there is. */
export function capWaitMs({ of, every, max }: Cap, tally: Tally, price: number, now: number): number {
  const wanted = (tally.entering + 1) * (of === 'messages' ? 1 : price)
  return tally[every].surelyWaitMs(COUNTED[of], max - wanted + 1, now)
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
