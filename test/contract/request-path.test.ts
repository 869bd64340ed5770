/** Path and query are read without a URL where there is one way to read them: never otherwise than a URL would. */
import { expect, test } from 'bun:test'
import { StandardBracketNotationSerializer } from '@orpc/openapi-client/standard'
import { inputOf, operationAt } from '../../src/http/operations'
import { requestPathOf, urlOf } from '../../src/http/route-table'

const HOSTS = ['http://localhost', 'https://watchword.example:8443', 'http://[::1]:8787', 'HTTP://Bench', 'http://a@b']
const ODD_HOSTS = [
  'http://1.2.3.999',
  'http://a:99999',
  'http://a\\console',
  'http://x%2fy',
  'http://a b',
  'http://',
  'http:',
  '',
]
const PATHS = [
  ...[
    '/v1/status',
    '/v1/issues/0199f2a4-7c1e',
    '/',
    '',
    '//v1/status',
    '//x/console',
    '/v1//status',
    '/v1/status/',
    '/v1/a;b',
  ],
  ...['/v1/../console', '/v1/./status', '/v1/%2e%2e/console', '/v1/%73tatus', '\\v1\\status', '/v1/\u00fc', '/v1/a b'],
]
const QUERIES = [
  ...['', '?', '?issueId=1', '?a=1&b=2', '?a=1?b', '?a=/v1/../x', '?a=\u00fc', '?a=b c', '?a=%zz', '?a=\'"<>', '?a=\\'],
  ...['#', '?a=1#b', '#?a=1', '?#'],
]

const readBy = <T>(read: (address: string) => T, address: string) => {
  try {
    return read(address)
  } catch {
    return undefined
  }
}

test('a place is what a URL says of an address, also of one that no client may send', () => {
  for (const host of [...HOSTS, ...ODD_HOSTS])
    for (const path of PATHS)
      for (const query of QUERIES) {
        const address = host + path + query
        const url = readBy(urlOf, address)
        const place = url && { path: url.pathname, search: url.search }
        expect({ address, place: readBy(requestPathOf, address) }).toEqual({ address, place })
      }
})

test('a query is what oRPC makes of its parameters', () => {
  const status = operationAt('GET', '/v1/status')
  if (!status) throw new Error('There is such an operation')
  const brackets = new StandardBracketNotationSerializer()
  const values = ['', 'a', '0199f2a4-7c1e', '2026-01-15T09:30:00.000Z', 'a%20b', 'a+b', 'a=b', 'a&c=d', '%zz', '\u00fc']
  const names = ['issueId', 'status[]', 'status', '0', '', 'a[b][c]', 'a.b', '__proto__', 'constructor', 'is%73ueId']
  for (const name of names)
    for (const value of values) {
      const search = `?${name}=${value}`
      const request = new Request(`http://localhost/v1/status${search}`)
      const read = inputOf(status, request, { path: '/v1/status', search })
      expect(read).toEqual(brackets.deserialize([...new URLSearchParams(search)]))
    }
})
