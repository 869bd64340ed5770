/** Situations in which guards of phone verification refused people, or let pumping through, as public reports tell. Numbers are made up. */

import { type Attack, allPrefixes, among, drip, fromAnywhere, within } from '../abuse/attackers'
import { type Crowd, EVENLY, KOREANS } from '../abuse/people'
import { anyAddress, mobileOf } from '../abuse/places'
import type { AbuseWorld } from '../abuse/worlds'
import type { SeededRandom } from '../support/random'

export interface GuardCase {
  /** The subject, what it does, and when. */
  readonly name: string
  /** The public report. */
  readonly report: string
  /** Why this is right. */
  readonly authority: string
  readonly world: Omit<AbuseWorld, 'name'>
  readonly hours: number
  /** Of people, who may go without a code: 0 to 1. */
  readonly without: number
  /** Credits that an attack may be paid for. */
  readonly beyond?: number
  /** Nothing may be called an incident. */
  readonly isQuiet?: true
}

const issue = (repository: string, number: number) => `https://github.com/${repository}/issues/${number}`
const pull = (repository: string, number: number) => `https://github.com/${repository}/pull/${number}`

const SHARED = 'RFC 6269: whoever penalizes a shared address penalizes people who have done nothing'
const HONEST = 'docs/abuse.md, "Deciding": who asks again as told gets a code; a crowd is no attack'
const OUTAGE = 'docs/abuse.md, "Conversion": nobody is refused in an outage'
const PUMPED = 'docs/abuse.md, "How the rules are tested": an attack on a known app costs 151 credits at most'
const NEW = 'docs/abuse.md: attacks on a new app are stopped after 300 codes'

const SMALL: Crowd = { ...KOREANS, aDay: 300, byHour: EVENLY }
const SERVER: Crowd = { ...SMALL, kind: 'sk' }
const RELAYED: Crowd = { ...SMALL, kind: 'relay' }
const SEEN = { reports: true, isKnown: true } as const
const UNSEEN = { reports: false, isKnown: true } as const

const DAY_MINUTES = 24 * 60
/** So many people who come only between these minutes. */
const between = (crowd: Crowd, people: number, from: number, to: number): Crowd => ({
  ...crowd,
  ...{ aDay: DAY_MINUTES, byHour: EVENLY },
  surge: {
    name: `${people} from ${from} to ${to}`,
    // The middle of the minute, so that rounding moves nobody.
    times: (hours) => (hours * 60 + 0.5 > from && hours * 60 + 0.5 < to ? people / (to - from) : 0),
  },
})
const once = (crowd: Crowd, name: string, times: (hours: number) => number): Crowd => ({
  ...crowd,
  surge: { name, times },
})

/** From the second hour on a part of the phones gets nothing: those of one carrier. */
const withoutCarrier = (crowd: Crowd, share: number): Crowd[] => [
  { ...crowd, aDay: crowd.aDay * (1 - share) },
  once({ ...crowd, aDay: crowd.aDay * share }, 'before', (hours) => (hours < 2 ? 1 : 0)),
  once({ ...crowd, aDay: crowd.aDay * share, types: 0 }, 'since', (hours) => (hours < 2 ? 0 : 1)),
]

const AGAIN_MS = 32_000
const DAY_MS = 86_400_000
/** Each phone asks so often, a little more than half a minute apart, as a client does that retries. */
export function asksAgain(times: number, perDay: number, kind: Attack['kind'] = 'pk'): Attack {
  const inTurn = Math.ceil((AGAIN_MS * perDay) / DAY_MS)
  const asking: Array<{ phone: string; address: string; left: number }> = []
  let turn = 0
  const ask = (random: SeededRandom) => {
    const place = turn++ % inTurn
    const before = asking[place]
    const { left, ...who } =
      before && before.left > 0 ? before : { phone: mobileOf('KR', random), address: anyAddress(random), left: times }
    asking[place] = { ...who, left: left - 1 }
    return { ...who, country: 'KR' }
  }
  return { kind, perDay, ask }
}

const fromThe = (address: string) => (random: SeededRandom) => ({
  phone: mobileOf('KR', random),
  country: 'KR',
  address,
})

const OFFICE: Crowd = { ...SMALL, aDay: 150, behindShared: 1, sharedAddresses: 1 }
/** The address of `OFFICE`, as `sharedAddress` makes it. */
const OF_OFFICE = '203.0.113.1'
const COMPANY: Crowd = { ...SMALL, inOneBlock: 0.3 }
/** The block of `COMPANY`, as `play.ts` has it. */
const OF_COMPANY = '+82103456'
const TEN = ['JP', 'US', 'GB', 'DE', 'ID', 'VN', 'PH', 'TH', 'UZ', 'KH'] as const

const TWILIO =
  'https://support.twilio.com/hc/en-us/articles/18224141185947-Troubleshooting-False-Positives-of-Verify-Fraud-Guard'

