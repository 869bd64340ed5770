/** Language tags (BCP 47), such as `ko` and `zh-TW`, which choose the text of a template. Decisions: "Templates". */

/** Longer subtags are reserved, and `Intl` would accept any word as one. */
const LONGEST_LANGUAGE = 3

/** The tag in canonical spelling, without extensions: `zh-tw` becomes `zh-TW`. Undefined where it is no language tag. */
export function languageTag(text: string): string | undefined {
  try {
    const { language, baseName } = new Intl.Locale(text)
    return language.length <= LONGEST_LANGUAGE ? baseName : undefined
  } catch {
    return undefined
  }
}

/** Fallbacks of a tag, closest first: the tag itself, without region, without script, the language alone. */
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

/** ISO 3166 countries by the built-in language that everybody there reads; elsewhere English is used. */
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

/** The likely language of people with a number of the country, in its regional form: `zh-TW` in Taiwan. */
export function languageOfCountry(country: string | undefined): string {
  const language = LANGUAGES.get(country ?? '')
  return language === undefined ? 'en' : `${language}-${country}`
}
