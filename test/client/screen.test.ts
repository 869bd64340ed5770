/** What a screen makes of what is typed, without a browser. */
import { describe, expect, test } from 'bun:test'
import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/min'
import { callingCodeOf, countriesIn, countryOf, countryWith } from '../../client/screen/countries'
import { countriesLike } from '../../client/screen/country-search'
import { directionOf } from '../../client/screen/direction'
import { typedCode } from '../../client/screen/fields'
import { typedNumber, typedOf, wholeNumber } from '../../client/screen/number'

describe('countries', () => {
  test('are those that libphonenumber knows, with their codes', () => {
    const own = countriesIn('en').map(({ code, callingCode }) => [code, callingCode])
    const known = getCountries().map((code) => [code, getCountryCallingCode(code)])
    expect(own.sort()).toEqual(known.sort())
  })

  test('are called and sorted as in the language, and are those that are asked for', () => {
    const names = countriesIn('ko', ['US', 'KR', 'XX', 'JP']).map(({ name }) => name)
    expect(names).toEqual(['대한민국', '미국', '일본'])
  })

  test.each([
    ['+1 415', 'CA', 'CA'],
    ['+1 415', 'KR', 'US'],
    ['+44 7700', 'US', 'GB'],
    ['+7 1', 'US', 'RU'],
    ['+39', 'US', 'IT'],
    ['+447700900000', 'KR', 'GB'],
    ['+44(7700)', 'JE', 'JE'],
    ['+4', 'KR', 'KR'],
    ['+999', 'KR', 'KR'],
    ['010', 'KR', 'KR'],
  ])('%s, where %s is chosen, is of %s', (number, chosen, country) => {
    expect(countryWith(number, chosen)).toBe(country)
  })

  test.each([
    ['kor', ['KP', 'KR']],
    ['한국', ['KR']],
    ['대한', ['KR']],
    ['+82', ['KR']],
    ['8 2', ['KR']],
    ['GB', ['GB']],
    ['cote d', ['CI']],
    ['nowhere', []],
  ])('%p finds %p', (typed, codes) => {
    const found = countriesLike(typed, countriesIn('ko'))
    expect(found.map(({ code }) => code).sort()).toEqual(codes)
  })

  test('all are found by nothing', () => {
    const all = countriesIn('en')
    expect(countriesLike(' ', all)).toBe(all)
  })

  test('of a language is where most speak it', () => {
    expect(['ko', 'en', 'en-GB', 'ja', 'pt'].map(countryOf)).toEqual(['KR', 'US', 'GB', 'JP', 'BR'])
    expect(callingCodeOf('KR' satisfies CountryCode)).toBe('82')
  })
})

test.each([
  ['', '', ''],
  ['12 3', '12', '123'],
  ['１２３', '', '123'],
  ['1234567', '123456', '123456'],
  ['code: 123456.', '9', '123456'],
  ['111111 222222', '', ''],
  ['abc', '12', ''],
])('%p typed over %p is %p', (text, before, code) => {
  expect(typedCode(text, before)).toBe(code)
})

const dashed = (typed: string) => typed.replace(/\D/g, '').replace(/^(\d{3})(\d)/, '$1-$2')

test.each([
  ['0101', 4, '010-1', 5],
  ['01012', 2, '010-12', 2],
  ['01012', 3, '010-12', 3],
  ['', 0, '', 0],
  ['０１０１', 4, '010-1', 5],
])('%p with the caret at %i is shown as %p, at %i', (value, caret, shown, at) => {
  const typed = { value, caret, country: 'KR', isDeletion: false }
  expect(typedNumber({ ...typed, format: dashed })).toEqual({ value: shown, caret: at })
  expect(typedNumber({ ...typed, format: undefined }).caret).toBe(caret)
  expect(typedNumber({ ...typed, format: dashed, isDeletion: true }).value).toBe(value.normalize('NFKC'))
})

test.each([
  ['010-1234-5678', '+82 010-1234-5678'],
  [' +44 7700 900000 ', '+44 7700 900000'],
  ['＋４４ 7700', '+44 7700'],
  ['', undefined],
  ['call me', undefined],
])('%p is sent as %p', (typed, whole) => {
  expect(wholeNumber(typed, '82')).toBe(whole)
  if (whole) expect(wholeNumber(typedOf(whole, '82'), '82')).toBe(whole)
})

test.each([
  ['ar', 'rtl'],
  ['he-IL', 'rtl'],
  ['FA', 'rtl'],
  ['en', 'ltr'],
  ['ko', 'ltr'],
] as const)('%s is read %s', (language, direction) => {
  expect(directionOf(language)).toBe(direction)
})
