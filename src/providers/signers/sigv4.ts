/** AWS Signature Version 4: docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
import { canonicalRequest, hmac, sha256 } from './canonical'
import type { UnsignedRequest } from './request'

export interface AwsCredentials {
  service: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

export function sigv4Headers(
  request: UnsignedRequest,
  { service, region, accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  now: number,
): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const added = { 'x-amz-date': time, ...(sessionToken && { 'x-amz-security-token': sessionToken }) }
  const { text, names } = canonicalRequest(
    { ...request, headers: { ...request.headers, ...added } },
    (name) => name === 'content-type' || name.startsWith('x-amz-'),
  )
  const place = `${day}/${region}/${service}/aws4_request`
  const key = [region, service, 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${secretAccessKey}`, day))
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, place, sha256(text)].join('\n')).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${place}, SignedHeaders=${names}, Signature=${signature}`
  return { ...added, authorization }
}
