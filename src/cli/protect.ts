/** `watchword app protect` and `app unlock`: what an owner decides about abuse. */
import { InvalidArgumentError, Option } from 'commander'
import { CAP_PLACES, CAP_UNITS, CAP_WINDOWS, type Cap, startOf } from '../domain/cap'
import type { KeyKind } from '../domain/key'
import { type Protection, protectionOf } from '../domain/protection'
import { PROTECTION_MODES, type ProtectionMode } from '../domain/rule'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../domain/value'
import * as administer from '../usecases/administer'
import { type Lately, readLately } from '../usecases/read-protection'
import { prefixHash } from '../usecases/shared/place'
import { type CommonOptions, onData, onDataCommand, oneOrMore, wholeNumber } from './command'
import { type Confirmable, confirm, yesOption } from './confirm'
import { adminOf, type Opened } from './open'
import { iso } from './output'

interface ProtectOptions extends CommonOptions {
  numberTypes?: ProtectionMode
  countries?: ProtectionMode
  open?: string[]
  secretTo?: string[]
  close?: string[]
  caps?: ProtectionMode
  cap?: string[]
  conversion?: ProtectionMode
  failures?: ProtectionMode
  tolerance?: '0.5' | '1' | '2'
  trustNetwork?: string[]
  trustCountry?: string[]
  trustPhone?: string
  trustNoPhone?: boolean
  resend?: number
  browserResend?: number
  lock?: 'day' | 'operator'
}

const modeOption = (flags: string, what: string) => new Option(`${flags} <mode>`, what).choices([...PROTECTION_MODES])

export const protectCommand = () =>
  onDataCommand(
    'protect',
    'show or decide what is done against abuse: where codes go to, how many, for whom, how soon another one follows',
    'app protect app_4k2m9x0c7q1z --open US JP --resend 30',
    'app protect app_4k2m9x0c7q1z --cap pk:country:messages:day=500 sk:app:credits:hour=2000',
  )
    .argument('<appId>', 'app')
    .addOption(modeOption('--number-types', 'codes to numbers that get no texts, or cost a premium'))
    .addOption(modeOption('--countries', 'codes of browser keys for countries that are not open'))
    .option(
      '--open [country...]',
      'where browser keys send to beside the app’s region; without a country: nowhere else',
    )
    .option('--secret-to [country...]', 'where secret keys send to; without a country: anywhere')
    .option('--close [country...]', 'where no key sends to; without a country: nowhere')
    .addOption(modeOption('--caps', 'codes over a cap'))
    .option(
      '--cap [rule...]',
      'kind:place:unit:window=max, of sk|pk, app|country|prefix, messages|credits, hour|day; in the place of those before',
    )
    .addOption(modeOption('--conversion', 'traffic that nobody verifies, once what is usual is known'))
    .addOption(
      new Option('--tolerance <times>', 'so many times as much of it is let pass as usually').choices([
        '0.5',
        '1',
        '2',
      ]),
    )
    .addOption(modeOption('--failures', 'codes to phones at which too many codes were wrong'))
    .option('--trust-network [cidr...]', 'end users who are held to no cap and no conversion')
    .option('--trust-country [country...]', 'countries that are held to none')
    .option('--trust-phone <number>', 'one more phone that is held to none')
    .option('--trust-no-phone', 'phones are trusted no more')
    .option('--resend <seconds>', 'how long secret keys wait before a next code for one phone and purpose', wholeNumber)
    .option('--browser-resend <seconds>', 'the same of browser keys', wholeNumber)
    .addOption(
      new Option('--lock <how long>', 'how long a phone is locked after a hundred wrong codes').choices([
        'day',
        'operator',
      ]),
    )
    .action((appId: string, options: ProtectOptions) =>
      onData(options, async (opened, output) => {
        const admin = adminOf(opened)
        const known = await administer.existingApp(opened, appId)
        const decided = decisionsOf(options)
        let app = Object.keys(decided).length > 0 ? await administer.protectApp(admin, appId, decided) : known
        if (options.trustPhone !== undefined) {
          const { numbering } = opened.config
          app = await administer.trustPhone({ ...admin, numbering }, appId, options.trustPhone)
        }
        const protection = protectionOf(app)
        const { trusted } = protection
        const shown = { ...protection, trusted: { ...trusted, phones: trusted.phones.length } }
        output({ appId, protection: shown }, linesOf(app.region ?? opened.config.numbering.region, protection))
      }),
    )

