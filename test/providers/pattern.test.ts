/** Patterns mean what JavaScript says, as far as they can be matched in linear time. */
import { expect, test } from 'bun:test'
import { carrierDescription } from '../../src/providers/description'
import { isLinear, patternOf } from '../../src/providers/pattern'
import { ACME } from './acme'

const TEXTS = ['', 'a', 'ab', 'E12', 'xE12', '123456', 'E123456', '<id>7</id>', 'HTTP_404', 'a\nb', 'ä', 'created']

test.each([
  '^E\\d+$',
  '\\d+',
  '^(created|sent)$',
  '^(?:x)?(E\\d{1,3})$',
  '<id>(?<id>[^<]+)</id>',
  '^(?!.*\\d{6})[A-Z][A-Z0-9-]{1,31}$',
  '^(?!HTTP_(?:40[1238]|429))HTTP_[34]\\d\\d$',
  '^(?!a|(?:E))',
  '^[^<(|]*$',
  '^a.b$',
  '^(a|ab)(b|)$',
  'a?$',
  '',
])('%s finds what RegExp finds', (source) => {
  for (const text of TEXTS) {
    const [found, expected] = [patternOf(source, 's').exec(text), new RegExp(source, 's').exec(text)]
    expect(found === null).toBe(expected === null)
    expect(found?.[1]).toBe(expected?.[1] as string)
    expect({ ...found?.groups }).toEqual({ ...expected?.groups })
    expect(patternOf(source).test(text)).toBe(new RegExp(source).test(text))
  }
})

test.each([
  '(',
  '(a)\\1',
  '(?<x>a)\\k<x>',
  'a(?!b)',
  '(?<=a)b',
  '^(?!a)b|c',
  '^(?!(a)\\1)b',
  '(?:a{1,100}){9}',
  '(?i)a',
])('%s is refused', (source) => {
  expect(isLinear(source)).toBe(false)
  const { error } = carrierDescription.safeParse({ ...ACME, codePattern: source })
  expect(error?.issues).toEqual([expect.objectContaining({ path: ['codePattern'] })])
})

test('a filter is refused where its pattern is', () => {
  const request = { ...ACME.send.sms?.request, form: { to: '{{to|only:(a)\\1}}' } }
  const { error } = carrierDescription.safeParse({ ...ACME, send: { sms: { ...ACME.send.sms, request } } })
  expect(error?.issues[0]?.message).toBe('no such filter: {{to|only:(a)\\1}}')
})

test('a text for which a pattern would take too long does not match', () => {
  const pattern = patternOf('(?:ab?)+c')
  expect(pattern.test(`${'a'.repeat(1_000)}c`)).toBe(true)
  expect(pattern.test(`${'a'.repeat(60_000)}c`)).toBe(false)
  expect(pattern.exec(`${'a'.repeat(60_000)}c`)).toBeNull()
})
