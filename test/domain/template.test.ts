import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  assertTemplate,
  BUILT_IN_TEMPLATES,
  DEFAULT_TEMPLATE_ID,
  eucKrBytes,
  messageTypeFor,
  render,
  type Template,
  type TemplateVariable,
} from '../../src/domain/template'
import { RUNS, thrownBy } from './sample'

const aTemplate = (body: string, variables: Record<string, Partial<TemplateVariable>> = {}): Template => ({
  templateId: 'welcome',
  name: 'Welcome',
  channelSupport: ['sms'],
  body,
  variables: Object.fromEntries(Object.entries(variables).map(([name, rule]) => [name, { required: true, ...rule }])),
  providerTemplateCode: 'W1',
})
const refusal = (about: string) => ({ kind: 'invalid', message: expect.stringContaining(about) })

describe('rendering', () => {
  test('fills in the code and every variable, wherever and however often they occur', () => {
    const template = aTemplate('#{code} for #{name} at #{shop}: #{code}', { name: {}, shop: {} })
    expect(render(template, { name: 'Ann', shop: '가게' }, '123456')).toBe('123456 for Ann at 가게: 123456')
  })

  test('keeps a leading zero of the code', () => {
    expect(render(aTemplate('[#{code}]'), {}, '000042')).toBe('[000042]')
  })

  test('leaves the placeholder of a missing optional variable empty', () => {
    expect(render(aTemplate('#{code}#{note}', { note: { required: false } }), {}, '1')).toBe('1')
  })

  test('puts values in as they are: placeholders and replacement patterns mean nothing in them', () => {
    const template = aTemplate('<#{a}> #{code} <#{b}>', { a: {}, b: {} })
    const hostile = ['#{code}', '#{b}', '$&', '$1', "$'", '$`', '$$', '$<name>', '\\', '#{', '}']
    for (const a of hostile) {
      for (const b of hostile) expect(render(template, { a, b }, '999999')).toBe(`<${a}> 999999 <${b}>`)
    }
  })

  test('puts any value in as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(render(aTemplate('#{a}|#{code}|#{b}', { a: {}, b: {} }), { a, b }, '123456')).toBe(`${a}|123456|${b}`)
      }),
      RUNS,
    )
  })

  test.each<[string, Record<string, string>, string]>([
    ['a required variable is missing', {}, 'name'],
    ['a variable is unknown', { name: 'Ann', other: 'x' }, 'other'],
    ['the code is given', { name: 'Ann', code: '000000' }, 'code'],
    ['a variable is named like something every object has', { name: 'Ann', toString: 'x' }, 'toString'],
  ])('is refused where %s', (_, variables, about) => {
    expect(thrownBy(() => render(aTemplate('#{code} #{name}', { name: {} }), variables, '1'))).toMatchObject(
      refusal(about),
    )
  })

  test('takes nothing from the prototype of the values', () => {
    const template = aTemplate('#{code} #{constructor}', { constructor: { required: false } })
    expect(render(template, {}, '1')).toBe('1 ')
    expect(thrownBy(() => render(aTemplate('#{code} #{valueOf}', { valueOf: {} }), {}, '1'))).toMatchObject(
      refusal('valueOf'),
    )
  })

  test('a value must match its whole pattern', () => {
    const template = aTemplate('#{code} #{n}', { n: { pattern: '\\d{1,3}|none' } })
    for (const value of ['1', '123', 'none']) expect(render(template, { n: value }, '1')).toBe(`1 ${value}`)
    for (const value of ['', '1234', '1 ', 'x1', 'none!', '1\n', '1|none']) {
      expect(thrownBy(() => render(template, { n: value }, '1'))).toMatchObject(
        refusal('templateVariables.n: does not match'),
      )
    }
  })

  test('an optional variable that is given must match too', () => {
    const template = aTemplate('#{code} #{n}', { n: { pattern: '\\d', required: false } })
    expect(render(template, {}, '1')).toBe('1 ')
    expect(thrownBy(() => render(template, { n: '' }, '1'))).toMatchObject(
      refusal('templateVariables.n: does not match'),
    )
  })
})

