import { expect, test } from 'bun:test'
import { isHookHeader } from '../../src/domain/webhooks/webhook'

test.each<[string, string]>([
  ['Content-Type', 'application/json'],
  ['X-Svc-Signature', '0123abcdef'],
  ['Authorization', 'Bearer a+b/c=='],
  ["x!#$%&'*+-.^_`|~9", 'tab\there, caf\u00e9'],
  ['X-Empty', ''],
])('%s: %p may go with a webhook', (name, value) => {
  expect(isHookHeader(name, value)).toBe(true)
})

test.each<[string, string]>([
  ['X-A', 'a\r\nX-B: b'],
  ['X-A', 'a\nb'],
  ['X-A', 'a\rb'],
  ['X-A', 'a\0b'],
  ['X-A', 'a\u007fb'],
  ['X-A', 'a\u0085b'],
  ['X-A', '\uc778\uc99d'],
  ['X-A', '\u{1f4e8}'],
  ['X-A', 'a\u2028b'],
  ['X-A\r\nX-B', 'b'],
  ['X-A:', 'b'],
  ['X A', 'b'],
  ['', 'b'],
  ['\uc778', 'b'],
])('%p: %p cannot be written as one header', (name, value) => {
  expect(isHookHeader(name, value)).toBe(false)
})

test.each([
  'Host',
  'hOST',
  'Connection',
  'Content-Length',
  'Transfer-Encoding',
  'Accept-Encoding',
  'Expect',
  'Upgrade',
  'Proxy-Authorization',
  'TE',
  'Trailer',
])('%s is for the transport to say', (name) => {
  expect(isHookHeader(name, 'x')).toBe(false)
})
