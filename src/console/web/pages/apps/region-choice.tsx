/** Whose national phone formats an app reads: one of all countries, or the server's own. */
import { countryWithCode } from '../../i18n/delivery'
import { useLanguage } from '../../i18n/language'
import { inWords, useWords } from '../../i18n/words'
import { type ChosenCountry, CountryChoice } from '../../parts/country-choice'
import { useDefaultRegion } from '../../scope'

export const regionWords = inWords({
  en: {
    region: 'Region',
    about: 'Whose national formats of phone numbers are read. Numbers with + are read the same everywhere.',
    asServer: (country: string) => `As the server: ${country}`,
  },
  ko: {
    region: '지역',
    about: '국가 번호 없이 쓴 전화번호를 이 나라의 형식으로 읽습니다. +로 시작하는 번호는 어디서나 똑같이 읽습니다.',
    asServer: (country) => `서버 설정대로: ${country}`,
  },
})

interface RegionChoiceProps {
  /** Undefined: that of the server. Null: nothing is chosen. */
  value: ChosenCountry
  onChange(region: ChosenCountry): void
}

export function RegionChoice({ value, onChange }: RegionChoiceProps) {
  const say = useWords(regionWords)
  const language = useLanguage()
  const home = countryWithCode(useDefaultRegion(), language)
  return (
    <CountryChoice
      label={say.region}
      description={say.about}
      none={say.asServer(home)}
      value={value}
      onChange={onChange}
    />
  )
}
