/** Paths: the route table, how the path of a request is read, and that a path has one spelling. */

import { PATHS } from '../../contract/constants'
import { invalid } from '../domain/shared/error'

/** Prefixes of the interface over REST and over RPC. */
export const API_PREFIX = '/v1'
/** Prefix of the management API. */
export const ADMIN_PREFIX = '/admin/v1'
export const RPC_PREFIX = '/v1/rpc/otp'

export const isRpc = (path: string) => path.startsWith(`${RPC_PREFIX}/`)

export interface RequestPath {
  path: string
  /** With its question mark; empty without a query. */
  search: string
}

/** Matches an address that needs no resolving, decoding or encoding, so that its parts are those of its URL. */
const PLAIN = /^https?:\/\/[\w.:[\]-]+(\/(?!\/)[\w/-]*)(\?[!$-&(-;=?-~]+)?$/

/** Avoids `URL` where possible: to construct one costs more than the rest of routing. */
export function requestPathOf(address: string): RequestPath {
  const plain = PLAIN.exec(address)
  if (plain) return { path: plain[1] as string, search: plain[2] ?? '' }
  const { pathname: path, search } = urlOf(address)
  return { path, search }
}

/** Only path and query matter: they are known even if the client sends no usable `Host`. */
export function urlOf(address: string): URL {
  try {
    return new URL(address)
  } catch {
    return urlOfPath(address)
  }
}

/** Not a name of this machine, so that such a request does not count as local. */
const NOWHERE = 'http://unknown.invalid'

function urlOfPath(address: string): URL {
  const path = address.startsWith('/') ? address : address.replace(/^[a-z]+:\/\/[^/]*/i, '')
  if (!URL.canParse(path, NOWHERE)) throw invalid('url', 'invalid_format', 'the address of the request cannot be read')
  return new URL(path, NOWHERE)
}

/** In Bun's notation: `:name` is one segment, `*` is the rest. The first match wins. */
export const ROUTE_PATTERNS: readonly string[] = [
  // The most frequent ones first.
  '/v1/rpc/otp/:procedure',
  ...Object.values(PATHS).map((path) => `/v1${path.replace(/\{(\w+)\}/g, ':$1')}`),
  '/v1/openapi.json',
  '/v1/webhook-sources',
  '/v1/*',
  '/',
  '/docs',
  '/docs/',
  '/docs/start.js',
  '/docs/administration',
  '/docs/administration.js',
  '/docs/scalar.js',
  '/docs/guide',
  '/docs/guide/:page',
  '/.well-known/jwks.json',
  '/healthz',
  '/readyz',
  '/metrics',
  '/console',
  '/console/rpc/*',
  '/console/assets/:file',
  '/console/*',
  '/provider-reports/:provider',
  '/compat/twilio/*',
  '/relay/:source/:relay',
  '/reports/usage',
  '/admin/v1/*',
]

const PATTERN = /[:*]/

const plain = new Set(ROUTE_PATTERNS.filter((mount) => !PATTERN.test(mount)))
const patterns = ROUTE_PATTERNS.filter((route) => PATTERN.test(route)).map((mount) => ({
  mount,
  pattern: new RegExp(`^${mount.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`),
}))

/** The route pattern of a path; empty where none matches. Like Bun, exact routes come first. */
const patternOf = (path: string): string =>
  plain.has(path) ? path : (patterns.find(({ pattern }) => pattern.test(path))?.mount ?? '')

/**
 * A socket knows the request line as it was written. A URL has resolved paths such as `/v1/../console` already, which a
 * rule of a proxy for `/console` may have missed. So the pattern that the written path matches must be the one its URL
 * has.
 * `routePattern`: that of the path as it was written; undefined where it is not known.
 */
export const matchesPattern = (path: string, routePattern: string | undefined): boolean =>
  routePattern === undefined || routePattern === path || routePattern === patternOf(path)

/** Letters, digits and `-._~` never need encoding, so `/%63onsole` is refused as a spelling of `/console`. */
const NEEDLESS = /%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])/

export const isNeedlesslyEncoded = (path: string): boolean => NEEDLESS.test(path)
