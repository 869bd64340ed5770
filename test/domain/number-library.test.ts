import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import examples from 'libphonenumber-js/examples.mobile.json'
import { getExampleNumber, type PhoneNumber } from 'libphonenumber-js/max/es6'
import {
  getCountries,
  getCountryCallingCode,
  parseInternational,
  parsePhoneNumberFromString,
} from '../../src/domain/phone/number-library'
import fc from '../support/property'
import { HANGS_AFTER_MS } from '../support/until'
import { RUNS } from './sample'

setDefaultTimeout(HANGS_AFTER_MS)

/** All that is asked of a number. */
const factsOf = (number: PhoneNumber | undefined) =>
  number && {
    ...{ number: number.number, country: number.country, nationalNumber: number.nationalNumber },
    ...{ countryCallingCode: number.countryCallingCode, carrierCode: number.carrierCode, ext: number.ext },
    ...{ type: number.getType(), isValid: number.isValid(), national: number.formatNational() },
  }

function expectSame(digits: string) {
  const parsed = factsOf(parsePhoneNumberFromString(`+${digits}`, { extract: false }))
  expect({ digits, ...factsOf(parseInternational(digits)) }).toEqual({ digits, ...parsed })
}

const CALLING_CODES = [...new Set(getCountries().map((country) => String(getCountryCallingCode(country))))]
const OF_NO_COUNTRY = ['800', '808', '870', '878', '881', '882', '883', '888', '979']
const NO_CODES = ['0', '00', '210', '999']
const EXAMPLES = getCountries().flatMap((country) => {
  const example = getExampleNumber(country, examples)
  return example ? [{ callingCode: String(example.countryCallingCode), national: String(example.nationalNumber) }] : []
})

describe('a number behind a plus is as the library parses it', () => {
  test('of every country, also with a prefix of calls at home, cut, longer or with another digit', () => {
    expect(EXAMPLES.length).toBeGreaterThan(240)
    for (const { callingCode, national } of EXAMPLES) {
      for (const prefix of ['', '0', '00', '1', '8', '9', '01', '02', '06', '011', '015', '044', '123456'])
        expectSame(`${callingCode}${prefix}${national}`)
      for (let end = 0; end < national.length; end++) {
        expectSame(`${callingCode}${national.slice(0, end)}`)
        expectSame(`${callingCode}${national}${'5'.repeat(end)}`.slice(0, 20))
        for (const digit of '0123456789')
          expectSame(`${callingCode}${national.slice(0, end)}${digit}${national.slice(end + 1)}`)
      }
    }
  })

  test('of any digits behind any calling code, or none', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 17 })
    for (const callingCode of [...CALLING_CODES, ...OF_NO_COUNTRY, ...NO_CODES])
      fc.assert(
        fc.property(digits, (rest) => expectSame(`${callingCode}${rest}`.slice(0, 20))),
        RUNS,
      )
  })
})
