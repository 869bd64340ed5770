/** Request targets: spellings of paths, methods, and queries. */
import type { SeededRandom } from '../support/random'
import { bearer, request, type Shot, type Subject, some } from './shot'
import { TEXTS } from './values'

const PATHS = [
  '/',
  '/healthz',
  '/readyz',
  '/docs',
  '/docs/start.js',
  '/console',
  '/console/keys',
  '/console/rpc/apps/list',
  '/console/assets/app.js',
  '/provider-reports/main',
  '/compat/twilio/v2/Services/VA0/Verifications/VE0',
  '/v1/openapi.json',
  '/v1/webhook-sources',
  '/v1/issue',
  '/v1/verify',
  '/v1/status',
  '/v1/issues',
  '/v1/issues/0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77',
  '/v1/credit-ledger',
  '/v1/balance',
  '/v1/templates',
  '/v1/templates/otp_default_kr',
  '/v1/rpc/otp/balance',
  '/v1/rpc/otp/screen',
]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']

const encoded = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`

const SPELLINGS: Array<(path: string, random: SeededRandom) => string> = [
  (path) => path,
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => `${path}//`,
  (path) => path.toUpperCase(),
  (path) => path.replaceAll('/', '\\'),
  (path) => path.replaceAll('/', '%2f'),
  (path) => `/x/..${path}`,
  (path) => `/v1/%2e%2e${path}`,
  (path) => `/v1/%252e%252e${path}`,
  (path) => `/..;${path}`,
  (path) => `${path};a=b`,
  (path) => `${path}%00`,
  (path) => `${path}%`,
  (path) => `${path}%zz`,
  (path) => `${path}/%c0%af`,
  (path) => `${path}/%ff%fe`,
  (path) => `${path}/${'a'.repeat(8_000)}`,
  (path) => `${path}/${'%2e'.repeat(2_500)}`,
  (path) => `${path}${'/a'.repeat(4_000)}`,
  (path) => `${path}${'/..'.repeat(2_500)}`,
  (path) => `${path}#fragment`,
  (path, random) => {
    const at = random.below(path.length)
    return `${path.slice(0, at)}${encoded(path[at] ?? '/')}${path.slice(at + 1)}`
  },
]

const twice = (name: string) => `${name}=1&${name}=2`

const QUERIES: Record<string, string> = {
  'four thousand parameters': Array(4_000).fill('a=').join('&'),
  'a thousand names': Array.from({ length: 1_000 }, (_, index) => `n${index}=1`).join('&'),
  'one name three thousand times': Array(3_000).fill('a').join('&'),
  'a limit in brackets': 'limit[]=1',
  'a limit in an object': 'limit[a][b]=1',
  'a limit twice': twice('limit'),
  'an array of ten thousand': 'limit[9999]=1',
  'an array beyond all': 'limit[4294967295]=1',
  'indexes in turn': Array.from({ length: 900 }, (_, index) => `a[${9_999 - index}]=1`).join('&'),
  'names in turn': Array.from({ length: 900 }, (_, index) => `a[x${index}]=1&a[]=1`)
    .join('&')
    .slice(0, 14_000),
  'brackets four thousand deep': `a${'[a]'.repeat(4_000)}=1`,
  'brackets that never close': `a${'['.repeat(12_000)}=1`,
  __proto__: '__proto__[limit]=1&constructor[prototype][limit]=1',
  backslashes: `a${'\\'.repeat(4_000)}=1`,
  'a long cursor': `cursor=${'A'.repeat(12_000)}`,
  'a cursor of bytes': 'cursor=%ff%fe%00',
  'a date far away': 'createdFrom=%2B275760-09-13T00:00:00Z&createdTo=0000-01-01T00:00:00Z',
  'an offset far away': 'createdFrom=2026-01-01T00:00:00%2B99:99',
  'broken percents': 'limit=%&cursor=%zz&%',
  pluses: `${'+'.repeat(12_000)}=1`,
  'only separators': '&'.repeat(12_000),
  'a status in letters': 'verificationStatus=VERIFIED',
}

export const paths: Subject = {
  name: 'paths',
  shots: (random, { keys, url }) => {
    const headers = () => ({
      ...random.pick([bearer(keys.test), bearer(keys.live), bearer(keys.browser), {}]),
      ...(random.chance(0.3) && { Origin: random.pick([url, 'null', 'https://shop.example', 'https://evil.example']) }),
    })
    const spelled = PATHS.flatMap((path) =>
      some(random, SPELLINGS, 0.2).map((spell): Shot => {
        const method = random.pick(METHODS)
        const target = spell(path, random)
        const shot = { what: `${method} ${target.slice(0, 80)}`, request: request(method, target, headers()) }
        return target.startsWith('/') ? shot : { ...shot, isBroken: true }
      }),
    )
    const queried = Object.entries(QUERIES).flatMap(([what, query]) =>
      ['/v1/issues', '/v1/credit-ledger', '/v1/status'].map((path): Shot => {
        return { what: `GET ${path}: ${what}`, request: request('GET', `${path}?${query}`, bearer(keys.test)) }
      }),
    )
    const odd = some(random, TEXTS).map((value): Shot => {
      const path = random.pick([
        '/v1/status?issueId=',
        '/v1/issues?cursor=',
        '/v1/issues/',
        '/v1/templates/',
        '/v1/issues?limit=',
      ])
      const target = `${path}${encodeURIComponent(value.toWellFormed())}`
      return { what: `GET ${target}`, request: request('GET', target, bearer(keys.test)) }
    })
    return [...spelled, ...queried, ...odd]
  },
}
