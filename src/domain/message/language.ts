/** Languages by their tags (BCP 47), such as `ko` and `zh-TW`: which of its texts a template is sent in. Decisions: "Templates". */

/** Longer ones are reserved, and a word is taken for one. */
const LONGEST_LANGUAGE = 3

/** The tag in its usual spelling, without what is no part of a language: `zh-tw` is `zh-TW`. Undefined for what is none. */
export function languageTag(text: string): string | undefined {
  try {
    const { language, baseName } = new Intl.Locale(text)
    return language.length <= LONGEST_LANGUAGE ? baseName : undefined
  } catch {
    return undefined
  }
}

/** What is looked for in the place of a tag, the closest first: itself, without region or script, the mere language. */
export function fallbacksOf(text: string): string[] {
  const tag = languageTag(text)
  if (tag === undefined) return []
  const { language, script, region } = new Intl.Locale(tag)
  return [
    ...new Set([
      tag,
      ...(script ? [`${language}-${script}`] : []),
      ...(region ? [`${language}-${region}`] : []),
      language,
    ]),
  ]
}

/** ISO 3166 countries where one of the languages that texts are built in for is everybody's; elsewhere English is. */
const COUNTRIES: Readonly<Record<string, readonly string[]>> = {
  ko: ['KR'],
  ja: ['JP'],
  zh: ['CN', 'TW', 'HK', 'MO'],
  de: ['DE', 'AT'],
  fr: ['FR', 'GF', 'GP', 'MQ', 'NC', 'PF', 'PM', 'RE', 'WF', 'YT'],
  es: [
    ...['ES', 'AR', 'BO', 'CL', 'CO', 'CR', 'CU', 'DO', 'EC', 'GT'],
    ...['HN', 'MX', 'NI', 'PA', 'PE', 'PR', 'PY', 'SV', 'UY', 'VE'],
  ],
}

const LANGUAGES: ReadonlyMap<string, string> = new Map(
  Object.entries(COUNTRIES).flatMap(([language, countries]) =>
    countries.map((country) => [country, language] as const),
  ),
)

/** What people with a number of the country most likely read, as it is written there: `zh-TW` in Taiwan. */
export function languageOfCountry(country: string | undefined): string {
  const language = LANGUAGES.get(country ?? '')
  return language === undefined ? 'en' : `${language}-${country}`
}
