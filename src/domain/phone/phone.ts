/**
 * Phone numbers: whom a message is for. Specification: "Test-mode behavior" 3–5; decisions:
 * "Phone numbers, codes, secrets".
 */
import type { CountryCode, NumberType, PhoneNumber } from 'libphonenumber-js/max'
import { foldedNumber } from '../../../client/typed-text'
import { invalid, Refusal } from '../shared/error'
import { nowadays } from './former-numbers'
import type * as Library from './number-library'

export interface Recipient {
  /** Canonical identity of the phone, the input of the stored hash. */
  identity: string
  /** Number that a carrier sends to, E.164. */
  to: string
  /** ISO 3166 country of the number, when known. */
  country: string | undefined
  /** The type of the number receives no texts, or costs a premium. */
  withoutTexts?: true
  /** Test mode: the scenario the magic number chooses, 0 to 99. */
  scenario?: number
}

/** Settings for reading numbers. */
export interface Numbering {
  /** ISO 3166 country whose national format is read, for example `KR`. */
  region: string
  /** Prefixes such as `+8219` that are accepted although the metadata lacks them or has another type. */
  prefixes: readonly string[]
}

/** Countries with known national formats. */
export const regions = (): readonly string[] => numbers().getCountries()

/** Whether the country has known national formats. */
export const isRegion = (country: string): boolean => numbers().isSupportedCountry(country)

/** Digits only: `+82 10…` and `010…` are the same Korean magic number, hyphens and spaces do not matter. */
const MAGIC: ReadonlyArray<{ pattern: RegExp; country: string; e164: (xx: string, area: string) => string }> = [
  { pattern: /^(?:0|82)10000000(?<xx>\d\d)$/, country: 'KR', e164: (xx) => `+8210000000${xx}` },
  { pattern: /^4477009000(?<xx>\d\d)$/, country: 'GB', e164: (xx) => `+4477009000${xx}` },
  { pattern: /^1(?<area>\d{3})55501(?<xx>\d\d)$/, country: 'US', e164: (xx, area) => `+1${area}55501${xx}` },
]

const NO_DIGITS = /[^0-9]/g
const digitsOf = (text: string) => text.replace(NO_DIGITS, '')

/** The recipient of a magic number, undefined for any other text. Only digits are compared. */
export function magicRecipient(phoneNumber: string): Recipient | undefined {
  const digits = digitsOf(phoneNumber)
  for (const { pattern, country, e164 } of MAGIC) {
    const found = pattern.exec(digits)?.groups
    if (!found?.xx) continue
    const to = e164(found.xx, found.area ?? '')
    return { identity: to, to, country, scenario: Number(found.xx) }
  }
  return undefined
}

/** Recipient of a test key. Throws `invalid` for a number that is not magic. */
export function testRecipient(phoneNumber: string, { region }: Pick<Numbering, 'region'>): Recipient {
  const { magic } = read(phoneNumber, region)
  if (!magic) throw wrongMode('test_number_required', 'a test key accepts only magic test numbers and sends nothing')
  return magic
}

/** Recipient that can receive texts. Throws `invalid` for any other number. */
export function textableRecipient(phoneNumber: string, numbering: Numbering): Recipient {
  const recipient = liveRecipient(phoneNumber, numbering)
  if (recipient.withoutTexts) throw withoutTexts()
  return recipient
}

/**
 * Recipient of a live key. Number types without texts are marked; the owner's settings decide about them. Throws
 * `invalid` for magic, invalid and ambiguous numbers.
 */
export function liveRecipient(phoneNumber: string, { region, prefixes }: Numbering): Recipient {
  const { folded, numbers, magic } = read(phoneNumber, region)
  if (magic) throw wrongMode('test_number_in_live_mode', 'this is a test number; a live key does not send to it')
  const validOf = (readings: readonly PhoneNumber[]) =>
    readings.map((number) => readingOf(number, prefixes)).filter(isValid)
  const direct = validOf(numbers)
  const valid = direct.length > 0 ? direct : validOf(lateReadings(folded, region, numbers))
  const [likeliest, second] = valid
  if (!likeliest) throw refused('invalid_phone_number', 'not a valid phone number')
  const meant = second && !isNationalFormat(likeliest.number, folded) ? valid : [likeliest]
  const textable = meant.filter(isTextable)
  const getsTexts = textable.length > 0
  const [{ number: found, type, isListed } = likeliest, other] = getsTexts ? textable : meant
  if (other && other.number.number !== found.number) throw getsTexts ? ambiguous() : withoutTexts()
  const recipient = { identity: found.number, to: found.number, country: found.country }
  // A personal number gets texts, at the price of a premium one. So it is a meaning of its digits, and refused.
  return getsTexts && (isListed || type !== 'PERSONAL_NUMBER') ? recipient : { ...recipient, withoutTexts: true }
}

/**
 * Identity under which a number may be stored, also where it is not valid today: numbering rules change, and older rows
 * stay. Throws `invalid` for other texts, ambiguous numbers and test numbers.
 */
export function storedIdentity(phoneNumber: string, numbering: Numbering): string {
  try {
    return liveRecipient(phoneNumber, numbering).identity
  } catch (refusal) {
    const { magic, folded } = read(phoneNumber, numbering.region)
    if (magic || !/^\+[1-9]\d{5,14}$/.test(folded)) throw refusal
    return folded
  }
}

