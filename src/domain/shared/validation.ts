/**
 * Messages of schema errors. zod uses these wherever a schema has none of its own, so that no text of the library is shown.
 */
import { z } from 'zod'
import type { JsonType } from '../../../contract/reason'
import { Refusal } from './error'
import type { ReasonAbout, RefusalReason } from './reason'

type SchemaIssue = z.core.$ZodIssue

interface Mistake {
  reason: RefusalReason
  problem: string
  about?: ReasonAbout
}

const TYPES: Readonly<Record<string, [type: JsonType, inWords: string]>> = {
  string: ['string', 'a string'],
  // All numbers of the interface are whole.
  number: ['integer', 'a whole number'],
  int: ['integer', 'a whole number'],
  boolean: ['boolean', 'true or false'],
  array: ['array', 'an array'],
  tuple: ['array', 'an array'],
  object: ['object', 'an object'],
  record: ['object', 'an object'],
}

/** Formats with a reason of their own. */
const FORMATS: Readonly<Record<string, Mistake>> = {
  datetime: { reason: 'invalid_date', problem: 'must be an RFC 3339 date-time such as 2026-01-15T09:30:00Z' },
  email: { reason: 'invalid_email', problem: 'must be an e-mail address' },
}

/** `value`: the input at the path of the issue. */
function explain(issue: z.core.$ZodRawIssue | SchemaIssue, value: unknown): Mistake {
  if (issue.code === 'custom') {
    const { reason = 'invalid_format', about } = (issue.params ?? {}) as Partial<Mistake>
    return { reason, problem: 'is not as expected', ...(about && { about }) }
  }
  if (value === undefined) return { reason: 'required', problem: 'is required' }
  switch (issue.code) {
    case 'invalid_type': {
      const [expected, inWords] = TYPES[issue.expected] ?? ['object', 'of another type']
      return { reason: 'wrong_type', problem: `must be ${inWords}`, about: { expected } }
    }
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum))
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum))
    case 'invalid_value': {
      const choices = issue.values.map(String)
      return { reason: 'not_a_choice', problem: `must be one of ${choices.join(', ')}`, about: { choices } }
    }
    case 'invalid_union': {
      const choices = 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : []
      if (choices.length > 0)
        return { reason: 'not_a_choice', problem: `must be one of ${choices.join(', ')}`, about: { choices } }
      break
    }
    case 'unrecognized_keys':
      return { reason: 'unknown_field', problem: 'unknown field or parameter' }
    case 'invalid_key':
    case 'invalid_element': {
      const [within] = issue.issues
      if (within) return { ...explain(within, value), problem: within.message }
    }
  }
  const known = issue.code === 'invalid_format' ? FORMATS[issue.format] : undefined
  return known ?? { reason: 'invalid_format', problem: 'is not in the expected format' }
}

function tooSmall(origin: string, min: number): Mistake {
  if (origin === 'number' || origin === 'int')
    return { reason: 'too_small', problem: `must be at least ${min}`, about: { min } }
  if (min === 1) return { reason: 'required', problem: 'must not be blank' }
  const what = origin === 'string' ? 'characters' : 'entries'
  return { reason: 'too_short', problem: `must have at least ${min} ${what}`, about: { min } }
}

function tooBig(origin: string, max: number): Mistake {
  if (origin === 'number' || origin === 'int')
    return { reason: 'too_large', problem: `must be at most ${max}`, about: { max } }
  return origin === 'string'
    ? { reason: 'too_long', problem: `must have at most ${max} characters`, about: { max } }
    : { reason: 'too_many', problem: `must have at most ${max} entries`, about: { max } }
}

z.config({ localeError: (issue) => explain(issue, issue.input).problem })

const MAX_REPORTED = 3
/** Longest quoted name of an unknown field, and longest message about it. */
const PARAM_CLIP = 100
const PROBLEM_CLIP = 200

/**
 * One refusal for the first few schema issues; `param` and reason are of the first. `within`: the field that contains
 * the input.
 */
export function refusalOf(issues: readonly SchemaIssue[], input: unknown, within?: string): Refusal {
  const mistakes = issues.slice(0, MAX_REPORTED).map((issue) => {
    const { reason, about } = explain(issue, valueAt(input, issue.path))
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
    const path = [...(within === undefined ? [] : [within]), ...issue.path.map(String), ...unknown]
    const param = path.join('.').slice(0, PARAM_CLIP) || 'body'
    return { param, reason, about, message: `${param}: ${issue.message.slice(0, PROBLEM_CLIP)}` }
  })
  const [{ param = 'body', reason = 'invalid_format', about } = {}] = mistakes
  return new Refusal('invalid', mistakes.map(({ message }) => message).join('; '), { param, reason, about })
}

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<PropertyKey, unknown>)[name]
        : undefined,
    input,
  )