describe('length', () => {
  test('ASCII counts one, everything else two', () => {
    const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code))
    expect(eucKrBytes(ascii)).toBe(128)
    expect(eucKrBytes('')).toBe(0)
    expect(eucKrBytes('가나다')).toBe(6)
    expect(eucKrBytes('é')).toBe(2)
    expect(eucKrBytes('😀')).toBe(2)
    expect(eucKrBytes('[인증] 1')).toBe(8)
  })

  test('is that of EUC-KR for everything EUC-KR has', () => {
    const decoder = new TextDecoder('euc-kr')
    let characters = 0
    for (let high = 0xa1; high <= 0xfe; high++) {
      for (let low = 0xa1; low <= 0xfe; low++) {
        const character = decoder.decode(Uint8Array.of(high, low))
        if (character.includes('\ufffd')) continue
        characters++
        expect([character, eucKrBytes(character)]).toEqual([character, 2])
      }
    }
    expect(characters).toBeGreaterThan(8_000)
  })

  test('of two texts together is the sum of theirs', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(eucKrBytes(one + other)).toBe(eucKrBytes(one) + eucKrBytes(other))
      }),
      RUNS,
    )
  })

  test.each<[string, string, 'SMS' | 'LMS']>([
    ['90 ASCII characters', 'x'.repeat(90), 'SMS'],
    ['91 ASCII characters', 'x'.repeat(91), 'LMS'],
    ['45 Korean characters', '가'.repeat(45), 'SMS'],
    ['45 Korean characters and a space', `${'가'.repeat(45)} `, 'LMS'],
    ['44 Korean characters and two ASCII', `${'가'.repeat(44)}ab`, 'SMS'],
    ['nothing', '', 'SMS'],
    ['2000 bytes', '가'.repeat(1_000), 'LMS'],
  ])('%s go as what fits', (_, text, type) => {
    expect(messageTypeFor(text, undefined)).toBe(type)
  })

  test('what the caller insists on is kept where it fits, and refused where it does not', () => {
    expect(messageTypeFor('short', 'LMS')).toBe('LMS')
    expect(messageTypeFor('x'.repeat(90), 'SMS')).toBe('SMS')
    expect(thrownBy(() => messageTypeFor('x'.repeat(91), 'SMS'))).toMatchObject(refusal('messageType'))
    for (const requested of [undefined, 'LMS', 'SMS'] as const) {
      expect(thrownBy(() => messageTypeFor('x'.repeat(2_001), requested))).toMatchObject(refusal('2000'))
    }
  })
})

describe('a template', () => {
  test.each<[string, Template]>([
    ['with the code alone', aTemplate('#{code}')],
    ['with variables', aTemplate('#{code} #{name}', { name: { pattern: '.{1,20}' } })],
    ['of 2000 bytes', aTemplate(`#{code}${'x'.repeat(1_993)}`)],
    ['with a name of 64 characters', aTemplate(`#{code}#{${'n'.repeat(64)}}`, { ['n'.repeat(64)]: {} })],
    ['with braces that are no placeholder', aTemplate('#{code} {x} #x #{')],
  ])('may be %s', (_, template) => {
    expect(() => assertTemplate(template)).not.toThrow()
  })

  test.each<[string, Template, string]>([
    ['without the code', aTemplate('hello'), '#{code}'],
    ['with the code in other words', aTemplate('{code} #code #{ code }'), '#{code}'],
    ['with a variable nobody declared', aTemplate('#{code} #{name}'), '#{name}'],
    ['with a variable like something every object has', aTemplate('#{code} #{toString}'), '#{toString}'],
    ['with an empty placeholder', aTemplate('#{code} #{}'), '#{}'],
    ['with a variable that does not occur', aTemplate('#{code}', { name: {} }), 'name'],
    ['that declares the code', aTemplate('#{code}', { code: {} }), 'code'],
    ['with a name that starts with a digit', aTemplate('#{code} #{1a}', { '1a': {} }), '1a'],
    ['with a name of 65 characters', aTemplate(`#{code}#{${'n'.repeat(65)}}`, { ['n'.repeat(65)]: {} }), 'usable'],
    ['with a name in Korean', aTemplate('#{code} #{이름}', { 이름: {} }), '이름'],
    ['with a pattern that is none', aTemplate('#{code} #{a}', { a: { pattern: '(' } }), '"a"'],
    ['with a pattern that escapes its frame', aTemplate('#{code} #{a}', { a: { pattern: 'x)|(?:y' } }), '"a"'],
    ['of 2001 bytes', aTemplate(`#{code}${'x'.repeat(1_994)}`), '2000'],
    ['of 2001 bytes in Korean', aTemplate(`#{code}${'가'.repeat(997)}`), '2000'],
    ['for no channel', { ...aTemplate('#{code}'), channelSupport: [] }, 'channelSupport'],
  ])('is refused %s', (_, template, about) => {
    expect(thrownBy(() => assertTemplate(template))).toMatchObject(refusal(about))
  })

  test.each(BUILT_IN_TEMPLATES.map((template) => [template.templateId, template] as const))(
    '%s is built in, needs nothing but the code, and goes as SMS',
    (_, template) => {
      expect(() => assertTemplate(template)).not.toThrow()
      const text = render(template, {}, '123456')
      expect(text).toContain('123456')
      expect(text).not.toContain('#{')
      expect(messageTypeFor(text, undefined)).toBe('SMS')
    },
  )

  test('the default is one of those that are built in', () => {
    expect(BUILT_IN_TEMPLATES.map(({ templateId }) => templateId)).toContain(DEFAULT_TEMPLATE_ID)
  })
})
