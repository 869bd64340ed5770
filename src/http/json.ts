/** JSON: bodies of requests, read strictly, and responses, with the headers by which pages of other origins may read them. */

import { isLocalOrigin } from '../domain/access/api-key'
import { carrierText } from '../domain/shared/carrier-text'
import { invalid, Refusal } from '../domain/shared/error'
import { retryAfter } from './errors'

/**
 * Request bodies are at most 64 KiB, without duplicate keys. oRPC would also accept forms, text, broken UTF-8 and duplicate keys, so
 * the body is read and parsed here.
 */
const MAX_BODY_BYTES = 64 * 1024
const MAX_DEPTH = 16
/** Bounds the time of validation. No request of the interface comes near this number. */
const MAX_MEMBERS = 1_000

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

type JsonObject = Record<string, unknown>

/** Throws `too_large` or `invalid`, naming the field where one is to blame. */
export const readJsonBody = async (request: Request): Promise<JsonObject> =>
  objectIn(await readBytes(request), request.headers)

/** Undefined for an empty body, whatever its content type. Throws `too_large` or `invalid`. */
export async function readOptionalJsonBody(request: Request): Promise<JsonObject | undefined> {
  const bytes = await readBytes(request)
  return bytes.length === 0 ? undefined : objectIn(bytes, request.headers)
}

function objectIn(bytes: Uint8Array, headers: Headers): JsonObject {
  assertJsonType(headers)
  const value = parseStrictly(decode(bytes))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('body', 'wrong_type', 'must be a JSON object', { expected: 'object' })
  }
  return value as JsonObject
}

/** The body as carriers write it. Throws `too_large`. */
export const readCarrierText = async (request: Request): Promise<string> => carrierText(await readBytes(request))

/** The body as text, whatever its content type. Throws `too_large` or `invalid`. */
export const readText = async (request: Request): Promise<string> => decode(await readBytes(request))

function assertJsonType(headers: Headers): void {
  const type = headers.get('content-type') ?? ''
  if (type !== JSON_TYPE && !isJsonType(type))
    throw invalid('content-type', 'unsupported_media_type', 'must be application/json in UTF-8')
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity')
    throw invalid('content-encoding', 'unsupported_media_type', 'compressed bodies are not accepted')
}

/** HEAD is answered as GET is, without the body: RFC 9110, 9.3.2. */
export const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

const JSON_TYPE = 'application/json'

function isJsonType(said: string): boolean {
  const [type, ...parameters] = said
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return type === JSON_TYPE && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))
}

/** Throws `too_large`, or `invalid` where the client disconnects before the body is complete: that is no error of ours. */
async function readBytes(request: Request): Promise<Uint8Array> {
  try {
    return await receive(request)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw invalid('body', 'invalid_format', 'has not arrived as a whole')
  }
}

/** An announced length is checked before the body is read; a chunked body is measured while it arrives. */
function receive(request: Request): Promise<Uint8Array> {
  const announced = request.headers.get('content-length')
  if (announced === null) return receivePieces(request)
  if (Number(announced) > MAX_BODY_BYTES) throw tooLarge()
  return request.bytes()
}

async function receivePieces(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = () => new Refusal('too_large', 'The request body is larger than 64 KiB')

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid('body', 'invalid_json', 'not valid UTF-8')
  }
}

function parseStrictly(text: string): unknown {
  const members = countMembers(text)
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    throw invalid('body', 'invalid_json', 'not valid JSON')
  }
  // The parsed value has fewer keys than the text has members only if a key is repeated or is `__proto__`.
  if (typeof value === 'object' && value !== null && countKeys(value) !== members) refuseRepeatedKey(text)
  return value
}

/** Throws `invalid` with the key that a JSON text has twice. */
function refuseRepeatedKey(text: string): never {
  // Loaded only here: a start does not wait for the parser.
  // The ESM build, since the bundler of the binary cannot follow the other one.
  const { visit } = require('jsonc-parser/lib/esm/main.js') as typeof import('jsonc-parser')
  const open: Array<Set<string>> = []
  let offender: string | undefined
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(name, _offset, _length, _line, _column, path) {
      const seen = open.at(-1)
      if (name === '__proto__' || seen?.has(name)) offender ??= [...path(), name].join('.')
      seen?.add(name)
    },
  })
  const param = (offender ?? 'body').slice(0, 64)
  if (offender?.endsWith('__proto__')) throw invalid(param, 'unknown_field', 'a key of this name is not allowed')
  throw invalid(param, 'duplicate_field', 'this key is given twice')
}

/** Counts colons outside of strings: one per member. Bounds members and depth, so that recursion is safe. */
function countMembers(text: string): number {
  let members = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // a string: skip to its closing quote
        for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++
        break
      case 0x3a:
        if (++members > MAX_MEMBERS)
          throw invalid('body', 'too_many', `at most ${MAX_MEMBERS} fields`, { max: MAX_MEMBERS })
        break
      case 0x5b:
      case 0x7b:
        if (++depth > MAX_DEPTH) throw invalid('body', 'invalid_json', `nested deeper than ${MAX_DEPTH} levels`)
        break
      case 0x5d:
      case 0x7d:
        depth--
        break
    }
  }
  return members
}

function countKeys(value: object): number {
  let keys = Array.isArray(value) ? 0 : Object.keys(value).length
  if (Object.hasOwn(value, '__proto__')) keys = Number.NaN
  for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) keys += countKeys(child)
  return keys
}

type HeaderFields = Readonly<Record<string, string>>

/**
 * No cache may keep an answer.
 *
 * An answer before it is a response: to a header that is set afterwards the engine makes all of them once more.
 */
export class Json {
  constructor(
    readonly status: number,
    readonly body: unknown,
    private readonly headers?: HeaderFields,
    private readonly retryAfterMs?: number,
  ) {}

  /** `always`: the headers that every response has. */
  response(always: HeaderFields): Response {
    const { status, body, headers, retryAfterMs } = this
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
      status,
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        ...always,
        ...headers,
        ...(retryAfterMs !== undefined && retryAfter(retryAfterMs)),
      },
    })
  }
}

const EXPOSED_HEADERS = 'X-Request-Id, Retry-After, X-Watchword-Time'
const OWN_HEADERS = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id'

const HEADER_NAMES = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: *, *[!#$%&'*+.^_`|~0-9A-Za-z-]+)*$/

/**
 * CORS; decisions: "Keys". A foreign origin gets no header at all, never `null`.
 *
 * Preflight succeeds for origins of active public keys and for local origins (test keys). It allows all headers that the browser asks
 * for: the service ignores unknown headers.
 */
export async function preflightHeaders(
  { headers }: Request,
  isListed: (origin: string) => Promise<boolean>,
): Promise<Record<string, string>> {
  const origin = headers.get('origin')
  const vary = 'Origin, Access-Control-Request-Headers'
  if (origin === null || !(isLocalOrigin(origin) || (await isListed(origin)))) return { vary }
  const asked = headers.get('access-control-request-headers') ?? ''
  return {
    vary,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': HEADER_NAMES.test(asked) ? `${OWN_HEADERS}, ${asked}` : OWN_HEADERS,
    'access-control-max-age': '600',
  }
}

/** The response is readable only for an origin that the caller's key lists. */
export const answerHeaders = (listedOrigin: string | undefined): Record<string, string> =>
  listedOrigin === undefined
    ? { vary: 'Origin' }
    : { vary: 'Origin', 'access-control-allow-origin': listedOrigin, 'access-control-expose-headers': EXPOSED_HEADERS }
