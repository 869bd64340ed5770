/** `{{name}}` in an address, a header or a body: what an operator writes to speak a carrier's HTTP API. */
import type { OutboundMessage } from '../domain/letter'
import { numbers } from '../domain/numbers'

const PLACEHOLDER = /\{\{\s*([A-Za-z]+(?:\.[A-Za-z0-9_]+)?)\s*\}\}/g

/** What a template may say of a message. */
const VALUES: Readonly<Record<string, (message: OutboundMessage) => string>> = {
  messageId: ({ messageId }) => messageId,
  channel: ({ channel }) => channel,
  /** E.164. */
  to: ({ to }) => to,
  /** E.164 without the plus sign. */
  toDigits: ({ to }) => to.slice(1),
  /** As people in that country dial it, digits only. */
  toNational: ({ to }) => (numbers().parsePhoneNumberFromString(to)?.formatNational() ?? to).replace(/\D/g, ''),
  text: ({ text }) => text,
  from: ({ from }) => from ?? '',
  messageType: ({ messageType }) => messageType ?? '',
  templateCode: ({ templateCode }) => templateCode ?? '',
  /** W3C `traceparent`; empty where the message is not traced. */
  trace: ({ trace }) => trace ?? '',
}

/** The first placeholder that means nothing, if any. */
export function unknownPlaceholder(template: unknown): string | undefined {
  for (const text of textsIn(template)) {
    for (const [, name = ''] of text.matchAll(PLACEHOLDER))
      if (!(name in VALUES) && !name.startsWith('variables.')) return name
    if (/\{\{/.test(text.replace(PLACEHOLDER, ''))) return text.slice(0, 40)
  }
  return undefined
}

function textsIn(template: unknown): string[] {
  if (typeof template === 'string') return [template]
  return typeof template === 'object' && template !== null ? Object.values(template).flatMap(textsIn) : []
}

const valueFor = (name: string, message: OutboundMessage): string =>
  name.startsWith('variables.')
    ? (message.variables?.[name.slice('variables.'.length)] ?? '')
    : (VALUES[name]?.(message) ?? '')

const fill = (template: string, message: OutboundMessage, encode: (value: string) => string): string =>
  template.replace(PLACEHOLDER, (_, name: string) => encode(valueFor(name, message)))

/**
 * Each value stays within the segment it is put into. A segment of dots leads elsewhere however its dots are encoded, so
 * they are encoded twice: no carrier knows a sender of that name, and none is asked for anything but to send.
 */
export function fillUrl(template: string, message: OutboundMessage): string {
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(template) ?? []
  const fillSegment = (segment: string) => {
    const filled = fill(segment, message, encodeURIComponent)
    return filled !== segment && DOTS.test(filled) ? filled.replaceAll('%', '%25').replaceAll('.', '%252E') : filled
  }
  return path.split('/').map(fillSegment).join('/') + fill(rest, message, encodeURIComponent)
}

/** What every reader of a URL takes for `.` and `..`. */
const DOTS = /^(?:\.|%2e){1,2}$/i

/** A header is one line of ASCII; anything else in a value would break out of it. */
export const fillHeader = (template: string, message: OutboundMessage) =>
  fill(template, message, (value) => value.replace(/[^\x20-\x7e]/g, '?'))

/** Fills every string of a JSON value; the structure is the template's, so no value can change it. */
export function fillJson(template: unknown, message: OutboundMessage): unknown {
  if (typeof template === 'string') return fill(template, message, (value) => value)
  if (Array.isArray(template)) return template.map((item) => fillJson(item, message))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillJson(value, message)]))
}

export const fillForm = (template: Readonly<Record<string, string>>, message: OutboundMessage): string =>
  new URLSearchParams(
    Object.entries(template).map(([name, value]) => [name, fill(value, message, (text) => text)]),
  ).toString()

/** The value at a dotted path such as `data.messages.0.id`; undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}
