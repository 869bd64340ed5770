/** Search in the list of countries. It is loaded when the list opens. */
import { calledLike, namesOf } from '../country-names'
import { type Country, countryCodes } from './countries'

/** Countries that are called like what was typed, or have that calling code; the likeliest first. */
export function countriesLike(typed: string, countries: readonly Country[]): readonly Country[] {
  const digits = typed.replace(/[+\s]/g, '')
  if (digits === '') return countries
  if (!/^\d+$/.test(digits)) return calledLike(typed, countries, ({ code, name }) => [name, ...namesOf(code, [])])
  const codes = countryCodes()
  const rankOf = ({ code, callingCode }: Country) => (callingCode === digits ? codes.indexOf(code) : codes.length)
  return countries
    .filter(({ callingCode }) => callingCode.startsWith(digits))
    .sort((one, other) => rankOf(one) - rankOf(other))
}
