/** Who a message is for. Specification: "Test-mode behavior" 3–5; decisions: "Phone numbers, codes, secrets". */
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js'
import { invalid, Refusal } from './error'

export interface Recipient {
  /** What makes two spellings one phone; the input of the stored hash. */
  identity: string
  /** Where a provider sends to, E.164. */
  to: string
  /** ISO 3166 country of the number, when known. */
  country: string | undefined
  /** Test mode: the scenario the magic number chooses, 0 to 99. */
  scenario?: number
}

/** Digits only: `+82 10…` and `010…` are the same Korean magic number, hyphens and spaces do not matter. */
const MAGIC: ReadonlyArray<{ pattern: RegExp; country: string; e164: (xx: string, area: string) => string }> = [
  { pattern: /^(?:0|82)10000000(?<xx>\d\d)$/, country: 'KR', e164: (xx) => `+8210000000${xx}` },
  { pattern: /^4477009000(?<xx>\d\d)$/, country: 'GB', e164: (xx) => `+4477009000${xx}` },
  { pattern: /^1(?<area>\d{3})55501(?<xx>\d\d)$/, country: 'US', e164: (xx, area) => `+1${area}55501${xx}` },
]

/** The recipient a magic number stands for, or undefined for any other text. */
export function magicRecipient(phoneNumber: string): Recipient | undefined {
  const digits = phoneNumber.replace(/[^0-9]/g, '')
  for (const { pattern, country, e164 } of MAGIC) {
    const found = pattern.exec(digits)?.groups
    if (!found?.xx) continue
    const to = e164(found.xx, found.area ?? '')
    return { identity: to, to, country, scenario: Number(found.xx) }
  }
  return undefined
}

/** Test keys accept magic numbers only. */
export function testRecipient(phoneNumber: string): Recipient {
  const recipient = magicRecipient(phoneNumber)
  if (!recipient) throw wrongMode('test_number_required', 'a test key accepts only magic test numbers')
  return recipient
}

/** Live keys accept possible numbers, and no magic ones. `region` reads national formats, for example `KR`. */
export function liveRecipient(phoneNumber: string, region: string): Recipient {
  const parsed = parsePhoneNumberFromString(phoneNumber, { defaultCountry: region as CountryCode, extract: false })
  if (magicRecipient(phoneNumber) ?? (parsed && magicRecipient(parsed.number))) {
    throw wrongMode('test_number_in_live_mode', 'this is a test number; a live key does not send to it')
  }
  if (!parsed?.isPossible() || parsed.ext)
    throw invalid('phoneNumber', 'invalid_phone_number', 'not a possible phone number')
  return { identity: parsed.number, to: parsed.number, country: parsed.country }
}

/** The specification has a code of its own for these two. */
const wrongMode = (reason: 'test_number_required' | 'test_number_in_live_mode', problem: string) =>
  new Refusal('invalid', `phoneNumber: ${problem}`, { param: 'phoneNumber', reason, code: reason.toUpperCase() })
