/** What fills a code in by itself is the end of the text: it leaves every carrier's adapter as it came. */
import { describe, expect, test } from 'bun:test'
import { CARRIER_TYPES } from '../../src/providers/carriers'
import { http } from '../../src/providers/http'
import type { CarrierType } from '../../src/providers/type'
import { anOutbound, CODE, connect, type VendorRequest } from './fake-vendor-twilio-aligo'

const LAST_LINE = `@xn--bcher-kva.example.com #${CODE}`
const TEXTS = {
  'of ASCII': `Your code is ${CODE}.\nFA+9qCX9/Su\n${LAST_LINE}`,
  'of Korean': `인증번호는 [${CODE}]입니다.\nFA+9qCX9/Su\n${LAST_LINE}`,
}

const reportSecret = 'report-secret-of-tests'
const url = 'https://carrier.test/send'
const toUrl = { url, reportSecret }
const jsonOf = ({ body = '' }: VendorRequest) => JSON.parse(body)
const formOf = ({ body }: VendorRequest) => new URLSearchParams(body)

const typeNamed = (name: string): CarrierType => {
  const type = CARRIER_TYPES[name]
  if (!type) throw new Error(`no type ${name}`)
  return type
}

const CARRIERS: Array<[string, CarrierType, object, (request: VendorRequest) => unknown]> = [
  ['http', http, toUrl, (request) => jsonOf(request).text],
  ['http, a body', http, { ...toUrl, body: { msg: ['{{text}}'] } }, (request) => jsonOf(request).msg[0]],
  ['http, a form', http, { ...toUrl, form: { msg: '{{text}}' } }, (request) => formOf(request).get('msg')],
  [
    'http, an address',
    http,
    { ...toUrl, url: `${url}?msg={{text}}`, method: 'GET' },
    (request) => new URL(request.url).searchParams.get('msg'),
  ],
  [
    'solapi',
    typeNamed('solapi'),
    { apiKey: 'KEY', apiSecret: 'SECRET', from: '0212345678', reportSecret },
    (request) => jsonOf(request).message.text,
  ],
  [
    'aligo',
    typeNamed('aligo'),
    { apiKey: 'KEY', userId: 'user', from: '0212345678', reportSecret },
    (request) => formOf(request).get('msg'),
  ],
  [
    'nhn',
    typeNamed('nhn'),
    { sms: { appKey: 'KEY', secretKey: 'SECRET', from: '0212345678' }, reportSecret },
    (request) => jsonOf(request).body,
  ],
  [
    'twilio',
    typeNamed('twilio'),
    { accountSid: `AC${'0'.repeat(32)}`, authToken: 'TOKEN', from: '+15005550006', reportSecret },
    (request) => formOf(request).get('Body'),
  ],
]

describe.each(CARRIERS)('%s', (_, type, config, textIn) => {
  test.each(Object.entries(TEXTS))('a text %s', async (_what, text) => {
    for (const messageType of ['SMS', 'LMS'] as const) {
      const { vendor, provider } = connect(type, type.config.parse(config) as Record<string, unknown>)
      await provider.send(anOutbound({ text, messageType }))
      const [request] = vendor.requests
      const sent = request && textIn(request)
      expect(sent).toBe(text)
      expect(String(sent).split('\n').at(-1)).toBe(LAST_LINE)
    }
  })
})