export const HONEST_CASES: readonly GuardCase[] = [
  {
    name: 'people get their codes while one carrier delivers nothing to two fifths of them',
    report: issue('firebase/FirebaseUI-Android', 2141),
    authority: OUTAGE,
    world: { ...UNSEEN, crowds: withoutCarrier(SMALL, 0.4) },
    ...{ hours: 8, without: 0.005, isQuiet: true },
  },
  {
    name: 'people get their codes while one carrier delivers nothing to most of them for most of a day',
    report: issue('firebase/flutterfire', 17380),
    authority: OUTAGE,
    world: { ...UNSEEN, crowds: withoutCarrier({ ...SMALL, aDay: 600 }, 0.7) },
    ...{ hours: 16, without: 0.005 },
  },
  {
    name: 'people get their codes where messages take minutes for hours',
    report: issue('ehealth-ua/api-spec', 447),
    authority: OUTAGE,
    world: {
      ...UNSEEN,
      crowds: [
        once(SERVER, 'in time', (hours) => (hours >= 2 && hours < 6 ? 0 : 1)),
        once({ ...SERVER, types: 0.45, typingMs: 190_000, asksAgain: 0.9 }, 'late', (hours) =>
          hours >= 2 && hours < 6 ? 1 : 0,
        ),
      ],
    },
    ...{ hours: 8, without: 0.005, isQuiet: true },
  },
  {
    name: 'a hundred guests of a meetup get their codes at one address in ten minutes',
    report: pull('Kilo-Org/cloud', 2883),
    authority: SHARED,
    world: { ...SEEN, crowds: [SMALL, between({ ...SMALL, behindShared: 1, sharedAddresses: 1 }, 100, 60, 70)] },
    ...{ hours: 1.5, without: 0.005, isQuiet: true },
  },
  {
    name: 'three hundred people in one room get the codes of a server in ten minutes',
    report: pull('dimagi/commcare-hq', 28586),
    authority: SHARED,
    world: { ...SEEN, crowds: [SERVER, between({ ...SERVER, behindShared: 1, sharedAddresses: 1 }, 300, 60, 70)] },
    ...{ hours: 1.5, without: 0.005, isQuiet: true },
  },
  {
    name: 'an office gets its codes while a bot asks from its address',
    report: issue('godotengine/godot-website', 585),
    authority: SHARED,
    world: { ...SEEN, crowds: [SMALL, OFFICE], attack: { ...drip(60), ask: fromThe(OF_OFFICE) } },
    ...{ hours: 4, without: 0.005, beyond: 150 },
  },
  {
    name: 'an office gets its codes while thirty testers there type none',
    report: issue('firebase/firebase-android-sdk', 2753),
    authority: SHARED,
    world: {
      ...SEEN,
      crowds: [...[SMALL, OFFICE], between({ ...OFFICE, types: 0, asksAgain: 0.9, asksAtMost: 5 }, 30, 120, 150)],
    },
    ...{ hours: 4, without: 0.005, isQuiet: true },
  },
  {
    name: 'a company gets its codes within ten minutes where all its numbers are one block',
    report: TWILIO,
    authority: HONEST,
    world: { ...SEEN, crowds: [SERVER, between({ ...SERVER, inOneBlock: 1 }, 500, 60, 70)] },
    ...{ hours: 1.5, without: 0.005, isQuiet: true },
  },
  {
    name: 'people who prove that they are get their codes while their block is pumped',
    report: TWILIO,
    authority: 'docs/abuse.md, "A proof instead": a proof lifts conversion rules',
    world: {
      ...{ ...SEEN, hasProof: true, crowds: [COMPANY] },
      attack: { ...drip(1_000), ask: fromAnywhere(within([OF_COMPANY])) },
    },
    ...{ hours: 1, without: 0.005, beyond: 150 },
  },
  {
    name: 'people get their codes while somebody asks slowly for numbers of their block',
    report: TWILIO,
    authority: HONEST,
    world: { ...SEEN, crowds: [COMPANY], attack: { ...drip(120), ask: fromAnywhere(within([OF_COMPANY])) } },
    ...{ hours: 4, without: 0.05, beyond: 150 },
  },
  {
    name: 'people get their codes on the first day in a country where most messages are lost',
    report: 'https://www.twilio.com/docs/verify/preventing-toll-fraud/verify-sms-fraud-detection',
    authority: HONEST,
    world: {
      ...UNSEEN,
      crowds: [
        SERVER,
        once({ ...SERVER, country: 'ID', types: 0.4, asksAgain: 0.8 }, 'new', (hours) => (hours < 1 ? 0 : 1)),
      ],
    },
    ...{ hours: 6, without: 0.005, isQuiet: true },
  },
  {
    name: 'six hundred viewers of a spot get the codes of a server within three minutes',
    report: pull('worldcoin/developer-portal', 916),
    authority: HONEST,
    world: { ...UNSEEN, crowds: [SERVER, between(SERVER, 600, 60, 63)] },
    ...{ hours: 1.5, without: 0.005 },
  },
  {
    name: 'twelve hundred viewers of a spot get the codes of a server where they take a minute and a half to type',
    report: pull('worldcoin/developer-portal', 916),
    authority: HONEST,
    world: { ...UNSEEN, crowds: [SERVER, between({ ...SERVER, types: 0.7, typingMs: 90_000 }, 1_200, 60, 63)] },
    ...{ hours: 1.5, without: 0.02 },
  },
]

