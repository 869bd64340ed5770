import { describe, expect, test } from 'bun:test'
import {
  asHost,
  assertAndroidHash,
  localeFor,
  type Texts,
  textsOf,
  withAutofill,
} from '../../src/domain/message/rendered-message'
import fc, { anyText } from '../support/property'
import { RUNS, thrownBy } from './sample'

const PLAIN: Texts = { localeByCountry: false }
const HASH = 'FA+9qCX9VSu'
const DOMAIN = 'example.com'

/** As a browser reads it: wicg.github.io/sms-one-time-codes, "Parsing". */
function readByBrowser(message: string): { host: string; code: string } | undefined {
  const last = message.replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n').at(-1) ?? ''
  const { host, code } = /^@(?<host>[^\t\n\f\r ]+) #(?<code>[^\t\n\f\r ]+)/.exec(last)?.groups ?? {}
  return host === undefined || code === undefined ? undefined : { host, code }
}

describe('an SMS', () => {
  test('is the text alone where the app has said nothing', () => {
    expect(textsOf(undefined)).toEqual(PLAIN)
    expect(textsOf({ texts: undefined })).toEqual(PLAIN)
    expect(withAutofill('Code 123456.', PLAIN, '123456')).toBe('Code 123456.')
  })

  test('ends with the line of browsers, and has the hash of Android on a line before it', () => {
    expect(withAutofill('Code 000042.', { ...PLAIN, webOtpDomain: DOMAIN }, '000042')).toBe(
      'Code 000042.\n@example.com #000042',
    )
    expect(withAutofill('Code 000042.', { ...PLAIN, androidHash: HASH }, '000042')).toBe(`Code 000042.\n${HASH}`)
    expect(withAutofill('Code 000042.', { ...PLAIN, webOtpDomain: DOMAIN, androidHash: HASH }, '000042')).toBe(
      `Code 000042.\n${HASH}\n@example.com #000042`,
    )
  })

  test('is read by browsers whatever the text says', () => {
    fc.assert(
      fc.property(anyText(), fc.constantFrom(undefined, HASH), (text, androidHash) => {
        const texts = { ...PLAIN, webOtpDomain: DOMAIN, androidHash }
        expect(readByBrowser(withAutofill(text, texts, '123456'))).toEqual({ host: DOMAIN, code: '123456' })
      }),
      RUNS,
    )
  })
})

describe('the host of a page', () => {
  test.each([
    ['example.com', 'example.com'],
    [' App.Example.COM ', 'app.example.com'],
    ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ['bücher.de', 'xn--bcher-kva.de'],
    ['a-b.c-d.co.kr', 'a-b.c-d.co.kr'],
  ])('%j is %s', (name, host) => {
    expect(asHost(name)).toBe(host)
  })

  test.each([
    ...['', 'example', 'localhost', 'https://example.com', 'example.com:8443', 'example.com/', 'example.com/login'],
    ...[
      'example.com?a',
      'example.com#a',
      'ann@example.com',
      '@example.com',
      'exam ple.com',
      'example.com\nx',
      '%61.com',
    ],
    ...[
      '192.0.2.1',
      '[2001:db8::1]',
      'example.com.',
      '.example.com',
      'a..com',
      '-a.com',
      'a-.com',
      'a_b.com',
      '*.a.com',
    ],
    ...[`${'a'.repeat(64)}.com`, `${'a.'.repeat(126)}com`],
  ])('%j is none', (name) => {
    expect(thrownBy(() => asHost(name))).toMatchObject({
      ...{ kind: 'invalid', detail: { param: 'webOtpDomain', reason: 'invalid_host' } },
    })
  })
})

test.each([HASH, 'AAAAAAAAAAA', '///////////'])('%s is a hash of Android', (hash) => {
  expect(() => assertAndroidHash(hash)).not.toThrow()
})

test.each(['', 'FA+9qCX9VS', 'FA+9qCX9VSu=', 'FA-9qCX9VSu', 'FA+9qCX9VS\n', ' A+9qCX9VSu', 'FA+9qCX9VSü'])(
  '%j is none',
  (hash) => {
    expect(thrownBy(() => assertAndroidHash(hash))).toMatchObject({
      detail: { param: 'androidHash', reason: 'invalid_android_hash' },
    })
  },
)

test('a language that is asked for goes before the one of the country, which nobody asks for unless the app says so', () => {
  const byCountry = { localeByCountry: true }
  expect(localeFor(PLAIN, undefined, 'JP')).toBeUndefined()
  expect(localeFor(PLAIN, 'de', 'JP')).toBe('de')
  expect(localeFor(byCountry, undefined, 'JP')).toBe('ja-JP')
  expect(localeFor(byCountry, 'de', 'JP')).toBe('de')
  expect(localeFor(byCountry, undefined, undefined)).toBe('en')
})
