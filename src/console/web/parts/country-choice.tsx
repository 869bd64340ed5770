/**
 * Choice of one or several countries. A typed text that matches none is refused, and never taken for another country.
 */
import {
  type ComboboxItem,
  MultiSelect,
  type MultiSelectProps,
  type OptionsFilter,
  Pill,
  Select,
  type SelectProps,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { calledLike, namesOf } from '../../../../client/country-names'
import { api, problemOf } from '../api'
import { countryWithCode } from '../i18n/names'
import { inWords, LANGUAGES, type Language, useLanguage, useWords } from '../i18n/words'

interface Countries {
  countries: ComboboxItem[]
  /** The names are still loading, so nothing typed can match. */
  isLoading: boolean
  error: Error | null
}

/** Countries that codes can be sent to. The chosen ones have names before the list is loaded. */
function useCountries(chosen: readonly string[]): Countries {
  const language = useLanguage()
  const known = useQuery(api.apps.regions.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
  const countries = (known.data?.regions ?? chosen)
    .map((code) => ({ value: code, label: countryWithCode(code, language) }))
    .sort((one, other) => one.label.localeCompare(other.label, language))
  return { countries, isLoading: known.isPending, error: known.error }
}

const NAMED_IN = Object.keys(LANGUAGES) as Language[]

/** In each language of the console, so that short forms such as “UK” and “한국” are found. */
const namesOfOption = ({ value, label }: ComboboxItem) =>
  value === '' ? [label] : [label, ...namesOf(value, NAMED_IN)]

const matching = (items: readonly ComboboxItem[], search: string) => calledLike(search, items, namesOfOption)

const filterCountries: OptionsFilter = ({ options, search }) =>
  matching(
    options.filter((option): option is ComboboxItem => 'value' in option),
    search,
  )

/** The first match for a text. */
const firstCountry = (options: readonly ComboboxItem[], typed: string): string | undefined =>
  matching(options, typed)[0]?.value

/** The option with exactly this name. */
const countryCalled = (options: readonly ComboboxItem[], typed: string): string | undefined =>
  calledLike(typed, options, namesOfOption, 0)[0]?.value

const words = inWords({
  en: {
    unknown: 'No country matches.',
    notCalled: (typed: string) => `There is no country “${typed}”. Choose one from the list.`,
  },
  ko: {
    unknown: '맞는 국가가 없습니다.',
    notCalled: (typed) => `“${typed}”(이)라는 국가가 없습니다. 목록에서 선택하세요.`,
  },
})

/** Undefined selects `none`. Null selects nothing. */
export type ChosenCountry = string | undefined | null

interface CountryChoiceProps extends Pick<SelectProps, 'label' | 'description' | 'error' | 'size'> {
  /** The option for no country. */
  none: string
  value: ChosenCountry
  onChange(country: ChosenCountry): void
}

/** A code that no country has. */
const NONE = ''

export function CountryChoice({ none, value, onChange, error, ...props }: CountryChoiceProps) {
  const say = useWords(words)
  const { countries, isLoading, error: notLoaded } = useCountries(value ? [value] : [])
  const [unknown, setUnknown] = useState<string>()
  const [isOpen, setOpen] = useState(false)
  const [search, setSearch] = useState('')
  const options = [{ value: NONE, label: none }, ...countries]
  const labelOf = (country: string | null) => options.find((option) => option.value === country)?.label
  const chosen = value === null ? null : (value ?? NONE)
  const choose = (country: string | null) => {
    setUnknown(undefined)
    setOpen(false)
    setSearch(labelOf(country) ?? '')
    onChange(country || undefined)
  }
  return (
    <Select
      {...props}
      disabled={isLoading}
      data={options}
      value={chosen}
      onChange={choose}
      allowDeselect={false}
      searchable
      filter={filterCountries}
      selectFirstOptionOnChange
      searchValue={search}
      onSearchChange={setSearch}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      // Selects the text, so that typing replaces it.
      onClick={(event) => event.currentTarget.select()}
      onKeyDown={(event) => {
        if (search !== labelOf(chosen)) onEnter(event, options, search, choose)
      }}
      onBlur={() => {
        const found = countryCalled(options, search)
        if (found !== undefined) return choose(found)
        setUnknown(search)
        onChange(null)
      }}
      nothingFoundMessage={say.unknown}
      error={
        (unknown !== undefined && value === null && say.notCalled(unknown)) ||
        (notLoaded && problemOf(notLoaded).message) ||
        error
      }
    />
  )
}

interface CountriesChoiceProps extends Pick<MultiSelectProps, 'label' | 'description' | 'placeholder' | 'error'> {
  value: string[]
  onChange(countries: string[]): void
}

/** While a text is refused its input is invalid, so that a form can see it by `checkValidity`. */
export function CountriesChoice({ value, onChange, error, ...props }: CountriesChoiceProps) {
  const say = useWords(words)
  const { countries, isLoading, error: notLoaded } = useCountries(value)
  const [search, setSearch] = useState('')
  const [mistake, setMistake] = useState('')
  const refuse = (input: HTMLInputElement, mistake: string) => {
    input.setCustomValidity(mistake)
    setMistake(mistake)
  }
  const add = (input: HTMLInputElement, country: string) => {
    refuse(input, '')
    setSearch('')
    if (!value.includes(country)) onChange([...value, country])
  }
  return (
    <MultiSelect
      {...props}
      disabled={isLoading}
      data={countries}
      value={value}
      onChange={onChange}
      searchable
      clearable
      hidePickedOptions
      filter={filterCountries}
      selectFirstOptionOnChange
      searchValue={search}
      onSearchChange={setSearch}
      onKeyDown={(event) => {
        const { currentTarget } = event
        if (search !== '') onEnter(event, countries, search, (country) => add(currentTarget, country))
      }}
      onBlur={({ currentTarget }) => {
        const found = countryCalled(countries, search)
        if (found !== undefined) add(currentTarget, found)
        else refuse(currentTarget, search.trim() === '' ? '' : say.notCalled(search))
      }}
      // Shows codes, because names are long and the list has them.
      renderPill={({ value: country, onRemove }) => (
        <Pill withRemoveButton {...(onRemove && { onRemove })}>
          {country}
        </Pill>
      )}
      nothingFoundMessage={say.unknown}
      error={mistake || (notLoaded && problemOf(notLoaded).message) || error}
    />
  )
}

/**
 * Enter chooses the first country that fits what is typed, unless another one of the list is marked, and sends no form.
 * The list alone marks none where a text comes in one piece, as from the clipboard.
 */
function onEnter(
  event: KeyboardEvent,
  options: readonly ComboboxItem[],
  typed: string,
  choose: (country: string) => void,
): void {
  // An input method also ends a word with Enter.
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
  event.preventDefault()
  const first = firstCountry(options, typed)
  if (first !== undefined) choose(first)
}
