/** Phone numbers as people type and paste them, as public reports tell. Numbers are made up. */
export interface NumberCase {
  /** The public report. */
  report: string
  /** Why this is right. */
  authority: string
  typed: string
  /** The region of the app, where it is not Korea. */
  region?: string
  /** Without a plus no page takes it for a number of another country than the chosen one. */
  isOfApi?: true
  /** E.164; undefined: it is refused. */
  to: string | undefined
}

const E164 = 'ITU-T E.164: 00 is the recommended international prefix, written + where it is not dialled'
const PLAN = 'the numbering plan of the country, as libphonenumber has it'
const UNICODE = 'Unicode: Default_Ignorable_Code_Point and Cf are not shown; Nd digits have a decimal value (UAX 44)'
const RFC_3966 = 'RFC 3966: tel:, and separators that mean nothing'
const SPREADSHEET = 'E.164 has digits only: a decimal fraction is none of them'
const LONG_DASH = 'libphonenumber: U+30FC and tildes are between digits what a dash is'
const PREMIUM = 'Ofcom and others: personal numbers cost what premium numbers cost'

const issue = (repository: string, number: number) => `https://github.com/${repository}/issues/${number}`
const pull = (repository: string, number: number) => `https://github.com/${repository}/pull/${number}`

export const NUMBERS: readonly NumberCase[] = [
  ...[
    ['0081 90 1234 5678', '+819012345678'],
    ['00 82 (0)10 1234 5678', '+821012345678'],
    ['0082 10 1234 5678', '+821012345678'],
    ['0091 98765 43210', '+919876543210'],
  ].map(([typed = '', to]) => ({
    ...{ report: issue('catamphetamine/libphonenumber-js', 207), authority: E164, typed, to },
  })),
  ...['AU', 'KR'].flatMap((region) =>
    [
      ['0011 65 9234 5678', '+6592345678'],
      ['0011 47 923 45 678', '+4792345678'],
    ].map(([typed = '', to]) => ({
      ...{ report: issue('daviddrysdale/python-phonenumbers', 20), typed, to, region },
      authority: 'No area code of the North American plan begins with 1; Australia dials 0011',
    })),
  ),
  { report: issue('google/libphonenumber', 1492), authority: PLAN, typed: '+117755555555', to: undefined },
  { report: issue('jackocnr/intl-tel-input', 529), authority: PLAN, typed: '+1 1 415 555 2671', to: undefined },
  {
    report: issue('jackocnr/intl-tel-input', 257),
    authority: PLAN,
    typed: '011 44 7400 123456',
    region: 'US',
    to: '+447400123456',
  },
  {
    report: issue('google/libphonenumber', 1870),
    authority: PLAN,
    typed: '010 82 10 1234 5678',
    region: 'JP',
    to: '+821012345678',
  },
  { report: issue('64characters/Telephone', 542), authority: PLAN, typed: '+49 (0) 171 1234567', to: '+491711234567' },
  { report: issue('64characters/Telephone', 542), authority: PLAN, typed: '0049(0)171 1234567', to: '+491711234567' },
  {
    report: issue('BelledonneCommunications/linphone-android', 940),
    authority: PLAN,
    typed: '+7 (8) 903 123-45-67',
    to: '+79031234567',
  },
  {
    report: issue('BelledonneCommunications/linphone-android', 940),
    authority: PLAN,
    typed: '+36 (06) 20 123 4567',
    to: '+36201234567',
  },
  ...[
    ['signalapp/Signal-Android', 11630, '\u2068+82 10-1234-5678\u2069'],
    ['contao/core', 8434, '010\u200e-1234-5678'],
    ['verbb/hyper', 86, '\u202d+82 10 1234 5678\u202c'],
    ['woocommerce/woocommerce', 58000, '\u202a+82\u200b10\u00ad1234\u20605678\u202c'],
    ['glific/glific', 4815, '\ufeff010-1234-5678\ufe0f'],
  ].map(([repository, number, typed]) => ({
    ...{
      report: issue(String(repository), Number(number)),
      authority: UNICODE,
      typed: String(typed),
      to: '+821012345678',
    },
  })),
  ...[
    ['+\u0664\u0669\u0661\u0667\u0661\u0661\u0662\u0663\u0664\u0665\u0666\u0667', 'KR', '+491711234567'],
    ['\u06f0\u06f1\u06f7\u06f1 \u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7', 'DE', '+491711234567'],
    ['\u0966\u096f\u096e\u096d\u096c\u096b\u096a\u0969\u0968\u0967\u0966', 'IN', '+919876543210'],
    ['\uff10\uff11\uff10\uff0d\uff11\uff12\uff13\uff14\uff0d\uff15\uff16\uff17\uff18', 'KR', '+821012345678'],
  ].map(([typed = '', region = '', to]) => ({
    ...{ report: issue('jackocnr/intl-tel-input', 2105), authority: UNICODE, typed, region, to },
  })),
  ...['[010] 1234-5678', 'tel:+82-10-1234-5678', 'TEL:010-1234-5678'].map((typed) => ({
    ...{ report: issue('contao/core', 8434), authority: RFC_3966, typed, to: '+821012345678' },
  })),
  // More digits than the person has are another subscriber.
  ...['+12069735100;ext=143', 'tel:+49-171-1234567;ext=5', '+15551234567,,7890', '+1 206-973-5100 x143'].map(
    (typed) => ({
      ...{ report: issue('daddyz/phonelib', 58), authority: RFC_3966, typed, to: undefined },
    }),
  ),
  {
    report: pull('praekeltfoundation/vumi-go', 84),
    authority: SPREADSHEET,
    typed: '491711234567.0',
    to: '+491711234567',
    isOfApi: true,
  },
  { report: issue('wireservice/csvkit', 1143), authority: SPREADSHEET, typed: '+436601234567.0', to: '+436601234567' },
  // Its neighbour: points between groups are separators in France.
  {
    report: issue('wireservice/csvkit', 1143),
    authority: PLAN,
    typed: '06.12.34.56.00',
    region: 'FR',
    to: '+33612345600',
  },
  { report: issue('dilshod/xlsx2csv', 190), authority: SPREADSHEET, typed: '8.21012345678E+11', to: undefined },
  ...['+5215512345678', '+52 1 55 1234 5678', '0052 1 55 1234 5678'].map((typed) => ({
    ...{
      report: issue('chatwoot/chatwoot', 14048),
      authority: 'IFT, 2019: no 1 behind 52',
      typed,
      to: '+525512345678',
    },
  })),
  ...[
    ['+55 11 8765-4321', 'KR'],
    ['(11) 8765-4321', 'BR'],
    ['(11) 98765-4321', 'BR'],
    ['0 15 11 98765-4321', 'BR'],
  ].map(([typed = '', region = '']) => ({
    ...{
      report: issue('canove/whaticket-community', 306),
      authority: 'ANATEL 553/2010',
      typed,
      region,
      to: '+5511987654321',
    },
  })),
  ...[
    ['+39 (0)333 1234567', 'KR'],
    ['0333 1234567', 'IT'],
    ['+39 333 1234567', 'KR'],
  ].map(([typed = '', region = '']) => ({
    ...{
      report: issue('floere/phony', 330),
      authority: 'AGCOM: mobile numbers have no zero',
      typed,
      region,
      to: '+393331234567',
    },
  })),
  ...[
    ['+225 07 12 34 56', '+2250707123456', 'ARTCI, 2021'],
    ['+229 97 12 34 56', '+2290197123456', 'ARCEP Benin, 2024'],
    ['+84 120 123 4567', '+84701234567', 'MIC of Vietnam, 2018'],
    ['+84 168 123 4567', '+84381234567', 'MIC of Vietnam, 2018'],
  ].map(([typed = '', to, authority = '']) => ({
    ...{ report: pull('chatwoot/chatwoot', 14174), authority, typed, to },
  })),
  ...['011 15 2345-6789', '+54 11 15 2345-6789', '+54 9 11 2345 6789'].map((typed) => ({
    ...{
      report: issue('marmelroy/PhoneNumberKit', 649),
      authority: 'ENACOM: 15 inside, 9 outside',
      typed,
      region: 'AR',
    },
    to: '+5491123456789',
  })),
  ...['+44 7012 345678', '+49 700 12345678'].map((typed) => ({
    ...{ report: pull('validatorjs/validator.js', 1164), authority: PREMIUM, typed, to: undefined },
  })),
  // What is typed behind a number must not become its last digits.
  ...[
    ['0171 7654321 x8', 'DE'],
    ['010-345-6781 x2', 'KR'],
    ['0664 7654321 DW 7', 'AT'],
    ['0812-3456-789 ext 2', 'ID'],
    ['050 123456 x7', 'FI'],
    ['206-973-5100 x143', 'US'],
    ['+49 171 1234567;ext=5', 'DE'],
    ['010-1234-5678,,9', 'KR'],
  ].map(([typed = '', region = '']) => ({
    ...{ report: issue('pg-irc/pathways-frontend', 1232), authority: RFC_3966, typed, region, to: undefined },
  })),
  ...[
    ['436601234567.0', '+436601234567'],
    ['0664 1234567.0', '+436641234567'],
    ['4.3664123456E+12', undefined],
  ].map(([typed = '', to]) => ({
    ...{ report: issue('wireservice/csvkit', 1143), authority: SPREADSHEET, typed, region: 'AT', to },
  })),
  // A letter is no digit that may be left out.
  ...[
    ['010-3456-789O', 'KR'],
    ['010-4567-891l', 'KR'],
    ['010-1234-567e8', 'KR'],
    ['(11) 98765-432O', 'BR'],
    ['010-1234-5680 or 010-2345-6789', 'KR'],
    ['010-1234-5680, 010-2345-6789', 'KR'],
  ].map(([typed = '', region = '']) => ({
    ...{ report: issue('giggsey/libphonenumber-for-php', 470), authority: PLAN, typed, region, to: undefined },
  })),
  ...[
    ['(+82) 10-2234-5678', 'KR', '+821022345678'],
    ['\uff08+82\uff0910-2234-5678', 'KR', '+821022345678'],
    ['010\t3234\t5678', 'KR', '+821032345678'],
    ['(+49) 171 7654329', 'DE', '+491717654329'],
  ].map(([typed = '', region = '', to]) => ({
    ...{ report: issue('viclafouch/mui-tel-input', 192), authority: E164, typed, region, to },
  })),
  ...[
    ['4915123456789', 'DE', '+4915123456789'],
    ['62812345678', 'ID', '+62812345678'],
    ['38343201234', 'XK', '+38343201234'],
  ].map(([typed = '', region = '', to]) => ({
    ...{ report: issue('catamphetamine/libphonenumber-js', 298), authority: PLAN, typed, region, to },
  })),
  ...[
    '090\u30fc1234\u30fc5678',
    '\uff10\uff19\uff10\u30fc\uff11\uff12\uff13\uff14\u30fc\uff15\uff16\uff17\uff18',
    '090\uff701234\uff705678',
    '090\uff5e1234\uff5e5678',
    '090~1234\u301c5678',
  ].map((typed) => ({
    ...{ report: issue('groonga/groonga', 1543), authority: LONG_DASH, typed, region: 'JP', to: '+819012345678' },
  })),
  // Ten digits may be a landline, which a voice call reaches: a mobile number is one by its 9 or 15.
  ...['11 2345-6789', '011 2345-6789', '+54 11 2345 6789'].map((typed) => ({
    ...{ report: issue('floere/phony', 310), authority: 'ENACOM: 15 inside, 9 outside', typed, region: 'AR' },
    to: undefined,
  })),
]
