import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { IS_POSTGRES } from '../support/place'
import { type Furnished, type Operation, WIRES, World } from '../support/world'

const ISSUE = { phoneNumber: '010-0000-0000', purpose: 'http', idempotencyKey: 'http-1' }
const REQUEST_ID = /^[A-Za-z0-9._:-]{8,128}$/

describe('every response', () => {
  let world: World
  let keys: Furnished

  beforeAll(async () => {
    world = await World.start()
    keys = await world.furnish()
  })
  afterAll(() => world.stop())

  const everywhere: Array<[string, string, unknown]> = [
    ['GET', '/v1/balance', undefined],
    ['POST', '/v1/issue', {}],
    ['POST', '/v1/rpc/otp/balance', { json: {} }],
    ['POST', '/v1/rpc/otp/nope', { json: {} }],
    ['GET', '/v1/nope', undefined],
    ['PUT', '/v1/issue', {}],
    ['OPTIONS', '/v1/issue', undefined],
    ['GET', '/v1/openapi.json', undefined],
    ['GET', '/docs', undefined],
    ['GET', '/docs/scalar.js', undefined],
    ['GET', '/healthz', undefined],
    ['GET', '/readyz', undefined],
    ['POST', '/provider-reports/nope', {}],
    ['GET', '/', undefined],
  ]

  test.each(everywhere)('%s %s carries X-Request-Id, echoed where it is well formed', async (method, path, body) => {
    const fresh = await world.send(method, path, body)
    expect(fresh.headers.get('x-request-id')).toMatch(REQUEST_ID)
    const echoed = await world.send(method, path, body, { headers: { 'x-request-id': 'my.request:id-1_' } })
    expect(echoed.headers.get('x-request-id')).toBe('my.request:id-1_')
    for (const malformed of ['short', 'has space in it', 'x'.repeat(129), 'ünïcödé-id-id']) {
      const headers = new Headers()
      try {
        headers.set('x-request-id', malformed)
      } catch {
        continue // the platform itself refuses such a header
      }
      const answer = await world.send(method, path, body, { headers: { 'x-request-id': malformed } })
      expect(answer.headers.get('x-request-id')).not.toBe(malformed)
      expect(answer.headers.get('x-request-id')).toMatch(REQUEST_ID)
    }
  })

  test.each(everywhere)('%s %s is taken for nothing but what it says it is', async (method, path, body) => {
    const answers = [await world.send(method, path, body), await world.send(method, path, body, { key: keys.test })]
    expect(answers.map(({ headers }) => headers.get('x-content-type-options'))).toEqual(['nosniff', 'nosniff'])
  })

  test.each([
    ['GET', '/v1/nope'],
    ['GET', '/v1/issue'],
    ['POST', '/v1/balance'],
    ['POST', '/v1/openapi.json'],
    ['POST', '/v1/webhook-sources'],
    ['DELETE', '/v1/issues'],
    ['PATCH', '/v1/verify'],
    ['GET', '/v1/balance/'],
    ['GET', '/v1/issues/'],
    ['GET', '/v1/templates/'],
    ['GET', '/v1//balance'],
    ['GET', '/v1/issues/a/b'],
    ['GET', '/v1/rpc/otp/balance'],
    ['PUT', '/v1/rpc/otp/balance'],
    ['POST', '/v1/rpc/otp/__proto__'],
    ['POST', '/v1/rpc/otp/'],
    ['POST', '/v1/rpc/otp/issue/more'],
    ['GET', '/elsewhere'],
  ])('%s %s: 404 in the envelope', async (method, path) => {
    const { status, body } = await world.send(method, path, method === 'GET' ? undefined : { json: {} }, {
      key: keys.test,
    })
    expect(status).toBe(404)
    expect(body).toEqual({ defined: true, code: 'NOT_FOUND', status: 404, message: expect.any(String) })
  })

  test('method override is not honoured', async () => {
    const answer = await world.send(
      'POST',
      '/v1/balance',
      {},
      { key: keys.test, headers: { 'x-http-method-override': 'GET' } },
    )
    expect(answer.status).toBe(404)
  })

  test.each(['/healthz', '/readyz', '/docs'])('HEAD %s answers as GET does', async (path) => {
    expect((await world.send('HEAD', path, undefined)).status).toBe(200)
  })

  test.each(['GET', 'HEAD'])('%s / leads to the console', async (method) => {
    const answer = await world.send(method, '/', undefined)
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('/console')
  })

  test.each([
    ['POST', '/'],
    ['GET', '//'],
    ['GET', '/v1'],
    ['GET', '/v1/'],
  ])('%s %s leads nowhere', async (method, path) => {
    expect((await world.send(method, path, method === 'POST' ? {} : undefined)).status).toBe(404)
  })

  test('health: the process answers, and can do its work', async () => {
    // Of its own: which carriers there are is looked at in the background.
    const alone = await World.start()
    expect((await alone.send('GET', '/healthz', undefined)).body).toEqual({ status: 'ok' })
    expect((await alone.send('GET', '/readyz', undefined)).body).toEqual({
      status: 'ready',
      checks: { database: true, migrations: true, dispatcher: true, traffic: true },
      ...(IS_POSTGRES && { nodes: [expect.objectContaining({ state: 'working', lagMs: 0 })] }),
      ...(IS_POSTGRES && { pool: { size: expect.any(Number), busy: 0, waiting: 0 } }),
      providers: {},
    })
    await alone.stop()
  })
})

