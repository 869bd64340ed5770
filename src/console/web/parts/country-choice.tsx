/** Countries of a list, one or several. A typed text that names none of them is refused with words, and never taken for another one. */
import { type ComboboxItem, MultiSelect, type MultiSelectProps, Pill, Select, type SelectProps } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { problemOf } from '../api'
import { inWords, useWords } from '../i18n/words'
import { countryCalled, filterCountries, firstCountry, useCountries } from './countries'

const words = inWords({
  en: {
    unknown: 'No country fits this.',
    notCalled: (typed: string) => `No country is called “${typed}”. Choose one of the list.`,
  },
  ko: {
    unknown: '맞는 국가가 없습니다.',
    notCalled: (typed) => `“${typed}”(이)라는 국가가 없습니다. 목록에서 선택하세요.`,
  },
})

/** Undefined: what `none` says. Null: nothing, until something is chosen. */
export type ChosenCountry = string | undefined | null

interface CountryChoiceProps extends Pick<SelectProps, 'label' | 'description' | 'error'> {
  /** The option for no country. */
  none: string
  value: ChosenCountry
  onChange(country: ChosenCountry): void
}

/** No country has it. */
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
      // A new text replaces the name that is there.
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

interface CountriesChoiceProps extends Pick<MultiSelectProps, 'label' | 'description'> {
  value: string[]
  onChange(countries: string[]): void
}

/** While a text is refused its input is invalid, so that a form can see it by `checkValidity`. */
export function CountriesChoice({ value, onChange, ...props }: CountriesChoiceProps) {
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
      // Names are long, and the list has them.
      renderPill={({ value: country, onRemove }) => (
        <Pill withRemoveButton {...(onRemove && { onRemove })}>
          {country}
        </Pill>
      )}
      nothingFoundMessage={say.unknown}
      error={mistake || (notLoaded && problemOf(notLoaded).message)}
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
  // An input method ends its word by Enter, too.
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
  event.preventDefault()
  const first = firstCountry(options, typed)
  if (first !== undefined) choose(first)
}