interface PlaceOptions extends CommonOptions, Confirmable {
  country: string
  prefix?: string
  kind?: KeyKind
  hours?: number
}

const placeCommand = (name: string, summary: string, example: string) =>
  onDataCommand(name, summary, example)
    .argument('<appId>', 'app')
    .requiredOption('--country <country>', 'ISO 3166 code such as KR')
    .option('--prefix <digits>', 'only numbers that are this and four more digits, for example +82101234')
    .addOption(new Option('--kind <kind>', 'only what such keys send (default: every key)').choices(['sk', 'pk']))

export const blockCommand = () =>
  placeCommand(
    'block',
    'send nothing to a country, or a prefix of numbers, for a while',
    'app block app_4k2m9x0c7q1z --country GB --kind pk',
  )
    .option('--hours <n>', 'how long (default: a day)', oneOrMore)
    .addOption(yesOption())
    .action((appId: string, options: PlaceOptions) =>
      onData(options, async (opened, output) => {
        const { hours } = options
        const forMs = hours === undefined ? undefined : hours * HOUR_MS
        const place = placeOf(opened, options)
        await confirm(options, await blockQuestion(opened, appId, place, options))
        const app = await administer.blockPlace(adminOf(opened), appId, { ...place, forMs })
        const until = iso(protectionOf(app).blocks.at(-1)?.until ?? 0)
        output({ appId, country: place.country, ...(place.kind && { kind: place.kind }), until }, [
          `Nothing is sent to ${options.prefix ?? place.country} ${withKeys(place.kind)} until ${until}`,
        ])
      }),
    )

const KEYS = { sk: 'secret key', pk: 'browser key' } as const
const withKeys = (kind: KeyKind | undefined) => (kind ? `with ${KEYS[kind]}s` : 'with any key')

/** Says what it touches: keys, and codes that were sent or refused there in the last hour. */
async function blockQuestion(
  opened: Opened,
  appId: string,
  { country, prefix, kind }: administer.BlockedPlace,
  options: PlaceOptions,
): Promise<string> {
  await administer.existingApp(opened, appId)
  const howLong = options.hours === undefined ? 'a day' : `${options.hours} h`
  const touched = touchedBy(await readLately(opened, appId, prefix), country, kind)
  return `Send nothing to ${options.prefix ?? country} for ${howLong}, ${withKeys(kind)}? Touched: ${touched}.`
}

export function touchedBy({ keys, codes, areAll }: Lately, country: string, kind: KeyKind | undefined): string {
  const of = (one: KeyKind) => {
    const there = codes.filter((sum) => sum.kind === one && sum.country === country)
    const count = there.reduce((all, { sent, refused }) => all + sent + refused, 0)
    const name = `${keys[one]} ${KEYS[one]}${keys[one] === 1 ? '' : 's'}`
    return `${name} (${areAll ? '' : 'more than '}${count} ${count === 1 ? 'code' : 'codes'} in the last hour)`
  }
  return (kind ? [kind] : (['sk', 'pk'] as const)).map(of).join(', ')
}

export const unblockCommand = () =>
  placeCommand('unblock', 'send there again', 'app unblock app_4k2m9x0c7q1z --country GB').action(
    (appId: string, options: PlaceOptions) =>
      onData(options, async (opened, output) => {
        const place = placeOf(opened, options)
        await administer.unblockPlace(adminOf(opened), appId, place)
        output({ appId, country: place.country }, [`${options.prefix ?? place.country} gets codes again`])
      }),
  )

const PREFIX = /^\+[1-9][0-9]{2,10}$/

function placeOf({ vault }: Opened, { country: named, prefix, kind }: PlaceOptions): administer.BlockedPlace {
  const country = named.toUpperCase()
  if (prefix === undefined) return { country, kind }
  if (!PREFIX.test(prefix)) throw new InvalidArgumentError(`--prefix: must be digits after a plus: ${prefix}`)
  return { country, kind, prefix: Buffer.from(prefixHash(vault, prefix)).toString('hex') }
}

