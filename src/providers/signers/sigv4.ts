/** AWS Signature Version 4: docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
import { createHash, createHmac } from 'node:crypto'
import type { UnsignedRequest } from './request'

export interface AwsCredentials {
  service: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** RFC 3986, which encodes more than `encodeURIComponent`. */
const strictly = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

export function sigv4Headers(
  { method, url, headers, body = '' }: UnsignedRequest,
  { service, region, accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  now: number,
): Record<string, string> {
  const { host, pathname, searchParams } = new URL(url)
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const added = { 'x-amz-date': time, ...(sessionToken && { 'x-amz-security-token': sessionToken }) }
  const signedHeaders = Object.entries({ ...headers, ...added, host })
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')])
    .filter(([name]) => name === 'host' || name === 'content-type' || name.startsWith('x-amz-'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const names = signedHeaders.map(([name]) => name).join(';')
  const query = [...searchParams].map(([name, value]) => `${strictly(name)}=${strictly(value)}`).sort()
  const canonical = [
    method,
    pathname
      .split('/')
      .map((segment) => strictly(segment))
      .join('/'),
    query.join('&'),
    ...signedHeaders.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(body),
  ].join('\n')
  const place = `${day}/${region}/${service}/aws4_request`
  const key = [region, service, 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${secretAccessKey}`, day))
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, place, sha256(canonical)].join('\n')).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${place}, SignedHeaders=${names}, Signature=${signature}`
  return { ...added, authorization }
}
