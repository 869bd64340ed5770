/** `watchword app protect`, `block`, `unblock` and `unlock` change the abuse protection of an app. */
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { CAP_PLACES, CAP_UNITS, CAP_WINDOWS, type Cap, growsWithKept } from '../../abuse/rules/cap'
import { type Protection, protectionOf } from '../../abuse/rules/protection'
import { apps } from '../../admin/contract/apps'
import { protection } from '../../admin/contract/protection'
import { CALLER_KINDS, type CallerKind } from '../../domain/access/caller'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../domain/shared/value'
import { type RecentTraffic, readRecentTraffic } from '../../usecases/abuse/read-protection'
import * as administer from '../../usecases/administer'
import { YES } from '../command'
import { iso } from '../output'
import { type Admin, APP_ARGUMENT, adminCommand, flag, inputOf, positiveInteger, text, textsOrNone } from './build'

const modes = inputOf(apps.protect).shape.protection.shape
const seconds = z.int().optional()

const decisions = z.object({
  numberTypes: modes.numberTypes.describe(
    '--number-types <mode>  codes to numbers that cannot receive SMS or cost a premium',
  ),
  countries: modes.countries.describe('--countries <mode>  codes of browser keys for countries not on the allow list'),
  open: textsOrNone(
    '--open [country...]  allow list of countries for browser keys, beside the app’s region; without a country: none',
  ),
  secretTo: textsOrNone('--secret-to [country...]  where secret keys send to; without a country: anywhere'),
  close: textsOrNone('--close [country...]  where no key sends to; without a country: nowhere'),
  capping: modes.capping.describe('--caps <mode>  codes above a cap'),
  cap: textsOrNone(
    '--cap [rule...]  kind:place:unit:window=max, of sk|pk|relay, app|country|prefix, messages|credits, hour|day; replaces all caps',
  ),
  conversion: modes.conversion.describe('--conversion <mode>  more codes than usual that nobody types (SMS pumping)'),
  tolerance: z
    .literal(['0.5', '1', '2'])
    .optional()
    .describe('--tolerance <times>  multiple of the baseline of unverified codes that is tolerated'),
  failures: modes.failures.describe('--failures <mode>  codes to phones with too many wrong codes'),
  trustNetwork: textsOrNone('--trust-network [cidr...]  end users who are held to no cap and no conversion'),
  trustCountry: textsOrNone('--trust-country [country...]  countries that are held to none'),
  trustPhone: text('--trust-phone <number>  one more phone for the allow list'),
  trustNoPhone: flag('remove all phones from the allow list'),
  resend: seconds.describe('--resend <seconds>  resend interval of secret keys for one phone and purpose'),
  browserResend: seconds.describe('--browser-resend <seconds>  resend interval of browser keys'),
  lock: z
    .enum(['day', 'operator'])
    .optional()
    .describe('--lock <how long>  how long a phone is locked after 100 wrong codes'),
})

export const protect = adminCommand({
  summary: 'show or change the abuse protection: countries, caps, allow lists, resend intervals',
  examples: [
    'app_4k2m9x0c7q1z --open US JP --resend 30',
    'app_4k2m9x0c7q1z --cap pk:country:messages:day=500 sk:app:credits:hour=2000',
  ],
  input: APP_ARGUMENT.extend(decisions.shape),
  run: async (admin, { appId, trustPhone, ...typed }) => {
    const known = await administer.existingApp(admin, appId)
    const decided = decisionsOf(typed)
    const app = Object.keys(decided).length > 0 ? await administer.protectApp(admin, appId, decided) : known
    return trustPhone === undefined ? app : await administer.trustPhone(admin, appId, trustPhone)
  },
  json: (app, { appId }) => {
    const protection = protectionOf(app)
    const { trusted } = protection
    return { appId, protection: { ...protection, trusted: { ...trusted, phones: trusted.phones.length } } }
  },
  lines: (app, _, { numbering }) => linesOf(app.region ?? numbering.region, protectionOf(app)),
})

const place = APP_ARGUMENT.extend({
  country: z.string().describe('--country <country>  ISO 3166 code such as KR'),
  prefix: text('--prefix <digits>  only numbers with these and four more digits, for example +82101234'),
  kind: inputOf(protection.block).shape.kind.describe('only codes of these keys (default: every key)'),
})
type TypedPlace = z.infer<typeof place>

