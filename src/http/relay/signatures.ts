/** How platforms show that a request is theirs. Every comparison takes the same time, whatever was shown. */
import { createHmac } from 'node:crypto'
import { isSameSecret } from '../../domain/access/api-key'

/** A request as it came. */
export interface RelayRequest {
  headers: Headers
  /** The raw body. */
  body: string
  /** Unix milliseconds. */
  now: number
}

/** That a request shows a secret, or is signed by it. */
export interface RequestProof {
  /** The signature, where it is taken only once. */
  once?: string | undefined
}

/** Undefined where a request proves nothing. */
export type Proves = (request: RelayRequest, secret: string) => RequestProof | undefined

const proofIf = (isProven: boolean, once?: string): RequestProof | undefined => (isProven ? { once } : undefined)

/** A signature that is older, or that much in the future, is refused. */
const TOLERANCE_SEC = 300

const isRecent = (seconds: string | null | undefined, now: number): seconds is string =>
  seconds != null && /^\d{1,12}$/.test(seconds) && Math.abs(now / 1_000 - Number(seconds)) <= TOLERANCE_SEC

const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text).digest(encoding)

/** `Authorization`: the secret as a bearer token, as the password of Basic, or as it is. */
export const byAuthorization: Proves = ({ headers }, secret) => {
  const shown = headers.get('authorization') ?? ''
  const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+) *$/i.exec(shown) ?? []
  if (scheme.toLowerCase() !== 'basic') return proofIf(isSameSecret(value || shown, secret))
  const [, ...password] = Buffer.from(value, 'base64').toString().split(':')
  return proofIf(isSameSecret(password.join(':'), secret))
}

/** standardwebhooks.com, also by the names of Svix. Several signatures stand in one header, apart by spaces or by commas with a space. */
export const byStandardWebhooks: Proves = ({ headers, body, now }, secret) => {
  const header = (name: string) => headers.get(`webhook-${name}`) ?? headers.get(`svix-${name}`)
  const timestamp = header('timestamp')
  if (!isRecent(timestamp, now)) return undefined
  const key = Buffer.from(secret.replace(/^(v1,)?whsec_/, ''), 'base64')
  const expected = `v1,${hmac(key, `${header('id') ?? ''}.${timestamp}.${body}`, 'base64')}`
  const shown = (header('signature') ?? '').split(/,? +/)
  return proofIf(
    shown.some((one) => isSameSecret(one, expected)),
    expected,
  )
}

/** `t=<seconds>,v1=<signature>`, where `v1` may be there several times. */
const byTimedSignature =
  (headerName: string, version: string, sign: (secret: string, signed: string) => string): Proves =>
  ({ headers, body, now }, secret) => {
    const pairs = (headers.get(headerName) ?? '').split(',').map((pair) => pair.trim().split(/=(.*)/s))
    const timestamp = pairs.find(([name]) => name === 't')?.[1]
    if (!isRecent(timestamp, now)) return undefined
    const expected = sign(secret, `${timestamp}.${body}`)
    return proofIf(
      pairs.some(([name, value = '']) => name === version && isSameSecret(value, expected)),
      expected,
    )
  }

export const byZitadel = byTimedSignature('zitadel-signature', 'v1', (secret, signed) => hmac(secret, signed, 'hex'))

export const byAuthsignal = byTimedSignature('x-signature-v2', 'v2', (secret, signed) =>
  hmac(secret, signed, 'base64').replace('=', ''),
)

export const byAuthgear: Proves = ({ headers, body }, secret) =>
  proofIf(isSameSecret(headers.get('x-authgear-body-signature') ?? '', hmac(secret, body, 'hex')))

const MOST_REMEMBERED = 100_000

/**
 * Remembers signatures with a time for as long as they would be taken. A platform that tries again signs anew; the same
 * signature twice is a request that somebody recorded. Each server remembers its own.
 */
export class SeenSignatures {
  readonly #until = new Map<string, number>()

  /** False where it was seen before. */
  isNew({ once: signature }: RequestProof, now: number): boolean {
    if (signature === undefined) return true
    for (const [known, until] of this.#until) {
      if (until > now && this.#until.size < MOST_REMEMBERED) break
      this.#until.delete(known)
    }
    if (this.#until.has(signature)) return false
    this.#until.set(signature, now + 2 * TOLERANCE_SEC * 1_000)
    return true
  }
}
