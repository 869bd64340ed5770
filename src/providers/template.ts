/** `{{name}}` in an address, a header or a body, as descriptions of carriers and settings of the `http` type have them. */

import { hash } from 'node:crypto'
import type { OutboundMessage } from '../domain/message/rendered-message'
import { encodeText } from '../domain/message/sms-encoding'
import { numbers } from '../domain/phone/phone'
import { traceHeaders } from '../domain/shared/addressed'
import { domesticDigits } from './answer'
import { isLinear, patternOf } from './pattern'

/** A name, or several of which the first with a value counts, and filters behind: `{{from ?? sms.from|digits}}`, `{{expiresInSec|atMost:36000}}`. */
const PLACEHOLDER =
  /\{\{\s*([A-Za-z][\w-]*(?:\.[\w-]+)*(?:\s*\?\?\s*[A-Za-z][\w-]*(?:\.[\w-]+)*)*)\s*((?:\|\s*[a-zA-Z][a-zA-Z0-9]*(?::[^|]*?)?)*)\s*\}\}/g

/** The value of a name; undefined where it has none. */
export type ValueScope = (name: string) => unknown

/** A template's value in a scope. The template is read once, when its carrier is set up. */
export type Filled<T> = (scope: ValueScope) => T

/** Values that are constant within one request and new in the next one. */
export interface RequestMoment {
  now: number
  random: { bytes(count: number): Uint8Array; uuid(now: number): string }
}

const MESSAGE_VALUES: Readonly<Record<string, (message: OutboundMessage, now: number) => unknown>> = {
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
  from: ({ from }) => from,
  messageType: ({ messageType }) => messageType,
  templateId: ({ templateId }) => templateId,
  /** The carrier's code of the template. */
  templateCode: ({ templateCode }) => templateCode,
  /** Ids of India's DLT. */
  dltEntityId: ({ dlt }) => dlt?.entityId,
  dltTemplateId: ({ dlt }) => dlt?.templateId,
  variables: ({ variables = {} }) => variables,
  /** A language tag. */
  locale: ({ locale }) => locale,
  expiresAt: ({ expiresAt }) => new Date(expiresAt).toISOString(),
  /** Whole seconds that the code still lives, at least 1. */
  expiresInSec: ({ expiresAt }, now) => Math.max(1, Math.floor((expiresAt - now) / 1_000)),
  waitSec: ({ waitSec }) => waitSec,
  isFallback: ({ isFallback }) => isFallback,
  trace: ({ trace }) => traceHeaders(trace).traceparent,
  traceState: ({ trace }) => traceHeaders(trace).tracestate,
}

const MOMENT_VALUES: Readonly<Record<string, (moment: RequestMoment) => unknown>> = {
  isoDate: ({ now }) => new Date(now).toISOString(),
  unixSeconds: ({ now }) => Math.floor(now / 1_000),
  unixMillis: ({ now }) => now,
  salt: ({ random }) => Buffer.from(random.bytes(16)).toString('hex'),
  uuid: ({ now, random }) => random.uuid(now),
}

const MESSAGE_NAMES: ReadonlySet<string> = new Set(Object.keys(MESSAGE_VALUES))
export const MOMENT_NAMES: ReadonlySet<string> = new Set(Object.keys(MOMENT_VALUES))

export const messageScope =
  (message: OutboundMessage, now: number): ValueScope =>
  (name) => {
    const value = ownIn(MESSAGE_VALUES, name)?.(message, now)
    return value ?? (name.startsWith('variables.') ? valueAt(message, name) : undefined)
  }

/** A salt is drawn once for a request, and only where a template has it. */
export function momentScope(moment: RequestMoment): ValueScope {
  const drawn = new Map<string, unknown>()
  return (name) => {
    if (!drawn.has(name)) drawn.set(name, ownIn(MOMENT_VALUES, name)?.(moment))
    return drawn.get(name)
  }
}

/** The values of an object by dotted paths. */
export const objectScope =
  (object: unknown): ValueScope =>
  (name) =>
    valueAt(object, name)

/** The first scope that has a value. */
export const firstOf =
  (...scopes: ValueScope[]): ValueScope =>
  (name) => {
    for (const scope of scopes) {
      const value = scope(name)
      if (!isMissing(value)) return value
    }
    return undefined
  }

const firstValue = (scope: ValueScope, names: readonly string[]): unknown => {
  for (const name of names) {
    const value = scope(name)
    if (!isMissing(value)) return value
  }
  return undefined
}

const isMissing = (value: unknown) => value === undefined || value === null || value === ''

