/** The canonical request, of which the signatures of AWS, Alibaba Cloud and Tencent Cloud are made alike. */
import { createHash, createHmac } from 'node:crypto'
import type { UnsignedRequest } from './request'

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
export const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** RFC 3986, which encodes more than `encodeURIComponent`. */
const strictly = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Its text, and the names of the headers that are in it: the host, and those of which `isSigned` says so. */
export function canonicalRequest(
  { method, url, headers, body = '' }: UnsignedRequest,
  isSigned: (name: string) => boolean,
): { text: string; names: string } {
  const { host, pathname, searchParams } = new URL(url)
  const signed = Object.entries({ ...headers, host })
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')])
    .filter(([name]) => name === 'host' || isSigned(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const path = pathname
    .split('/')
    .map((segment) => strictly(segment))
    .join('/')
  const query = [...searchParams].map(([name, value]) => `${strictly(name)}=${strictly(value)}`).sort()
  const lines = signed.map(([name, value]) => `${name}:${value}`)
  return { text: [method, path, query.join('&'), ...lines, '', names, sha256(body)].join('\n'), names }
}
