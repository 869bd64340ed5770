import { describe, expect, test } from 'bun:test'
import { fallbacksOf, languageOfCountry, languageTag } from '../../src/domain/message/language'
import { regions } from '../../src/domain/phone/phone'

describe('a language tag', () => {
  test.each([
    ['ko', 'ko'],
    ['zh-tw', 'zh-TW'],
    ['PT-br', 'pt-BR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['es-419', 'es-419'],
    // As older phones write Hebrew, and with what says how to sort.
    ['iw', 'he'],
    ['de-DE-u-co-phonebk', 'de-DE'],
  ])('%s is %s', (text, tag) => {
    expect(languageTag(text)).toBe(tag)
  })

  test.each(['', 'a', 'ko_KR', 'en-', 'en-a', 'english language', '한국어'])('%j is none', (text) => {
    expect(languageTag(text)).toBeUndefined()
    expect(fallbacksOf(text)).toEqual([])
  })

  test.each([
    ['ja', ['ja']],
    ['en-us', ['en-US', 'en']],
    ['zh-Hant-TW', ['zh-Hant-TW', 'zh-Hant', 'zh-TW', 'zh']],
    ['zh-Hant', ['zh-Hant', 'zh']],
  ])('in the place of %s is taken what comes closest', (text, fallbacks) => {
    expect(fallbacksOf(text)).toEqual(fallbacks)
  })
})

describe('the language of a country', () => {
  test.each([
    ['ko', ['KR']],
    ['ja', ['JP']],
    ['zh', ['CN', 'TW', 'HK', 'MO']],
    ['de', ['DE', 'AT']],
    ['fr', ['FR', 'RE', 'GP']],
    ['es', ['ES', 'MX', 'AR', 'CO', 'PR']],
  ])('%s, as it is written there', (language, countries) => {
    for (const country of countries) expect(languageOfCountry(country)).toBe(`${language}-${country}`)
  })

  test('English where none is clear, and where the country is not known', () => {
    for (const country of ['US', 'GB', 'CA', 'CH', 'BE', 'BR', 'IN', 'VN', undefined])
      expect(languageOfCountry(country)).toBe('en')
  })

  test('is a tag everywhere', () => {
    for (const country of regions()) expect(languageTag(languageOfCountry(country))).toBe(languageOfCountry(country))
  })
})
