import { describe, expect, test } from 'bun:test'
import type { CarrierConfig } from '../../src/domain/delivery/carrier'
import type { OutboundMessage } from '../../src/domain/message/rendered-message'
import type { TransportResult } from '../../src/ports/network'
import { assertCarrier } from '../../src/providers/carriers'
import { http } from '../../src/providers/http'
import { answered, HTTP_ONLY } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { errorOf } from '../support/error-of'
import fc, { anyText } from '../support/property'
import { seededRandom } from '../support/random'

const SECRET = 'a-report-secret-of-tests'
const MESSAGE: OutboundMessage = {
  messageId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77',
  channel: 'sms',
  to: '+821012345678',
  text: '인증번호 "123456" {{to}}\nline',
  code: '123456',
  from: '0212345678',
  messageType: 'SMS',
  isFallback: false,
  expiresAt: 0,
}

const providerOf = (config: object): CarrierConfig => ({
  name: 'p',
  type: 'http',
  channels: ['sms'],
  config: { url: 'https://carrier.test/send', reportSecret: SECRET, ...config },
  createdAt: 0,
})

async function send(config: object, result: TransportResult = answered(200, { id: 'x' }), message = MESSAGE) {
  // biome-ignore lint/suspicious/noExplicitAny: a request as the transport port gets it
  const requests: any[] = []
  const provider = http.create(providerOf(config), {
    ...HTTP_ONLY,
    transport: {
      async request(request) {
        requests.push(request)
        return result
      },
    },
    clock: new VirtualClock(0),
    random: seededRandom(1),
    timeoutMs: 1_000,
    reportUrl: undefined,
  })
  const outcome = await provider.send(message)
  return { outcome, request: requests[0], requests, provider }
}

const refusalOf = (config: object) => {
  try {
    assertCarrier(providerOf(config))
  } catch (error) {
    return String(error)
  }
  return undefined
}