/** Filters change a value; the argument follows a colon. An unknown filter is refused when the carrier is set up. */
const FILTERS: Readonly<Record<string, (value: string, argument: string, raw: unknown, scope: ValueScope) => unknown>> =
  {
    digits: (value) => value.replace(/\D/g, ''),
    /** The calling code of a number. */
    country: (value) => numbers().parsePhoneNumberFromString(value)?.countryCallingCode,
    /** A number without its calling code; in the countries of the argument with the 0 that they dial before it. */
    national: (value, codes) => {
      const parsed = numbers().parsePhoneNumberFromString(value)
      return parsed && `${codes.split(',').includes(parsed.countryCallingCode) ? '0' : ''}${parsed.nationalNumber}`
    },
    /** A Korean number as it is dialled in Korea; others as their digits. */
    korean: (value) => domesticDigits(value),
    /** The language of a tag: `zh-TW` as `zh`. */
    language: (value) => value.split('-')[0],
    underscored: (value) => value.replaceAll('-', '_'),
    upper: (value) => value.toUpperCase(),
    lower: (value) => value.toLowerCase(),
    base64: (value) => Buffer.from(value).toString('base64'),
    hex: (value) => Buffer.from(value).toString('hex'),
    spaced: (value) => value.split('').join(' '),
    /** Digits as a voice reads them one by one. */
    spoken: (value) => value.split('').join(', '),
    xml: (value) => value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
    number: (value) => Number(value),
    /** The word of the argument where a text has characters beyond the alphabet of SMS; otherwise left out. */
    ifUnicode: (value, word) => (encodeText(value, 0).dataCoding === 0 ? undefined : word),
    withoutHyphens: (value) => value.replaceAll('-', ''),
    times: (value, factor) => Number(value) * Number(factor),
    dividedBy: (value, divisor) => Number(value) / Number(divisor),
    rounded: (value) => Math.round(Number(value)),
    roundedUp: (value) => Math.ceil(Number(value)),
    roundedDown: (value) => Math.floor(Number(value)),
    md5: (value) => hash('md5', value, 'hex'),
    md5Base64: (value) => hash('md5', value, 'base64'),
    atMost: (value, most) => Math.min(Number(value), Number(most)),
    atLeast: (value, least) => Math.max(Number(value), Number(least)),
    /** The argument, where there is a value. */
    as: (_, text) => text,
    or: (value, other) => (value === '' ? other : value),
    /** Left out unless it matches, or where it does. */
    only: (value, pattern) => (patternOf(pattern).test(value) ? value : undefined),
    unless: (value, pattern) => (patternOf(pattern).test(value) ? undefined : value),
    /** The variables of these names, or the message's values, in their order: for templates that number their parameters. */
    inOrder: (names, _, __, scope) =>
      names.split(',').map((name) => textOfValue(scope(`variables.${name.trim()}`) ?? scope(name.trim()))),
    /** Variables as Kakao writes them: `#{name}`. */
    kakao: (_, __, variables) =>
      Object.fromEntries(Object.entries(variables ?? {}).map(([name, value]) => [`#{${name}}`, value])),
  }

