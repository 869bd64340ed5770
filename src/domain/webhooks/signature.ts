/**
 * Signs webhook requests. Each carries two signatures: ours, and that of Standard Webhooks, whose libraries verify it
 * unchanged. Specification: "Events", signing and headers; decisions: "Webhooks".
 */
import { createHmac } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'

/** Makes a secret from 32 random bytes, in the form of Standard Webhooks. */
export const newSecret = (bytes: Uint8Array) => SECRET_PREFIX + Buffer.from(bytes).toString('base64')

const LEAST_SECRET_BYTES = 24

/** Whether the text is a secret in the form of Standard Webhooks, whoever made it. */
export const isSecret = (text: string): boolean =>
  text.startsWith(SECRET_PREFIX) &&
  /^[A-Za-z0-9+/]+={0,2}$/.test(text.slice(SECRET_PREFIX.length)) &&
  standardKey(text).length >= LEAST_SECRET_BYTES

/** Our HMAC key is the secret's text with its prefix; that of Standard Webhooks is the decoded bytes. */
const standardKey = (secret: string) => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')

export interface RequestToSign {
  eventId: string
  /** The body, exactly as it is sent. */
  body: string | Uint8Array
  /** Secrets, newest first. Older ones stay valid during a rotation. */
  secrets: readonly [newest: string, ...older: string[]]
  /** Time of this attempt: receivers refuse old requests, which prevents replays. */
  timestampSec: number
}

/**
 * Our header has one signature, made with the newest secret. Standard Webhooks has one for each secret, so receivers
 * with an older one still verify.
 */
export function signatureHeaders({ eventId, body, secrets, timestampSec }: RequestToSign) {
  const hmac = (key: string | Uint8Array, prefix: string) => createHmac('sha256', key).update(`${prefix}.`).update(body)
  const standard = (secret: string) => `v1,${hmac(standardKey(secret), `${eventId}.${timestampSec}`).digest('base64')}`
  return {
    'X-Watchword-Signature': hmac(secrets[0], `${timestampSec}`).digest('hex'),
    'X-Watchword-Timestamp': `${timestampSec}`,
    'webhook-id': eventId,
    'webhook-timestamp': `${timestampSec}`,
    'webhook-signature': secrets.map(standard).join(' '),
  }
}
