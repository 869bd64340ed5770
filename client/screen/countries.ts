/** Countries and their calling codes. */

/** Calling codes, each followed by its countries, the one with the most numbers first. */
const CODES =
  '1USAGAIASBBBMBSCADMDOGDGUJMKNKYLCMPMSPRSXTCTTVCVGVI7RUKZ20EG27ZA30GR31NL32BE33FR34ES36HU39ITVA40RO41CH43AT' +
  '44GBGGIMJE45DK46SE47NOSJ48PL49DE51PE52MX53CU54AR55BR56CL57CO58VE60MY61AUCCCX62ID63PH64NZ65SG66TH81JP82KR84VN86CN' +
  '90TR91IN92PK93AF94LK95MM98IR211SS212MAEH213DZ216TN218LY220GM221SN222MR223ML224GN225CI226BF227NE228TG229BJ230MU' +
  '231LR232SL233GH234NG235TD236CF237CM238CV239ST240GQ241GA242CG243CD244AO245GW246IO247AC248SC249SD250RW251ET252SO' +
  '253DJ254KE255TZ256UG257BI258MZ260ZM261MG262REYT263ZW264NA265MW266LS267BW268SZ269KM290SHTA291ER297AW298FO299GL' +
  '350GI351PT352LU353IE354IS355AL356MT357CY358FIAX359BG370LT371LV372EE373MD374AM375BY376AD377MC378SM380UA381RS382ME' +
  '383XK385HR386SI387BA389MK420CZ421SK423LI500FK501BZ502GT503SV504HN505NI506CR507PA508PM509HT590GPBLMF591BO592GY' +
  '593EC594GF595PY596MQ597SR598UY599CWBQ670TL672NF673BN674NR675PG676TO677SB678VU679FJ680PW681WF682CK683NU685WS686KI' +
  '687NC688TV689PF690TK691FM692MH850KP852HK853MO855KH856LA880BD886TW960MV961LB962JO963SY964IQ965KW966SA967YE968OM' +
  '970PS971AE972IL973BH974QA975BT976MN977NP992TJ993TM994AZ995GE996KG998UZ'

const CALLING_CODES: ReadonlyMap<string, string> = new Map(
  [...CODES.matchAll(/(\d+)(\D+)/g)].flatMap(([, code = '', countries = '']) =>
    (countries.match(/../g) ?? []).map((country) => [country, code] as const),
  ),
)

export interface Country {
  /** Two letters, as in ISO 3166. */
  code: string
  /** Name in the requested language, such as `대한민국`. */
  name: string
  /** Digits, without the plus. */
  callingCode: string
}

/** Countries sorted by name: those of `codes`, or all. */
export function countriesIn(language: string, codes: Iterable<string> = CALLING_CODES.keys()): Country[] {
  const names = new Intl.DisplayNames(language, { type: 'region' })
  return [...codes]
    .flatMap((code) => {
      const callingCode = CALLING_CODES.get(code)
      return callingCode === undefined ? [] : [{ code, name: names.of(code) ?? code, callingCode }]
    })
    .sort((one, other) => one.name.localeCompare(other.name, language))
}

/** In the order of `CODES`: among those that share a calling code, the one with the most numbers first. */
export const countryCodes = (): string[] => [...CALLING_CODES.keys()]

/** Calling code without the plus; undefined for an unknown country. */
export const callingCodeOf = (country: string) => CALLING_CODES.get(country)

/** The likely country of readers of a language. Some browsers say `en-US@posix`, `C` or nothing. */
export function countryOf(language: string): string {
  const [tag = 'en'] = /^[a-z]{2,3}(?:-[a-z\d]{2,8})*/i.exec(language) ?? []
  try {
    return new Intl.Locale(tag).maximize().region ?? 'US'
  } catch {
    return 'US'
  }
}

/** Country of an international number, as far as it can be told; `chosen` where it fits. No calling code begins another. */
export function countryWith(phoneNumber: string, chosen: string): string {
  const [, digits] = /^\s*\+([\d\s().-]+)/.exec(phoneNumber) ?? []
  const plain = digits?.replace(/\D/g, '') ?? ''
  const isOf = (callingCode: string | undefined) => callingCode !== undefined && plain.startsWith(callingCode)
  if (isOf(callingCodeOf(chosen))) return chosen
  return [...CALLING_CODES].find(([, callingCode]) => isOf(callingCode))?.[0] ?? chosen
}
