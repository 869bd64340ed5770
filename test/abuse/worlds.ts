/** The worlds of this simulation. Each is a day of an app that is at home in Korea. */
import {
  type Attack,
  allPrefixes,
  closedCountries,
  drip,
  fewPrefixes,
  OPENED,
  oneAddress,
  openedCountries,
  ownNumbers,
  patient,
  throughBackend,
} from './attackers'
import { type Crowd, EVENLY, KOREANS, type Surge } from './people'

export interface AbuseWorld {
  readonly name: string
  readonly crowds: readonly Crowd[]
  readonly attack?: Attack
  /** Countries that browser keys may send to beside home. */
  readonly open?: readonly string[]
  /** Whether the carrier says what has arrived. */
  readonly reports: boolean
  /** In which hours since the beginning nothing arrives. */
  readonly outage?: readonly [from: number, to: number]
  /** Whether the page has people prove that they are: the vendor's widget. */
  readonly hasProof?: boolean
  /** Whether the app has been there for two weeks. */
  readonly isKnown: boolean
}

const ORDINARY: AbuseWorld = { name: 'weekday', crowds: [KOREANS], reports: true, isKnown: true }
const SILENT = { ...ORDINARY, reports: false }
const SERVER: Crowd = { ...KOREANS, kind: 'sk' }
/** Nobody tells what comes of the codes of a relay. */
const RELAYED: Crowd = { ...KOREANS, kind: 'relay' }

/** Many at once, and fewer and fewer within the hour. */
const burst = (at: number, most: number): Surge => ({
  name: `burst of ${most}`,
  times: (hours) => (hours < at ? 1 : 1 + most * Math.exp(-(hours - at) * 4)),
})
/** From an hour on so many times as many. */
const from = (hour: number, times: number, before = 1): Surge => ({
  name: `${times} times`,
  times: (hours) => (hours < hour ? before : times),
})

/** Ten thousand in five hours, at whatever time of the day. */
const LAUNCH: Crowd = {
  ...{ ...KOREANS, aDay: 48_000, byHour: EVENLY },
  surge: { name: 'ten thousand', times: (hours) => (hours >= 1 && hours < 6 ? 1 : 0.03) },
}

/** In one hour so many times as many; in all others as many as usual, or fewer. */
const onlyIn = (hour: number, times: number, otherwise = 1): Surge => ({
  name: `${times} times in hour ${hour}`,
  times: (hours) => (Math.floor(hours) === hour ? times : otherwise),
})

/** Few in each of some countries. */
const fewIn = (countries: readonly string[], crowd: Crowd, changes: Partial<Crowd>): Crowd[] =>
  countries.map((country) => ({ ...crowd, country, aDay: 6, ...changes }))
const SIX = ['DE', 'US', 'JP', 'VN', 'GB', 'KR']
const THREE = ['JP', 'US', 'VN']

/** Each day begins with a crowd at noon, and has another in the evening. */
const IN_BURSTS = Array.from({ length: 24 }, (_, hour) => (hour === 12 || hour === 20 ? 40 : 1))

const of = (world: AbuseWorld, name: string, changes: Partial<AbuseWorld>): AbuseWorld => ({
  ...world,
  ...changes,
  name,
})
const surging = (crowd: Crowd, surge: Surge): Crowd => ({ ...crowd, surge })

