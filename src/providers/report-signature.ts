/** How a carrier proves that a report is its own, where it signs reports instead of showing a secret. */
import { createHash, createHmac, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { z } from 'zod'
import { isSameSecret } from '../domain/access/api-key'
import { MINUTE_MS, SECOND_MS } from '../domain/shared/value'
import type { ReportCallback } from '../ports/carrier'
import { parseJson } from './answer'

/** How far the carrier's clock may be from ours. */
const TOLERANCE_MS = 5 * MINUTE_MS

const PLACEHOLDER = /\{\{(body|url|timestamp|sortedForm|header\.[\w-]+)\}\}/g

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)

const ofText = {
  /** The header with the signature. */
  header: headerName,
  /** The text before the signature, such as `sha256=`. */
  prefix: z.string().default(''),
  /**
   * What is signed: `{{body}}` as it came, with `{{url}}` as it was called and `{{timestamp}}` of `timestampHeader`. `{{sortedForm}}`
   * is the form's fields and values in order, each once; `{{header.x-nonce}}` a header beside the signature.
   */
  signed: z.string().default('{{body}}'),
  /** Unix time in seconds or milliseconds, or a date; more than five minutes from our clock is refused. */
  timestampHeader: headerName.optional(),
}

const hmac = z.strictObject({
  type: z.literal('hmac'),
  secret: z.string().min(8),
  algorithm: z.enum(['sha1', 'sha256', 'sha512']).default('sha256'),
  encoding: z.enum(['hex', 'base64', 'base64url']).default('hex'),
  /** The key is this hash of the secret. */
  hashedSecret: z.enum(['sha256']).optional(),
  ...ofText,
})

/** Its signature is a field of the form or query, over the others in order as `&name=value`, with `_` for `&` and `=` in a value. */
const sortedFields = z.strictObject({
  type: z.literal('sortedFields'),
  secret: z.string().min(8),
  algorithm: z.enum(['sha1', 'sha256', 'sha512']).default('sha256'),
  encoding: z.enum(['hex', 'base64', 'base64url']).default('hex'),
  field: z.string().min(1),
  /** Unix time; more than five minutes from our clock is refused. */
  timestampField: z.string().min(1).optional(),
})

const ed25519 = z.strictObject({
  type: z.literal('ed25519'),
  /** PEM, or the 32 bytes in hex or base64. */
  publicKey: z.string().refine((text) => ed25519Key(text) !== undefined, 'must be an Ed25519 public key'),
  encoding: z.enum(['hex', 'base64', 'base64url']).default('base64'),
  ...ofText,
})

const jwt = z.strictObject({
  type: z.literal('jwt'),
  algorithm: z.enum(['HS256', 'RS256']),
  /** The shared secret, or the public key as PEM. */
  key: z.string().min(8),
  /** Where the token is, with `Bearer` before it or not. */
  header: headerName.default('authorization'),
  /** The claim with the body's SHA-256 in hex; null where tokens have none, and so prove nothing of the body. */
  bodyHash: z.string().min(1).nullable().default('payload_hash'),
  /** The claim with the SHA-256 of the URL in hex, where tokens prove a report without a body. */
  urlHash: z.string().min(1).nullable().default(null),
})

/** Also where keys are still placeholders of settings, in a description. */
export const rawReportSignature = z.discriminatedUnion('type', [
  hmac.extend({ secret: z.string() }),
  sortedFields.extend({ secret: z.string() }),
  ed25519.extend({ publicKey: z.string() }),
  jwt.extend({ key: z.string() }),
])

export const reportSignature = z
  .discriminatedUnion('type', [hmac, sortedFields, ed25519, jwt])
  .superRefine((signature, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (signature.type === 'sortedFields') return
    if (signature.type === 'jwt') {
      const isKey = signature.algorithm === 'HS256' || publicKeyOf(signature.key)?.asymmetricKeyType === 'rsa'
      if (!isKey) refuse('key', 'must be an RSA public key as PEM')
      return
    }
    const { signed, timestampHeader } = signature
    if (!/\{\{(body|sortedForm)\}\}/.test(signed)) refuse('signed', 'must have {{body}}')
    if (signed.replace(PLACEHOLDER, '').includes('{{'))
      refuse('signed', 'knows {{body}}, {{sortedForm}}, {{url}}, {{timestamp}} and {{header.<name>}} only')
    if (signed.includes('{{timestamp}}') !== (timestampHeader !== undefined))
      refuse('timestampHeader', 'goes together with {{timestamp}} in signed')
  })

export type ReportSignature = z.infer<typeof reportSignature>

/** Whether a report is signed as `signature` says; `now` is in Unix milliseconds. */
export type IsSigned = (callback: ReportCallback, now: number) => boolean | Promise<boolean>

export function signatureCheck(signature: ReportSignature): IsSigned {
  switch (signature.type) {
    case 'hmac':
      return ofSignedText(signature, (text, shown) => {
        const { algorithm, secret, encoding, hashedSecret } = signature
        const key = hashedSecret === undefined ? secret : createHash(hashedSecret).update(secret).digest()
        const expected = createHmac(algorithm, key).update(text).digest(encoding)
        return isSameSecret(encoding === 'hex' ? shown.toLowerCase() : shown, expected)
      })
    case 'ed25519': {
      const key = ed25519Key(signature.publicKey)
      return ofSignedText(signature, (text, shown) => {
        const bytes = Buffer.from(shown, signature.encoding)
        return key !== undefined && verify(null, Buffer.from(text), key, bytes)
      })
    }
    case 'sortedFields':
      return (callback, now) => hasSignedFields(signature, callback, now)
    case 'jwt':
      return (callback, now) => hasToken(signature, callback, now)
  }
}

