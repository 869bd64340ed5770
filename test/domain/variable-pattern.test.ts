/** Patterns of template variables: as JavaScript reads them, in a time that no caller can stretch. */
import { describe, expect, test } from 'bun:test'
import { assertPatterns, patternMatcher } from '../../src/domain/message/variable-pattern'
import { thrownBy } from './sample'

const verdict = (pattern: string, value: string) => patternMatcher()(pattern, value)

describe('a new pattern', () => {
  test.each([
    ['[0-9]{1,4}', ['1', '1234'], ['', '12345', '12a']],
    ['[가-힣]{2,10}', ['홍길동'], ['홍', 'hong']],
    ['\\d{2}:\\d{2}', ['09:30'], ['9:30', '09:30 ']],
    ['yes|no', ['yes', 'no'], ['yesno', 'yes|no', '']],
    ['(?<year>\\d{4})', ['2026'], ['26']],
    ['\\(?i:[(?m:)]', ['i:(', '(i:m'], ['i:', 'I:(']],
  ])('%s must fit the whole value', (pattern, fitting, differing) => {
    assertPatterns({ x: { pattern } })
    for (const value of fitting) expect([value, verdict(pattern, value)]).toEqual([value, 'fits'])
    for (const value of differing) expect([value, verdict(pattern, value)]).toEqual([value, 'differs'])
  })

  test.each([
    '(?i)a',
    '(?i:[b-\\u{10FFFE}])',
    '\\pL',
    '(?P<a>a)',
    '(?=a)a',
    '(?!a).',
    '(?<=a)b',
    '(a)\\1',
    '(',
    '[',
    'a**',
    '(a{1000}){1000}',
    'a'.repeat(201),
  ])('%p is refused: it is none, or may take for ever', (pattern) => {
    expect(thrownBy(() => assertPatterns({ x: { pattern } }))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('"x"'),
    })
  })

  test('together with others may not be too long to be read while somebody types', () => {
    const long = { pattern: '\\p{L}'.repeat(40) }
    assertPatterns({ a: long, b: long, c: long, d: long, e: long })
    expect(
      thrownBy(() => assertPatterns({ a: long, b: long, c: long, d: long, e: long, f: { pattern: 'f' } })),
    ).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('"f"'),
    })
  })

  test('together with others may not become too much to look at', () => {
    const heavy = { pattern: '.{700}' }
    assertPatterns({ a: heavy, b: heavy })
    expect(thrownBy(() => assertPatterns({ a: heavy, b: heavy, c: heavy }))).toMatchObject({ kind: 'invalid' })
  })
})

test('the values of one message are looked at no longer than a message may cost', () => {
  const look = patternMatcher()
  const pattern = '[가-힣a-z]{0,200}'
  const verdicts = Array.from({ length: 20 }, () => look(pattern, 'a'.repeat(150)))
  expect(verdicts[0]).toBe('fits')
  expect(verdicts.at(-1)).toBe('too long')
})