/** Nobody wants anything but to sign in. */
export const HONEST: readonly AbuseWorld[] = [
  ORDINARY,
  of(SILENT, 'weekday, no reports', {}),
  of(ORDINARY, 'by a server', { crowds: [SERVER] }),
  of(SILENT, 'by a relay', { crowds: [RELAYED] }),
  of(SILENT, 'busy, by a relay', { crowds: [surging(RELAYED, burst(3, 20))] }),
  of(SILENT, 'by the relay of a new app', { crowds: [{ ...RELAYED, aDay: 6_000 }], isKnown: false }),
  of(ORDINARY, 'launch', { crowds: [surging(KOREANS, burst(3, 20))] }),
  of(SILENT, 'launch, by a server, no reports', { crowds: [surging(SERVER, burst(3, 60))] }),
  of(ORDINARY, 'campaign', { crowds: [surging(KOREANS, from(4, 5))] }),
  of(ORDINARY, 'low-traffic country', {
    crowds: [KOREANS, { ...KOREANS, country: 'JP', aDay: 12, types: 0.7 }],
    open: ['JP'],
  }),
  of(SILENT, 'first day in a country', {
    crowds: [KOREANS, { ...KOREANS, country: 'US', aDay: 12, types: 0.8, surge: from(3, 30, 0) }],
    open: ['US'],
  }),
  of(ORDINARY, 'shared addresses', { crowds: [{ ...KOREANS, behindShared: 0.95, sharedAddresses: 6 }] }),
  of(ORDINARY, 'many ask again', { crowds: [{ ...KOREANS, types: 0.7, asksAgain: 0.95 }] }),
  of(ORDINARY, 'small app', { crowds: [{ ...KOREANS, aDay: 60 }] }),
  of(ORDINARY, 'most of a day in one hour', { crowds: [surging({ ...KOREANS, aDay: 60 }, onlyIn(3, 20, 0.1))] }),
  of(SILENT, 'most of a day in one hour, by a server, no reports', {
    crowds: [surging({ ...SERVER, aDay: 300, types: 0.8, asksAgain: 0.95 }, onlyIn(3, 20, 0.1))],
  }),
  ...[20, 40].map((times) =>
    of(SILENT, `cut-over times ${times}, by a server in six countries`, {
      crowds: fewIn(SIX, SERVER, { surge: from(3, times) }),
    }),
  ),
  of(SILENT, 'busy hour, by a server in six countries', {
    crowds: fewIn(SIX, { ...SERVER, types: 0.8 }, { surge: onlyIn(3, 300) }),
  }),
  of(ORDINARY, 'campaign in three countries', {
    crowds: [KOREANS, ...fewIn(THREE, KOREANS, { surge: from(3, 30) })],
    open: THREE,
  }),
  of(ORDINARY, 'fewer and fewer type', { crowds: [{ ...KOREANS, types: 0.95, typesInTheEnd: 0.8 }] }),
  of(ORDINARY, 'each day in bursts', { crowds: [{ ...KOREANS, byHour: IN_BURSTS }] }),
  of(SILENT, 'small, each day in bursts', { crowds: [{ ...SERVER, aDay: 60, byHour: IN_BURSTS }] }),
  of(ORDINARY, 'a new app', { crowds: [KOREANS], isKnown: false }),
  of(ORDINARY, 'a small new app', { crowds: [{ ...KOREANS, aDay: 60 }], isKnown: false }),
  of(ORDINARY, 'launch of a new app', { crowds: [LAUNCH], isKnown: false }),
  of(SILENT, 'burst of a new app, no reports', { crowds: [surging(KOREANS, burst(3, 20))], isKnown: false }),
  of(SILENT, 'new app, by a server, no reports', { crowds: [surging(SERVER, burst(3, 60))], isKnown: false }),
  of(ORDINARY, 'new app, many ask again', { crowds: [{ ...KOREANS, types: 0.7, asksAgain: 0.95 }], isKnown: false }),
]

/** For three hours nothing arrives. */
export const OUTAGES: readonly AbuseWorld[] = [
  of(ORDINARY, 'outage', { outage: [4, 7] }),
  of(SILENT, 'outage, no reports', { outage: [4, 7] }),
  of(SILENT, 'short outage, no reports', { outage: [5, 5.3] }),
  of(SILENT, 'outage, by a server, no reports', { crowds: [SERVER], outage: [4, 7] }),
  of(SILENT, 'outage of a small app, no reports', { crowds: [{ ...KOREANS, aDay: 300 }], outage: [4, 7] }),
]

/** A hundred thousand requests from whatever address in a day. */
export const ROTATING: readonly AbuseWorld[] = [
  of(ORDINARY, 'few prefixes', { attack: fewPrefixes }),
  of(ORDINARY, 'all prefixes', { attack: allPrefixes }),
  of(SILENT, 'all prefixes, no reports', { attack: allPrefixes }),
  of(ORDINARY, 'all prefixes, carriers silent', { attack: { ...allPrefixes, isSilent: true } }),
  of(ORDINARY, 'opened countries', { attack: openedCountries, open: OPENED }),
  of(ORDINARY, 'own numbers, 30 % typed', { attack: ownNumbers }),
  of(ORDINARY, 'closed countries', { attack: closedCountries }),
  of(ORDINARY, 'few prefixes, by a server', { crowds: [SERVER], attack: throughBackend(fewPrefixes) }),
  of(ORDINARY, 'all prefixes, by a server', { crowds: [SERVER], attack: throughBackend(allPrefixes) }),
  of(ORDINARY, 'opened countries, by a server', { crowds: [SERVER], attack: throughBackend(openedCountries) }),
]

export const OTHER_ATTACKS: readonly AbuseWorld[] = [
  of(ORDINARY, 'one address', { attack: oneAddress }),
  of(ORDINARY, 'all prefixes, people prove that they are', { attack: allPrefixes, hasProof: true }),
  of(SILENT, 'all prefixes, by a relay', { crowds: [RELAYED], attack: { ...allPrefixes, kind: 'relay' } }),
  of(ORDINARY, 'waits as it is told', { attack: patient }),
  of(ORDINARY, 'drip of 4 an hour', { attack: drip(4) }),
  of(ORDINARY, 'drip of 9 an hour', { attack: drip(9) }),
  of(ORDINARY, 'drip of 60 an hour', { attack: drip(60) }),
]

/** An app of which nothing is known yet. */
export const UNKNOWN: readonly AbuseWorld[] = [
  of(ORDINARY, 'new app, few prefixes', { attack: fewPrefixes, isKnown: false }),
  of(ORDINARY, 'new app, all prefixes', { attack: allPrefixes, isKnown: false }),
]

export const WORLDS: readonly AbuseWorld[] = [...HONEST, ...OUTAGES, ...ROTATING, ...OTHER_ATTACKS, ...UNKNOWN]

export function named(name: string): AbuseWorld {
  const world = WORLDS.find((one) => one.name === name)
  if (!world) throw new Error(`no world has the name ${name}`)
  return world
}
