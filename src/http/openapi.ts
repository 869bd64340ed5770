/** The published description, made from the contract. Specification: "Versioning"; decisions: "Interface". */
import type { AnyContractProcedure } from '@orpc/contract'
import { OpenAPIGenerator } from '@orpc/openapi'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import type { z } from 'zod'
import { contract } from '../../contract'
import {
  type ErrorCode,
  errorBody,
  errorCode,
  errorData,
  errors,
  paymentRequiredData,
  tooManyRequestsData,
} from '../../contract/error'
import { EVENT_TYPES, type EventType, eventSchemas, sampleEvent } from '../../contract/event'
import { billingStatus, issueProjection, listIssuesOutput } from '../../contract/history'
import {
  deliveryStatus,
  issueInput,
  issueOutput,
  overallStatus,
  reasonCode,
  statusOutput,
  verificationStatus,
  verifyInput,
  verifyOutput,
} from '../../contract/issue'
import { reason } from '../../contract/reason'
import type { OperationAccess } from '../../contract/scope'
import { listTemplatesOutput, templateDetail, templateSummary } from '../../contract/template'
import { channel, mode } from '../../contract/value'
import { balanceOutput, entryType, ledgerEntry, listCreditLedgerOutput } from '../../contract/wallet'

const DESCRIPTION = `Issue one-time codes to phone numbers, deliver them by SMS or AlimTalk, and verify them.

Every operation is also an RPC procedure: \`POST /v1/rpc/otp/<name>\` with \`{"json": <input>}\`, where \`<name>\` is the
part of the operationId after \`otp.\`; \`balance\` and \`listTemplates\` need no body. With a test key nothing is sent or billed: issue to a magic number such as
\`010-0000-0000\` and verify with \`000000\`. Unknown fields and query parameters are refused with 400.

Texts are trimmed before they are measured. What no schema can say: \`createdTo\` must be later than \`createdFrom\`, metadata is
4,096 bytes of JSON at most, and an issue needs an idempotency key, in the header or in the body, the same where it is in both.`

const IDEMPOTENCY_KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Required unless the body has `idempotencyKey`, and equal to it where both are sent; 1 to 128 visible ASCII characters. ' +
    'Repeat it to retry safely.',
  schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
  example: 'signup-8f14e45f',
}

const CLIENT_IP_PARAMETER = {
  name: 'X-Watchword-Client-Ip',
  in: 'header',
  required: false,
  description:
    'Secret keys only: the address of the end user whom a server asks for, IPv4 or IPv6. Limits for each address count it; ' +
    'behind a server every request comes from one address otherwise.',
  // No example: samples of a request would send it as somebody's address.
  schema: { type: 'string' },
}

const HEADERS = {
  RequestId: {
    description: 'Identifies the exchange; echoes a well-formed `X-Request-Id` of the request.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{8,128}$' },
  },
  RetryAfter: {
    description: 'Whole seconds to wait, rounded up.',
    schema: { type: 'integer', minimum: 0 },
  },
  Time: {
    description:
      "The service's time as it answered, in milliseconds: what `expiresAt` and `resendAvailableAt` count by.",
    schema: { type: 'string', format: 'date-time' },
  },
}

type OpenApiObject = Record<string, unknown>

interface Document {
  components: { schemas: Record<string, OpenApiObject> }
  paths: Record<string, Record<string, OpenApiObject>>
}

const sent = (schema: z.ZodType) => ({ schema, strategy: 'input' as const })
const answered = (schema: z.ZodType) => ({ schema, strategy: 'output' as const })

/** `max_attempts` is `MaxAttempts`. */
const inPascalCase = (name: string) =>
  name.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const eventName = (type: EventType) => `${inPascalCase(type.replace(/^otp\./, ''))}Event`

