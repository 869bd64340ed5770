import { expect, test } from 'bun:test'
import { filled, isMessageName, jsonFrom, objectScope, unknownPlaceholder } from '../../src/providers/template'

const scope = objectScope({
  to: '+821012345678',
  abroad: '+447700900123',
  locale: 'zh-TW',
  code: '123456',
  ttl: 90,
  uuid: '01-ab',
  text: '인증번호',
  sid: 'MG01',
  empty: '',
  sms: { from: '02-123' },
  variables: { code: '1', shop: 'Ada' },
  order: 'shop, ttl,nothing',
})

test.each([
  ['{{to|digits}}', '821012345678'],
  ['{{to|country}} {{to|national:82}} {{to|national}}', '82 01012345678 1012345678'],
  ['{{abroad|country}} {{abroad|national:82}} {{abroad|korean}}', '44 7700900123 447700900123'],
  ['{{to|korean}} {{sms.from|korean}}', '01012345678 02123'],
  ['{{locale|language}} {{locale|underscored|lower}} {{locale|upper}}', 'zh zh_tw ZH-TW'],
  ['{{code|spaced}} {{code|base64}} {{code|hex}}', '1 2 3 4 5 6 MTIzNDU2 313233343536'],
  ['{{ttl|atMost:60}} {{ttl|atLeast:100}}', '60 100'],
  ['{{ttl|times:1000}} {{uuid|withoutHyphens}}', '90000 01ab'],
  ['{{ttl|dividedBy:60}} {{ttl|dividedBy:60|rounded}} {{ttl|dividedBy:60|roundedDown}}', '1.5 2 1'],
  ['{{code|md5}} {{code|md5Base64}}', 'e10adc3949ba59abbe56e057f20f883e 4QrcOUm6Wau+VuBX8g+IPg=='],
  ['{{code|ifUnicode:unicode}} {{text|ifUnicode:unicode}} {{code|ifUnicode:unicode|or:text}}', ' unicode text'],
  ['{{empty|or:SMS}} {{none|or:LMS}} {{code|or:no}}', 'SMS LMS 123456'],
  ['{{sid|as:SERVICE}}{{none|as:NOTHING}}', 'SERVICE'],
  ['{{sid|only:^MG[0-9]{2}$}}{{sid|unless:^MG}}{{code|only:^MG}}', 'MG01'],
  ['{{from ?? sms.from}} {{ empty ?? none ?? code }}', '02-123 123456'],
])('%s', (template, expected) => {
  expect(filled(template)(scope)).toBe(expected)
})

test('one placeholder has the value as it is, and none leaves its field out', () => {
  const template = {
    ttl: '{{ttl}}',
    n: '{{code|number}}',
    all: '{{variables}}',
    kakao: '{{variables|kakao}}',
    none: '{{none}}',
    numbered: '{{order|inOrder}}',
    beside: { to: '{{to}}', '...': '{{variables}}' },
  }
  expect(jsonFrom(template, false)(scope)).toEqual({
    ttl: 90,
    n: 123456,
    all: { code: '1', shop: 'Ada' },
    kakao: { '#{code}': '1', '#{shop}': 'Ada' },
    numbered: ['Ada', '90', ''],
    beside: { to: '+821012345678', code: '1', shop: 'Ada' },
  })
  expect(jsonFrom({ hook: { delivery: { url: '{{none}}' } }, given: {} }, false)(scope)).toEqual({ given: {} })
  expect(jsonFrom({ ttl: '{{ttl}}', none: '{{none}}' }, true)(scope)).toEqual({ ttl: '90', none: '' })
})

test.each([
  ['{{to|digits}} {{variables.shop}} {{from ?? to}}', undefined],
  ['{{number}}', 'number'],
  ['{{from ?? number}}', 'number'],
  ['{{to|shout}}', 'to|shout'],
  [{ a: ['{{to'] }, '{{to'],
])('%j has the unknown placeholder %j', (template, expected) => {
  expect(unknownPlaceholder(template, isMessageName)).toBe(expected)
})
