/** Who has an app send codes that are worth nothing to its owner. */
import type { CallerKind } from '../../src/domain/access/caller'
import { DAY_MS } from '../../src/domain/shared/value'
import type { SeededRandom } from '../support/random'
import { anyAddress, mobileOf, mobileWithin } from './places'
import type { Asked } from './service'

export interface Attack {
  /** With a browser key that was found, or by the form of a server. */
  readonly kind: CallerKind
  readonly perDay: number
  /** When it begins: hours since the beginning of the day. */
  readonly fromHour?: number
  readonly ask: (random: SeededRandom) => Omit<Asked, 'kind'>
  /** How many codes are typed: where the phones are the attacker's own. */
  readonly types?: number
  /** Of messages to its phones carriers report nothing. */
  readonly isSilent?: boolean
  /** Asks again when told so, and not before. */
  readonly isPatient?: boolean
}

export const A_LOT = 100_000

const home = (random: SeededRandom) => ({ phone: mobileOf('KR', random), country: 'KR' })

export const within = (blocks: readonly string[]) => (random: SeededRandom) => ({
  phone: mobileWithin(random.pick(blocks), random),
  country: 'KR',
})

export const among = (countries: readonly string[]) => (random: SeededRandom) => {
  const country = random.pick(countries)
  return { phone: mobileOf(country, random), country }
}

export const fromAnywhere =
  (to: (random: SeededRandom) => Omit<Asked, 'kind' | 'address'>) => (random: SeededRandom) => ({
    ...to(random),
    address: anyAddress(random),
  })

const rotating = { kind: 'pk', perDay: A_LOT } as const

export const OPENED = ['JP', 'US', 'GB', 'ID', 'VN', 'PH', 'TH', 'UZ'] as const

export const oneAddress: Attack = { ...rotating, ask: (random) => ({ ...home(random), address: '198.51.100.7' }) }
export const fewPrefixes: Attack = {
  ...rotating,
  ask: fromAnywhere(within(['+82104711', '+82104712', '+82108203'])),
}
export const allPrefixes: Attack = { ...rotating, ask: fromAnywhere(home) }
export const patient: Attack = { ...allPrefixes, isPatient: true }
export const drip = (perHour: number): Attack => ({ ...allPrefixes, perDay: 24 * perHour })
export const openedCountries: Attack = { ...rotating, ask: fromAnywhere(among(OPENED)) }
export const closedCountries: Attack = { ...rotating, ask: fromAnywhere(among(['KH', 'UZ', 'VN'])) }
/** A card of some hundred numbers that answer. */
export const ownNumbers: Attack = {
  ...rotating,
  ask: fromAnywhere((random) => ({
    phone: `+8210${4_700 + random.below(3)}${3_000 + random.below(100)}`,
    country: 'KR',
  })),
  types: 0.3,
}
export const throughBackend = (attack: Attack): Attack => ({ ...attack, kind: 'sk' })

export const everyMs = ({ perDay }: Attack): number => DAY_MS / perDay
