/** How people of each country write their numbers. It is larger than all the rest, so it is loaded with the first focus. */
import { AsYouType, type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'

export const formatTyped = (typed: string, country: string) => new AsYouType(country as CountryCode).input(typed)

/** Without the zero that is dialled within the country. */
export const internationalOf = (typed: string, country: string): string | undefined =>
  parsePhoneNumberFromString(typed, country as CountryCode)?.formatInternational()

export const nationalOf = (phoneNumber: string): string | undefined =>
  parsePhoneNumberFromString(phoneNumber)?.formatNational()
