/** What whoever finds a live browser key cannot do with it. */
import { describe, expect, spyOn, test } from 'bun:test'
import { assertWithin, isOpen } from '../../src/domain/browser-key'
import type { Allowance, ApiKey } from '../../src/domain/key'
import type { Template } from '../../src/domain/template'
import { aStoredKey } from '../store/sample'
import { thrownBy } from './sample'

const browserKey = (changes: Partial<ApiKey> = {}): ApiKey =>
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
    assertWithin(key, { from, templateVariables }, TEMPLATE)
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

  test.each([
    'Click https://evil.example',
    'evil.example/pay',
    'www.evil.example',
    'bit.ly/3x',
    'EVIL．EXAMPLE',
    'evil。example',
    '은행.한국',
    '203.0.113.7/x',
    'http://203.0.113.7',
    'a'.repeat(41),
  ])('may not write %p where a variable has no pattern', (name) => {
    expect(refusalOf(browserKey(), { name })).toMatchObject({
      kind: 'forbidden',
      detail: { param: 'templateVariables.name', reason: 'free_text_not_allowed' },
    })
  })

  test.each([
    'Ann',
    '홍길동',
    'J. R. Hartley',
    '09:30',
    '3.5',
    '12,000원',
    'Kim & Lee',
    '가'.repeat(40),
    '😀'.repeat(40),
  ])('may write %p', (name) => {
    expect(refusalOf(browserKey(), { name })).toBe('nothing was refused')
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
    expect(isOpen(browserKey({ allows }))).toBeTrue()
  })
})

test.each<[string, Partial<ApiKey>]>([
  ['a secret key', { kind: 'sk' }],
  ['a test browser key', { mode: 'test' }],
])('%s is not restricted', (_, changes) => {
  const key = browserKey({ ...changes, allows: [] })
  expect(refusalOf(key, { from: 'BANK', name: 'https://a.example' })).toBe('nothing was refused')
  expect(isOpen({ ...key, allows: ['from'] })).toBeFalse()
})
