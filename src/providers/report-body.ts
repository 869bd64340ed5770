/** The body of a report callback: JSON, a form, or the query of the address; and whether it shows the secret. */
import { createHash } from 'node:crypto'
import { isSameSecret } from '../domain/access/api-key'
import { invalid } from '../domain/shared/error'
import type { ReportCallback } from '../ports/carrier'
import { parseJson, parseReports } from './answer'
import type { Reports } from './description'

/** The body as JSON or as a form; where there is none, the query. JSON counts also where it is called a form. Throws `invalid`. */
export function readBody({ headers, query, text }: ReportCallback, isAlwaysForm: boolean): unknown {
  if (text === '') return formsIn(query)
  const [, boundary] = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(headers.get('content-type') ?? '') ?? []
  if (boundary !== undefined) return formsIn(multipart(text, boundary))
  const isForm = isAlwaysForm || /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers.get('content-type') ?? '')
  const isUntitledForm = /^[\w.-]+=[^{}<]*$/.test(text.slice(0, 200)) && text.includes('&')
  return (isForm || isUntitledForm) && !/^\s*[[{]/.test(text) ? formsIn(new URLSearchParams(text)) : parseReports(text)
}

/** Bun's own, which the types of browsers do not know. */
const readMultipart = (FormData as unknown as { from(text: string, boundary: string): FormData }).from

/** Files are no fields of a report. Throws `invalid`. */
function multipart(text: string, boundary: string): Array<[string, string]> {
  try {
    return [...readMultipart(text, boundary)].flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    )
  } catch {
    throw invalid('body', 'invalid_format', 'is not a form of several parts')
  }
}

/** The fields of a form. A name that comes again begins the next report. */
function formsIn(fields: Iterable<[string, string]>): Array<Record<string, string>> {
  let last = new Map<string, string>()
  const forms = [last]
  for (const [name, value] of fields) {
    if (last.has(name)) {
      last = new Map()
      forms.push(last)
    }
    last.set(name, value)
  }
  return forms.map((form) => Object.fromEntries(form))
}

/** Every item that a dotted path leads to, through each list on its way. A field of a form may hold JSON. */
export function itemsAt(body: unknown, itemsPath: string | undefined): unknown[] {
  let found = [body]
  for (const step of itemsPath?.split('.') ?? []) {
    // `*` stands for the items of a list as for the values of an object.
    const isOfList = step === '*' || /^\d+$/.test(step)
    const from = isOfList ? found : found.flatMap(listOf)
    found = (step === '*' ? from.flatMap(valuesOf) : from.map((item) => stepInto(item, step))).map(jsonIn)
  }
  return found.flatMap(listOf)
}

const stepInto = (item: unknown, step: string): unknown =>
  typeof item === 'object' && item !== null && Object.hasOwn(item, step)
    ? (item as Record<string, unknown>)[step]
    : undefined
const valuesOf = (item: unknown): unknown[] => (typeof item === 'object' && item !== null ? Object.values(item) : [])
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])
const jsonIn = (value: unknown) => (typeof value === 'string' ? parseJson(value) : value)

/** The secret in the carrier's own header; without that, as a bearer token, or as `token` in the URL of one that can call nothing but a URL. */
export function showsSecret(
  { headers, query }: ReportCallback,
  secret: string,
  header: Reports['secretHeader'],
): boolean {
  const shown = header && headers.get(header.name)
  if (header && shown != null) {
    const hashed = header.orHashed && createHash(header.orHashed).update(secret).digest('hex')
    return isSameSecret(shown, secret) || (hashed !== undefined && isSameSecret(shown, hashed))
  }
  const isInHeader = isSameSecret(headers.get('authorization')?.replace(/^Bearer /i, '') ?? '', secret)
  // Whatever a proxy or the carrier says beside it.
  return isSameSecret(query.get('token') ?? '', secret) || isInHeader
}
