/** Value schemas that several subjects of the interface share. Specification: "Resources and their fields", "Limits". */
import { JSON_SCHEMA_REGISTRY } from '@orpc/zod/zod4'
import { z } from 'zod'
import { CHANNELS, LEGS } from './constants'
import { because } from './reason'

export type JsonSchema = Parameters<typeof JSON_SCHEMA_REGISTRY.add>[1]

/**
 * Publishes `jsonSchema` where zod's own rendering would lose a rule (a refinement) or a type (a preprocessing step).
 * Must be the last call on a schema. What it allows the service takes; the service may take more (spaces around a text).
 */
export function published<S extends z.ZodType>(schema: S, jsonSchema: JsonSchema): S {
  // biome-ignore lint/suspicious/noExplicitAny: the registry's parameter is the union of all zod schemas
  JSON_SCHEMA_REGISTRY.add(schema as any, jsonSchema)
  return schema
}

/** Characters as a reader counts them (code points), not UTF-16 units; JSON Schema's patterns count the same. */
const hasAtMost = (max: number, text: string) => text.length <= max || [...text].length <= max

/** NUL and other control characters, and halves of surrogate pairs, have no place in a label or a message. */
const isPrintable = (text: string) => !/\p{Cc}/u.test(text) && text.isWellFormed()
const UNPRINTABLE = because('invalid_characters', 'must not contain control characters or broken Unicode')

/** The same for readers of the description, in the regular expressions that all their languages know. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f'
const PRINTABLE = `^[^${CONTROL}]*$`

const ANY_LENGTH = Number.POSITIVE_INFINITY

/** What a text is that has spaces around it still; `minLength` and `maxLength` would count them. */
function trimmedPattern(min: number, max: number): string {
  const inner = max === ANY_LENGTH ? '*' : `{0,${max - 2}}`
  const trimmed = `[^\\s${CONTROL}](?:[^${CONTROL}]${inner}[^\\s${CONTROL}])?`
  return `^\\s*${min > 0 ? trimmed : `(?:${trimmed})?`}\\s*$`
}

interface TextRule {
  /** 0: may be blank. */
  min: 0 | 1
  /** Left out where a text that is too long is merely one that nobody knows. */
  max?: number
  description: string
  /** Interactive docs send a query parameter that has one. */
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

/** How a map of short printable strings is published. */
export const STRING_MAP = {
  type: 'object',
  propertyNames: { pattern: PRINTABLE },
  additionalProperties: { type: 'string', pattern: '^[^\\x00]*$' },
} as const satisfies JsonSchema

/** A map of short printable strings; `__proto__` is refused by the body reader before it gets here. */
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

/** An `issueId` a caller sends where whatever is none of ours is "no such issue". */
export const issueIdInput = published(text({ min: 1, description: '' }), {
  type: 'string',
  format: 'uuid',
  ...ISSUE_ID,
})

/** What the caller sent as one, back to them, whatever text it was. */
export const echoedIssueId = z.string().meta(ISSUE_ID)
