/** Patterns of template variables: as JavaScript reads them, in a time that no caller can stretch. */
import { describe, expect, test } from 'bun:test'
import { backtracking, OutOfSteps } from '../../src/domain/backtrack'
import { assertPatterns, isLinear, matching } from '../../src/domain/pattern'
import fc from '../support/property'
import { RUNS, thrownBy } from './sample'

const verdict = (pattern: string, value: string) => matching()(pattern, value)

describe('a new pattern', () => {
  test.each([
    ['[0-9]{1,4}', ['1', '1234'], ['', '12345', '12a']],
    ['[가-힣]{2,10}', ['홍길동'], ['홍', 'hong']],
    ['\\d{2}:\\d{2}', ['09:30'], ['9:30', '09:30 ']],
    ['yes|no', ['yes', 'no'], ['yesno', 'yes|no', '']],
    ['(?<year>\\d{4})', ['2026'], ['26']],
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
  const look = matching()
  const pattern = '[가-힣a-z]{0,200}'
  const verdicts = Array.from({ length: 20 }, () => look(pattern, 'a'.repeat(150)))
  expect(verdicts[0]).toBe('fits')
  expect(verdicts.at(-1)).toBe('too long')
})

describe('a pattern that was stored before patterns were checked', () => {
  test.each([
    ['(?!00)\\d{6}', ['123456'], ['001234', '12345']],
    ['(\\d)\\1', ['11'], ['12', '1']],
    ['(?<=a)b|ab(?=$)', ['ab'], ['b']],
  ])('%s goes on to be matched', (pattern, fitting, differing) => {
    expect(isLinear(pattern)).toBeFalse()
    for (const value of fitting) expect([value, verdict(pattern, value)]).toEqual([value, 'fits'])
    for (const value of differing) expect([value, verdict(pattern, value)]).toEqual([value, 'differs'])
  })

  test('and would take for ever is given up soon, whatever the value', () => {
    expect(verdict('(?=a)(a+)+b|a*c', 'a'.repeat(60))).toBe('too long')
    expect(verdict('(?=.)(.*)(.*)(.*)(.*)x', 'a'.repeat(2_000))).toBe('too long')
    expect(verdict('(?:.(?<=a|))*', 'a'.repeat(1_000))).toBe('too long')
    expect(verdict('(a*)\\1(?:\\1|)*?b', 'a'.repeat(1_000))).toBe('too long')
  })

  test('and cannot be read fits nothing, and fails nothing', () => {
    expect(verdict('(', '(')).toBe('differs')
  })

  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    '\\d',
    '\\b',
    '^',
    '$',
    '(?=a)',
    '(?!b)',
    '(?<=a)',
    '(?<!a)',
    '\\1',
  )
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 3 },
      atom,
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `${one}${other}`),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
      tie('pattern').map((one) => `(${one})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{1,2}', '*?', '+?'))
        .map(([one, times]) => `(?:${one})${times}`),
    ),
  }))

  test('is read as JavaScript reads it', () => {
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[ab1]{0,6}$/), (source, value) => {
        const native = compiled(`^(?:${source})$`)
        fc.pre(native !== undefined)
        expect(boundedly(source, value) ?? native?.test(value)).toBe(native?.test(value) ?? false)
      }),
      { ...RUNS, numRuns: 3_000 },
    )
  })
})

function compiled(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u')
  } catch {
    return undefined
  }
}

/** Undefined where it gave up. */
function boundedly(source: string, value: string): boolean | undefined {
  try {
    return backtracking(source)(value)
  } catch (error) {
    if (error instanceof OutOfSteps) return undefined
    throw error
  }
}