export const block = adminCommand({
  summary: 'block a country, or a prefix of numbers, for a while',
  examples: ['app_4k2m9x0c7q1z --country GB --kind pk'],
  input: place.extend({ hours: positiveInteger.optional().describe('how long (default: a day)'), yes: flag(YES) }),
  /** Describes the effect: keys, and codes that were sent or refused there in the last hour. */
  confirmation: async (admin, { appId, hours, ...typed }) => {
    const { country, prefix, kind } = placeOf(admin, typed)
    await administer.existingApp(admin, appId)
    const howLong = hours === undefined ? 'a day' : `${hours} h`
    const touched = touchedBy(await readRecentTraffic(admin, appId, prefix), country, kind)
    return `Send nothing to ${typed.prefix ?? country} for ${howLong}, ${withKeys(kind)}? Affected: ${touched}.`
  },
  run: async (admin, { appId, hours, ...typed }) => {
    const place = placeOf(admin, typed)
    const forMs = hours === undefined ? undefined : hours * HOUR_MS
    const app = await administer.blockPlace(admin, appId, { ...place, forMs })
    const { country, kind } = place
    return { appId, country, ...(kind && { kind }), until: iso(protectionOf(app).blocks.at(-1)?.until ?? 0) }
  },
  lines: ({ country, kind, until }, { prefix = country }) => [
    `Nothing is sent to ${prefix} ${withKeys(kind)} until ${until}`,
  ],
})

export const unblock = adminCommand({
  summary: 'lift such a block',
  examples: ['app_4k2m9x0c7q1z --country GB'],
  input: place,
  run: async (admin, { appId, ...typed }) => {
    const place = placeOf(admin, typed)
    await administer.unblockPlace(admin, appId, place)
    return { appId, country: place.country }
  },
  lines: ({ country }, { prefix = country }) => [`${prefix} gets codes again`],
})

export const unlock = adminCommand({
  summary: 'unlock a phone that wrong codes have locked or paused',
  examples: ['app_4k2m9x0c7q1z 010-1234-5678'],
  input: APP_ARGUMENT.extend({ phoneNumber: z.string().describe('<number>  its phone number') }),
  run: async (admin, { appId, phoneNumber }) => {
    const { wasWaiting } = await administer.unlockPhone(admin, appId, phoneNumber)
    return { appId, wasWaiting }
  },
  lines: ({ wasWaiting }) => [
    wasWaiting ? 'Unlocked: it may get a code now' : 'It has had no wrong codes since its last right one',
  ],
})

const KEYS = { sk: 'secret key', pk: 'browser key', relay: 'relay' } as const
const withKeys = (kind: CallerKind | undefined) => (kind ? `with ${KEYS[kind]}s` : 'with any key')

export function touchedBy(
  { keys, codes, areAll }: RecentTraffic,
  country: string,
  kind: CallerKind | undefined,
): string {
  const of = (one: CallerKind) => {
    const there = codes.filter((sum) => sum.kind === one && sum.country === country)
    const count = there.reduce((all, { sent, refused }) => all + sent + refused, 0)
    const name = `${keys[one]} ${KEYS[one]}${keys[one] === 1 ? '' : 's'}`
    return `${name} (${areAll ? '' : 'more than '}${count} ${count === 1 ? 'code' : 'codes'} in the last hour)`
  }
  return (kind ? [kind] : CALLER_KINDS).map(of).join(', ')
}

const PREFIX = /^\+[1-9][0-9]{2,10}$/

function placeOf({ vault }: Admin, { prefix, kind, ...named }: Omit<TypedPlace, 'appId'>): administer.BlockedPlace {
  const country = named.country.toUpperCase()
  if (prefix === undefined) return { country, kind }
  if (!PREFIX.test(prefix)) throw new InvalidArgumentError(`--prefix: must be digits after a plus: ${prefix}`)
  return { country, kind, prefix: Buffer.from(vault.prefixHash(prefix)).toString('hex') }
}

