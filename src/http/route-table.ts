/**
 * Where everything lies, and that a path has one spelling. A socket knows the request line as it was written; a URL has
 * `/v1/../console` and its like resolved already, past whatever rule a proxy in front has for `/console`. So the pattern
 * that the written path matches must be the one its URL has, or there is nothing there.
 */
import { PATHS } from '../../contract/constants'

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

/** `mount`: that of the path as it was written; undefined where nobody knows. */
export const matchesPattern = (path: string, routePattern: string | undefined): boolean =>
  routePattern === undefined || routePattern === path || routePattern === patternOf(path)

/** Letters, digits and `-._~` never need to be encoded; `/%63onsole` is no other way to write `/console`. */
const NEEDLESS = /%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])/

export const isNeedlesslyEncoded = (path: string): boolean => NEEDLESS.test(path)
