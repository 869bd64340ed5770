/**
 * Worlds that nobody imagined: of each seed another one. Sizes, countries, shares, times to type, resends, families, blocks of
 * numbers, offices, bursts, outages, cut-overs and falls of the share are drawn, by every kind of key, of a new app and a known one.
 */
import type { CallerKind } from '../../src/domain/access/caller'
import { SECOND_MS } from '../../src/domain/shared/value'
import { type SeededRandom, seededRandom } from '../support/random'
import { type Attack, allPrefixes, among, fewPrefixes, fromAnywhere, oneAddress, within } from './attackers'
import { type Crowd, EVENLY, KOREANS, type Surge } from './people'
import type { AbuseWorld } from './worlds'

const KINDS: readonly CallerKind[] = ['pk', 'pk', 'sk', 'relay']
const ABROAD = ['JP', 'US', 'GB', 'VN', 'DE'] as const

const between = ({ fraction }: SeededRandom, from: number, to: number) => from + (to - from) * fraction()
/** Small ones are as likely as large ones. */
const sized = (random: SeededRandom, from: number, to: number) =>
  Math.round(Math.exp(between(random, Math.log(from), Math.log(to))))

function surgeOf(random: SeededRandom): Surge | undefined {
  const [hour, times] = [1 + random.below(20), between(random, 2, 30)]
  return random.pick<Surge | undefined>([
    undefined,
    undefined,
    { name: `burst of ${times} at ${hour}`, times: (at) => (at < hour ? 1 : 1 + times * Math.exp(-(at - hour) * 4)) },
    { name: `${times} times from ${hour} on`, times: (at) => (at < hour ? 1 : Math.min(times, 5)) },
    { name: `${times} times in hour ${hour}`, times: (at) => (Math.floor(at) === hour ? times : 1) },
  ])
}

function crowdOf(random: SeededRandom, kind: CallerKind): Crowd {
  const types = between(random, 0.5, 0.97)
  const surge = surgeOf(random)
  // A browser key takes sixty codes in a minute: more people than that are no question of the guard.
  const most = kind === 'pk' ? 1_500 : 6_000
  return {
    ...KOREANS,
    ...{ kind, types, aDay: sized(random, 12, most), asksAgain: between(random, 0.2, 1) },
    ...{ typingMs: between(random, 30, 170) * SECOND_MS, asksAtMost: 1 + random.below(7) },
    ...{ behindShared: random.chance(0.3) ? between(random, 0.5, 1) : 0.3, sharedAddresses: 1 + random.below(200) },
    ...(random.chance(0.3) && { inOneBlock: between(random, 0.1, 1) }),
    ...(random.chance(0.2) && { inFamilies: between(random, 0.05, 0.3) }),
    ...(random.chance(0.2) && { typesInTheEnd: between(random, 0.45, types) }),
    ...(random.chance(0.2) && { byHour: EVENLY }),
    ...(surge && { surge }),
  }
}

export function randomWorld(seed: number): AbuseWorld {
  const random = seededRandom(seed * 7_919)
  const home = crowdOf(random, random.pick(KINDS))
  const countries = random.chance(0.3) ? ABROAD.slice(0, 1 + random.below(ABROAD.length)) : []
  const abroad = countries.map((country) => {
    const { inOneBlock: _, inFamilies: __, ...crowd } = crowdOf(random, home.kind)
    return { ...crowd, country, aDay: sized(random, 6, 300) }
  })
  const from = between(random, 2, 20)
  return {
    name: `random ${seed}`,
    crowds: [home, ...abroad],
    open: countries,
    reports: random.chance(0.5),
    isKnown: random.chance(0.7),
    ...(random.chance(0.25) && { outage: [from, from + between(random, 0.2, 3)] as const }),
  }
}

/** Of other seeds than the world's, so that either is drawn as without the other. */
export function attackOn({ crowds, open }: AbuseWorld, seed: number): Attack & { name: string } {
  const random = seededRandom(seed * 7_907)
  const { kind } = crowds[0] ?? KOREANS
  const blocks = Array.from({ length: 1 + random.below(12) }, () => `+82104${random.below(1_000) + 1_000}`)
  const { name, attack } = random.pick([
    { name: 'three blocks', attack: fewPrefixes },
    { name: 'every block', attack: allPrefixes },
    { name: 'one address', attack: oneAddress },
    { name: `${blocks.length} blocks`, attack: { ...allPrefixes, ask: fromAnywhere(within(blocks)) } },
    ...(open?.length ? [{ name: 'abroad', attack: { ...allPrefixes, ask: fromAnywhere(among(open)) } }] : []),
  ])
  const perDay = sized(random, 10_000, 300_000)
  const fromHour = 1 + random.below(16)
  return {
    ...{ ...attack, kind, perDay, fromHour, isSilent: random.chance(0.5) },
    name: `${name} by ${kind}, ${perDay} a day from ${fromHour} h`,
  }
}

/** What of a world tells it from others, for whoever has to look at the worst ones. */
export const described = ({ crowds, reports, isKnown, outage }: AbuseWorld): string =>
  [
    isKnown ? 'known' : 'new',
    reports ? 'reports' : 'no reports',
    ...(outage ? [`outage ${outage.map((hour) => hour.toFixed(1)).join('-')} h`] : []),
    ...crowds.map(
      ({ kind, country, aDay, types, typingMs = 0, asksAtMost, inOneBlock, inFamilies, surge, typesInTheEnd }) =>
        [
          `${country} ${kind} ${aDay} a day`,
          `${Math.round(100 * types)} % type in ${Math.round(typingMs / SECOND_MS)} s`,
          `ask ${asksAtMost} times`,
          ...(inOneBlock ? [`${Math.round(100 * inOneBlock)} % in a block`] : []),
          ...(inFamilies ? [`${Math.round(100 * inFamilies)} % in families`] : []),
          ...(typesInTheEnd ? [`falls to ${Math.round(100 * typesInTheEnd)} %`] : []),
          ...(surge ? [surge.name.replace(/(\.\d)\d+/, '$1')] : []),
        ].join(', '),
    ),
  ].join('; ')
