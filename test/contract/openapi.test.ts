import { beforeAll, describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { contract } from '../../contract'
import { describeApi } from '../../src/http/openapi'

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

describe('/v1/openapi.json', () => {
  test('is valid OpenAPI 3.1, version 1.2.0, with the server entry /v1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(document.openapi).toStartWith('3.1')
    expect(document.info.version).toBe('1.2.0')
    expect(document.servers.map(({ url }: { url: string }) => url)).toContain('/v1')
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

  test('says of each operation which scopes and keys open it', () => {
    expect(Object.keys(document.components.securitySchemes).sort()).toEqual(['publicKey', 'secretKey'])
    for (const { operation } of operations()) {
      expect(operation['x-required-scopes']).toHaveLength(1)
      expect(operation['x-accepted-scopes']).toContain('*')
      expect(operation['x-accepted-scopes']).toContain(operation['x-required-scopes'][0])
      const isPublic = ['otp.issue', 'otp.verify'].includes(operation.operationId)
      expect(operation.security.some((scheme: object) => 'publicKey' in scheme)).toBe(isPublic)
      expect(operation.security.some((scheme: object) => 'secretKey' in scheme)).toBe(true)
    }
  })

  test('documents the Idempotency-Key header on POST /issue', () => {
    const issue = document.paths['/issue'].post
    expect(issue.parameters).toContainEqual(expect.objectContaining({ name: 'Idempotency-Key', in: 'header' }))
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
      for (const response of Object.values(operation.responses) as Array<{ headers: object }>) {
        expect(response.headers).toHaveProperty('X-Request-Id')
      }
    }
  })

  test('has the fields, rules, descriptions and examples of the issue body', () => {
    const { schema } = document.paths['/issue'].post.requestBody.content['application/json']
    expect(schema.required.sort()).toEqual(['phoneNumber', 'purpose'])
    expect(Object.keys(schema.properties).sort()).toEqual([
      'channel',
      'cost',
      'expiresInSec',
      'from',
      'idempotencyKey',
      'maxAttempts',
      'messageType',
      'metadata',
      'phoneNumber',
      'purpose',
      'smsFallback',
      'templateId',
      'templateVariables',
    ])
    expect(schema.properties.phoneNumber).toMatchObject({ type: 'string', maxLength: 32 })
    expect(schema.properties.expiresInSec).toMatchObject({ type: 'integer', minimum: 30, maximum: 600, default: 180 })
    expect(schema.properties.maxAttempts).toMatchObject({ type: 'integer', minimum: 1, maximum: 10, default: 5 })
    expect(schema.properties.cost.deprecated).toBe(true)
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
    for (const { schema } of parameters) expect(schema.type ?? schema.enum).toBeDefined()
  })
})
