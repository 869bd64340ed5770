import { beforeAll, describe, expect, test } from 'bun:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv from 'ajv/dist/2020'
import { contract } from '../../contract'
import { errorBody } from '../../contract/error'
import { EVENT_TYPES, sampleEvent } from '../../contract/event'
import { issueInput, verifyInput } from '../../contract/issue'
import { describeApi } from '../../src/http/openapi'
import { describedBy } from '../support/described'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
let document: any

beforeAll(async () => {
  document = JSON.parse(JSON.stringify(await describeApi()))
})

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    // biome-ignore lint/suspicious/noExplicitAny: a JSON document
    Object.entries(methods as Record<string, any>).map(([method, operation]) => ({ path, method, operation })),
  )

/** What a reference stands for, or the thing itself. */
// biome-ignore lint/suspicious/noExplicitAny: a JSON document
const resolved = (thing: any): any =>
  thing.$ref === undefined
    ? thing
    : thing.$ref
        .slice(2)
        .split('/')
        // biome-ignore lint/suspicious/noExplicitAny: as above
        .reduce((part: any, name: string) => part[name], document)

describe('/v1/openapi.json', () => {
  test('is valid OpenAPI 3.1, version 1.2.0, with the server entry /v1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(document.openapi).toStartWith('3.1')
    expect(document.info.version).toBe('1.2.0')
    expect(document.servers.map(({ url }: { url: string }) => url)).toContain('/v1')
    expect(document.info.license).toEqual({ name: 'Apache License 2.0', identifier: 'Apache-2.0' })
  })

  test('a linter of the trade, with its recommended rules, has nothing to say', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config })
    expect(problems.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`)).toEqual([])
  })

  test('where the public address is known, it is a server too', async () => {
    const { servers } = (await describeApi('https://otp.example.com')) as { servers: Array<{ url: string }> }
    expect(servers.map(({ url }) => url)).toEqual(['/v1', 'https://otp.example.com/v1'])
  })

  test('what is sent and answered has a name, and so has each event', () => {
    for (const { operation } of operations()) {
      const { schema } = operation.responses['200'].content['application/json']
      expect(schema.$ref).toStartWith('#/components/schemas/')
      if (operation.requestBody) expect(operation.requestBody.content['application/json'].schema.$ref).toBeDefined()
    }
    for (const type of EVENT_TYPES) {
      const { schema } = document.webhooks[type].post.requestBody.content['application/json']
      expect(resolved(schema).properties.type.const).toBe(type)
      expect(document.webhooks[type].post.security).toEqual([])
    }
    expect(Object.keys(document.components.schemas).sort()).toEqual(
      [
        ...['IssueRequest', 'IssueResult', 'VerifyRequest', 'VerifyResult', 'IssueStatus', 'IssueProjection'],
        ...['IssuePage', 'LedgerEntry', 'LedgerPage', 'Balance', 'TemplateSummary', 'TemplateList', 'TemplateDetail'],
        ...['Error', 'ErrorData', 'ErrorCode', 'Reason', 'PaymentRequiredData', 'TooManyRequestsData'],
        ...['Channel', 'Mode', 'VerificationStatus', 'DeliveryStatus', 'OverallStatus', 'BillingStatus', 'ReasonCode'],
        ...['EntryType', 'SentEvent', 'DeliveredEvent', 'FailedEvent', 'VerifiedEvent', 'ExpiredEvent'],
        'MaxAttemptsEvent',
      ].sort(),
    )
  })

  test('says what it is, where it is served, and what its parts are', () => {
    expect(document.info).toMatchObject({ title: 'Watchword', description: expect.stringMatching(/verify them/) })
    expect(document.servers).toEqual([{ url: '/v1', description: expect.stringMatching(/./) }])
    const tags = ['Codes', 'History', 'Wallet', 'Templates', 'Events']
    expect(document.tags).toEqual(tags.map((name) => ({ name, description: expect.stringMatching(/./) })))
    for (const scheme of Object.values(document.components.securitySchemes))
      expect(scheme).toEqual({ type: 'http', scheme: 'bearer', description: expect.stringMatching(/./) })
  })

  test('says of each event what the request looks like, how it is signed, and what an answer means', () => {
    const text = expect.stringMatching(/./)
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES])
    for (const type of EVENT_TYPES) {
      const { post } = document.webhooks[type]
      const content = { schema: { $ref: expect.stringMatching(/Event$/) }, example: sampleEvent(type) }
      const header = { in: 'header', required: true, description: text, schema: { type: 'string' } }
      const names = [
        'X-Watchword-Signature',
        'X-Watchword-Timestamp',
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ]
      expect(post).toEqual({
        ...{ operationId: type, summary: text, tags: ['Events'], security: [] },
        parameters: names.map((name) => ({ ...header, name })),
        requestBody: { required: true, content: { 'application/json': content } },
        responses: { '2XX': { description: text }, '410': { description: text } },
      })
    }
  })

  test('an issueId is a uuid wherever it stands, but where any text is taken, or echoed', () => {
    const described = new Set<string>()
    const look = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      for (const [name, child] of Object.entries(node)) {
        if (name === 'issueId' && typeof child === 'object' && child?.type) {
          const { type, format } = child
          described.add(JSON.stringify({ type, format }))
        }
        look(child)
      }
    }
    const { VerifyResult, VerifyRequest, ...others } = document.components.schemas
    expect(VerifyRequest.properties.issueId.pattern).toContain('\\s')
    expect(VerifyRequest.properties.issueId.format).toBeUndefined()
    expect(VerifyResult.properties.issueId).toMatchObject({ type: 'string' })
    expect(VerifyResult.properties.issueId.format).toBeUndefined()
    look(others)
    for (const { operation } of operations()) {
      for (const { name, in: place, schema } of operation.parameters ?? [])
        if (name === 'issueId' && place === 'path') look({ issueId: schema })
    }
    expect([...described]).toEqual([JSON.stringify({ type: 'string', format: 'uuid' })])
  })

  test('no generated class has a field of its own twice: none is described by the name that they keep the rest in', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a JSON document
    const look = ({ properties = {}, items }: any, at: string): void => {
      // Python's generated classes keep what is not described in a field of this name.
      expect({ at, names: Object.keys(properties) }).not.toMatchObject({
        names: expect.arrayContaining(['additionalProperties']),
      })
      for (const [name, property] of Object.entries(properties)) look(property, `${at}.${name}`)
      if (items) look(items, `${at}[]`)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name)
    expect(document.components.schemas.TemplateDetail.properties.variables).toMatchObject({
      type: 'object',
      required: ['required', 'properties'],
    })
  })

  test('whole numbers have no bounds but those of the interface', () => {
    expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER))
  })

  /** Values at, before and beyond what fields take. */
  const TEXTS = ['', ' ', '\t', 'a', ' a', ' a\n', 'a\nb', 'a\u0000', '\u007f', '한글', '😀', 'a b']
  const long = (length: number) => ['x', '한', '😀'].map((character) => character.repeat(length))
  const VALUES: unknown[] = [
    ...[null, true, false, -1, 0, 1, 1.5, 5, 10, 11, 29, 30, 600, 601, 100_000, 100_001, 'sms', 'SMS', 'LMS', 'email'],
    ...TEXTS,
    ...[32, 33, 64, 65, 128, 129, 4_096, 4_097].flatMap(long),
    ...[32, 33, 64, 65, 128, 129].flatMap(long).map((text) => ` \n${text}\t `),
    ...['000000', '00000', '0000000', '００００００', '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77', 'signup-8f14e45f', 'é'],
    ...[[], {}, { a: 'b' }, { a: 1 }, { '': 'v' }, { code: '1' }, { 'a\nb': 'v' }, { a: '\u0000' }],
    { ['k'.repeat(64)]: 'v' },
    { ['k'.repeat(65)]: 'v' },
    Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, 'v'])),
  ]

  /** Any text may be asked for as an issueId, and `code` is refused by the template. */
  const LENIENT = ['templateVariables']

  test.each([
    ['IssueRequest', issueInput, { phoneNumber: '010-0000-0000', purpose: 'p' }],
    ['VerifyRequest', verifyInput, { issueId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77', code: '000000' }],
  ] as const)('whatever %s allows, the service takes; and it refuses little else', (name, input, good) => {
    let allowed = 0
    const stricter = new Set<string>()
    const ajv = new Ajv({ strict: false, formats: { uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ } })
    const published = ajv.addSchema(document, 'api').compile({ $ref: `api#/components/schemas/${name}` })
    for (const field of Object.keys(document.components.schemas[name].properties)) {
      for (const value of VALUES) {
        const body = { ...good, [field]: value }
        const isAllowed = published(body)
        const isTaken = input.safeParse(body).success
        if (isAllowed) allowed++
        if (isAllowed) expect({ field, value, isTaken }).toEqual({ field, value, isTaken: true })
        if (isTaken && !isAllowed) stricter.add(field)
      }
    }
    expect(allowed).toBeGreaterThan(1)
    expect([...stricter].filter((field) => !LENIENT.includes(field))).toEqual([])
  })

  test('every answer in these tests is held against it, over both transports', () => {
    const assertDescribed = describedBy(document)
    const item = { method: 'GET', path: '/v1/issues/0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77' }
    const overRpc = { method: 'POST', path: '/v1/rpc/otp/getIssue' }
    const error = { defined: true, code: 'NOT_FOUND', status: 404, message: 'No such issue' }
    for (const asked of [item, overRpc]) {
      assertDescribed({ ...asked, status: 404, body: error })
      expect(() => assertDescribed({ ...asked, status: 404, body: { ...error, status: 'none' } })).toThrow('/status')
      expect(() => assertDescribed({ ...asked, status: 200, body: { issueId: 'x' } })).toThrow('required property')
      expect(() => assertDescribed({ ...asked, status: 402, body: error })).toThrow('does not list')
    }
    assertDescribed({ method: 'GET', path: '/healthz', status: 200, body: 'whatever' })
  })

  test('has the nine operations under their names', () => {
    const names = operations().map(
      ({ operation, method, path }) => `${operation.operationId} ${method.toUpperCase()} ${path}`,
    )
    expect(names.sort()).toEqual(
      [
        'otp.issue POST /issue',
        'otp.verify POST /verify',
        'otp.status GET /status',
        'otp.listIssues GET /issues',
        'otp.getIssue GET /issues/{issueId}',
        'otp.listCreditLedger GET /credit-ledger',
        'otp.balance GET /balance',
        'otp.listTemplates GET /templates',
        'otp.getTemplate GET /templates/{templateId}',
      ].sort(),
    )
    expect(Object.keys(contract)).toHaveLength(9)
  })

  /** Specification: "Authentication", scopes; the first is the one that is required. */
  const OPENS: Record<string, string[]> = {
    'otp.issue': ['otp:issue', 'otp:send', '*'],
    'otp.verify': ['otp:verify', 'otp:read', '*'],
    'otp.status': ['otp:status', 'otp:read', '*'],
    'otp.listIssues': ['otp:dashboard:read', 'otp:read', '*'],
    'otp.getIssue': ['otp:dashboard:read', 'otp:read', '*'],
    'otp.listCreditLedger': ['otp:ledger:read', 'otp:dashboard:read', 'otp:read', '*'],
    'otp.balance': ['otp:balance', '*'],
    'otp.listTemplates': ['otp:templates', 'otp:read', '*'],
    'otp.getTemplate': ['otp:templates', 'otp:read', '*'],
  }

  test('says of each operation which scopes and keys open it', () => {
    expect(Object.keys(document.components.securitySchemes).sort()).toEqual(['publicKey', 'secretKey'])
    for (const { operation } of operations()) {
      expect(operation['x-required-scopes']).toHaveLength(1)
      expect(operation['x-accepted-scopes']).toContain('*')
      expect(operation['x-accepted-scopes']).toContain(operation['x-required-scopes'][0])
      const isPublic = ['otp.issue', 'otp.verify'].includes(operation.operationId)
      expect(operation.security).toEqual([{ secretKey: [] }, ...(isPublic ? [{ publicKey: [] }] : [])])
      expect(operation['x-accepted-scopes']).toEqual(OPENS[operation.operationId])
    }
  })

  test('documents the headers of POST /issue', () => {
    const issue = document.paths['/issue'].post
    expect(issue.parameters).toEqual([
      {
        ...{ name: 'Idempotency-Key', in: 'header', required: false, description: expect.stringMatching(/./) },
        schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
        example: expect.stringMatching(/^[!-~]{1,128}$/),
      },
      {
        ...{ name: 'X-Watchword-Client-Ip', in: 'header', required: false, description: expect.stringMatching(/./) },
        schema: { type: 'string' },
      },
    ])
  })

  test('shows each error as it goes over the wire, with its headers', () => {
    const always = {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      'X-Watchword-Time': { $ref: '#/components/headers/Time' },
    }
    const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
    const limit = { limit: 'perPhone', policy: 'platform', retryAfterMs: expect.any(Number) }
    const shown = Object.values(document.components.responses).map((response) => {
      const { headers, content } = response as { headers: object; content: { 'application/json': { example: object } } }
      return { headers, ...content['application/json'].example }
    })
    const error = (status: number, code: string, data?: object, isDefined = true) => ({
      ...{ status, code, defined: isDefined, message: expect.stringMatching(/./), ...(data && { data }) },
      headers: [429, 503].includes(status) ? { ...always, ...retryAfter } : always,
    })
    expect(shown).toEqual(
      expect.arrayContaining([
        error(400, 'BAD_REQUEST', { param: 'phoneNumber', reason: 'invalid_phone_number' }),
        error(401, 'UNAUTHORIZED'),
        error(402, 'PAYMENT_REQUIRED', { code: 'INSUFFICIENT_CREDIT' }),
        error(403, 'FORBIDDEN', { reason: 'scope_missing' }),
        error(404, 'NOT_FOUND'),
        error(409, 'CONFLICT', { param: 'idempotencyKey', reason: 'idempotency_key_reused' }),
        error(413, 'PAYLOAD_TOO_LARGE'),
        error(429, 'TOO_MANY_REQUESTS', limit),
        error(500, 'INTERNAL_SERVER_ERROR', undefined, false),
        error(503, 'SERVICE_UNAVAILABLE'),
      ]),
    )
    expect(shown).toHaveLength(10)
    const { RequestId, RetryAfter, Time } = document.components.headers
    expect(RequestId.schema).toEqual({ type: 'string', pattern: '^[A-Za-z0-9._:-]{8,128}$' })
    expect(RetryAfter.schema).toEqual({ type: 'integer', minimum: 0 })
    expect(Time.schema).toEqual({ type: 'string', format: 'date-time' })
    for (const { description } of [RequestId, RetryAfter, Time]) expect(description).toMatch(/./)
    for (const { operation } of operations()) expect(operation.responses['200'].headers).toEqual(always)
  })

  test('lists every error of each operation, with the envelope', () => {
    const common = ['400', '401', '403', '409', '429', '500', '503']
    const more: Record<string, string[]> = {
      'otp.issue': ['402', '413'],
      'otp.verify': ['413'],
      'otp.status': ['404'],
      'otp.getIssue': ['404'],
      'otp.getTemplate': ['404'],
    }
    for (const { operation } of operations()) {
      const errors = Object.keys(operation.responses).filter((status) => status !== '200')
      expect(errors.sort()).toEqual([...common, ...(more[operation.operationId] ?? [])].sort())
      for (const [status, reference] of Object.entries(operation.responses)) {
        const response = resolved(reference)
        expect(response.headers).toHaveProperty('X-Request-Id')
        if (status === '200') continue
        const { schema, example } = response.content['application/json']
        expect(schema.$ref).toBe('#/components/schemas/Error')
        expect(example.status).toBe(Number(status))
        expect(errorBody.parse(example)).toEqual(example)
      }
    }
  })

  test('a 429 has its limit, its policy and its wait, and a 402 its code', () => {
    const ajv = new Ajv({ strict: false, formats: { 'date-time': true } }).addSchema(document, 'api')
    const answersWith = (response: string, data: object | undefined) => {
      const described = ajv.compile({
        $ref: `api#/components/responses/${response}/content/application~1json/schema`,
      })
      const { example } = document.components.responses[response].content['application/json']
      return described({ ...example, data })
    }
    const wait = { limit: 'perPhone', policy: 'platform', retryAfterMs: 60_000 }
    expect(answersWith('TooManyRequests', wait)).toBe(true)
    for (const missing of Object.keys(wait))
      expect(answersWith('TooManyRequests', { ...wait, [missing]: undefined })).toBe(false)
    expect(answersWith('PaymentRequired', { code: 'INSUFFICIENT_CREDIT' })).toBe(true)
    expect(answersWith('PaymentRequired', undefined)).toBe(false)
    expect(answersWith('BadRequest', undefined)).toBe(true)
  })

  test('has the fields, rules, descriptions and examples of the issue body', () => {
    const schema = resolved(document.paths['/issue'].post.requestBody.content['application/json'].schema)
    expect(schema.required.sort()).toEqual(['phoneNumber', 'purpose'])
    expect(Object.keys(schema.properties).sort()).toEqual([
      'challenge',
      'channel',
      'cost',
      'expiresInSec',
      'from',
      'idempotencyKey',
      'locale',
      'maxAttempts',
      'messageType',
      'metadata',
      'phoneNumber',
      'purpose',
      'smsFallback',
      'templateId',
      'templateVariables',
      'webOtp',
    ])
    expect(schema.properties.phoneNumber).toMatchObject({ type: 'string', pattern: expect.stringContaining('{0,30}') })
    expect(schema.properties.phoneNumber.description).toContain('At most 32 characters after trimming')
    expect(schema.properties.expiresInSec).toMatchObject({ type: 'integer', minimum: 30, maximum: 600 })
    expect(schema.properties.maxAttempts).toMatchObject({ type: 'integer', minimum: 1, maximum: 10 })
    // Generators take a field that has the keyword for one that must be sent.
    for (const [name, byDefault] of [
      ['expiresInSec', 180],
      ['maxAttempts', 5],
    ] as const) {
      expect(schema.properties[name]).not.toHaveProperty('default')
      expect(schema.properties[name].description).toEndWith(` ${byDefault} when omitted.`)
    }
    expect(schema.properties.cost.deprecated).toBe(true)
    expect(schema.properties.challenge).toMatchObject({ type: 'string', minLength: 1, maxLength: 4_096 })
    for (const [name, property] of Object.entries(schema.properties) as Array<
      [string, { description?: string; examples?: unknown[] }]
    >) {
      expect({ name, described: property.description !== undefined }).toEqual({ name, described: true })
      expect({ name, hasExample: (property.examples?.length ?? 0) > 0 }).toEqual({ name, hasExample: true })
    }
  })

  test('has plain query parameters with their rules', () => {
    const parameters = document.paths['/issues'].get.parameters as Array<{
      name: string
      schema: Record<string, unknown>
      required?: boolean
    }>
    expect(parameters.map(({ name }) => name).sort()).toEqual([
      'createdFrom',
      'createdTo',
      'cursor',
      'limit',
      'verificationStatus',
    ])
    const limit = parameters.find(({ name }) => name === 'limit')
    expect(limit?.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 50 })
    expect(limit?.required ?? false).toBe(false)
    for (const parameter of parameters) {
      expect(resolved(parameter.schema).type).toBeDefined()
      // `?status=a`, and no `?status[a]=b`.
      for (const word of ['style', 'explode', 'allowEmptyValue', 'allowReserved'])
        expect(parameter).not.toHaveProperty(word)
    }
  })
})
