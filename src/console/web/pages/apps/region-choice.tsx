/** Whose national phone formats an app reads: one of all countries, or the server's own. */
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, problemOf } from '../../api'
import { countryWithCode } from '../../i18n/delivery'
import { useLanguage } from '../../i18n/language'
import { inWords, useWords } from '../../i18n/words'
import { useDefaultRegion } from '../../scope'

export const regionWords = inWords({
  en: {
    region: 'Region',
    about: 'Whose national formats of phone numbers are read. Numbers with + are read the same everywhere.',
    asServer: (country: string) => `As the server: ${country}`,
    unknown: 'No country fits this.',
  },
  ko: {
    region: '지역',
    about: '국가 번호 없이 쓴 전화번호를 이 나라의 형식으로 읽습니다. +로 시작하는 번호는 어디서나 똑같이 읽습니다.',
    asServer: (country) => `서버 설정대로: ${country}`,
    unknown: '맞는 국가가 없습니다.',
  },
})

/** No country has it. */
const SERVER = ''

interface RegionChoiceProps {
  value: string | undefined
  onChange(region: string | undefined): void
}

export function RegionChoice({ value, onChange }: RegionChoiceProps) {
  const say = useWords(regionWords)
  const language = useLanguage()
  const defaultRegion = useDefaultRegion()
  const known = useQuery(api.apps.regions.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
  // What is chosen has its name before the others are there.
  const regions = known.data?.regions ?? (value === undefined ? [] : [value])
  const countries = regions
    .map((region) => ({ value: region, label: countryWithCode(region, language) }))
    .sort((one, other) => one.label.localeCompare(other.label, language))
  return (
    <Select
      label={say.region}
      description={say.about}
      data={[{ value: SERVER, label: say.asServer(countryWithCode(defaultRegion, language)) }, ...countries]}
      value={value ?? SERVER}
      onChange={(region) => onChange(region || undefined)}
      allowDeselect={false}
      searchable
      // Whoever types looks for another one.
      onClick={(event) => event.currentTarget.select()}
      nothingFoundMessage={say.unknown}
      error={known.error && problemOf(known.error).message}
    />
  )
}
