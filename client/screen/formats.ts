/** How people of each country write their numbers. It is larger than all the rest, so it is loaded with the first focus. */
import { AsYouType, type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { foldedNumber } from '../typed-text'

export const formatTyped = (typed: string, country: string) => new AsYouType(country as CountryCode).input(typed)

/** Without the zero that is dialled within the country. Undefined for what the service refuses. */
export function internationalOf(typed: string, country: string): string | undefined {
  const folded = foldedNumber(typed)
  // The library takes a 1 behind +1 for America's own prefix. Nobody writes it so.
  if (!/^\+?\d+$/.test(folded) || /^\+1\d{11}/.test(folded)) return undefined
  const read = (text: string) =>
    parsePhoneNumberFromString(text, { defaultCountry: country as CountryCode, extract: false })
  const national = read(folded)
  // A calling code without its plus, unless people write the national number just so.
  const whole = folded.startsWith('+') ? undefined : read(`+${folded}`)
  const isWhole =
    whole?.isValid() &&
    whole.countryCallingCode === national?.countryCallingCode &&
    national.formatNational().replace(/\D/g, '') !== folded
  return (isWhole ? whole : national)?.formatInternational()
}

export const nationalOf = (phoneNumber: string): string | undefined =>
  parsePhoneNumberFromString(phoneNumber)?.formatNational()
