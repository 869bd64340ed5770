/** `{{name}}` in an address, a header or a body: what an operator writes to speak a carrier's HTTP API. */
import type { OutboundMessage } from '../domain/message/rendered-message'
import { numbers } from '../domain/phone/numbers'

const PLACEHOLDER = /\{\{\s*([A-Za-z]+(?:\.[A-Za-z0-9_]+)?)\s*\}\}/g

/** What a template may say of a message. */
const VALUES: Readonly<Record<string, Filled<string>>> = {
  messageId: ({ messageId }) => messageId,
  channel: ({ channel }) => channel,
  /** E.164. */
  to: ({ to }) => to,
  /** E.164 without the plus sign. */
  toDigits: ({ to }) => to.slice(1),
  /** As people in that country dial it, digits only. */
  toNational: ({ to }) => (numbers().parsePhoneNumberFromString(to)?.formatNational() ?? to).replace(/\D/g, ''),
  text: ({ text }) => text,
  code: ({ code }) => code,
  from: ({ from }) => from ?? '',
  messageType: ({ messageType }) => messageType ?? '',
  templateId: ({ templateId }) => templateId ?? '',
  /** The carrier's code of the template. */
  templateCode: ({ templateCode }) => templateCode ?? '',
  /** A language tag; empty where none is known. */
  locale: ({ locale }) => locale ?? '',
  /** Whole seconds that the code still lives, at least 1. */
  expiresInSec: ({ expiresAt }, now) => String(Math.max(1, Math.floor((expiresAt - now) / 1_000))),
  /** W3C `traceparent`; empty where the message is not traced. */
  trace: ({ trace }) => trace ?? '',
}

/** The first placeholder that means nothing, if any. */
export function unknownPlaceholder(template: unknown): string | undefined {
  for (const text of textsIn(template)) {
    for (const [, name = ''] of text.matchAll(PLACEHOLDER))
      if (!ownIn(VALUES, name) && !name.startsWith('variables.')) return name
    if (/\{\{/.test(text.replace(PLACEHOLDER, ''))) return text.slice(0, 40)
  }
  return undefined
}

function textsIn(template: unknown): string[] {
  if (typeof template === 'string') return [template]
  return typeof template === 'object' && template !== null ? Object.values(template).flatMap(textsIn) : []
}

/** What a template says of a message at a moment. It is read once, when its carrier is set up. */
export type Filled<T> = (message: OutboundMessage, now: number) => T

const valueNamed = (name: string): Filled<string> =>
  name.startsWith('variables.')
    ? ({ variables = {} }) => ownIn(variables, name.slice('variables.'.length)) ?? ''
    : (ownIn(VALUES, name) ?? (() => ''))

const ownIn = <T>(values: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

function filled(template: string, encode: (value: string) => string): Filled<string> {
  // Texts and names in turns.
  const [first = '', ...pieces] = template.split(PLACEHOLDER)
  if (pieces.length === 0) return () => first
  const read = pieces.map((piece, at) => (at % 2 === 0 ? valueNamed(piece) : piece))
  return (message, now) => {
    let text = first
    for (const piece of read) text += typeof piece === 'string' ? piece : encode(piece(message, now))
    return text
  }
}

/**
 * Each value stays within the segment it is put into. A segment of dots leads elsewhere however its dots are encoded, so
 * they are encoded twice: no carrier knows a sender of that name, and none is asked for anything but to send.
 */
export function urlFrom(template: string): Filled<string> {
  if (template.search(PLACEHOLDER) < 0) return () => template
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(template) ?? []
  const segments = path.split('/').map(segmentFrom)
  const end = filled(rest, encodeURIComponent)
  return (message, now) => segments.map((segment) => segment(message, now)).join('/') + end(message, now)
}

function segmentFrom(template: string): Filled<string> {
  const fill = filled(template, encodeURIComponent)
  return (message, now) => {
    const segment = fill(message, now)
    return segment !== template && DOTS.test(segment)
      ? segment.replaceAll('%', '%25').replaceAll('.', '%252E')
      : segment
  }
}

/** What every reader of a URL takes for `.` and `..`. */
const DOTS = /^(?:\.|%2e){1,2}$/i

/** A header is one line of ASCII; anything else in a value would break out of it. */
export const headerFrom = (template: string): Filled<string> =>
  filled(template, (value) => value.replace(/[^\x20-\x7e]/g, '?'))

/** Fills every string of a JSON value; the structure is the template's, so no value can change it. */
export function jsonFrom(template: unknown): Filled<unknown> {
  if (typeof template === 'string') return filled(template, (value) => value)
  if (typeof template !== 'object' || template === null) return () => template
  if (Array.isArray(template)) {
    const items = template.map(jsonFrom)
    return (message, now) => items.map((item) => item(message, now))
  }
  const fields = Object.entries(template).map(([name, value]) => [name, jsonFrom(value)] as const)
  return (message, now) => Object.fromEntries(fields.map(([name, value]) => [name, value(message, now)]))
}

export function formFrom(template: Readonly<Record<string, string>>): Filled<string> {
  const fields = Object.entries(template).map(([name, value]) => [name, filled(value, (text) => text)] as const)
  return (message, now) => new URLSearchParams(fields.map(([name, value]) => [name, value(message, now)])).toString()
}

/** The value at a dotted path such as `data.messages.0.id`; undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}