type TextSignature = Extract<ReportSignature, { signed: string }>

function ofSignedText(
  { header, prefix, signed, timestampHeader }: TextSignature,
  fits: (text: string, shown: string) => boolean,
): IsSigned {
  return ({ headers, text: body, url }, now) => {
    const shown = headers.get(header) ?? ''
    const timestamp = timestampHeader === undefined ? '' : (headers.get(timestampHeader) ?? '')
    // A report without a body says everything in its address, which has to be signed then.
    const isCovered = body !== '' || signed.includes('{{url}}')
    const isNow = timestampHeader === undefined || Math.abs(readTimestamp(timestamp) - now) <= TOLERANCE_MS
    if (!shown.startsWith(prefix) || !isCovered || !isNow) return false
    const textOf = (called: string) => {
      const values: Record<string, () => string> = {
        body: () => body,
        url: () => called,
        timestamp: () => timestamp,
        sortedForm: () => sortedForm(body),
      }
      return signed.replace(PLACEHOLDER, (_, name: string) =>
        name.startsWith('header.') ? (headers.get(name.slice('header.'.length)) ?? '') : (values[name]?.() ?? ''),
      )
    }
    return spellingsOf(url).some((called) => fits(textOf(called), shown.slice(prefix.length)))
  }
}

/** Carriers sign an address with its port or without it, whatever is in the one that they call; Twilio's own SDKs try both. */
function spellingsOf(url: string): string[] {
  const { protocol, hostname, port } = new URL(url)
  const rest = url.replace(/^\w+:\/\/[^/?#]*/, '')
  const numbered = `${protocol}//${hostname}:${port || (protocol === 'https:' ? 443 : 80)}${rest}`
  return [...new Set([url, `${protocol}//${hostname}${rest}`, numbered])]
}

/** By code unit; a field that comes twice, by its values. */
function sortedForm(body: string): string {
  const fields = [...new URLSearchParams(body)].sort(inOrder)
  const isNew = (field: FormField, index: number) => index === 0 || inOrder(field, fields[index - 1] ?? field) !== 0
  return fields.filter(isNew).flat().join('')
}

function hasSignedFields(
  { secret, algorithm, encoding, field, timestampField }: z.infer<typeof sortedFields>,
  { text, url }: ReportCallback,
  now: number,
): boolean {
  const fields = fieldsIn(text === '' ? new URL(url).search : text)
  const shown = fields.get(field) ?? ''
  fields.delete(field)
  if (timestampField !== undefined) {
    const isNow = Math.abs(readTimestamp(fields.get(timestampField) ?? '') - now) <= TOLERANCE_MS
    if (!isNow) return false
  }
  const signed = [...fields].sort(inOrder).map(([name, value]) => `&${name}=${value.replace(/[&=]/g, '_')}`)
  const expected = createHmac(algorithm, secret).update(signed.join('')).digest(encoding)
  return isSameSecret(encoding === 'hex' ? shown.toLowerCase() : shown, expected)
}

/** The fields of a form, a query or a flat JSON object. A repeated field makes the signature invalid. */
function fieldsIn(text: string): Map<string, string> {
  const json = text.startsWith('{') ? parseJson(text) : undefined
  if (typeof json === 'object' && json !== null)
    return new Map(Object.entries(json).map(([name, value]) => [name, String(value)]))
  const fields = [...new URLSearchParams(text)]
  const byName = new Map(fields)
  return byName.size === fields.length ? byName : new Map()
}

type FormField = [name: string, value: string]

function inOrder([nameA, valueA]: FormField, [nameB, valueB]: FormField): number {
  const [a, b] = nameA === nameB ? [valueA, valueB] : [nameA, nameB]
  return a < b ? -1 : Number(a > b)
}

/** Unix milliseconds; NaN for what is no time. */
function readTimestamp(text: string): number {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Number(text) * SECOND_MS
  return /^\d{12,13}$/.test(text) ? Number(text) : Date.parse(text)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function hasToken(
  { algorithm, key, header, bodyHash, urlHash }: z.infer<typeof jwt>,
  { headers, text, url }: ReportCallback,
  now: number,
): Promise<boolean> {
  const token = headers.get(header)?.replace(/^Bearer +/i, '') ?? ''
  // Loaded by the first report that is signed so.
  const { importSPKI, jwtVerify } = await import('jose')
  try {
    const secret = algorithm === 'HS256' ? new TextEncoder().encode(key) : await importSPKI(spkiOf(key), algorithm)
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [algorithm],
      currentDate: new Date(now),
      clockTolerance: TOLERANCE_MS / SECOND_MS,
    })
    if (urlHash !== null && payload[urlHash] !== sha256(url)) return false
    if (bodyHash === null) return true
    // A report without a body says everything in its address, which has to be signed then.
    return text === '' ? urlHash !== null : payload[bodyHash] === sha256(text)
  } catch {
    return false
  }
}

/** DER of an Ed25519 key up to its 32 bytes. */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

function ed25519Key(text: string): KeyObject | undefined {
  const raw = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64')
  const key = raw.length === 32 ? publicKeyOf(Buffer.concat([ED25519_PREFIX, raw])) : publicKeyOf(text)
  return key?.asymmetricKeyType === 'ed25519' ? key : undefined
}

/** Reads a public key from PEM, or from SPKI as DER. Undefined for other texts. */
function publicKeyOf(key: string | Buffer): KeyObject | undefined {
  try {
    return createPublicKey(typeof key === 'string' ? key : { key, format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

const spkiOf = (pem: string) => createPublicKey(pem).export({ format: 'pem', type: 'spki' }).toString()
