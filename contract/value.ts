/** Value schemas that several subjects of the interface share. Specification: "Resources and their fields", "Limits". */
import { JSON_SCHEMA_REGISTRY } from '@orpc/zod/zod4'
import { z } from 'zod'
import { CHANNELS, LEGS } from './constants'
import { because } from './reason'

export type JsonSchema = Parameters<typeof JSON_SCHEMA_REGISTRY.add>[1]

/**
 * Publishes `jsonSchema` where zod's own rendering would lose a rule (a refinement) or a type (a preprocessing step).
 * Must be the last call on a schema. The service accepts everything it allows, and may accept more (spaces around a text).
 */
export function published<S extends z.ZodType>(schema: S, jsonSchema: JsonSchema): S {
  // biome-ignore lint/suspicious/noExplicitAny: the registry's parameter is the union of all zod schemas
  JSON_SCHEMA_REGISTRY.add(schema as any, jsonSchema)
  return schema
}

/** Counts code points and not UTF-16 units, as JSON Schema's patterns do. */
const hasAtMost = (max: number, text: string) => text.length <= max || [...text].length <= max

/** Control characters and unpaired surrogates are not allowed in labels and messages. */
const isPrintable = (text: string) => !/\p{Cc}/u.test(text) && text.isWellFormed()
const UNPRINTABLE = because('invalid_characters', 'must not contain control characters or broken Unicode')

/** The same for the published description, in regular expression syntax that all languages have. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f'
const PRINTABLE = `^[^${CONTROL}]*$`

const ANY_LENGTH = Number.POSITIVE_INFINITY

/** Pattern of a text before trimming. `minLength` and `maxLength` would count its spaces. */
function trimmedPattern(min: number, max: number): string {
  const inner = max === ANY_LENGTH ? '*' : `{0,${max - 2}}`
  const trimmed = `[^\\s${CONTROL}](?:[^${CONTROL}]${inner}[^\\s${CONTROL}])?`
  return `^\\s*${min > 0 ? trimmed : `(?:${trimmed})?`}\\s*$`
}

interface TextRule {
  /** 0: may be blank. */
  min: 0 | 1
  /** Omitted for ids: one that is too long is just unknown. */
  max?: number
  description: string
  /** Omitted for optional query parameters: interactive docs would send the example. */
  examples?: string[]
}

/** Trimmed text of `min` to `max` characters. */
export function text({ min, max = ANY_LENGTH, description, examples }: TextRule) {
  const schema = z
    .string()
    .trim()
    .refine((value) => min === 0 || value !== '', because('required', 'must not be blank'))
    .refine((value) => hasAtMost(max, value), because('too_long', `must have at most ${max} characters`, { max }))
    .refine(isPrintable, UNPRINTABLE)
  return published(schema, {
    type: 'string',
    pattern: trimmedPattern(min, max),
    description: max === ANY_LENGTH ? description : `${description} At most ${max} characters after trimming.`,
    ...(examples && { examples }),
  })
}

/** Published schema of a map of short printable strings. */
export const STRING_MAP = {
  type: 'object',
  propertyNames: { pattern: PRINTABLE },
  additionalProperties: { type: 'string', pattern: '^[^\\x00]*$' },
} as const satisfies JsonSchema

/** A map of short printable strings. The body reader refuses `__proto__` before. */
export const stringMap = z.record(
  z.string().refine(isPrintable, UNPRINTABLE),
  z
    .string()
    .refine(
      (value) => value.isWellFormed() && !value.includes('\0'),
      because('invalid_characters', 'must not contain NUL or broken Unicode'),
    ),
)

export const leg = z.enum(LEGS).meta({
  description:
    'The channel that carried the code. The app decides by which channels a code goes; a caller asks for `sms` or `alimtalk`.',
  examples: ['sms'],
})
export const channel = z.enum(CHANNELS).meta({ description: 'Delivery channel.', examples: ['sms'] })

export const mode = z
  .enum(['live', 'test'])
  .meta({ description: 'Decided by the key: `live`, or `test` where nothing is sent or billed.', examples: ['test'] })

/** RFC 3339 date-time in UTC, as every response writes it. */
export const timestamp = z.iso
  .datetime()
  .meta({ description: 'RFC 3339 date-time.', examples: ['2026-01-15T09:30:00.000Z'] })

export const currency = z.literal('CREDIT').meta({ description: 'Credit unit.', examples: ['CREDIT'] })

export const ISSUE_ID = { description: 'Identifier of the issue.', examples: ['0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'] }

export const issueId = z.uuid().meta(ISSUE_ID)

/** An `issueId` in a request where any unknown text means "no such issue". */
export const issueIdInput = published(text({ min: 1, description: '' }), {
  type: 'string',
  pattern: trimmedPattern(1, ANY_LENGTH),
  ...ISSUE_ID,
})

/** The `issueId` of the request, echoed in the response. */
export const echoedIssueId = z.string().meta(ISSUE_ID)
