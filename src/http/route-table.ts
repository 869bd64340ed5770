/** Paths: the route table, how the path of a request is read, and that a path has one spelling. */

import { PATHS } from '../../contract/constants'
import { invalid } from '../domain/shared/error'

/** Prefixes of the interface over REST and over RPC. */
export const API_PREFIX = '/v1'
export const RPC_PREFIX = '/v1/rpc/otp'

export const isRpc = (path: string) => path.startsWith(`${RPC_PREFIX}/`)

export interface RequestPath {
  path: string
  /** With its question mark; empty where there is nothing to it. */
  search: string
}

/** Of an address that says nothing which had to be resolved, decoded or encoded: there is no second way to read it. */
const PLAIN = /^https?:\/\/[\w.:[\]-]+(\/(?!\/)[\w/-]*)(\?[!$-&(-;=?-~]+)?$/

/** A URL of the engine's would cost more than all else that is done to find out what is asked. */
export function requestPathOf(address: string): RequestPath {
  const plain = PLAIN.exec(address)
  if (plain) return { path: plain[1] as string, search: plain[2] ?? '' }
  const { pathname: path, search } = urlOf(address)
  return { path, search }
}

/** Only path and query matter, and they stand in the request line also where a client sends no usable `Host`. */
export function urlOf(address: string): URL {
  try {
    return new URL(address)
  } catch {
    return urlOfPath(address)
  }
}

/** No name of this machine: who asks by none is not taken for somebody on it. */
const NOWHERE = 'http://unknown.invalid'

function urlOfPath(address: string): URL {
  const path = address.startsWith('/') ? address : address.replace(/^[a-z]+:\/\/[^/]*/i, '')
  if (!URL.canParse(path, NOWHERE)) throw invalid('url', 'invalid_format', 'the address of the request cannot be read')
  return new URL(path, NOWHERE)
}

/** In Bun's notation: `:name` is one segment, `*` the rest. The first that fits has the path. */
export const ROUTE_PATTERNS: readonly string[] = [
  // Before those that are asked now and then.
  '/v1/rpc/otp/:procedure',
  ...Object.values(PATHS).map((path) => `/v1${path.replace(/\{(\w+)\}/g, ':$1')}`),
  '/v1/openapi.json',
  '/v1/webhook-sources',
  '/v1/*',
  '/',
  '/docs',
  '/docs/',
  '/docs/start.js',
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
]

const PATTERN = /[:*]/

const plain = new Set(ROUTE_PATTERNS.filter((mount) => !PATTERN.test(mount)))
const patterns = ROUTE_PATTERNS.filter((route) => PATTERN.test(route)).map((mount) => ({
  mount,
  pattern: new RegExp(`^${mount.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`),
}))

/** The mount a path belongs to; empty where nothing is. Bun, too, asks those without a pattern first. */
const patternOf = (path: string): string =>
  plain.has(path) ? path : (patterns.find(({ pattern }) => pattern.test(path))?.mount ?? '')

/**
 * A socket knows the request line as it was written; a URL has resolved `/v1/../console` and its like already, past whatever
 * rule a proxy in front has for `/console`. So the pattern that the written path matches must be the one its URL has.
 * `routePattern`: that of the path as it was written; undefined where it is not known.
 */
export const matchesPattern = (path: string, routePattern: string | undefined): boolean =>
  routePattern === undefined || routePattern === path || routePattern === patternOf(path)

/** Letters, digits and `-._~` never need to be encoded; `/%63onsole` is no other way to write `/console`. */
const NEEDLESS = /%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])/

export const isNeedlesslyEncoded = (path: string): boolean => NEEDLESS.test(path)
