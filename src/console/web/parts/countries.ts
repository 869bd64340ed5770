/** Countries as a list to choose from, found by name in either language and by code. */
import type { ComboboxItem, OptionsFilter } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api'
import { countryName, countryWithCode } from '../i18n/delivery'
import { LANGUAGES, type Language, useLanguage } from '../i18n/language'

interface Countries {
  countries: ComboboxItem[]
  /** They are not there yet: what is typed now would name none. */
  isLoading: boolean
  error: Error | null
}

/** Those that codes can be sent to. `chosen` have their names before the others are there. */
export function useCountries(chosen: readonly string[]): Countries {
  const language = useLanguage()
  const known = useQuery(api.apps.regions.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
  const countries = (known.data?.regions ?? chosen)
    .map((code) => ({ value: code, label: countryWithCode(code, language) }))
    .sort((one, other) => one.label.localeCompare(other.label, language))
  return { countries, isLoading: known.isPending, error: known.error }
}

const NAMED_IN = Object.keys(LANGUAGES) as Language[]

const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase()

/** Of a country: its name in each language, and the short one: “UK”, “한국”. */
const countryNames = (code: string) =>
  NAMED_IN.flatMap((language) => [countryName(code, language), countryName(code, language, 'short')])

/** The names that find an option: its code, its label and its other names. */
const namesOf = ({ value, label }: ComboboxItem) =>
  [value, label, ...(value === '' ? [] : countryNames(value))].map(folded)

/** Those whose name or code begins so come first: “DE” is Germany before it is a part of Sweden. */
const matching = (items: readonly ComboboxItem[], search: string): ComboboxItem[] => {
  const sought = folded(search)
  return items
    .map((item) => ({ item, rank: rankOf(namesOf(item), sought) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item)
}

export const filterCountries: OptionsFilter = ({ options, search }) =>
  matching(
    options.filter((option): option is ComboboxItem => 'value' in option),
    search,
  )

/** The first that a list shows for a text. */
export const firstCountry = (options: readonly ComboboxItem[], typed: string): string | undefined =>
  matching(options, typed)[0]?.value

const NO_MATCH = 3
function rankOf(names: readonly string[], sought: string): number {
  if (names.includes(sought)) return 0
  if (names.some((name) => name.startsWith(sought))) return 1
  return names.some((name) => name.includes(sought)) ? 2 : NO_MATCH
}

/** The option that is called exactly so. */
export const countryCalled = (options: readonly ComboboxItem[], typed: string): string | undefined =>
  options.find((option) => namesOf(option).includes(folded(typed)))?.value
