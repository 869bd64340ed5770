/** Shared by adapters of HTTP carriers: judging silence, and reading JSON. */
import type { SendOutcome, SendRefusal } from '../domain/delivery/delivery'
import { invalid } from '../domain/shared/error'
import { NO_DESCRIPTOR, type TransportResult } from '../ports/network'

/** The rule for all: what was never sent may be sent again, what may have arrived never is. */
export function outcomeOfSilence({ kind, reason }: Exclude<TransportResult, { kind: 'answered' }>): SendOutcome {
  if (kind === 'unknown') return { kind: 'ambiguous', code: `NO_ANSWER_${reason}` }
  // The carrier is as well as it was: it gets fewer messages at a time, and does not rest.
  return { kind: 'refused', retry: reason === NO_DESCRIPTOR ? 'later' : 'unreached', code: `NOT_SENT_${reason}` }
}

/** The outcome of a send that was answered by this status: refused, or ambiguous. */
export type SendVerdict = Exclude<SendRefusal, 'unreached'> | 'ambiguous'

export function verdictOfStatus(status: number): SendVerdict {
  if (status === 429) return 'later'
  if (status === 401 || status === 402) return 'unfit'
  // 408 and 5xx do not say whether the message was taken, and neither does a 2xx that cannot be read.
  return status < 300 || status === 408 || status >= 500 ? 'ambiguous' : 'elsewhere'
}

/** As TypeScript does not know it yet. */
const parseWith = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown

/**
 * Undefined for what is no JSON. A byte order mark is skipped, and a number that would read differently from how it is written stays
 * text: identifiers of 64 bits are longer than exact numbers (RFC 8259, 6).
 */
export function parseJson(text: string): unknown {
  try {
    return parseWith(text.replace(/^\ufeff/, ''), (_, value, { source }) =>
      typeof value === 'number' && source !== undefined && String(value) !== source ? source : value,
    )
  } catch {
    return undefined
  }
}

/**
 * JSON or XML as a value; undefined for what is neither. Elements and attributes of XML are fields, without their namespaces and as text:
 * repeated elements are a list. A document that defines entities of its own is not read.
 */
export function parseBody(text: string): unknown {
  const json = parseJson(text)
  if (json !== undefined || !/^\ufeff?\s*</.test(text) || /<!(DOCTYPE|ENTITY)/i.test(text)) return json
  return xml()(text)
}

/** Loaded with the first XML: few carriers write it. */
const xml = () => (readXml ??= (require('./xml') as typeof import('./xml')).readXml)
let readXml: ((text: string) => unknown) | undefined

/** A JSON object; `{}` for anything else. */
export function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** The JSON or XML of a report callback. Throws `invalid`. */
export function parseReports(text: string): unknown {
  const value = parseBody(text)
  if (value === undefined) throw invalid('body', 'invalid_json', 'not valid JSON, nor XML')
  return value
}

/** Carriers write numbers now as numbers, now as text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A Korean number as it is dialled in Korea; others as their digits. */
export function domesticDigits(number: string): string {
  const digits = number.replace(/\D/g, '')
  return number.startsWith('+82') ? `0${digits.slice(2)}` : digits
}