describe('the request', () => {
  test('an XML body escapes what is filled in, and is called XML', async () => {
    const xml = '<sms to="{{toDigits}}"><text>{{text}}</text></sms>'
    const { request } = await send({ xml }, undefined, { ...MESSAGE, text: `a<b>&"c'` })
    expect(request.body).toBe('<sms to="821012345678"><text>a&#60;b&#62;&#38;&#34;c&#39;</text></sms>')
    expect(request.headers['content-type']).toBe('application/xml')
  })

  test('a JSON body from a template keeps its structure, whatever the text holds', async () => {
    const body = {
      recipient: { number: '{{toNational}}', intl: '{{toDigits}}' },
      parts: ['{{text}}'],
      id: '{{ messageId }}',
      n: 1,
    }
    const { request } = await send({ body })
    expect(JSON.parse(request.body)).toEqual({
      recipient: { number: '01012345678', intl: '821012345678' },
      parts: [MESSAGE.text],
      id: MESSAGE.messageId,
      n: 1,
    })
    expect(request.headers['content-type']).toBe('application/json')
  })

  test('a form, a GET with everything in the address, and headers are encoded each in its own way', async () => {
    const form = await send({ form: { to: '{{to}}', msg: '{{text}}' } })
    expect(Object.fromEntries(new URLSearchParams(form.request.body))).toEqual({ to: MESSAGE.to, msg: MESSAGE.text })
    expect(form.request.headers['content-type']).toBe('application/x-www-form-urlencoded')

    const get = await send({
      method: 'GET',
      url: 'https://carrier.test/{{channel}}?to={{to}}&text={{text}}&from={{from}}',
    })
    const url = new URL(get.request.url)
    expect(get.request.method).toBe('GET')
    expect(get.request.body).toBeUndefined()
    expect(url.pathname).toBe('/sms')
    expect(Object.fromEntries(url.searchParams)).toEqual({ to: MESSAGE.to, text: MESSAGE.text, from: '0212345678' })

    const { request } = await send({ headers: { 'x-text': '{{text}}', 'x-key': 'secret' } })
    expect(request.headers['x-text']).toMatch(/^[\x20-\x7e]*$/)
    expect(request.headers['x-key']).toBe('secret')
  })

  test('an SMS says code, template, language and remaining life apart from its text', async () => {
    const message: OutboundMessage = {
      ...MESSAGE,
      templateId: 'otp_default_kr',
      templateCode: '1107160000000012345',
      dlt: { entityId: '1201', templateId: '1107' },
      variables: { code: '123456', shop: 'Ada' },
      locale: 'zh-TW',
      expiresAt: 180_999,
    }
    const form = {
      code: '{{code}}',
      template: '{{templateId}}/{{templateCode}}',
      lang: '{{locale}}',
      dlt: '{{dltEntityId}}/{{dltTemplateId}}',
      ttl: '{{expiresInSec}}',
      shop: '{{variables.shop}}',
    }
    const { request } = await send({ form }, undefined, message)
    expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual({
      code: '123456',
      template: 'otp_default_kr/1107160000000012345',
      lang: 'zh-TW',
      dlt: '1201/1107',
      ttl: '180',
      shop: 'Ada',
    })
  })

  test('a message of an earlier version has no template and no language, and one too late lives a second', async () => {
    const { request } = await send({ body: { t: '{{templateId}}', l: '{{locale}}', ttl: '{{expiresInSec}}' } })
    expect(JSON.parse(request.body)).toEqual({ t: '', l: '', ttl: '1' })
  })

  test('without a template the body of an SMS stays its text', async () => {
    const { request } = await send({}, undefined, { ...MESSAGE, templateCode: 'T1', variables: { code: '123456' } })
    expect(Object.keys(JSON.parse(request.body))).toEqual([
      ...['messageId', 'channel', 'to', 'text', 'from', 'messageType'],
    ])
  })

  test('the sender of the country stands where the app names none', async () => {
    const settings = { senders: 'KR=0212345678, *=ACME' }
    const from = async (message: OutboundMessage) =>
      JSON.parse((await send(settings, undefined, message)).request.body).from
    expect(await from({ ...MESSAGE, to: '+821012345678', from: undefined })).toBe('0212345678')
    expect(await from({ ...MESSAGE, to: '+821012345678', from: 'MINE' })).toBe('MINE')
    expect(refusalOf({ senders: 'Korea' })).toContain('must be such as')
  })

  test('variables of an AlimTalk can be named', async () => {
    const message: OutboundMessage = {
      ...MESSAGE,
      channel: 'alimtalk',
      templateCode: 'T1',
      variables: { code: '123456', name: 'Ada' },
    }
    const { request } = await send(
      {
        body: {
          t: '{{templateCode}}',
          c: '{{variables.code}}',
          m: '{{variables.missing}}',
          o: '{{variables.constructor}}',
        },
      },
      undefined,
      message,
    )
    expect(JSON.parse(request.body)).toEqual({ t: 'T1', c: '123456', m: '', o: '' })
  })

  test.each([
    ['https://carrier.test/v1/{{from}}/send', '..', '/v1/%252E%252E/send'],
    ['https://carrier.test/v1/{{from}}/send', '.', '/v1/%252E/send'],
    ['https://carrier.test/v1/{{from}}', '..', '/v1/%252E%252E'],
    ['https://carrier.test/v1/.{{from}}/send', '.', '/v1/%252E%252E/send'],
    ['https://carrier.test/v1/{{from}}{{from}}/send', '.', '/v1/%252E%252E/send'],
    ['https://carrier.test/v1/%2e{{from}}/send', '.', '/v1/%252e%252E/send'],
    ['https://carrier.test/v1/{{from}}/send', '../..', '/v1/..%2F../send'],
    ['https://carrier.test/v1/{{from}}/send', '%2e%2e', '/v1/%252e%252e/send'],
    ['https://carrier.test/v1/{{from}}/send', '..\\', '/v1/..%5C/send'],
    ['https://carrier.test/v1/{{from}}/send', '...', '/v1/.../send'],
    ['https://carrier.test/v1/../{{from}}/send', '0212', '/0212/send'],
    ['https://carrier.test/v1?from={{from}}', '..', '/v1?from=..'],
  ])('%s with the sender %j stays where it is: %s', async (url, from, expected) => {
    const { request } = await send({ url }, undefined, { ...MESSAGE, from })
    const { origin, pathname, search } = new URL(request.url)
    expect([origin, pathname + search]).toEqual(['https://carrier.test', expected])
  })

  test('no sender and no text leads to another path of the host', async () => {
    const part = fc.string({
      unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', 'E', 'f', '?', '#', '@', ':', 'a', ' '),
    })
    const url = 'https://carrier.test/a/{{from}}/b/.{{text}}/{{from}}{{text}}/c?q={{text}}#{{from}}'
    await fc.assert(
      fc.asyncProperty(part, part, async (from, text) => {
        const { request } = await send({ url }, undefined, { ...MESSAGE, from, text })
        const { host, pathname, searchParams } = new URL(request.url)
        const segments = pathname.split('/')
        expect([host, segments.length, segments[1], segments[3], segments[6]]).toEqual([
          'carrier.test',
          7,
          'a',
          'b',
          'c',
        ])
        expect(searchParams.get('q')).toBe(text)
      }),
      { seed: 7, numRuns: 500 },
    )
  })

  test('no text can break out of its place', async () => {
    await fc.assert(
      fc.asyncProperty(anyText(), async (text) => {
        const message = { ...MESSAGE, text: text.toWellFormed() }
        const json = await send({ body: { a: '{{text}}', b: 'fixed' } }, undefined, message)
        expect(JSON.parse(json.request.body)).toEqual({ a: message.text, b: 'fixed' })
        const get = await send({ method: 'GET', url: 'https://carrier.test/?a={{text}}&b=fixed' }, undefined, message)
        expect([...new URL(get.request.url).searchParams]).toEqual([
          ['a', message.text],
          ['b', 'fixed'],
        ])
        const header = await send({ headers: { 'x-a': '{{text}}' } }, undefined, message)
        expect(header.request.headers['x-a']).not.toMatch(/[^\x20-\x7e]/)
      }),
      { seed: 7, numRuns: 100 },
    )
  })
})