/** Names of types that generators use. */
const SCHEMAS = {
  IssueRequest: sent(issueInput),
  IssueResult: answered(issueOutput),
  VerifyRequest: sent(verifyInput),
  VerifyResult: answered(verifyOutput),
  IssueStatus: answered(statusOutput),
  IssueProjection: answered(issueProjection),
  IssuePage: answered(listIssuesOutput),
  LedgerEntry: answered(ledgerEntry),
  LedgerPage: answered(listCreditLedgerOutput),
  Balance: answered(balanceOutput),
  TemplateSummary: answered(templateSummary),
  TemplateList: answered(listTemplatesOutput),
  TemplateDetail: answered(templateDetail),
  Channel: sent(channel),
  Mode: sent(mode),
  VerificationStatus: sent(verificationStatus),
  DeliveryStatus: sent(deliveryStatus),
  OverallStatus: sent(overallStatus),
  BillingStatus: sent(billingStatus),
  ReasonCode: sent(reasonCode),
  EntryType: sent(entryType),
  Error: answered(errorBody),
  ErrorCode: answered(errorCode),
  ErrorData: answered(errorData),
  PaymentRequiredData: answered(paymentRequiredData),
  TooManyRequestsData: answered(tooManyRequestsData),
  Reason: answered(reason),
  ...Object.fromEntries(EVENT_TYPES.map((type) => [eventName(type), answered(eventSchemas[type])])),
}

const refTo = (kind: 'schemas' | 'responses' | 'headers', name: string) => ({ $ref: `#/components/${kind}/${name}` })

/** Adapts a schema to generators of types: a constant gets a type, and integers lose the bounds of JavaScript. */
function typed(json: OpenApiObject): OpenApiObject {
  const { minimum, maximum, ...rest } = json
  return {
    ...('const' in json && { type: typeof json.const }),
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  }
}

/** Python's generated classes keep undescribed fields under this name, so no field with it is described. */
const NAME_OF_UNDESCRIBED = 'additionalProperties'

/** Adapts a named schema to generators. They treat a field with a `default` as required, so the default goes into its description. */
function generable({ properties, required, default: byDefault, ...rest }: OpenApiObject): OpenApiObject {
  const described =
    byDefault === undefined ? rest : { ...rest, description: `${rest.description} ${byDefault} when omitted.` }
  if (properties === undefined) return described
  const isDescribed = (name: string) => name !== NAME_OF_UNDESCRIBED
  const fields = Object.entries(properties as Record<string, OpenApiObject>).filter(([name]) => isDescribed(name))
  return {
    ...described,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, generable(field)])),
    ...(required !== undefined && { required: (required as string[]).filter(isDescribed) }),
  }
}

/** `publicUrl`: the public origin of this deployment, where it is known. */
export async function describeApi(publicUrl?: string): Promise<OpenApiObject> {
  const converter = new ZodToJsonSchemaConverter({
    interceptors: [
      ({ next }) => {
        const [required, json] = next()
        return [required, typed(json)]
      },
    ],
  })
  const document = (await new OpenAPIGenerator({ schemaConverters: [converter] }).generate(contract, {
    info: {
      title: 'Watchword',
      version: '1.2.0',
      description: DESCRIPTION,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: '/v1', description: 'Where this description comes from' },
      ...(publicUrl === undefined ? [] : [{ url: `${publicUrl}/v1`, description: 'This deployment' }]),
    ],
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
    commonSchemas: SCHEMAS,
  })) as unknown as Document

  for (const procedure of Object.values(contract)) {
    const { path = '', method = 'GET' } = procedure['~orpc'].route
    const operation = document.paths[path]?.[method.toLowerCase()]
    if (operation) complete(operation, procedure)
  }
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, schema]) => [name, generable(schema)]),
  )
  return {
    ...document,
    components: { ...document.components, schemas, responses: describeErrors(), headers: HEADERS },
    webhooks: describeWebhooks(),
  }
}

const HOOK_HEADERS: ReadonlyArray<[name: string, description: string]> = [
  ['X-Watchword-Signature', 'Hexadecimal HMAC-SHA256, keyed with the secret, over timestamp, `.` and the raw body.'],
  ['X-Watchword-Timestamp', 'Unix time in seconds; refuse what is more than 300 seconds from your clock.'],
  ['webhook-id', 'Standard Webhooks: the id of the event.'],
  ['webhook-timestamp', 'Standard Webhooks: Unix time in seconds.'],
  ['webhook-signature', 'Standard Webhooks: `v1,` and the signature in base64; several while a secret is rotated.'],
]

