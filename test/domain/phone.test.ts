import { describe, expect, test } from 'bun:test'
import examples from 'libphonenumber-js/examples.mobile.json'
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'
import * as phone from '../../src/domain/phone/phone'
import { magicRecipient } from '../../src/domain/phone/phone'
import fc from '../support/property'
import { RUNS, thrownBy } from './sample'

const liveRecipient = (text: string, region: string, prefixes: string[] = []) =>
  phone.textableRecipient(text, { region, prefixes })
const testRecipient = (text: string, region = 'KR') => phone.testRecipient(text, { region })

const TWO_DIGITS = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))

/** A Korean mobile number after the leading 0. */
const national = fc
  .tuple(fc.integer({ min: 2_000, max: 9_999 }), fc.nat(9_999))
  .map(([middle, last]) => `10${middle}${String(last).padStart(4, '0')}`)

/** The same digits with single separators between them, wherever people may put some. */
const spelled = (digits: string) =>
  fc
    .array(fc.constantFrom('', '', '', '-', ' '), { minLength: digits.length - 1, maxLength: digits.length - 1 })
    .map((separators) => [...digits].map((digit, index) => digit + (separators[index] ?? '')).join(''))

const spellings = national.chain((digits) =>
  fc.record({
    digits: fc.constant(digits),
    domestic: spelled(`0${digits}`),
    international: fc
      .tuple(fc.constantFrom('+82', '+82 ', '+82-'), spelled(digits))
      .map(([prefix, rest]) => prefix + rest),
  }),
)