function decisionsOf(typed: Omit<z.infer<typeof decisions>, 'trustPhone'>): administer.WantedProtection {
  const { open, secretTo, close, cap, tolerance, trustNetwork, trustCountry, trustNoPhone, ...others } = typed
  const { resend, browserResend, lock, ...modes } = others
  const resendMs = {
    ...(resend !== undefined && { sk: resend * SECOND_MS }),
    ...(browserResend !== undefined && { pk: browserResend * SECOND_MS }),
  }
  const trusted = {
    ...(trustNetwork && { networks: listOf(trustNetwork) }),
    ...(trustCountry && { countries: upper(listOf(trustCountry)) }),
    ...(trustNoPhone && { phones: [] }),
  }
  return {
    ...modes,
    ...(open && { open: upper(listOf(open)) }),
    ...(secretTo && { secretTo: upper(listOf(secretTo)) }),
    ...(close && { closed: upper(listOf(close)) }),
    ...(cap && { caps: listOf(cap).map(capOf) }),
    ...(tolerance && { tolerance: Number(tolerance) }),
    ...(Object.keys(trusted).length > 0 && { trusted }),
    ...(Object.keys(resendMs).length > 0 && { resendMs }),
    ...(lock && { lockMs: lock === 'day' ? DAY_MS : null }),
  }
}

/** An option without a value is `true`. */
const listOf = (items: string[] | true): string[] => (items === true ? [] : [...new Set(items)])
const upper = (items: readonly string[]) => [...new Set(items.map((item) => item.toUpperCase()))]

const CAP = new RegExp(
  `^(${Object.keys(KEYS).join('|')}):(${CAP_PLACES.join('|')}):(${CAP_UNITS.join('|')}):(${CAP_WINDOWS.join('|')})=([0-9]{1,10})$`,
)

function capOf(text: string): Cap {
  const [, kind, per, of, every, max] = CAP.exec(text) ?? []
  if (max === undefined) throw new InvalidArgumentError(`--cap: must be such as pk:country:messages:day=500: ${text}`)
  return { kind, per, of, every, max: Number(max) } as Cap
}

const capLine = ({ kind, per, of, every, max }: Cap): string => `${kind}:${per}:${of}:${every}=${max}`
const grownLine = (cap: Cap): string => (growsWithKept(cap) ? ', and three more for each code that is typed' : '')

const DONE = { off: 'is not checked', watch: 'is only reported', block: 'is refused' } as const

function linesOf(home: string, protection: Protection): string[] {
  const { numberTypes, countries, open, secretTo, closed, capping, caps, conversion, tolerance, failures } = protection
  const { trusted, blocks, reopened, resendMs, lockMs } = protection
  const where = [...new Set([home, ...open])].join(', ')
  const trust = [
    ...trusted.networks,
    ...trusted.countries,
    ...(trusted.phones.length > 0
      ? [`${trusted.phones.length} ${trusted.phones.length === 1 ? 'phone' : 'phones'}`]
      : []),
  ]
  return [
    `A number that cannot receive SMS, or costs a premium, ${DONE[numberTypes]}.`,
    `Browser keys send to ${countries === 'block' ? where : 'every country'}, secret keys to ${secretTo.join(', ') || 'every country'}.`,
    ...(closed.length > 0 ? [`No key sends to ${closed.join(', ')}.`] : []),
    ...blocks.map(
      ({ country, prefix, kind, until }) =>
        `Nothing goes to ${prefix ? 'a prefix of ' : ''}${country} ${withKeys(kind)} until ${iso(until)}.`,
    ),
    ...reopened.map(
      ({ kind, country, until }) =>
        `Conversion rules refuse no ${kind} keys in ${country || 'countries with little traffic'} until ${iso(until)}.`,
    ),
    `A code above a cap ${DONE[capping]}${caps.length > 0 ? ':' : '; there is none.'}`,
    ...caps.map((cap) => `  ${capLine(cap)}${grownLine(cap)}`),
    `Low conversion ${DONE[conversion]}.`,
    ...(tolerance === 1 ? [] : [`Tolerated: ${tolerance} times the baseline of unverified codes.`]),
    ...(trust.length > 0 ? [`Allow list: ${trust.join(', ')}.`] : []),
    `Another code for one phone and purpose: after ${resendMs.pk / SECOND_MS} s with browser keys, ${resendMs.sk / SECOND_MS} s with secret keys.`,
    failures === 'block'
      ? `A phone is locked after 100 wrong codes ${lockMs === null ? 'until an operator unlocks it' : 'for a day'}.`
      : `A phone with too many wrong codes ${DONE[failures]}.`,
  ]
}
