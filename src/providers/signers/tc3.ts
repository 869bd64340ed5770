/** TC3-HMAC-SHA256 of Tencent Cloud: www.tencentcloud.com/document/api/382/34848 */
import { canonicalRequest, hmac, sha256 } from './canonical'
import type { UnsignedRequest } from './request'

export interface TencentCredentials {
  service: string
  secretId: string
  secretKey: string
}

export function tc3Headers(
  request: UnsignedRequest,
  { service, secretId, secretKey }: TencentCredentials,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000))
  const day = new Date(now).toISOString().slice(0, 10)
  // Tencent signs the values of headers in lower case, too.
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, value.toLowerCase()]),
  )
  const { text, names } = canonicalRequest(
    { ...request, headers },
    (name) => name === 'content-type' || name === 'x-tc-action',
  )
  const place = `${day}/${service}/tc3_request`
  const key = [service, 'tc3_request'].reduce<Buffer>(hmac, hmac(`TC3${secretKey}`, day))
  const signature = hmac(key, ['TC3-HMAC-SHA256', timestamp, place, sha256(text)].join('\n')).toString('hex')
  const authorization = `TC3-HMAC-SHA256 Credential=${secretId}/${place}, SignedHeaders=${names}, Signature=${signature}`
  return { 'x-tc-timestamp': timestamp, authorization }
}
