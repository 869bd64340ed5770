/** ACS3-HMAC-SHA256 of Alibaba Cloud: www.alibabacloud.com/help/en/sdk/product-overview/v3-request-structure-and-signature */
import { canonicalRequest, hmac, sha256 } from './canonical'
import type { UnsignedRequest } from './request'

export interface AlibabaCredentials {
  accessKeyId: string
  accessKeySecret: string
}

/** The nonce is another one in each request. */
export function acs3Headers(
  request: UnsignedRequest,
  { accessKeyId, accessKeySecret }: AlibabaCredentials,
  { now, nonce }: { now: number; nonce: string },
): Record<string, string> {
  const added = {
    'x-acs-content-sha256': sha256(request.body ?? ''),
    'x-acs-date': new Date(now).toISOString().replace(/\.\d{3}/, ''),
    'x-acs-signature-nonce': nonce,
  }
  const { text, names } = canonicalRequest(
    { ...request, headers: { ...request.headers, ...added } },
    (name) => name === 'content-type' || name.startsWith('x-acs-'),
  )
  const signature = hmac(accessKeySecret, `ACS3-HMAC-SHA256\n${sha256(text)}`).toString('hex')
  const authorization = `ACS3-HMAC-SHA256 Credential=${accessKeyId},SignedHeaders=${names},Signature=${signature}`
  return { ...added, authorization }
}
