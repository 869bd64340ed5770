/** Finding a country by what people call it. */

/** Names that people use beside those that CLDR has, by ISO 3166 code. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ AE: 'uae,emirates,dubai,abu dhabi', AG: 'antigua', BA: 'bosnia,herzegovina', BN: 'brunei darussalam' },
  ...{ BO: 'plurinational state of bolivia', BY: 'byelorussia', CD: 'dr congo,drc,zaire,democratic republic of congo' },
  ...{ CG: 'republic of congo', CI: 'ivory coast', CN: 'prc,mainland china', CV: 'cabo verde', CZ: 'czech republic' },
  ...{ FK: 'malvinas', FM: 'federated states of micronesia', GB: 'great britain,britain,england,scotland,wales' },
  ...{ GM: 'the gambia', BS: 'the bahamas', HK: 'hongkong', IR: 'persia,islamic republic of iran', KH: 'kampuchea' },
  ...{
    KP: 'dprk',
    KR: 'korea,rok,republic of korea,대한민국,남한',
    LA: 'lao',
    LK: 'ceylon',
    MD: 'republic of moldova',
  },
  ...{ MK: 'macedonia,fyrom', MM: 'burma', MO: 'macau', NL: 'holland,the netherlands', PG: 'png' },
  ...{ PS: 'west bank,gaza,state of palestine', RU: 'russian federation', SA: 'ksa', SY: 'syrian arab republic' },
  ...{ SZ: 'swaziland', TL: 'east timor', TR: 'turkey', TT: 'trinidad,tobago', TW: 'roc,chinese taipei,formosa' },
  ...{ TZ: 'united republic of tanzania,zanzibar', US: 'usa,america,united states of america', VA: 'holy see' },
  ...{ VG: 'bvi', VI: 'us virgin islands,usvi', VN: 'viet nam', ZA: 'rsa' },
}

/** Without accents, capitals and points; "Saint" and "and" as people shorten them. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}.'’]/gu, '')
    .toLowerCase()
    .replace(/[-\s]+/g, ' ')
    .replaceAll('&', 'and')
    .replace(/\bsaint\b/g, 'st')
    .trim()

/** Making one takes longer than asking it. */
const namers = new Map<string, Intl.DisplayNames>()

function nameIn(language: string, style: 'long' | 'short', code: string): string {
  const known = `${language} ${style}`
  const namer = namers.get(known) ?? new Intl.DisplayNames(language, { type: 'region', style })
  namers.set(known, namer)
  return namer.of(code) ?? code
}

/** Returns the names of a country: in the languages, in its own, and those that people use beside them. */
export function namesOf(code: string, languages: readonly string[]): string[] {
  const own = new Intl.Locale(`und-${code}`).maximize().language
  const names = [...languages, 'en', own].flatMap((language) => [
    nameIn(language, 'long', code),
    nameIn(language, 'short', code),
  ])
  return [code, ...names, ...(OTHER_NAMES[code]?.split(',') ?? [])]
}

/** Those whose names have what was typed: first whole names, then beginnings, then the rest. `worst` 0: whole names only. */
export function calledLike<T>(
  typed: string,
  all: readonly T[],
  names: (one: T) => readonly string[],
  worst = BEGINS_OR_HAS,
): T[] {
  const sought = plain(typed)
  const ranked = all.map((one) => ({ one, rank: rankOf(names(one).map(plain), sought) }))
  return ranked
    .filter(({ rank }) => rank <= worst)
    .sort((one, other) => one.rank - other.rank)
    .map(({ one }) => one)
}

const BEGINS_OR_HAS = 2

function rankOf(names: readonly string[], sought: string): number {
  if (names.includes(sought)) return 0
  if (names.some((name) => name.startsWith(sought))) return 1
  return names.some((name) => name.includes(sought)) ? 2 : Number.POSITIVE_INFINITY
}
