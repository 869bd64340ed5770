/**
 * How a webhook request proves where it comes from. Specification: "Events", signing and headers; decisions: "Webhooks".
 * The same request carries two signatures: ours, and that of Standard Webhooks, whose libraries verify it unchanged.
 */
import { createHmac } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'

/** Writes a secret from 32 random bytes, in the form that Standard Webhooks libraries read too. */
export const newSecret = (bytes: Uint8Array) => SECRET_PREFIX + Buffer.from(bytes).toString('base64')

const LEAST_SECRET_BYTES = 24

/** Whether it is one, of whoever's making. */
export const isSecret = (text: string): boolean =>
  text.startsWith(SECRET_PREFIX) &&
  /^[A-Za-z0-9+/]+={0,2}$/.test(text.slice(SECRET_PREFIX.length)) &&
  standardKey(text).length >= LEAST_SECRET_BYTES

/** Our key is the secret as it is shown, prefix and all; that of Standard Webhooks the bytes it is written from. */
const standardKey = (secret: string) => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')

export interface RequestToSign {
  eventId: string
  /** Exactly what is sent. */
  body: string | Uint8Array
  /** Newest first. Older ones count for as long as a rotation leaves them valid. */
  secrets: readonly [newest: string, ...older: string[]]
  /** Of this attempt: receivers refuse old requests, so that a recorded one cannot be sent again. */
  timestampSec: number
}

/**
 * Ours has room for one signature, so the newest secret makes it. Standard Webhooks has room for all: a receiver that
 * still has an older secret goes on verifying there.
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