describe('a live number', () => {
  test('is one phone, however it is spelled', () => {
    fc.assert(
      fc.property(spellings, ({ digits, domestic, international }) => {
        const recipient = { identity: `+82${digits}`, to: `+82${digits}`, country: 'KR' }
        for (const spelling of [
          domestic,
          international,
          `  ${domestic} `,
          `(0${digits.slice(0, 2)}) ${digits.slice(2)}`,
        ]) {
          expect(liveRecipient(spelling, 'KR')).toEqual(recipient)
        }
      }),
      RUNS,
    )
  })

  test('is another phone for every other digit', () => {
    fc.assert(
      fc.property(national, national, (one, other) => {
        fc.pre(one !== other)
        expect(liveRecipient(`0${one}`, 'KR').identity).not.toBe(liveRecipient(`+82${other}`, 'KR').identity)
      }),
      RUNS,
    )
  })

  test('never names a scenario', () => {
    fc.assert(
      fc.property(national, (digits) => expect(liveRecipient(`0${digits}`, 'KR').scenario).toBeUndefined()),
      RUNS,
    )
  })

  test.each([
    ['(212) 736-5000', 'US', '+12127365000', 'US'],
    ['+1 212 736 5000', 'KR', '+12127365000', 'US'],
    // Without a plus, where it can be nothing else.
    ['14155552671', 'KR', '+14155552671', 'US'],
    ['1 (415) 555-2671', 'KR', '+14155552671', 'US'],
    ['821012345678', 'KR', '+821012345678', 'KR'],
    ['821012345678', 'US', '+821012345678', 'KR'],
    // Behind 00.
    ['0082 010 1234 5678', 'KR', '+821012345678', 'KR'],
    ['00821012345678', 'US', '+821012345678', 'KR'],
    ['001 415 555 2671', 'KR', '+14155552671', 'US'],
    // A trunk zero after the country code.
    ['+82 010-1234-5678', 'KR', '+821012345678', 'KR'],
    ['+44 (0)7911 123456', 'KR', '+447911123456', 'GG'],
    ['+49 (0)1512 3456789', 'KR', '+4915123456789', 'DE'],
    // As people write them.
    ['０１０－１２３４－５６７８', 'KR', '+821012345678', 'KR'],
    ['＋82 10 1234 5678', 'KR', '+821012345678', 'KR'],
    ['010.1234.5678', 'KR', '+821012345678', 'KR'],
    ['010–1234–5678', 'KR', '+821012345678', 'KR'],
    ['06/12/34/56/78', 'FR', '+33612345678', 'FR'],
    ['8 (911) 123-45-67', 'RU', '+79111234567', 'RU'],
    ['131 2345 6789', 'CN', '+8613123456789', 'CN'],
    // As a fixed line it could get no text.
    ['4915123456789', 'DE', '+4915123456789', 'DE'],
  ])('%s read in %s is %s', (spelling, region, to, country) => {
    expect(liveRecipient(spelling, region)).toEqual({ identity: to, to, country })
  })

  const withExample = getCountries().flatMap((country) => {
    const example = getExampleNumber(country, examples)
    // The American examples are magic numbers.
    return example && !magicRecipient(example.number) ? [{ country, example }] : []
  })

  test('of every country is read in every way it is written', () => {
    expect(withExample.length).toBeGreaterThan(240)
    for (const { country, example } of withExample) {
      for (const spelling of [
        example.number,
        example.formatInternational(),
        `00${example.number.slice(1)}`,
        example.format('RFC3966').replace('tel:', ''),
      ]) {
        expect([country, spelling, liveRecipient(spelling, 'KR').to]).toEqual([country, spelling, example.number])
      }
      const national = example.formatNational()
      expect([country, national, liveRecipient(national, country).to]).toEqual([country, national, example.number])
    }
  })

  test('never becomes another one: without its plus, its zero or its country it is itself or refused', () => {
    const told: (string | undefined)[] = []
    for (const { country, example } of withExample) {
      for (const digits of [example.number.slice(1), example.nationalNumber]) {
        for (const region of [country, 'KR', 'US', 'DE']) {
          // Its country is known only where it is the region's, or where the code stands in front.
          const isTold = digits !== example.nationalNumber || isOf(region, example.countryCallingCode)
          if (!isTold) continue
          const to = outcome(digits, region)
          // `501 622 1234` is how Americans write one of theirs, too.
          const isTheirs =
            to !== undefined && parsePhoneNumberFromString(to)?.formatNational().replace(/\D/g, '') === digits
          if (to !== undefined && !isTheirs) expect([digits, region, to]).toEqual([digits, region, example.number])
          told.push(to)
        }
      }
    }
    expect(told.filter((to) => to !== undefined).length).toBeGreaterThan(told.length * 0.95)
  })

  const isOf = (region: string, code: string) =>
    isSupportedCountry(region) && getCountryCallingCode(region as CountryCode) === code
  const outcome = (text: string, region: string): string | undefined => {
    try {
      return liveRecipient(text, region).to
    } catch {
      return undefined
    }
  }

  test.each([['15123456789', 'DE', 'a German one without its zero, or an American one without its plus']])(
    '%s in %s is refused: it may be %s',
    (text, region) => {
      expect(thrownBy(() => liveRecipient(text, region))).toMatchObject({
        kind: 'invalid',
        message: expect.stringContaining('phoneNumber: could be read in two ways'),
      })
    },
  )

  test.each([
    ['02-312-3456', 'a Korean fixed line'],
    ['+44 20 7946 0958', 'a British fixed line'],
    ['+39 06 6982 1234', 'an Italian fixed line'],
    ['060-700-1234', 'a Korean premium number'],
    ['+44 909 879 0000', 'a British premium number'],
    ['080-123-4567', 'a Korean toll-free number'],
    ['+1 800 555 2671', 'an American toll-free number'],
    ['+49 180 6 123456', 'a German shared-cost number'],
    ['1588-1234', 'a number of a Korean company'],
    ['+870 773 111 632', 'Inmarsat'],
    ['+881 6 1234 5678', 'Iridium'],
    ['+882 16 1234 5678', 'an international network'],
    ['+883 5100 1234 5678', 'an international network'],
    ['+979 123 456 789', 'an international premium number'],
    ['+800 1234 5678', 'an international toll-free number'],
  ])('%s cannot get a text: %s', (text) => {
    expect(thrownBy(() => liveRecipient(text, 'KR'))).toMatchObject({
      kind: 'invalid',
      message: 'phoneNumber: this type of number cannot get a text message',
    })
  })

  test('that is newer than the metadata is let in by the prefix the operator lists, and no other', () => {
    expect(thrownBy(() => liveRecipient('+82 19 1234 56789', 'KR'))).toMatchObject({ kind: 'invalid' })
    expect(liveRecipient('+82 19 1234 56789', 'KR', ['+8219']).to).toBe('+8219123456789')
    expect(liveRecipient('02-312-3456', 'KR', ['+82231']).to).toBe('+8223123456')
    expect(thrownBy(() => liveRecipient('+82 18 1234 56789', 'KR', ['+8219']))).toMatchObject({ kind: 'invalid' })
  })

  test.each([
    '',
    '12',
    '+82',
    'abc',
    '010-1234-567x',
    'call 010-1234-5678',
    '010-1234-5678 ext. 5',
    '+1 212 736 50001',
    '+999 12345678',
    '0'.repeat(20),
    '010-1234-5678, 010-8765-4321',
    '010-1234-56',
    '011 82 10 1234 5678',
    '++82 10 1234 5678',
    '+0082 10 1234 5678',
  ])('%p is refused', (text) => {
    expect(thrownBy(() => liveRecipient(text, 'KR'))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('phoneNumber'),
      detail: {},
    })
  })
})

