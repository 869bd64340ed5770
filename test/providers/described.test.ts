/** The engine, by a vendor that exists nowhere. */
import { describe, expect, test } from 'bun:test'
import { createHmac, createVerify, generateKeyPairSync } from 'node:crypto'
import type { TransportResult } from '../../src/ports/network'
import { describedType } from '../../src/providers/described'
import { carrierDescription, type DescriptionFile } from '../../src/providers/description'
import { ACME } from './acme'
import { aCallback, anAwaited, anSms, answered, CODE, FakeVendor, MESSAGE_ID, TEXT } from './fake-vendor-korean'

const acme = describedType(ACME)
const config = { account: '77', key: 'acme-key' }
const HMAC = ACME.reports?.signature as object

async function send(answer = answered(200, { ok: true, message: { id: 'm-1' } }), changes = {}) {
  const vendor = new FakeVendor()
  vendor.answer = answer
  const outcome = await vendor.provider(acme, config).send(anSms({ locale: 'ko-KR', ...changes }))
  return { outcome, request: vendor.requests[0] }
}

test('is sent as described, without what has no value, and signed', async () => {
  const { outcome, request } = await send()
  expect(outcome).toEqual({ kind: 'accepted', carrierMessageId: 'm-1', reportAfterMs: 20_000 })
  expect(request?.url).toBe('https://api.acme.example/v1/77/messages')
  const form = Object.fromEntries(new URLSearchParams(request?.body))
  expect(form).toEqual({ to: '821012345678', text: TEXT, lang: 'KO', ttl: '60', ref: MESSAGE_ID })
  const time = request?.headers['x-acme-time']
  const bodyHash = new Bun.CryptoHasher('sha256').update(request?.body ?? '').digest('hex')
  const signature = createHmac('sha256', 'acme-key').update(`POST /v1/77/messages\n${time}\n${bodyHash}`).digest('hex')
  expect(request?.headers['x-acme-signature']).toBe(`77:${signature}`)
})

