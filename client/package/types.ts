/**
 * `client/types.ts` for the package: the types of the contract written out, each with its description. In
 * `test/client/written.test.ts` the compiler checks that both are the same.
 */
import { JSON_SCHEMA_REGISTRY } from '@orpc/zod/zod4'
import { z } from 'zod'
import { EVENT_TYPES, eventSchemas, eventType, otpEvent } from '../../contract/event'
import { getIssueInput, issueProjection, listIssuesInput, listIssuesOutput } from '../../contract/history'
import {
  issueInput,
  issueOutput,
  reasonCode,
  statusInput,
  statusOutput,
  verifyInput,
  verifyOutput,
} from '../../contract/issue'
import { reason } from '../../contract/reason'
import { getTemplateInput, listTemplatesOutput, templateDetail } from '../../contract/template'
import { balanceOutput, ledgerEntry, listCreditLedgerInput, listCreditLedgerOutput } from '../../contract/wallet'

const SENT = {
  IssueInput: issueInput,
  VerifyInput: verifyInput,
  StatusInput: statusInput,
  ListIssuesInput: listIssuesInput,
  GetIssueInput: getIssueInput,
  ListCreditLedgerInput: listCreditLedgerInput,
  GetTemplateInput: getTemplateInput,
}

/** `otp.max_attempts` is `MaxAttemptsEvent`. */
const nameOfEvent = (type: string) =>
  `${type.replace(/^otp\.|_/g, ' ').replace(/ ([a-z])/g, (_, rendered: string) => rendered.toUpperCase())}Event`

const ANSWERED = {
  IssueOutput: issueOutput,
  VerifyOutput: verifyOutput,
  ReasonCode: reasonCode,
  Reason: reason,
  StatusOutput: statusOutput,
  ListIssuesOutput: listIssuesOutput,
  IssueProjection: issueProjection,
  ListCreditLedgerOutput: listCreditLedgerOutput,
  LedgerEntry: ledgerEntry,
  Balance: balanceOutput,
  TemplateList: listTemplatesOutput,
  Template: templateDetail,
  EventType: eventType,
  ...Object.fromEntries(EVENT_TYPES.map((type) => [nameOfEvent(type), eventSchemas[type]])),
  OtpEvent: otpEvent,
}

const OF_ONE_TYPE = `/** The event of one type. */
export type OtpEventOf<T extends EventType> = Extract<OtpEvent, { type: T }>
`

export const writtenTypes = (): string =>
  [...declared(SENT, 'input'), ...declared(ANSWERED, 'output'), OF_ONE_TYPE].join('\n')

interface Schema {
  $ref?: string
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: readonly string[]
  description?: string
  deprecated?: boolean
  default?: unknown
}

function declared(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): string[] {
  const names = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(schemas)) names.add(schema, { id })
  const written = z.toJSONSchema(names, { io, uri: (id) => id, unrepresentable: 'any', override: asPublished })
  return Object.entries(written.schemas).map(([name, schema]) => declaration(name, schema as Schema))
}

/** The contract overrides the schemas that zod cannot publish. */
function asPublished({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }): void {
  const published = JSON_SCHEMA_REGISTRY.get(zodSchema as Parameters<typeof JSON_SCHEMA_REGISTRY.get>[0])
  if (!published) return
  for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key)
  Object.assign(jsonSchema, published)
}

const declaration = (name: string, schema: Schema): string =>
  schema.properties
    ? `${comment(schema)}export interface ${name} ${typeOf(schema)}\n`
    : `${comment(schema)}export type ${name} = ${typeOf(schema)}\n`

/** In TypeScript. */
function typeOf(schema: Schema): string {
  const { $ref, type, items, properties, additionalProperties } = schema
  if ($ref !== undefined) return $ref
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(typeOf).join(' | ')
  if (items) return `Array<${typeOf(items)}>`
  if (properties) return fieldsOf(schema)
  if (typeof additionalProperties === 'object') return `Record<string, ${typeOf(additionalProperties)}>`
  if (type === 'integer') return 'number'
  if (type === undefined) throw new Error(`No type can be written of ${JSON.stringify(schema)}`)
  return type
}

function fieldsOf({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([name, field]) =>
    required.includes(name)
      ? `${comment(field)}${name}: ${typeOf(field)}\n`
      : `${comment(field)}${name}?: ${typeOf(field)} | undefined\n`,
  )
  return `{\n${indented(fields.join(''))}}`
}

/** For an editor, which shows it where a name is pointed at. */
function comment({ description, deprecated, default: byDefault }: Schema): string {
  const sentences = [
    deprecated && '@deprecated',
    description,
    byDefault !== undefined && `${JSON.stringify(byDefault)} when omitted.`,
  ].filter(Boolean)
  if (sentences.length === 0) return ''
  const text = sentences.join(' ').split('\n')
  return text.length === 1
    ? `/** ${text[0]} */\n`
    : `/**\n${text.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

const indented = (text: string) => text.replace(/^(?=.)/gm, '  ')
