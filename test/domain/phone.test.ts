import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { liveRecipient, magicRecipient, testRecipient } from '../../src/domain/phone'
import { RUNS, thrownBy } from './sample'

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
    ['020 7946 0018', 'GB', '+442079460018', 'GB'],
    ['+44 20 7946 0018', 'KR', '+442079460018', 'GB'],
    ['(212) 736-5000', 'US', '+12127365000', 'US'],
    ['02-312-3456', 'KR', '+8223123456', 'KR'],
  ])('%s read in %s is %s', (spelling, region, to, country) => {
    expect(liveRecipient(spelling, region)).toEqual({ identity: to, to, country })
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
  ])('%p is refused', (text) => {
    expect(thrownBy(() => liveRecipient(text, 'KR'))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('phoneNumber'),
      detail: {},
    })
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
    '10-0000-0000',
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