describe.each(WIRES)('bad input over %s', (wire) => {
  let world: World
  let keys: Furnished

  beforeAll(async () => {
    world = await World.start({ env: { WATCHWORD_LIMIT_TEST_ISSUES_PER_DAY: '1000000' } })
    keys = await world.furnish()
  })
  afterAll(() => world.stop())

  const path = (operation: Operation) => (wire === 'rpc' ? `/v1/rpc/otp/${operation}` : `/v1/${operation}`)
  const wrapped = (text: string) => (wire === 'rpc' ? `{"json":${text}}` : text)
  const post = (operation: Operation, raw: string | Uint8Array, headers: Record<string, string> = {}) =>
    world.send('POST', path(operation), raw, { key: keys.test, headers })
  const everything = async () => {
    const tables = ['issues', 'outbox', 'jobs', 'attempts', 'wallets', 'ledger_entries']
    return JSON.stringify(await Promise.all(tables.map((table) => world.rows(`SELECT * FROM ${table}`))))
  }

  const NUL = '\\u0000'
  const fields: Array<[Operation, string, string, string]> = [
    ...[
      '',
      '"   "',
      '5',
      'null',
      'true',
      '[]',
      '{}',
      '"012345678901234567890123456789012"',
      `"010-0000-0000${NUL}"`,
      '"한글"',
      '"\\ud800"',
    ].map((value): [Operation, string, string, string] => ['issue', 'phoneNumber', value, 'phoneNumber']),
    ...['', '""', '"  "', '1', 'null', '["a"]', `"${'x'.repeat(65)}"`, `"a${NUL}"`, '"a\\nb"', '"\\udc00"'].map(
      (value): [Operation, string, string, string] => ['issue', 'purpose', value, 'purpose'],
    ),
    ...['"email"', '"SMS"', '1', 'null', '""'].map((value): [Operation, string, string, string] => [
      'issue',
      'channel',
      value,
      'channel',
    ]),
    ...['"nope"', '1', 'null', '""', `"${'x'.repeat(65)}"`, '"__proto__"'].map(
      (value): [Operation, string, string, string] => ['issue', 'templateId', value, 'templateId'],
    ),
    ...['[]', '"a"', '{"x":1}', '{"x":"y"}', '{"code":"1"}', '{"x":null}', 'null', `{"x":"${NUL}"}`].map(
      (value): [Operation, string, string, string] => ['issue', 'templateVariables', value, 'templateVariables'],
    ),
    ...['1', 'null', `"${'x'.repeat(65)}"`, `"${NUL}"`, '"a\\r\\nX: y"'].map(
      (value): [Operation, string, string, string] => ['issue', 'from', value, 'from'],
    ),
    ...['"MMS"', '"sms"', '1', 'null'].map((value): [Operation, string, string, string] => [
      'issue',
      'messageType',
      value,
      'messageType',
    ]),
    ...['"true"', '1', 'null', '0'].map((value): [Operation, string, string, string] => [
      'issue',
      'smsFallback',
      value,
      'smsFallback',
    ]),
    ...['true', '"false"', '0', 'null'].map((value): [Operation, string, string, string] => [
      'issue',
      'webOtp',
      value,
      'webOtp',
    ]),
    ...['0', '100001', '1.5', '"1"', 'null', '-1', '1e400', '1e21'].map(
      (value): [Operation, string, string, string] => ['issue', 'cost', value, 'cost'],
    ),
    ...[
      '[]',
      '"a"',
      '{"a":1}',
      '{"a":{"b":"c"}}',
      'null',
      `{"a":"${'x'.repeat(4096)}"}`,
      `{"${'k'.repeat(65)}":"v"}`,
      '{"":"v"}',
      JSON.stringify(Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, 'v']))),
      `{"a":"${NUL}"}`,
    ].map((value): [Operation, string, string, string] => ['issue', 'metadata', value, 'metadata']),
    ...['29', '601', '30.5', '"60"', 'null', '-30', '1e400', '99999999999999999999', '[60]'].map(
      (value): [Operation, string, string, string] => ['issue', 'expiresInSec', value, 'expiresInSec'],
    ),
    ...['0', '11', '1.5', '"5"', 'null', '1e400'].map((value): [Operation, string, string, string] => [
      'issue',
      'maxAttempts',
      value,
      'maxAttempts',
    ]),
    ...['""', '"  "', '1', 'null', '"a b"', `"${'x'.repeat(129)}"`, '"é"'].map(
      (value): [Operation, string, string, string] => ['issue', 'idempotencyKey', value, 'idempotencyKey'],
    ),
    ...['', '""', '"  "', '5', 'null', '{}', `"${NUL}"`].map((value): [Operation, string, string, string] => [
      'verify',
      'issueId',
      value,
      'issueId',
    ]),
    ...[
      '',
      '""',
      '"12345"',
      '"1234567"',
      '"12345a"',
      '" 12345"',
      '"１２３４５６"',
      '123456',
      'null',
      `"12345${NUL}"`,
      '["1","2"]',
    ].map((value): [Operation, string, string, string] => ['verify', 'code', value, 'code']),
    ['issue', 'phoneNumbr', '"010-0000-0000"', 'phoneNumbr'],
    ['verify', 'idempotencyKey', '"x"', 'idempotencyKey'],
    ['issue', 'constructor', '{}', 'constructor'],
  ]

  test.each(fields)('%s with %s = %s names the field and changes nothing', async (operation, field, value, named) => {
    const good: Record<string, string> =
      operation === 'issue'
        ? { phoneNumber: '"010-0000-0000"', purpose: '"p"', idempotencyKey: '"bad-input"' }
        : { issueId: '"0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77"', code: '"000000"' }
    if (value === '') delete good[field]
    else good[field] = value
    const raw = `{${Object.entries(good)
      .map(([name, text]) => `"${name}":${text}`)
      .join(',')}}`
    const before = await everything()
    const { status, body, headers } = await post(operation, wrapped(raw))
    expect(status).toBe(400)
    expect(body).toMatchObject({ defined: true, code: 'BAD_REQUEST', status: 400 })
    expect(body.message).toContain(named)
    expect(body.data.param).toStartWith(named)
    expect(headers.get('x-request-id')).toMatch(REQUEST_ID)
    expect(await everything()).toBe(before)
  })

  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const bodies: Array<[string, string | Uint8Array]> = [
    ['empty', ''],
    ['truncated', wrapped('{"phoneNumber":"010')],
    ['not JSON', 'hello'],
    ['a number', '5'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['NaN', wrapped('{"cost":NaN}')],
    ['a comment', wrapped('{/* */}')],
    ['a trailing comma', wrapped('{"purpose":"a",}')],
    ['two values', '{}{}'],
    ['a byte order mark', `\ufeff${wrapped('{}')}`],
    ['broken UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['deep nesting', wrapped(`{"metadata":${nested(1_000)}}`)],
    ['very deep nesting', nested(30_000)],
    [
      'a key given twice',
      wrapped('{"phoneNumber":"010-0000-0000","phoneNumber":"010-0000-0001","purpose":"p","idempotencyKey":"x"}'),
    ],
    [
      'a nested key given twice',
      wrapped('{"phoneNumber":"010-0000-0000","purpose":"p","idempotencyKey":"x","metadata":{"a":"1","a":"2"}}'),
    ],
    [
      'an escaped duplicate',
      wrapped('{"phoneNumber":"010-0000-0000","purpose":"p","purp\\u006fse":"q","idempotencyKey":"x"}'),
    ],
    ['__proto__', wrapped('{"__proto__":{"purpose":"p"},"phoneNumber":"010-0000-0000","idempotencyKey":"x"}')],
  ]
  test.each(bodies)('a body that is %s: 400', async (_, raw) => {
    const before = await everything()
    const { status, body } = await post('issue', raw)
    expect({ status, code: body.code, defined: body.defined }).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
      defined: true,
    })
    expect(await everything()).toBe(before)
  })

  test('a body of more than 1,000 fields is refused before any schema looks at it', async () => {
    const fields = (count: number) => wrapped(`{${Array.from({ length: count }, (_, n) => `"f${n}":1`).join(',')}}`)
    expect((await post('issue', fields(998))).body.data).not.toMatchObject({ reason: 'too_many' })
    expect((await post('issue', fields(1_001))).body.data).toMatchObject({ param: 'body', reason: 'too_many' })
    const colons = `{"purpose":"${':'.repeat(5_000)}"}`
    expect((await post('issue', wrapped(colons))).body.data).not.toMatchObject({ reason: 'too_many' })
  })

  test('a duplicate key is named', async () => {
    const { body } = await post('issue', wrapped('{"purpose":"a","purpose":"b"}'))
    expect(body.message).toContain('purpose')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json; charset=latin1',
    '',
  ])('content type "%s": 400', async (type) => {
    const { status, body } = await post('issue', wrapped(JSON.stringify(ISSUE)), { 'content-type': type })
    expect(status).toBe(400)
    expect(body.message).toContain('content-type')
  })

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('content type "%s" is JSON', async (type) => {
    expect((await post('issue', wrapped(JSON.stringify(ISSUE)), { 'content-type': type })).status).toBe(200)
  })

  test('a compressed body: 400', async () => {
    const raw = Bun.gzipSync(wrapped(JSON.stringify(ISSUE)))
    const { status, body } = await post('issue', raw, { 'content-encoding': 'gzip' })
    expect(status).toBe(400)
    expect(body.message).toContain('content-encoding')
  })

  test('64 KiB are read, one byte more is 413', async () => {
    const bare = wrapped(JSON.stringify({ ...ISSUE, purpose: '' }))
    const ofSize = (bytes: number) => bare.replace('"purpose":""', `"purpose":"${'x'.repeat(bytes - bare.length)}"`)
    const atLimit = await post('issue', ofSize(65_536))
    expect(atLimit.status).toBe(400)
    expect(atLimit.body.message).toContain('purpose')
    const beyond = await post('issue', ofSize(65_537))
    expect(beyond.status).toBe(413)
    expect(beyond.body).toMatchObject({ defined: true, code: 'PAYLOAD_TOO_LARGE', status: 413 })
    expect(beyond.headers.get('x-request-id')).toMatch(REQUEST_ID)
  })

  if (wire === 'rest') {
    test.each([
      ['/v1/issues?limit=1&limit=2', 'limit'],
      ['/v1/issues?limit[]=1', 'limit'],
      ['/v1/issues?cursor[a]=1', 'cursor'],
      ['/v1/status?issueId=a&issueId=b', 'issueId'],
      ['/v1/status?issueId=%00', 'issueId'],
      ['/v1/balance?x=1', 'x'],
      ['/v1/templates?limit=1', 'limit'],
      ['/v1/issues?limit=99999999999999999999', 'limit'],
      ['/v1/issues?limit=-1', 'limit'],
      ['/v1/issues?limit=', 'limit'],
      ['/v1/issues?limit=1e1', 'limit'],
    ])('GET %s: 400 that names the parameter', async (url, named) => {
      const { status, body } = await world.send('GET', url, undefined, { key: keys.test })
      expect(status).toBe(400)
      expect(body.message).toContain(named)
    })

    test.each(['/v1/issues/%00', '/v1/issues/%FF', '/v1/templates/%2e%2e', '/v1/issues/..%2fbalance'])(
      'GET %s is refused in the envelope',
      async (url) => {
        const { status, body } = await world.send('GET', url, undefined, { key: keys.test })
        expect([400, 404]).toContain(status)
        expect(body).toMatchObject({ defined: true, status })
      },
    )
  } else {
    const withoutInput: Operation[] = ['balance', 'listTemplates']
    /** Of nothing, oRPC's client makes `{}`, and its first releases no body; others write an object or null. */
    const nothings = [undefined, '', '{}', '{"json":{}}', '{"json":null}', '{"json":{},"meta":[]}']
    test.each(
      withoutInput.flatMap((operation) => nothings.map((raw): [Operation, string | undefined] => [operation, raw])),
    )('%s has no input, and takes the body %p for that', async (operation, raw) => {
      expect((await world.send('POST', path(operation), raw, { key: keys.test })).status).toBe(200)
    })

    const somethings = ['null', '[]', '{"json":[]}', '{"json":"x"}', '{"json":0}', '{"json":{"x":1}}', '{"x":1}']
    test.each(withoutInput.flatMap((operation) => somethings.map((raw): [Operation, string] => [operation, raw])))(
      '%s has no input, and refuses the body %p',
      async (operation, raw) => {
        const { status, body } = await post(operation, raw)
        expect({ status, code: body.code }).toEqual({ status: 400, code: 'BAD_REQUEST' })
      },
    )

    test('no body where input is needed: 400', async () => {
      const { status, body } = await world.send('POST', path('issue'), undefined, { key: keys.test })
      expect({ status, code: body.code, reason: body.data.reason }).toEqual({
        status: 400,
        code: 'BAD_REQUEST',
        reason: 'required',
      })
    })

    const good = JSON.stringify({ ...ISSUE, idempotencyKey: 'meta' })
    test.each([
      '5',
      '"x"',
      'null',
      '{}',
      '{"0":[]}',
      '[5]',
      '[null]',
      '["x"]',
      '[{}]',
      '[[]]',
      '[["0","purpose"]]',
      '[[-1,"purpose"]]',
      '[[1.5,"purpose"]]',
      '[[8,"purpose"]]',
      '[[99,"purpose"]]',
      '[[3,["purpose"]]]',
      '[[3,null]]',
      '[[3,"purpose",true]]',
      '[[3,"nowhere"],[9,"purpose"]]',
    ])('a good RPC input with the meta %s: 400, and nothing is issued', async (meta) => {
      const before = await everything()
      const { status, body } = await post('issue', `{"json":${good},"meta":${meta}}`)
      expect({ status, data: body.data }).toEqual({ status: 400, data: { param: 'meta', reason: 'invalid_format' } })
      expect(await everything()).toBe(before)
    })

    test.each(['more', 'Meta', 'maps', '__proto__'])('a good RPC input beside a field %s: 400', async (field) => {
      const { status, body } = await post('issue', `{"json":${good},"${field}":[]}`)
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'BAD_REQUEST' })
    })

    test.each([0, 1, 2, 3, 4, 5, 6, 7])(
      'type %d of a meta is known: what it makes of a field is judged',
      async (type) => {
        const { status, body } = await post('issue', `{"json":${good},"meta":[[${type},"nowhere",0]]}`)
        expect(status === 200 || (status === 400 && body.data.param !== 'meta')).toBe(true)
      },
    )

    test('an RPC input with an empty meta is one', async () => {
      expect((await post('issue', `{"json":${good},"meta":[]}`)).status).toBe(200)
    })

    test.each([
      '{}',
      '{"json":5}',
      '{"json":null}',
      '{"json":[]}',
      '{"json":"x"}',
      '{"json":{},"meta":5}',
      '{"json":{},"meta":[[99,"x"]]}',
      '{"json":{},"meta":[[1,"__proto__","x"]]}',
      '{"json":{"purpose":"1"},"meta":[[0,"purpose"]]}',
    ])('the RPC body %s: 400', async (raw) => {
      const { status, body } = await post('issue', raw)
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'BAD_REQUEST' })
    })
  }
})

test('a client that goes away while it sends is nobody’s unexpected failure', async () => {
  const world = await World.start()
  await world.furnish()
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"messageId":'))
      controller.error(new DOMException('The connection was closed.', 'AbortError'))
    },
  })
  const request = new Request('http://localhost/provider-reports/main', { method: 'POST', body })
  expect((await world.run(world.app.fetch(request, '127.0.0.1'))).status).toBe(400)
  expect(world.logged.join()).not.toContain('unexpectedly')
  await world.stop()
})