/** The first placeholder or filter that means nothing, if any. */
export function unknownPlaceholder(template: unknown, isKnown: (name: string) => boolean): string | undefined {
  for (const text of textsIn(template)) {
    for (const [, name = '', filters = ''] of text.matchAll(PLACEHOLDER)) {
      const unknown = namesOf(name).find((one) => !isKnown(one))
      if (unknown !== undefined) return unknown
      const wrong = filtersOf(filters).find(([filter, argument]) => !isFilter(filter, argument))
      if (wrong) return `${name}|${wrong.filter((part) => part !== '').join(':')}`
    }
    if (/\{\{/.test(text.replace(PLACEHOLDER, ''))) return text.slice(0, 40)
  }
  return undefined
}

const isFilter = (name: string, argument: string) =>
  Object.hasOwn(FILTERS, name) && (!['only', 'unless'].includes(name) || isLinear(argument))

export const isMessageName = (name: string) => MESSAGE_NAMES.has(name) || name.startsWith('variables.')

function textsIn(template: unknown): string[] {
  if (typeof template === 'string') return [template]
  return typeof template === 'object' && template !== null ? Object.values(template).flatMap(textsIn) : []
}

const filtersOf = (text: string): Array<[name: string, argument: string]> =>
  text
    .split('|')
    .slice(1)
    .map((filter) => {
      const [name = '', ...rest] = filter.split(':')
      return [name.trim(), rest.join(':').trim()]
    })

const namesOf = (text: string) => text.split('??').map((name) => name.trim())

function placeholder(text: string, filters: string): Filled<unknown> {
  const names = namesOf(text)
  const steps = filtersOf(filters)
  return (scope) =>
    steps.reduce<unknown>(
      (value, [filter, argument]) => {
        if (isMissing(value) && filter !== 'or') return undefined
        return ownIn(FILTERS, filter)?.(textOfValue(value), argument, value, scope)
      },
      firstValue(scope, names),
    )
}

const textOfValue = (value: unknown): string => {
  if (isMissing(value)) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Texts and placeholders in turns. */
function piecesOf(template: string): Array<string | Filled<unknown>> {
  const parts = template.split(PLACEHOLDER)
  const pieces: Array<string | Filled<unknown>> = []
  for (let at = 0; at < parts.length; at += 3) {
    pieces.push(parts[at] ?? '')
    if (at + 1 < parts.length) pieces.push(placeholder(parts[at + 1] ?? '', parts[at + 2] ?? ''))
  }
  return pieces
}

/** A missing value is empty. */
export function filled(template: string, encode: (value: string) => string = (value) => value): Filled<string> {
  const pieces = piecesOf(template)
  if (pieces.length === 1) return () => template
  return (scope) => {
    let text = ''
    for (const piece of pieces) text += typeof piece === 'string' ? piece : encode(textOfValue(piece(scope)))
    return text
  }
}

/** A template that is nothing but a placeholder has its value, whatever that is. */
export function valueFrom(template: string): Filled<unknown> {
  const [before, value, after, ...more] = piecesOf(template)
  if (typeof value === 'function' && before === '' && after === '' && more.length === 0) {
    return (scope) => {
      const found = value(scope)
      return isMissing(found) ? undefined : found
    }
  }
  return filled(template)
}

/** Undefined as soon as one of its placeholders has no value. */
export function wholeFrom(template: string): Filled<string | undefined> {
  const pieces = piecesOf(template)
  return (scope) => {
    const values = pieces.map((piece) => (typeof piece === 'string' ? piece : piece(scope)))
    return values.some((value, at) => at % 2 === 1 && isMissing(value)) ? undefined : values.map(textOfValue).join('')
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
  return (scope) => segments.map((segment) => segment(scope)).join('/') + end(scope)
}

function segmentFrom(template: string): Filled<string> {
  const fill = filled(template, encodeURIComponent)
  return (scope) => {
    const segment = fill(scope)
    return segment !== template && DOTS.test(segment)
      ? segment.replaceAll('%', '%25').replaceAll('.', '%252E')
      : segment
  }
}

/** Spellings that every reader of a URL takes for `.` and `..`. */
const DOTS = /^(?:\.|%2e){1,2}$/i

/** A header is one line of ASCII; anything else in a value would break out of it. */
export const headerFrom = (template: string): Filled<string> =>
  filled(template, (value) => value.replace(/[^\x20-\x7e]/g, '?'))

/**
 * Fills every string of a JSON value; the structure is the template's, so no value can change it. A field that is one
 * placeholder without a value is left out, or empty where `keepsEmpty`; so is an object within it that has nothing else.
 * The fields of an object that is called `...` stand beside the others.
 */
export function jsonFrom(template: unknown, keepsEmpty: boolean): Filled<unknown> {
  if (typeof template === 'string') {
    const value = valueFrom(template)
    return keepsEmpty ? (scope) => emptied(value(scope)) : value
  }
  if (typeof template !== 'object' || template === null) return () => template
  if (Array.isArray(template)) {
    const items = template.map((item) => jsonFrom(item, keepsEmpty))
    return (scope) => items.map((item) => item(scope))
  }
  const fields = Object.entries(template).map(([name, value]) => [name, fieldFrom(value, keepsEmpty)] as const)
  return (scope) =>
    Object.fromEntries(
      fields.flatMap(([name, value]): Array<[string, unknown]> => {
        const found = value(scope)
        return name === SPREAD ? Object.entries(found ?? {}) : [[name, found]]
      }),
    )
}

function fieldFrom(template: unknown, keepsEmpty: boolean): Filled<unknown> {
  const value = jsonFrom(template, keepsEmpty)
  if (typeof template !== 'object' || template === null || Object.keys(template).length === 0) return value
  return (scope) => {
    const found = value(scope)
    return Object.values(found as object).some((one) => one !== undefined) ? found : undefined
  }
}

const SPREAD = '...'

/** As the `http` type has always written them: texts, also where there is a number. */
const emptied = (value: unknown) => (typeof value === 'object' ? value : textOfValue(value))

export function formFrom(template: Readonly<Record<string, string>>, keepsEmpty: boolean): Filled<string> {
  const fields = Object.entries(template).map(([name, value]) => [name, valueFrom(value)] as const)
  return (scope) => {
    const form = new URLSearchParams()
    for (const [name, fill] of fields) {
      const value = fill(scope)
      if (keepsEmpty || value !== undefined) form.append(name, textOfValue(value))
    }
    return form.toString()
  }
}

const ownIn = <T>(values: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** The value of a language tag, of its language, or of `*`; first those of the operator's own (`en=en_GB, *=ko`). */
export function byTag(known: Readonly<Record<string, string>> = {}, own = ''): (tag?: string) => string | undefined {
  const said = Object.fromEntries(own.split(',').map((pair) => pair.split('=').map((part) => part.trim())))
  return (tag = '') => {
    const language = tag.split('-')[0] ?? ''
    for (const table of [said, known])
      for (const name of [tag, language, '*']) {
        const code = ownIn<string>(table, name)
        if (code) return code
      }
    return undefined
  }
}

/** The sender of a message to that number, by its country. */
export function senderByCountry(senders: unknown): (to: string) => string | undefined {
  if (typeof senders !== 'string') return () => undefined
  const senderOf = byTag({}, senders)
  return (to) => senderOf(numbers().parsePhoneNumberFromString(to)?.country)
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