describe('a live number, whether or not it can get a text,', () => {
  const read = (text: string, region = 'KR') => phone.liveRecipient(text, { region, prefixes: [] })

  test('says that it cannot, and is one phone all the same', () => {
    const landline = { identity: '+8223123456', to: '+8223123456', country: 'KR', withoutTexts: true as const }
    for (const spelling of ['02-312-3456', '+82 2 312 3456']) expect(read(spelling)).toEqual(landline)
    expect(read('010-1234-5678').withoutTexts).toBeUndefined()
    expect(phone.storedIdentity('02-312-3456', { region: 'KR', prefixes: [] })).toBe('+8223123456')
  })
})

describe.each([
  [
    'KR',
    (xx: string) => [`010-0000-00${xx}`, `0100000 00${xx}`, `+82 10 0000 00${xx}`, `+821000000 0${xx}`],
    (xx: string) => `+8210000000${xx}`,
  ],
  [
    'GB',
    (xx: string) => [`+44 7700 9000${xx}`, `+4477009000${xx}`, `+44-7700-9000${xx}`],
    (xx: string) => `+4477009000${xx}`,
  ],
  [
    'US',
    (xx: string) => [`+1 212-555-01${xx}`, `+1 (212) 555 01${xx}`, `+121255501${xx}`],
    (xx: string) => `+121255501${xx}`,
  ],
] as Array<[string, (xx: string) => string[], (xx: string) => string]>)(
  'magic numbers of %s',
  (country, spellingsOf, to) => {
    test('stand for their scenario, 00 to 99, however they are spelled', () => {
      for (const xx of TWO_DIGITS) {
        const expected = { identity: to(xx), to: to(xx), country, scenario: Number(xx) }
        for (const spelling of spellingsOf(xx)) {
          expect([spelling, magicRecipient(spelling)]).toEqual([spelling, expected])
          expect(testRecipient(spelling)).toEqual(expected)
        }
      }
    })

    test('are refused with a live key, whatever region it reads in', () => {
      for (const xx of TWO_DIGITS) {
        for (const spelling of spellingsOf(xx)) {
          for (const region of ['KR', 'GB', 'US']) {
            expect(thrownBy(() => liveRecipient(spelling, region))).toMatchObject({
              kind: 'invalid',
              detail: { param: 'phoneNumber', reason: 'test_number_in_live_mode', code: 'TEST_NUMBER_IN_LIVE_MODE' },
            })
          }
        }
      }
    })
  },
)

test('a US magic number has any area code, and another area is another phone', () => {
  const identities = new Set<string | undefined>()
  for (let area = 200; area <= 999; area++) {
    const recipient = magicRecipient(`+1 ${area} 555 0142`)
    expect(recipient).toMatchObject({ to: `+1${area}5550142`, scenario: 42 })
    identities.add(recipient?.identity)
  }
  expect(identities.size).toBe(800)
})

test.each([
  ['07700 900042', 'GB'],
  ['212-555-0142', 'US'],
  ['０１０-0000-0042', 'KR'],
  ['+82 010-0000-0042', 'KR'],
  ['00 82 10 0000 0042', 'GB'],
])('%s is a magic number in %s too, and a live key does not send to it', (spelling, region) => {
  expect(thrownBy(() => liveRecipient(spelling, region))).toMatchObject({
    detail: { param: 'phoneNumber', reason: 'test_number_in_live_mode', code: 'TEST_NUMBER_IN_LIVE_MODE' },
  })
})

describe('near misses are no magic numbers, and a test key refuses them', () => {
  test.each([
    '010-0000-0100',
    '010-0000-000',
    '010-0000-00000',
    '010-0001-0000',
    '011-0000-0000',
    '1-0000-0000',
    '+83 10 0000 0000',
    '+82 10 0000 0100',
    '+44 7700 900100',
    '+44 7700 90000',
    '+44 7701 900000',
    '07700 900000',
    '+1 212-555-0200',
    '+1 212-555-010',
    '+1 12-555-0100',
    '212-555-0100',
    '+2 212-555-0100',
    '010-1234-5678',
    '',
    'magic',
  ])('%p', (text) => {
    expect(magicRecipient(text)).toBeUndefined()
    expect(thrownBy(() => testRecipient(text))).toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/^TEST_NUMBER_REQUIRED phoneNumber: /),
      detail: { code: 'TEST_NUMBER_REQUIRED' },
    })
  })

  test('any real mobile number', () => {
    fc.assert(
      fc.property(spellings, ({ domestic, international }) => {
        for (const text of [domestic, international]) expect(magicRecipient(text)).toBeUndefined()
      }),
      RUNS,
    )
  })
})
