/** The published description, made from the contract. Specification: "Versioning"; decisions: "Interface". */
import type { AnyContractProcedure } from '@orpc/contract'
import { OpenAPIGenerator } from '@orpc/openapi'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import { z } from 'zod'
import { contract } from '../../contract'
import { EVENT_TYPES, eventSchemas, sampleEvent } from '../../contract/event'
import type { OperationAccess } from '../../contract/scope'

const DESCRIPTION = `Issue one-time codes to phone numbers, deliver them by SMS or AlimTalk, and verify them.

Every operation is also an RPC procedure: \`POST /v1/rpc/otp/<name>\` with \`{"json": <input>}\`, where \`<name>\` is the
part of the operationId after \`otp.\`. With a test key nothing is sent or billed: issue to a magic number such as
\`010-0000-0000\` and verify with \`000000\`. Unknown fields and query parameters are refused with 400.`

const IDEMPOTENCY_KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Required unless the body has `idempotencyKey`; 1 to 128 visible ASCII characters. Repeat it to retry safely.',
  schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
  example: 'signup-8f14e45f',
}

const REQUEST_ID_HEADER = {
  description: 'Identifies the exchange; echoes a well-formed `X-Request-Id` of the request.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{8,128}$' },
}

const RETRY_AFTER_HEADER = {
  description: 'Whole seconds to wait, rounded up.',
  schema: { type: 'integer', minimum: 0 },
}

type Json = Record<string, unknown>

export async function describeApi(): Promise<Json> {
  const generator = new OpenAPIGenerator({ schemaConverters: [new ZodToJsonSchemaConverter()] })
  const document = (await generator.generate(contract, {
    info: { title: 'Watchword', version: '1.2.0', description: DESCRIPTION },
    servers: [{ url: '/v1', description: 'This deployment' }],
    tags: [
      { name: 'Codes', description: 'Issue, verify and follow codes' },
      { name: 'History', description: 'Past issues, without personal data' },
      { name: 'Wallet', description: 'Prepaid credit' },
      { name: 'Templates', description: 'Message templates' },
      { name: 'Events', description: 'What your webhooks are told' },
    ],
    components: {
      securitySchemes: {
        secretKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A secret key (`sk_…` or `sk_test_…`), from servers only.',
        },
        publicKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A public key (`pk_…` or `pk_test_…`), from browser pages of its allowed origins; issue and verify only.',
        },
      },
    },
  })) as unknown as { paths: Record<string, Record<string, Json>> }

  for (const procedure of Object.values(contract)) {
    const { path = '', method = 'GET' } = procedure['~orpc'].route
    const operation = document.paths[path]?.[method.toLowerCase()]
    if (operation) complete(operation, procedure)
  }
  return { ...document, webhooks: describeWebhooks() }
}

const HOOK_HEADERS: ReadonlyArray<[name: string, description: string]> = [
  ['X-Watchword-Signature', 'Hexadecimal HMAC-SHA256, keyed with the secret, over timestamp, `.` and the raw body.'],
  ['X-Watchword-Timestamp', 'Unix time in seconds; refuse what is more than 300 seconds from your clock.'],
  ['webhook-id', 'Standard Webhooks: the id of the event.'],
  ['webhook-timestamp', 'Standard Webhooks: Unix time in seconds.'],
  ['webhook-signature', 'Standard Webhooks: `v1,` and the signature in base64; several while a secret is rotated.'],
]

/** What endpoints are sent, by event. */
function describeWebhooks(): Json {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const { $schema: _, ...schema } = z.toJSONSchema(eventSchemas[type])
      const post = {
        operationId: type,
        summary: eventSchemas[type].description,
        tags: ['Events'],
        parameters: HOOK_HEADERS.map(([name, description]) => ({
          name,
          in: 'header',
          required: true,
          description,
          schema: { type: 'string' },
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema, example: sampleEvent(type) } },
        },
        responses: {
          '2XX': { description: 'Taken. 408, 429, 5xx and no answer within 5 seconds are tried again.' },
          '410': { description: 'Never tell this endpoint again.' },
        },
      }
      return [type, { post }]
    }),
  )
}

/** What the error means, and one as it goes over the wire. */
function describeError(response: Json, status: number, procedure: AnyContractProcedure): void {
  const errors = procedure['~orpc'].errorMap as Record<string, { status: number; message: string }>
  const [code, error] = Object.entries(errors).find(([, item]) => item.status === status) ?? []
  const content = (response.content as Record<string, Json> | undefined)?.['application/json']
  if (!code || !error || !content) return
  response.description = error.message
  const defined = code !== 'INTERNAL_SERVER_ERROR'
  const data = ERROR_EXAMPLE_DATA[code]
  content.example = { defined, code, status, message: error.message, ...(data && { data }) }
}

const ERROR_EXAMPLE_DATA: Readonly<Record<string, Json>> = {
  PAYMENT_REQUIRED: { code: 'INSUFFICIENT_CREDIT' },
  TOO_MANY_REQUESTS: { limit: 'perPhone', policy: 'platform', retryAfterMs: 60_000 },
}

function complete(operation: Json, procedure: AnyContractProcedure): void {
  const access = procedure['~orpc'].meta as OperationAccess
  operation['x-required-scopes'] = [access.requiredScope]
  operation['x-accepted-scopes'] = [access.requiredScope, ...access.alsoAccepted]
  operation.security = access.publicKey ? [{ secretKey: [] }, { publicKey: [] }] : [{ secretKey: [] }]
  if (operation.operationId === 'otp.issue') {
    operation.parameters = [IDEMPOTENCY_KEY_PARAMETER, ...((operation.parameters as Json[] | undefined) ?? [])]
  }
  for (const parameter of (operation.parameters as Json[] | undefined) ?? []) {
    // The generator says so of every query parameter; a blank value is refused.
    delete parameter.allowEmptyValue
    delete parameter.allowReserved
  }
  for (const [status, response] of Object.entries(operation.responses as Record<string, Json>)) {
    const mayWait = status === '429' || status === '503'
    response.headers = { 'X-Request-Id': REQUEST_ID_HEADER, ...(mayWait && { 'Retry-After': RETRY_AFTER_HEADER }) }
    if (status !== '200') describeError(response, Number(status), procedure)
  }
}