export const PUMPED_CASES: readonly GuardCase[] = [
  {
    name: 'pumping of two countries without users is stopped soon',
    report: 'https://openillumi.com/en/en-firebase-auth-sms-cost-surge-prevention',
    authority: PUMPED,
    world: {
      ...{ ...SEEN, crowds: [SERVER] },
      attack: { ...allPrefixes, kind: 'sk', perDay: 1_500, ask: fromAnywhere(among(['KH', 'UZ'])) },
    },
    ...{ hours: 4, without: 0.005, beyond: 150 },
  },
  {
    name: 'pumping of ten countries is stopped where it goes on for the whole day',
    report: 'https://cybersecurityboard.com/threat-actors-turning-messaging-service-into-a-cash-making-machine',
    authority: PUMPED,
    world: { ...SEEN, crowds: [SERVER], attack: { ...drip(60), kind: 'sk', ask: fromAnywhere(among(TEN)) } },
    ...{ hours: 3, without: 0.005, beyond: 150 },
  },
  {
    name: 'pumping of a country with few users is stopped far below what the app sends',
    report: 'https://gitlab.com/gitlab-org/gitlab/-/merge_requests/257995',
    authority: PUMPED,
    world: {
      ...{ ...SEEN, crowds: [SMALL, { ...SMALL, country: 'UZ', aDay: 12 }], open: ['UZ'] },
      attack: { ...drip(30), ask: fromAnywhere(among(['UZ'])) },
    },
    ...{ hours: 3, without: 0.02, beyond: 150 },
  },
  {
    name: 'pumping of a server that hardly anybody uses is stopped as that of a new page',
    report: issue('GoodDollar/GoodServer', 322),
    authority: NEW,
    world: { ...SEEN, crowds: [{ ...SERVER, aDay: 3 }], attack: { ...allPrefixes, kind: 'sk', perDay: 10_000 } },
    ...{ hours: 2, without: 1, beyond: 600 },
  },
  {
    name: 'pumping of a new app is stopped where the codes go through its server',
    report: pull('hackclub/hcb', 13084),
    authority: NEW,
    world: { ...SEEN, isKnown: false, crowds: [SERVER], attack: { ...allPrefixes, kind: 'sk', perDay: 10_000 } },
    ...{ hours: 2, without: 0.05, beyond: 600 },
  },
  {
    name: 'pumping by the relay of a small app is stopped soon',
    report: pull('profullstack/qryptchat-web', 125),
    authority: PUMPED,
    world: { ...UNSEEN, crowds: [{ ...RELAYED, aDay: 60 }], attack: { ...allPrefixes, kind: 'relay', perDay: 10_000 } },
    ...{ hours: 1, without: 0.05, beyond: 150 },
  },
  {
    name: 'pumping by a relay is stopped by the cap of the day where each number asks twice',
    report: issue('supabase/auth', 605),
    authority: 'docs/abuse.md, "What a relay that is pumped can cost": four usual days',
    world: { ...UNSEEN, crowds: [RELAYED], attack: asksAgain(2, 10_000, 'relay') },
    ...{ hours: 4, without: 0.05, beyond: 4 * 300 + 50 },
  },
  {
    name: 'people get their codes while a pump asks for each number twice',
    report: pull('gitcoinco/web', 9237),
    authority: HONEST,
    world: { ...SEEN, crowds: [SMALL], attack: asksAgain(2, 10_000) },
    ...{ hours: 3, without: 0.05, beyond: 1_000 },
  },
  {
    name: 'people who prove that they are get their codes while a pump asks for each number twice',
    report: pull('hackclub/hcb', 14632),
    authority: 'docs/abuse.md, "A proof instead": a proof lifts conversion rules',
    world: { ...SEEN, hasProof: true, crowds: [SMALL], attack: asksAgain(2, 10_000) },
    ...{ hours: 2, without: 0.005, beyond: 1_000 },
  },
  {
    name: 'people get their codes while a pump asks for five codes to each number',
    report: pull('hackclub/hcb', 14647),
    authority: 'docs/abuse.md, "Who asks as people do": they wait, and nobody goes without a code',
    world: { ...SEEN, crowds: [SMALL], attack: asksAgain(5, 24 * 5 * 30) },
    ...{ hours: 6, without: 0.005, beyond: 750 },
  },
  {
    name: 'pumping to four hundred cards is stopped although most codes are typed',
    report: issue('openonion/connectonion', 837),
    authority: 'docs/abuse.md: numbers of an attacker of his own cost 834 credits a day',
    world: {
      ...{ ...SEEN, crowds: [SMALL] },
      attack: {
        ...{ ...allPrefixes, perDay: 10_000, types: 0.6 },
        ask: fromAnywhere((random) => ({ phone: `+82104${2_000_000 + 7_919 * random.below(400)}`, country: 'KR' })),
      },
    },
    ...{ hours: 3, without: 0.05, beyond: 1_000 },
  },
]