test.each([
  [answered(200, { ok: false, error: { code: 'E1' } }), { kind: 'refused', retry: 'unfit', code: 'E1' }],
  [answered(400, { error: { code: 'E2' } }), { kind: 'refused', retry: 'never', code: 'E2' }],
  [answered(400, { error: { code: 'E77' } }), { kind: 'refused', retry: 'elsewhere', code: 'E77' }],
  [answered(400, { error: { code: CODE } }), { kind: 'refused', retry: 'elsewhere', code: 'HTTP_400' }],
  [answered(200, { ok: false }), { kind: 'ambiguous', code: 'HTTP_200_UNREADABLE' }],
  [answered(200, { ok: true }), { kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' }],
  [answered(500, { ok: true, message: { id: 'm' } }), { kind: 'ambiguous', code: 'HTTP_500' }],
] as const)('%o means %o', async (answer, expected) => {
  expect((await send(answer)).outcome).toEqual(expected)
})

test('is asked for, and reports by signed forms', async () => {
  const vendor = new FakeVendor()
  vendor.answer = answered(200, { message: { state: 'LOST', reason: 'E9' } })
  const carrier = vendor.provider(acme, config)
  expect(await carrier.query?.(anAwaited('m-1'))).toEqual({ status: 'failed', code: 'E9' })
  expect(vendor.only().url).toBe('https://api.acme.example/v1/77/messages/m-1')
  const form = `state=DONE&id=m-1&ref=${MESSAGE_ID}`
  const signed = `n1.https://otp.example.com/provider-reports/kr.idm-1ref${MESSAGE_ID}stateDONE`
  const signature = createHmac('sha256', 'acme-key').update(signed).digest('hex')
  const read = (shown: string) =>
    carrier.readReports?.(aCallback(form, { 'x-acme-nonce': 'n1', 'x-acme-signature': shown }))
  expect(read(signature)).toEqual([
    { messageId: MESSAGE_ID, carrierMessageId: 'm-1', status: 'delivered', code: undefined },
  ])
  expect(read(signature.replace(/.$/, 'x'))).toBeUndefined()
  expect(acme.explain('E9')).toBe('the phone was off')
})

test('signed only where the operator asked for it: otherwise the report URL has the token', async () => {
  const vendor = new FakeVendor()
  vendor.answer = answered(200, { ok: true, message: { id: 'm-1' } })
  const form = { to: '{{to}}', url: '{{reportUrlWithToken}}' }
  const { send, reports } = ACME
  const file = {
    ...ACME,
    fields: { ...ACME.fields, signing: { title: 'Signing', optional: true } },
    send: { sms: { ...send.sms, request: { path: '/m', form } } },
    reports: { ...reports, signedIf: 'signing' },
  } as DescriptionFile
  const type = describedType(file)
  const carrierOf = (more: object) => vendor.provider(type, { ...config, reportSecret: 'r&16-characters-x', ...more })
  await carrierOf({}).send(anSms())
  expect(vendor.requests[0]?.body).toBe('to=%2B821012345678')
  expect(type.reportsBySecret).toBe(true)
  const report = (token: string) => aCallback('state=DONE&id=m-1', {}, `?token=${encodeURIComponent(token)}`)
  expect(carrierOf({}).readReports?.(report('r&16-characters-x'))).toHaveLength(1)
  expect(carrierOf({}).readReports?.(report('r&16-characters-y'))).toBeUndefined()
  expect(carrierOf({ signing: 'x' }).readReports?.(report('r&16-characters-x'))).toBeUndefined()
  expect(
    carrierDescription.safeParse({ ...file, reports: { ...reports, signedIf: 'no' } }).error?.issues[0]?.path,
  ).toEqual(['reports', 'signedIf'])
})

describe('of the engine', () => {
  const {
    send: { sms },
    ...rest
  } = ACME
  const sent = async (changes: object, message = {}, answer = answered(200, { ok: true, message: { id: 'm-1' } })) => {
    const vendor = new FakeVendor()
    vendor.answer = answer
    const file = { ...rest, send: { sms: { ...sms, ...changes } } } as DescriptionFile
    return {
      outcome: await vendor.provider(describedType(file), config).send(anSms(message)),
      request: vendor.requests[0],
    }
  }

  test('an entry is for messages of which its conditions hold', async () => {
    expect((await sent({ when: [{ value: '{{to}}', matches: '^\\+82' }] })).outcome.kind).toBe('accepted')
    const { outcome, request } = await sent({ when: [{ value: '{{to}}', matches: '^\\+1' }] })
    expect(outcome).toEqual({ kind: 'refused', retry: 'elsewhere', code: 'CHANNEL_NOT_CONFIGURED' })
    expect(request).toBeUndefined()
  })

  test('an answer that is no JSON is read by a pattern', async () => {
    const changes = {
      answerPattern: '^(?<ok>true) (?<id>\\S+)|(?<code>E\\d)',
      id: 'id',
      codePath: 'code',
      accepted: [{ path: 'ok', is: 'true' }],
    }
    expect((await sent(changes, {}, answered(200, 'true m-7'))).outcome).toMatchObject({ carrierMessageId: 'm-7' })
    expect((await sent(changes, {}, answered(200, 'no: E2'))).outcome).toMatchObject({ retry: 'never', code: 'E2' })
    expect((await sent(changes, {}, answered(200, 'what'))).outcome).toMatchObject({ kind: 'ambiguous' })
  })

  test('an object of fields without a value is left out', async () => {
    const json = {
      to: '{{to}}',
      more: { from: '{{from}}', deep: { code: '{{templateCode}}' } },
      none: {},
      sender: '{{from|as:NAME}}',
    }
    const body = async (message: object) =>
      JSON.parse((await sent({ request: { path: '/v1', json } }, message)).request?.body ?? '')
    expect(await body({})).toEqual({ to: '+821012345678', none: {} })
    expect(await body({ from: 'A' })).toEqual({ to: '+821012345678', more: { from: 'A' }, none: {}, sender: 'NAME' })
  })
})

describe('senders by country', () => {
  const senders = 'KR=0212345678, US = +15005550006,*=ACME'
  const fromOf = async (message: object, settings: object = { from: 'SHOP', senders }) => {
    const vendor = new FakeVendor()
    await vendor.provider(acme, { ...config, ...settings }).send(anSms(message))
    return new URLSearchParams(vendor.requests[0]?.body).get('from')
  }

  test.each([
    ['+821012345678', '0212345678'],
    ['+12015550123', '+15005550006'],
    ['+14165550123', 'ACME'],
    ['+447400123456', 'ACME'],
  ])('%s is sent to from %s', async (to, from) => {
    expect(await fromOf({ to })).toBe(from)
  })

  test('the sender of the request goes before, and the one of the settings is for the countries without one', async () => {
    expect(await fromOf({ from: 'MINE' })).toBe('MINE')
    expect(await fromOf({}, { from: 'SHOP', senders: 'US=+15005550006' })).toBe('SHOP')
    expect(await fromOf({}, { from: 'SHOP' })).toBe('SHOP')
  })

  test('are a setting wherever there is a field `from`', () => {
    const problem = (value: string) => acme.config.safeParse({ ...config, senders: value }).error?.issues[0]?.message
    expect(problem(senders)).toBeUndefined()
    for (const wrong of ['KR', 'KR=', 'kr=02', 'KR=02,', 'KOR=02', '=02'])
      expect(problem(wrong)).toBe('must be such as KR=0212345678, *=ACME')
    const { from: _, ...fields } = ACME.fields
    const without = describedType({ ...ACME, fields })
    expect(without.config.safeParse({ ...config, senders }).success).toBe(false)
  })
})

describe('a look-up before the first SMS', () => {
  const looking: DescriptionFile = {
    ...ACME,
    lookup: {
      request: { method: 'GET', path: '/lookup/{{toDigits}}' },
      channels: ['sms'],
      facts: {
        landline: [{ path: 'line', is: 'fixed' }],
        voip: [
          { path: 'line', is: 'voip' },
          { path: 'app', is: 'true' },
        ],
      },
    },
  }
  const type = describedType(looking)
  const TAKEN = answered(200, { ok: true, message: { id: 'm-1' } })
  const isLookup = ({ url }: { url: string }) => url.includes('/lookup/')

  function carrierWith(said: TransportResult, settings: object = { lookup: 'landline, voip' }) {
    const vendor = new FakeVendor()
    vendor.answer = (request) => (isLookup(request) ? said : TAKEN)
    const carrier = vendor.provider(type, { ...config, ...settings })
    const counts = () => [
      vendor.requests.filter(isLookup).length,
      vendor.requests.filter((one) => !isLookup(one)).length,
    ]
    return { vendor, carrier, counts }
  }

  test.each([
    [{ line: 'fixed' }, 'LOOKUP_LANDLINE'],
    [{ line: 'voip' }, 'LOOKUP_VOIP'],
    [{ line: 'mobile', app: true }, 'LOOKUP_VOIP'],
  ])('%j refuses the message for a day, and nothing is sent', async (said, code) => {
    const { vendor, carrier, counts } = carrierWith(answered(200, said))
    const outcome = await carrier.send(anSms())
    expect(outcome).toEqual({ kind: 'refused', retry: 'never', code, absence: 'absent' })
    expect(counts()).toEqual([1, 0])
    const { url, method, timeoutMs } = vendor.requests[0] ?? {}
    expect([url, method, timeoutMs]).toEqual(['https://api.acme.example/lookup/821012345678', 'GET', 2_000])
    expect(type.explain(code)).toContain('see the setting lookup')
  })

  test.each<[string, TransportResult]>([
    ['another fact', answered(200, { line: 'mobile' })],
    ['nothing', answered(200, {})],
    ['what is no JSON', answered(200, '<html>fixed</html>')],
    ['an error', answered(500, { line: 'fixed' })],
    ['a refusal', answered(401, { line: 'fixed' })],
    ['silence', { kind: 'unknown', reason: 'TimeoutError' }],
    ['no connection', { kind: 'not_sent', reason: 'ConnectionRefused' }],
  ])('%s keeps no message back', async (_, said) => {
    const { carrier, counts } = carrierWith(said)
    expect(await carrier.send(anSms())).toMatchObject({ kind: 'accepted' })
    expect(counts()).toEqual([1, 1])
  })

  test('is for the facts that the operator names, and asks nothing where none is', async () => {
    const named = carrierWith(answered(200, { line: 'fixed' }), { lookup: 'voip' })
    expect(await named.carrier.send(anSms())).toMatchObject({ kind: 'accepted' })
    const none = carrierWith(answered(200, { line: 'fixed' }), {})
    expect(await none.carrier.send(anSms())).toMatchObject({ kind: 'accepted' })
    expect([named.counts(), none.counts()]).toEqual([
      [1, 1],
      [0, 1],
    ])
  })

  test('asks nothing for an SMS that takes over from an AlimTalk', async () => {
    const { carrier, counts } = carrierWith(answered(200, { line: 'fixed' }))
    expect(await carrier.send(anSms({ isFallback: true }))).toMatchObject({ kind: 'accepted' })
    expect(counts()).toEqual([0, 1])
  })

  test('an answer counts for a day, and only for its number', async () => {
    const { vendor, carrier, counts } = carrierWith(answered(200, { line: 'fixed' }))
    const send = (to = '+821012345678') => carrier.send(anSms({ to }))
    await send()
    expect(await send()).toMatchObject({ code: 'LOOKUP_LANDLINE' })
    expect(counts()).toEqual([1, 0])
    await send('+821099995678')
    expect(counts()).toEqual([2, 0])
    vendor.clock.step(24 * 60 * 60_000)
    await send()
    expect(counts()).toEqual([3, 0])
  })

  test('of 10,000 numbers: the oldest is asked about again', async () => {
    const { carrier, counts } = carrierWith(answered(200, { line: 'fixed' }))
    const send = (number: number) => carrier.send(anSms({ to: `+8210${number}` }))
    for (let number = 10_000_000; number <= 10_010_000; number++) await send(number)
    expect(counts()).toEqual([10_001, 0])
    await send(10_010_000)
    await send(10_000_001)
    expect(counts()).toEqual([10_001, 0])
    await send(10_000_000)
    expect(counts()).toEqual([10_002, 0])
  })

  test('an error is not remembered', async () => {
    const { carrier, counts } = carrierWith(answered(503, ''))
    await carrier.send(anSms())
    await carrier.send(anSms())
    expect(counts()).toEqual([2, 2])
  })

  test('has a setting where the description has one', () => {
    const problem = (lookup: string, of = type) => of.config.safeParse({ ...config, lookup }).error?.issues[0]
    expect(problem('landline')).toBeUndefined()
    expect(problem(' voip ,landline ')).toBeUndefined()
    expect(problem('mobile')?.message).toBe('must be one or several of landline, voip, with commas between them')
    expect(problem('landline', acme)?.code).toBe('unrecognized_keys')
  })
})

test('settings are checked by the fields', () => {
  const problem = (settings: object) => acme.config.safeParse(settings).error?.issues[0]
  expect(problem(config)).toBeUndefined()
  expect(problem({ ...config, account: 'x' })).toMatchObject({ path: ['account'], message: 'must be digits' })
  expect(problem({ account: '1' })).toMatchObject({ path: ['key'] })
  expect(problem({ ...config, apiBase: 'ftp://x' })).toMatchObject({ path: ['apiBase'] })
  expect(problem({ ...config, more: '1' })).toMatchObject({ code: 'unrecognized_keys' })
})

describe('signers', () => {
  const authOf = async (auth: DescriptionFile['auth']) => {
    const vendor = new FakeVendor()
    vendor.answer = answered(200, {})
    await vendor.provider(describedType({ ...ACME, auth }), config).send(anSms())
    return vendor.requests[0]?.headers ?? {}
  }

  test('basic, bearer and a header', async () => {
    expect((await authOf({ type: 'basic', user: '{{account}}', password: '{{key}}' })).authorization).toBe(
      `Basic ${btoa('77:acme-key')}`,
    )
    expect((await authOf({ type: 'bearer', token: '{{key}}' })).authorization).toBe('Bearer acme-key')
    expect(await authOf({ type: 'header', name: 'x-key', value: 'App {{key}}' })).toMatchObject({
      'x-key': 'App acme-key',
    })
  })

  test('a token', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const claims = { application_id: '{{account}}', iat: '{{unixSeconds}}', jti: '{{uuid}}', sub: '{{from}}' }
    const { authorization = '' } = await authOf({ type: 'jwt', algorithm: 'RS256', key, claims })
    const [head = '', body = '', signature = ''] = authorization.replace('Bearer ', '').split('.')
    expect(createVerify('RSA-SHA256').update(`${head}.${body}`).verify(publicKey, signature, 'base64url')).toBe(true)
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toEqual({
      application_id: '77',
      iat: expect.any(Number),
      jti: expect.any(String),
    })
  })
})

test.each<[string, (file: DescriptionFile) => object, string, string]>([
  ['a placeholder', (file) => ({ ...file, auth: { type: 'bearer', token: '{{token}}' } }), 'auth', '{{token}}'],
  [
    'a field of a name that messages have',
    (file) => ({ ...file, fields: { ...file.fields, text: { title: 'T' } } }),
    'fields.text',
    '',
  ],
  [
    'a field that the engine has',
    (file) => ({ ...file, fields: { ...file.fields, senders: { title: 'S' } } }),
    'fields.senders',
    'is a setting that the engine adds',
  ],
  [
    'a look-up with a placeholder',
    (file) => ({ ...file, lookup: { request: { path: '/{{number}}' }, channels: ['sms'], facts: {} } }),
    'lookup.request',
    '{{number}}',
  ],
  [
    'a path that would go on with the name of the host',
    (file) => ({ ...file, lookup: { request: { path: '.evil.example/' }, channels: ['sms'], facts: {} } }),
    'lookup.request.path',
    'begins with /',
  ],
  ['a channel that nothing sends', (file) => ({ ...file, send: {} }), 'send', 'nothing sends sms'],
  ['a verdict', (file) => ({ ...file, codes: { E1: ['maybe', 'who knows'] } }), 'codes.E1.0', ''],
  ['a signature', (file) => ({ ...file, reports: { signature: { type: 'rot13' } } }), 'reports.signature.type', ''],
  [
    'a placeholder in the key of reports, which anybody could read here',
    (file) => ({ ...file, reports: { ...file.reports, signature: { ...HMAC, secret: '{{kye}}' } } }),
    'reports.signature',
    '{{kye}}',
  ],
  [
    'a placeholder in what is signed',
    (file) => ({ ...file, reports: { ...file.reports, signature: { ...HMAC, signed: '{{bdy}}' } } }),
    'reports.signature',
    '{{bdy}}',
  ],
  ['a pattern', (file) => ({ ...file, codePattern: '(' }), 'codePattern', 'must be a regular expression'],
  ['a field of an unknown kind', (file) => ({ ...file, fields: { a: { titel: 'A' } } }), 'fields.a', ''],
])('a description is refused at the place that is wrong: %s', (_, wrong, at, says) => {
  const issue = carrierDescription.safeParse(wrong(ACME)).error?.issues[0]
  expect(issue?.path.join('.')).toStartWith(at)
  expect(issue?.message).toContain(says)
})
