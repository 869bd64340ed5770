/** How people of each country write their numbers. It is larger than all the rest, so it is loaded with the first focus. */
import { AsYouType, type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'

export const formatTyped = (typed: string, country: string) => new AsYouType(country as CountryCode).input(typed)

/** Without the zero that is dialled within the country. */
export function internationalOf(typed: string, country: string): string | undefined {
  // The library takes a 1 behind +1 for America's own prefix. Nobody writes it so, and the service refuses it.
  if (/^\+1(\D*\d){11}/.test(typed)) return undefined
  return parsePhoneNumberFromString(typed, country as CountryCode)?.formatInternational()
}

export const nationalOf = (phoneNumber: string): string | undefined =>
  parsePhoneNumberFromString(phoneNumber)?.formatNational()