describe('the answer', () => {
  const codes = {
    '0': { means: 'accepted' },
    E1: { means: 'later' },
    E2: { means: 'elsewhere', explanation: 'sender number not registered with the carrier' },
    E3: { means: 'never' },
    E4: { means: 'ambiguous' },
    HTTP_503: { means: 'later' },
  }
  const config = { codePath: 'result.code', idPath: 'result.messages.0.id', codes }
  const withCode = (status: number, code: unknown) => answered(status, { result: { code, messages: [{ id: 'm1' }] } })

  test.each([
    [withCode(200, '0'), { kind: 'accepted', carrierMessageId: 'm1' }],
    [withCode(200, 0), { kind: 'accepted', carrierMessageId: 'm1' }],
    [withCode(200, 'E1'), { kind: 'refused', retry: 'later', code: 'E1' }],
    [withCode(200, 'E2'), { kind: 'refused', retry: 'elsewhere', code: 'E2' }],
    [withCode(400, 'E3'), { kind: 'refused', retry: 'never', code: 'E3' }],
    [withCode(200, 'E4'), { kind: 'ambiguous', code: 'E4' }],
    [withCode(500, 'E1'), { kind: 'refused', retry: 'later', code: 'E1' }],
    [withCode(500, 'E9'), { kind: 'ambiguous', code: 'E9' }],
    [withCode(400, 'E9'), { kind: 'refused', retry: 'never', code: 'E9' }],
    [answered(503, 'gone'), { kind: 'refused', retry: 'later', code: 'HTTP_503' }],
    [answered(200, { result: { code: '0' } }), { kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' }],
    [answered(200, 'garbage'), { kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' }],
    [answered(403, {}), { kind: 'refused', retry: 'elsewhere', code: 'HTTP_403' }],
    [
      { kind: 'not_sent', reason: 'ECONNREFUSED' } as const,
      { kind: 'refused', retry: 'unreached', code: 'NOT_SENT_ECONNREFUSED' },
    ],
    [{ kind: 'unknown', reason: 'TimeoutError' } as const, { kind: 'ambiguous', code: 'NO_ANSWER_TimeoutError' }],
  ] as Array<[TransportResult, object]>)('%o means %o', async (result, expected) => {
    const { outcome, requests } = await send(config, result)
    expect(outcome).toEqual(expected as never)
    expect(requests).toHaveLength(1)
  })

  test('a code is explained by the configuration, else by what everybody knows', () => {
    expect(http.explain('E2', providerOf(config).config)).toBe('sender number not registered with the carrier')
    for (const code of [
      'HTTP_401',
      'HTTP_402',
      'HTTP_429',
      'HTTP_500',
      'HTTP_404',
      'NOT_SENT_X',
      'NO_ANSWER_X',
      'HTTP_200_WITHOUT_ID',
    ]) {
      expect(http.explain(code, providerOf(config).config)).toBeString()
    }
    expect(http.explain('E1', {})).toBeUndefined()
  })
})

describe('reports', () => {
  const report = {
    itemsPath: 'results',
    idPath: 'ref.id',
    statusPath: 'state',
    codePath: 'err',
    delivered: ['DELIVRD'],
    failed: ['UNDELIV', 'EXPIRED'],
  }
  const read = async (text: string, authorization = `Bearer ${SECRET}`, query = '', type = 'application/json') => {
    const { provider } = await send({ report })
    return provider.readReports?.({
      url: '',
      headers: new Headers({ authorization, 'content-type': type }),
      query: new URLSearchParams(query),
      text,
    })
  }
  /** With the names of fields of a carrier that calls by forms. */
  const readFlat = async (text: string, query: string, more: object = {}) => {
    const { provider } = await send({ report: { ...report, itemsPath: undefined, idPath: 'id', ...more } })
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' })
    return provider.readReports?.({ url: '', headers, query: new URLSearchParams(query), text })
  }

  test('are read where the configuration says; words it does not name say nothing yet', async () => {
    const results = [
      { ref: { id: 'a' }, state: 'DELIVRD', err: 0 },
      { ref: { id: 'b' }, state: 'UNDELIV', err: 'E7' },
      { ref: { id: 'c' }, state: 'ENROUTE' },
      { state: 'DELIVRD' },
      'garbage',
    ]
    expect(await read(JSON.stringify({ results }))).toEqual([
      { messageId: 'a', status: 'delivered', code: '0' },
      { messageId: 'b', status: 'failed', code: 'E7' },
    ])
    for (const other of ['{}', '[]', '5', 'null', '{"results":{}}']) expect(await read(other)).toEqual([])
  })

  test('are read from a form, several where names come again', async () => {
    const [token, form] = [`token=${SECRET}`, 'id=a%2B1&state=DELIVRD&err=0&to=x']
    const first = { messageId: 'a+1', status: 'delivered', code: '0' } as const
    expect(await readFlat(form, token)).toEqual([first])
    expect(await readFlat(`${form}&id=b&state=UNDELIV&err=E7`, token)).toEqual([
      first,
      { messageId: 'b', status: 'failed', code: 'E7' },
    ])
    expect((await errorOf(readFlat('garbage', token))).message).toContain('no report in it has the ID of a message')
  })

  test('are read from the address where there is no body', async () => {
    expect(await readFlat('', `id=a&state=EXPIRED&token=${SECRET}`)).toEqual([
      { messageId: 'a', status: 'failed', code: undefined },
    ])
  })

  test('are read from JSON that is called a form', async () => {
    expect(await readFlat('{"id":"a","state":"DELIVRD","err":0}', `token=${SECRET}`)).toEqual([
      { messageId: 'a', status: 'delivered', code: '0' },
    ])
  })

  test('are read from JSON in a field of a form', async () => {
    const events = JSON.stringify([
      { id: 'a', state: 'DELIVRD' },
      { id: 'b', state: 'UNDELIV' },
    ])
    const form = new URLSearchParams({ events }).toString()
    const read = (itemsPath: string) => readFlat(form, `token=${SECRET}`, { itemsPath })
    expect(await read('events')).toMatchObject([{ messageId: 'a' }, { messageId: 'b' }])
    expect(await read('events.1')).toMatchObject([{ messageId: 'b' }])
  })

  test('are found through every list on the way', async () => {
    const { provider } = await send({
      report: { ...report, itemsPath: 'entry.changes.value.statuses', idPath: 'id', statusPath: 'state' },
    })
    const status = (id: string) => ({ id, state: 'DELIVRD' })
    const change = (...ids: string[]) => ({ value: { statuses: ids.map(status) } })
    const text = JSON.stringify({
      entry: [{ changes: [change('a', 'b'), change('c')] }, { changes: [change('d')] }, {}],
    })
    const headers = new Headers({ authorization: `Bearer ${SECRET}` })
    const found = await provider.readReports?.({ url: '', headers, query: new URLSearchParams(), text })
    expect(found?.map(({ messageId }) => messageId)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('are believed by the token in the URL, whatever the Authorization header says', async () => {
    for (const other of ['Basic dXNlcjpwYXNz', 'Bearer of-somebody-else', 'x'])
      expect(await read('{"results":[]}', other, `token=${SECRET}`)).toEqual([])
    expect(await read('{"results":[]}', 'Bearer wrong', 'token=wrong')).toBeUndefined()
    expect(await read('{"results":[]}', `Bearer ${SECRET}`, 'token=wrong')).toEqual([])
  })

  test('are believed only with the secret', async () => {
    for (const wrong of ['', 'Bearer', 'Bearer wrong', `Basic ${SECRET}x`])
      expect(await read('{}', wrong)).toBeUndefined()
    expect(await read('{"results":[]}', '', `token=${SECRET}`)).toEqual([])
    expect(String(await read('{').catch((error: Error) => error))).toContain('JSON')
  })
})

describe('a configuration', () => {
  test.each([
    [{ url: 'ftp://x' }, 'url'],
    [{ url: 'https://x/{{number}}' }, 'number'],
    [{ body: { a: '{{to' } }, 'placeholder'],
    [{ body: { a: '{{constructor}}' } }, 'constructor'],
    [{ headers: { 'x-a': '{{phone}}' } }, 'phone'],
    [{ headers: { 'x a': '1' } }, 'headers'],
    [{ headers: { 'x-a': 'a\r\nb' } }, 'headers'],
    [{ method: 'PUT' }, 'method'],
    [{ method: 'GET', body: {} }, 'method'],
    [{ body: {}, form: {} }, 'form'],
    [{ idPath: 'a..b' }, 'idPath'],
    [{ codes: { A: { means: 'maybe' } } }, 'codes'],
    [{ report: { state: 'x' } }, 'report'],
    [{ report: { signature: { type: 'rot13' } } }, 'signature'],
    [{ report: { signature: { type: 'hmac', header: 'x-s', secret: SECRET, signed: '{{url}}' } } }, 'body'],
    [{ report: { signature: { type: 'hmac', header: 'x-s', secret: SECRET, signed: '{{body}}{{to}}' } } }, 'signed'],
    [{ report: { signature: { type: 'hmac', header: 'x-s', secret: SECRET, timestampHeader: 'x-t' } } }, 'timestamp'],
    [{ report: { signature: { type: 'ed25519', header: 'x-s', publicKey: 'c2hvcnQ=' } } }, 'publicKey'],
    [{ report: { signature: { type: 'jwt', algorithm: 'RS256', key: 'no public key' } } }, 'key'],
    [{ report: { signature: { type: 'jwt', algorithm: 'none', key: 'a-shared-key' } } }, 'algorithm'],
    [{ more: 1 }, 'more'],
  ])('%j is refused, naming what is wrong', (config, named) => {
    expect(refusalOf(config)).toContain(named)
  })

  test('of only a URL is enough', () => {
    expect(refusalOf({})).toBeUndefined()
  })
})
