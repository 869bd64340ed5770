/** Types of the protection page, and names of countries and prefixes. */
import type { client } from '../../api'
import { countryName, countryWithCode } from '../../i18n/names'
import { useLanguage, useWords } from '../../i18n/words'
import { protectionWords } from './words'

export type State = Awaited<ReturnType<typeof client.protection.state>>
export type ShownBlock = State['blocks'][number]
export type History = Awaited<ReturnType<typeof client.protection.show>>

export type ShownIncident = Awaited<ReturnType<typeof client.protection.incidents>>['rows'][number]

export interface ShownPlace {
  country: string
  prefix?: string | undefined
  digits?: string | undefined
}

/** Joins names to a list in the reader's language. */
export function useList(): (names: readonly string[]) => string {
  const language = useLanguage()
  return (names) => new Intl.ListFormat(language, { type: 'conjunction' }).format(names)
}

export function useCountryList(): (countries: readonly string[]) => string {
  const language = useLanguage()
  const list = useList()
  return (countries) => list(countries.map((country) => countryName(country, language)))
}

/** Shortens a keyed hash for display. */
const shortened = (hash: string) => hash.slice(-6)

/** Short form for chart axes. */
export const shortNameOf = ({ country, prefix = '', digits }: ShownPlace) => digits ?? `${country} ${shortened(prefix)}`

/** Country of an incident. Countries with little traffic share one incident. */
export function useIncidentPlaceNames(): (incident: Pick<ShownIncident, 'country'>) => string {
  const say = useWords(protectionWords)
  const nameOf = usePlaceNames()
  return ({ country }) => (country === '' ? say.littleSent : nameOf({ country }))
}

export function usePlaceNames(): (place: ShownPlace) => string {
  const say = useWords(protectionWords)
  const language = useLanguage()
  return ({ country, prefix, digits }) => {
    const named = country === '' ? say.noCountry : countryWithCode(country, language)
    if (prefix === undefined) return named
    return digits === undefined ? say.prefixOf(named, shortened(prefix)) : say.prefixDigits(digits)
  }
}
