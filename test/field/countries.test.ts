/**
 * What people type to find their country: PokeNavBot/issue-tracker#607, natintosh/intl_phone_number_input#104,
 * richorama/country-code-lookup#21, and their neighbours. Right: CLDR and its variants, UN and ISO names, and what people say.
 */
import { expect, test } from 'bun:test'
import { countriesIn } from '../../client/screen/countries'
import { countriesLike } from '../../client/screen/country-search'

test.each([
  ...[
    ['UK', 'GB'],
    ['USA', 'US'],
    ['U.S.A.', 'US'],
    ['America', 'US'],
    ['England', 'GB'],
    ['Scotland', 'GB'],
  ],
  ...[
    ['Great Britain', 'GB'],
    ['Ivory Coast', 'CI'],
    ["Cote d'Ivoire", 'CI'],
    ['South Korea', 'KR'],
    ['Korea', 'KR'],
  ],
  ...[
    ['North Korea', 'KP'],
    ['Czech Republic', 'CZ'],
    ['Czechia', 'CZ'],
    ['Holland', 'NL'],
    ['UAE', 'AE'],
  ],
  ...[
    ['Emirates', 'AE'],
    ['Dubai', 'AE'],
    ['DRC', 'CD'],
    ['Zaire', 'CD'],
    ['Burma', 'MM'],
    ['Myanmar', 'MM'],
  ],
  ...[
    ['Macedonia', 'MK'],
    ['Swaziland', 'SZ'],
    ['Eswatini', 'SZ'],
    ['Turkey', 'TR'],
    ['Turkiye', 'TR'],
    ['Türkiye', 'TR'],
  ],
  ...[
    ['Cape Verde', 'CV'],
    ['Cabo Verde', 'CV'],
    ['East Timor', 'TL'],
    ['Vatican', 'VA'],
    ['Russia', 'RU'],
  ],
  ...[
    ['Palestine', 'PS'],
    ['Macau', 'MO'],
    ['Macao', 'MO'],
    ['Hongkong', 'HK'],
    ['Hong Kong', 'HK'],
    ['PRC', 'CN'],
  ],
  ...[
    ['Bosnia', 'BA'],
    ['Saint Lucia', 'LC'],
    ['St Lucia', 'LC'],
    ['St. Lucia', 'LC'],
    ['Trinidad', 'TT'],
  ],
  ...[
    ['Trinidad and Tobago', 'TT'],
    ['Reunion', 'RE'],
    ['Curacao', 'CW'],
    ['Sao Tome', 'ST'],
    ['Aland', 'AX'],
  ],
  ...[
    ['Viet Nam', 'VN'],
    ['Lao', 'LA'],
    ['KSA', 'SA'],
    ['Deutschland', 'DE'],
    ['España', 'ES'],
    ['Espana', 'ES'],
  ],
  ...[
    ['日本', 'JP'],
    ['대한민국', 'KR'],
    ['한국', 'KR'],
    ['Österreich', 'AT'],
    ['Suomi', 'FI'],
    ['Congo', 'CG'],
  ],
  ...[
    ['GB', 'GB'],
    ['de', 'DE'],
    ['+44', 'GB'],
    ['44', 'GB'],
    ['+1', 'US'],
    ['+7', 'RU'],
    ['+39', 'IT'],
    ['Niger', 'NE'],
  ],
] as Array<[string, string]>)('%s finds %s first', (typed, code) => {
  for (const language of ['en', 'ko', 'de']) expect(countriesLike(typed, countriesIn(language))[0]?.code).toBe(code)
})