type NotReached = 'invalid_phone_number' | 'ambiguous_phone_number' | 'phone_number_without_texts'

const refused = (reason: NotReached, problem: string) => invalid('phoneNumber', reason, problem)

const ambiguous = () =>
  refused('ambiguous_phone_number', 'could be read in two ways; write it with + and the country code')
export const withoutTexts = () => refused('phone_number_without_texts', 'this type of number cannot get a text message')

/** The two test-mode errors of the specification. Messages begin with the code, which some clients look for. */
function wrongMode(reason: 'test_number_required' | 'test_number_in_live_mode', problem: string): Refusal {
  const code = reason.toUpperCase()
  return new Refusal('invalid', `${code} phoneNumber: ${problem}`, { param: 'phoneNumber', reason, code })
}

interface ParsedNumber {
  number: PhoneNumber
  /** Cached: looking it up takes longer than reading a number. */
  type: NumberType | undefined
  /** A configured prefix accepts the number. */
  isListed: boolean
}

const readingOf = (number: PhoneNumber, prefixes: readonly string[]): ParsedNumber => ({
  number,
  type: number.getType(),
  isListed: prefixes.some((prefix) => number.number.startsWith(prefix)),
})

/** A number with a type is valid; not every country has types. */
const isValid = ({ number, type, isListed }: ParsedNumber) => isListed || type !== undefined || number.isValid()

/** National format, with the leading zero where the country uses one. */
const isNationalFormat = (number: PhoneNumber, digits: string) => number.formatNational().replace(/\D/g, '') === digits

interface FoldedNumber {
  folded: string
  /** Possible readings, likeliest first; not all are valid. */
  numbers: PhoneNumber[]
  /** The magic number of the raw or the folded digits. */
  magic: Recipient | undefined
}

function read(phoneNumber: string, region: string): FoldedNumber {
  const folded = foldedNumber(phoneNumber)
  const numbers = readings(folded, region)
  return { folded, numbers, magic: magicAmong([phoneNumber, folded, ...numbers.map(({ number }) => number)]) }
}

function magicAmong(spellings: readonly string[]): Recipient | undefined {
  let before: string | undefined
  for (const spelling of spellings) {
    // Cached, since most calls have the same settings.
    const recipient = spelling === before ? undefined : magicRecipient(spelling)
    if (recipient) return recipient
    before = spelling
  }
  return undefined
}

const E164_MAX_DIGITS = 15
const DIGITS = new RegExp(`^\\+?\\d{2,${E164_MAX_DIGITS + 5}}$`)

/**
 * Every number that folded digits may mean. With `+` it is international, else national in the region, or international
 * without its plus. No country code begins with 0.
 */
function readings(folded: string, region: string): PhoneNumber[] {
  if (!DIGITS.test(folded)) return []
  if (folded.startsWith('+')) return international(folded.slice(1))
  const number = asDialled(folded, region)
  const callingCode = numbers().getCountryCallingCode(region as CountryCode)
  const former = nowadays(callingCode + folded)
  return [
    ...(number?.countryCallingCode === callingCode ? [number] : []),
    ...(former === undefined ? [] : international(former)),
    ...(folded.startsWith('0') ? [] : international(folded)),
  ]
}

/** Further readings of digits without a valid one: dialled with the region's own exit code, such as 011, or an older number. */
function lateReadings(folded: string, region: string, direct: readonly PhoneNumber[]): PhoneNumber[] {
  const dialled = DIGITS.test(folded) && !folded.startsWith('+') ? asDialled(folded, region) : undefined
  const former = direct.flatMap(({ number }) => nowadays(number.slice(1)) ?? []).flatMap(international)
  return dialled ? [dialled, ...former] : former
}

const asDialled = (digits: string, region: string) =>
  numbers().parsePhoneNumberFromString(digits, { defaultCountry: region as CountryCode, extract: false })

const AMERICAN_DIGITS = 11

/** Also without a zero between country code and number, as in `+44 (0)7700 …`, which the library does not always remove. */
function international(digits: string): PhoneNumber[] {
  const number = numbers().parseInternational(digits)
  // The library takes a 1 behind +1 for America's own prefix. Nobody writes it so.
  const isTooLong = number?.countryCallingCode === '1' && digits.length > AMERICAN_DIGITS
  return number && !isTooLong ? [number] : []
}

/** Number types that receive no texts, or cost the sender a premium. */
const UNTEXTABLE: ReadonlySet<NumberType> = new Set<NumberType>([
  'FIXED_LINE',
  'PREMIUM_RATE',
  'SHARED_COST',
  'TOLL_FREE',
  'PAGER',
  'VOICEMAIL',
  'UAN',
])

/** Satellite networks and numbers without a country: their texts cost tens of times as much. */
const UNTEXTABLE_CODES: ReadonlySet<string> = new Set(['870', '878', '881', '882', '883', '888', '979'])

const isTextable = ({ number, type, isListed }: ParsedNumber) =>
  isListed || (!UNTEXTABLE_CODES.has(number.countryCallingCode) && !UNTEXTABLE.has(type))

/** The prefix of a number: all but the last four digits, as in coss Verify and Twilio's Fraud Guard. */
export const prefixOf = (e164: string): string => e164.slice(0, -4)

let loaded: typeof Library | undefined

/** The library that reads phone numbers, loaded with the first one: its metadata would make every start longer. */
export function numbers(): typeof Library {
  loaded ??= require('./number-library') as typeof Library
  return loaded
}
