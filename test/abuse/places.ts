/** Phones and addresses of the people in these worlds. */
import type { SeededRandom } from '../support/random'

/** `d` is any digit, `n` one of 2 to 9. */
const MOBILES: Readonly<Record<string, readonly string[]>> = {
  KR: ['+82102dddnddd', '+82103dddnddd', '+82104dddnddd', '+82106dddnddd', '+82108dddnddd', '+82109dddnddd'],
  JP: ['+8190ndddnddd', '+8180ndddnddd'],
  US: ['+1415ndddddd', '+1212ndddddd', '+1713ndddddd'],
  GB: ['+447400dddddd'],
  DE: ['+49151nddddddd', '+49171nddddddd'],
  ID: ['+62812nddddddd'],
  VN: ['+8491nnddddd'],
  PH: ['+63917ndddddd'],
  TH: ['+6681ndddddd'],
  UZ: ['+99890ndddddd'],
  KH: ['+85512nddddd'],
}

export const COUNTRIES = Object.keys(MOBILES)

export const mobileOf = (country: string, random: SeededRandom): string =>
  random
    .pick(MOBILES[country] ?? [])
    .replace(/[dn]/g, (kind) => String(kind === 'n' ? 2 + random.below(8) : random.below(10)))

/** Of a block of ten thousand. */
export const mobileWithin = (block: string, random: SeededRandom): string =>
  `${block}${String(random.below(10_000)).padStart(4, '0')}`

/** Any of the public internet, near enough. */
export const anyAddress = (random: SeededRandom): string =>
  [20 + random.below(80), random.below(256), random.below(256), 1 + random.below(254)].join('.')

/** One of so many addresses that a carrier's customers share. */
export const sharedAddress = (of: number, random: SeededRandom): string => `203.0.113.${1 + random.below(of)}`
