/** What whoever finds a live browser key cannot do with it. */
import { describe, expect, spyOn, test } from 'bun:test'
import type { Allowance, ApiKey, StoredKey } from '../../src/domain/access/api-key'
import { assertAllowedContent, hasAllowances } from '../../src/domain/access/browser-key'
import type { Template } from '../../src/domain/message/template'
import { aStoredKey } from '../store/sample'
import { thrownBy } from './sample'

const browserKey = (changes: Partial<StoredKey> = {}): ApiKey =>
  aStoredKey(1, { kind: 'pk', scopes: ['otp:issue'], allowedOrigins: ['https://a.example'], ...changes })

const TEMPLATE: Template = {
  templateId: 'welcome',
  name: 'Welcome',
  channelSupport: ['sms'],
  body: '#{name} #{order} #{code}',
  variables: { name: { required: true }, order: { required: false, pattern: '[0-9a-z:/.]*' } },
  providerTemplateCode: 'welcome',
}

const refusalOf = (key: ApiKey, wish: { from?: string; name?: string; order?: string }) => {
  const { from, ...templateVariables } = wish
  return thrownBy(() => {
    assertAllowedContent(key, { from, templateVariables }, TEMPLATE)
    throw 'nothing was refused'
  })
}

describe('a live browser key', () => {
  test('has a text that is too long refused without a look at it: its accents could take seconds to sort', () => {
    const normalize = spyOn(String.prototype, 'normalize')
    const name = `a${'\u0315\u0300'.repeat(30_000)}`
    expect(refusalOf(browserKey(), { name })).toMatchObject({ kind: 'forbidden' })
    expect(normalize).not.toHaveBeenCalled()
    normalize.mockRestore()
  })

  test('may not set the sender', () => {
    expect(refusalOf(browserKey(), { from: 'BANK' })).toMatchObject({
      kind: 'forbidden',
      detail: { param: 'from', reason: 'from_not_allowed' },
    })
  })

  const REFUSED: Record<string, string[]> = {
    'a link': [
      ...[
        'Click https://evil.example',
        'evil.example/pay',
        'www.evil.example',
        'bit.ly/3x',
        'see evil.example.',
        'x.co',
      ],
      ...[
        'http://203.0.113.7',
        '203.0.113.7/x',
        '10.1.1',
        'tel:5551',
        'mailto:a',
        'sms:5551',
        'intent://x',
        'a:b',
        '1:a',
      ],
      ...['은행.한국', 'उदाहरण.भारत', 'உதாரணம்.இந்தியா', '💩.la', 'i❤.ws', 'e\u0301vil.com', 'مثال.إختبار', '1.a'],
    ],
    'another dot': ['EVIL．EXAMPLE', 'evil。example', 'evil｡com', 'evil․com', 'evil‧com', 'evil·com', 'evil∙com'],
    'what nobody sees': [
      ...['evil\u200b.com', 'evil.\u200bcom', 'evil\u00ad.com', 'ev\u00adil', 'a\u200c', 'a\u200d', '\u2060', '\ufeff'],
      ...[
        '\u202eevil',
        '\u2066a',
        '\u034f',
        '\u3164',
        '\u115f',
        '\uffa0',
        'a\ufe0f',
        '\u{e0041}',
        '\u{e0100}',
        '\u180e',
      ],
    ],
    'a phone number': [
      ...['call 010-1234-5678', '01012345678', '+82 10 1234 5678', '1588-1234', '555 1234', '(02) 123-4567', '1234567'],
      ...[
        '0 1 0 1 2 3 4',
        '010.123.456',
        '010/1234/5678',
        '０１０－１２３４',
        '٠١٠١٢٣٤٥',
        '010ー1234ー5678',
        '010x1234x5678',
      ],
      ...['1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣', '𝟎𝟏𝟎𝟏𝟐𝟑𝟒', '*#06#', '020~5551'],
    ],
    'another line, or a control character': [
      ...[
        'BANK:\nsend money',
        'a\r',
        'a\r\nb',
        '\u001b[31m',
        'a\tb',
        '\u0000',
        '\u007f',
        '\u0085',
        'a\u2028b',
        '\u2029',
      ],
    ],
    'what belongs to no name, order number or hour': [
      '<b>',
      'a@b',
      '{a}',
      '#{code}',
      '[1]',
      '\\',
      '`',
      '$(x)|',
      '=1',
      // Slow where a character fits in two ways.
      `${'ℹ'.repeat(39)}<`,
      `${'🏻'.repeat(19)}<`,
      `${'🏻\u200d'.repeat(13)}<`,
      '^',
      '①',
    ],
    'a text that is too long': ['a'.repeat(41), '😀'.repeat(41)],
  }
  test.each(Object.entries(REFUSED))('may not write %s where a variable has no pattern', (_, names) => {
    const passed = names.filter((name) => refusalOf(browserKey(), { name }) === 'nothing was refused')
    expect(passed).toEqual([])
    expect(refusalOf(browserKey(), { name: names[0] ?? '' })).toMatchObject({
      kind: 'forbidden',
      detail: { param: 'templateVariables.name', reason: 'free_text_not_allowed' },
    })
  })

  test.each([
    ...[
      '',
      'Ann',
      '홍길동',
      'J. R. Hartley',
      'Robert Downey Jr.',
      "Seán O'Brien-Łukasz",
      'Nguyễn Văn Ánh',
      'Müller & Söhne',
    ],
    ...[
      'Αλέξανδρος',
      'Анна-Мария',
      'محمد علي',
      'רות כהן',
      'प्रिया शर्मा',
      'สมชาย',
      '山田　太郎',
      'ジョン・スミス',
      '김철수（영업）',
    ],
    ...[
      '09:30',
      '9.30',
      '3.5',
      '12,000원',
      '1,234,567원',
      '€12.50',
      '50%',
      'A-1234',
      '#123456',
      '1/2',
      '14:05, No. 7',
      'No.5',
      'what?!',
    ],
    ...['가'.repeat(40), '😀'.repeat(40), 'Ann ❤️', '👨‍👩‍👧 🇰🇷', 'Kim...'],
  ])('may write %p', (name) => {
    expect(refusalOf(browserKey(), { name })).toBe('nothing was refused')
  })

  describe('may not write in several variables what it may not in one', () => {
    const refusalIn = (body: string, templateVariables: Record<string, string>, bodies?: Template['bodies']) => {
      const variables = { a: { required: false }, b: { required: false }, safe: { required: false, pattern: '.*' } }
      return thrownBy(() => {
        assertAllowedContent(
          browserKey(),
          { from: undefined, templateVariables },
          { ...TEMPLATE, body, variables, bodies },
        )
        throw 'nothing was refused'
      })
    }
    const REFUSAL = { kind: 'forbidden', detail: { param: 'templateVariables', reason: 'free_text_not_allowed' } }

    test('neither a link nor a phone number', () => {
      expect(refusalIn('#{a}#{b} #{code}', { a: 'evil.', b: 'com' })).toMatchObject(REFUSAL)
      expect(refusalIn('#{a} #{b} #{code}', { a: '010-123', b: '4-5678' })).toMatchObject(REFUSAL)
      expect(refusalIn('#{a}#{safe}#{b} #{code}', { a: '010-123', b: '4-5678' })).toMatchObject(REFUSAL)
      expect(refusalIn('#{a}#{a} #{code}', { a: '0101' })).toMatchObject(REFUSAL)
      // In whichever language it is sent.
      const bodies = { en: { body: '#{a}#{b}: #{code}' } }
      expect(refusalIn('#{a}, #{b}: #{code}', { a: 'evil.', b: 'com' }, bodies)).toMatchObject(REFUSAL)
    })

    test.each([
      ['#{a}, #{b}: #{code}', { a: 'Jr.', b: 'com' }],
      ['#{a}.Your code: #{code}', { a: 'Ann' }],
      ['https://shop.example.com/#{a} 1588-1234 #{code}', { a: 'x', b: 'y' }],
      ['#{safe}#{a} #{code}', { safe: 'https://shop.example.com/', a: 'x' }],
      ['#{a} #{code} #{b}', { a: '123', b: '456' }],
    ])('and the words of the template itself, as in %p, are none of theirs', (body, values) => {
      expect(refusalIn(body, values as unknown as Record<string, string>)).toBe('nothing was refused')
    })
  })

  test('may write what fits a pattern: whoever made the template has seen to it', () => {
    expect(refusalOf(browserKey(), { order: 'https://shop.example.com/orders/1234567890' })).toBe('nothing was refused')
  })

  test.each<[Allowance[], boolean, boolean]>([
    [['from'], true, false],
    [['text'], false, true],
    [['from', 'text'], true, true],
  ])('that is allowed %j may do that', (allows, mayFrom, mayText) => {
    const may = (wish: { from?: string; name?: string }) =>
      refusalOf(browserKey({ allows }), wish) === 'nothing was refused'
    expect([may({ from: 'BANK' }), may({ name: 'https://a.example' })]).toEqual([mayFrom, mayText])
    expect(hasAllowances(browserKey({ allows }))).toBeTrue()
  })
})

test.each<[string, Partial<StoredKey>]>([
  ['a secret key', { kind: 'sk' }],
  ['a test browser key', { mode: 'test' }],
])('%s is not restricted', (_, changes) => {
  const key = browserKey({ ...changes, allows: [] })
  expect(refusalOf(key, { from: 'BANK', name: 'https://a.example' })).toBe('nothing was refused')
  expect(hasAllowances({ ...key, allows: ['from'] })).toBeFalse()
})