/** The messages to endpoints, by event. */
function describeWebhooks(): OpenApiObject {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const post = {
        operationId: type,
        summary: eventSchemas[type].description,
        tags: ['Events'],
        // A receiver checks the signature instead of an API key.
        security: [],
        parameters: HOOK_HEADERS.map(([name, description]) => ({
          name,
          in: 'header',
          required: true,
          description,
          schema: { type: 'string' },
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: refTo('schemas', eventName(type)), example: sampleEvent(type) } },
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

/** A response for each error, with its meaning and an example. */
const describeErrors = (): OpenApiObject =>
  Object.fromEntries(
    Object.entries(errors).map(([code, { status, message }]) => {
      const data = ERROR_EXAMPLE_DATA[code as ErrorCode]
      const example = { defined: code !== 'INTERNAL_SERVER_ERROR', code, status, message, ...(data && { data }) }
      const response = {
        description: message,
        headers: headersOf(status),
        content: { 'application/json': { schema: errorSchema(code as ErrorCode), example } },
      }
      return [inPascalCase(code), response]
    }),
  )

/** The schema of `data` for errors that always have it. All errors share one shape, so that generators make one type. */
const ALWAYS_WITH: Readonly<Partial<Record<ErrorCode, string>>> = {
  PAYMENT_REQUIRED: 'PaymentRequiredData',
  TOO_MANY_REQUESTS: 'TooManyRequestsData',
}

function errorSchema(code: ErrorCode): OpenApiObject {
  const shape = refTo('schemas', 'Error')
  const data = ALWAYS_WITH[code]
  return data === undefined ? shape : { ...shape, required: ['data'], properties: { data: refTo('schemas', data) } }
}

const ERROR_EXAMPLE_DATA: Readonly<Partial<Record<ErrorCode, OpenApiObject>>> = {
  BAD_REQUEST: { param: 'phoneNumber', reason: 'invalid_phone_number' },
  FORBIDDEN: { reason: 'scope_missing' },
  CONFLICT: { param: 'idempotencyKey', reason: 'idempotency_key_reused' },
  PAYMENT_REQUIRED: { code: 'INSUFFICIENT_CREDIT' },
  TOO_MANY_REQUESTS: { limit: 'perPhone', policy: 'platform', retryAfterMs: 60_000 },
}

const headersOf = (status: number) => ({
  'X-Request-Id': refTo('headers', 'RequestId'),
  'X-Watchword-Time': refTo('headers', 'Time'),
  ...([429, 503].includes(status) && { 'Retry-After': refTo('headers', 'RetryAfter') }),
})

function complete(operation: OpenApiObject, procedure: AnyContractProcedure): void {
  const access = procedure['~orpc'].meta as OperationAccess
  operation['x-required-scopes'] = [access.requiredScope]
  operation['x-accepted-scopes'] = [access.requiredScope, ...access.alsoAccepted]
  operation.security = access.publicKey ? [{ secretKey: [] }, { publicKey: [] }] : [{ secretKey: [] }]
  if (operation.operationId === 'otp.issue') {
    operation.parameters = [
      IDEMPOTENCY_KEY_PARAMETER,
      CLIENT_IP_PARAMETER,
      ...((operation.parameters as OpenApiObject[] | undefined) ?? []),
    ]
  }
  for (const parameter of (operation.parameters as OpenApiObject[] | undefined) ?? []) {
    // The generator sets these for every query parameter, but a blank value is refused.
    delete parameter.allowEmptyValue
    delete parameter.allowReserved
    // Every parameter is a plain value, so these say nothing.
    delete parameter.style
    delete parameter.explode
  }
  const responses = operation.responses as Record<string, OpenApiObject>
  for (const response of Object.values(responses)) response.headers = headersOf(200)
  for (const code of Object.keys(procedure['~orpc'].errorMap) as ErrorCode[]) {
    responses[errors[code].status] = refTo('responses', inPascalCase(code))
  }
}
