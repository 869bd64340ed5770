/** HTTP to providers. What matters is whether the request may have arrived: see `TransportResult`. */
import type { Transport } from '../ports'

const BODY_MAX_BYTES = 64 * 1024

/** Errors of `fetch` that come before a byte of the request is written: no address, no connection, no trusted TLS. */
const NOT_SENT = new Set([
  'ConnectionRefused',
  'ECONNREFUSED',
  'FailedToOpenSocket',
  'ENOTFOUND',
  'EAI_AGAIN',
  'DNS_ENOTFOUND',
  'DNS_ESERVFAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

export const systemTransport: Transport = {
  async request({ method, url, headers, body, timeoutMs }) {
    try {
      const response = await fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        redirect: 'manual',
        keepalive: false,
        signal: AbortSignal.timeout(timeoutMs),
      })
      return {
        kind: 'answered',
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await readAtMost(response, BODY_MAX_BYTES),
      }
    } catch (error) {
      const code = (error as { code?: unknown }).code
      const reason = typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown'
      return { kind: NOT_SENT.has(reason) ? 'not_sent' : 'unknown', reason }
    }
  },
}

async function readAtMost(response: Response, max: number): Promise<string> {
  if (!response.body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > max) throw new Error('answer too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