export const unlockCommand = () =>
  onDataCommand(
    'unlock',
    'open a phone that wrong codes have locked, or keep waiting',
    'app unlock app_4k2m9x0c7q1z 010-1234-5678',
  )
    .argument('<appId>', 'app')
    .argument('<number>', 'its phone number')
    .action((appId: string, phoneNumber: string, options: CommonOptions) =>
      onData(options, async (opened, output) => {
        const { numbering } = opened.config
        const { wasWaiting } = await administer.unlockPhone({ ...adminOf(opened), numbering }, appId, phoneNumber)
        output({ appId, wasWaiting }, [
          wasWaiting ? 'Opened: it may get a code now' : 'It has had no wrong codes since its last right one',
        ])
      }),
    )

function decisionsOf(options: ProtectOptions): administer.Decided {
  const { numberTypes, countries, open, secretTo, close, caps, cap, conversion, tolerance, failures } = options
  const { resend, browserResend, lock, trustNetwork, trustCountry, trustNoPhone } = options
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
    ...(numberTypes && { numberTypes }),
    ...(countries && { countries }),
    ...(open && { open: upper(listOf(open)) }),
    ...(secretTo && { secretTo: upper(listOf(secretTo)) }),
    ...(close && { closed: upper(listOf(close)) }),
    ...(caps && { capping: caps }),
    ...(cap && { caps: listOf(cap).map(capOf) }),
    ...(conversion && { conversion }),
    ...(failures && { failures }),
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
  `^(sk|pk):(${CAP_PLACES.join('|')}):(${CAP_UNITS.join('|')}):(${CAP_WINDOWS.join('|')})=([0-9]{1,10})$`,
)

function capOf(text: string): Cap {
  const [, kind, per, of, every, max] = CAP.exec(text) ?? []
  if (max === undefined) throw new InvalidArgumentError(`--cap: must be such as pk:country:messages:day=500: ${text}`)
  return { kind, per, of, every, max: Number(max) } as Cap
}

const capLine = ({ kind, per, of, every, max }: Cap): string => `${kind}:${per}:${of}:${every}=${max}`
const startLine = (start: number | undefined): string =>
  start === undefined ? '' : ` (until its traffic is known ${start}, and two for each code that is verified)`

const DONE = { off: 'is not looked at', watch: 'is only noted', block: 'is refused' } as const

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
    `A number that gets no texts, or costs a premium, ${DONE[numberTypes]}.`,
    `Browser keys send to ${countries === 'block' ? where : 'every country'}, secret keys to ${secretTo.join(', ') || 'every country'}.`,
    ...(closed.length > 0 ? [`No key sends to ${closed.join(', ')}.`] : []),
    ...blocks.map(
      ({ country, prefix, kind, until }) =>
        `Nothing goes to ${prefix ? 'a prefix of ' : ''}${country} ${withKeys(kind)} until ${iso(until)}.`,
    ),
    ...reopened.map(
      ({ kind, country, until }) =>
        `No rule about typing refuses ${kind} keys in ${country || 'countries to which little is sent'} until ${iso(until)}.`,
    ),
    `What is over a cap ${DONE[capping]}${caps.length > 0 ? ':' : '; there is none.'}`,
    ...caps.map((cap) => `  ${capLine(cap)}${startLine(startOf(cap, tolerance))}`),
    `Traffic that nobody verifies ${DONE[conversion]}${conversion === 'block' ? ', once what is usual is known' : ''}.`,
    ...(tolerance === 1 ? [] : [`Of it ${tolerance} times as much as usually is let pass.`]),
    ...(trust.length > 0 ? [`Trusted: ${trust.join(', ')}.`] : []),
    `Another code for one phone and purpose: after ${resendMs.pk / SECOND_MS} s with browser keys, ${resendMs.sk / SECOND_MS} s with secret keys.`,
    failures === 'block'
      ? `A phone is locked after a hundred wrong codes ${lockMs === null ? 'until an operator opens it' : 'for a day'}.`
      : `A phone at which too many codes were wrong ${DONE[failures]}.`,
  ]
}
