/** The caller: the address of the client, its API key, and what the key may do. Decided before the input is read. */

import type { OperationAccess } from '../../contract/scope'
import {
  type ApiKey,
  authorize,
  hasPoisonousScope,
  isActive,
  type KnownKey,
  keyHashText,
  parseKey,
} from '../domain/access/api-key'
import { cidrContains, ipaddr, isIP } from '../domain/access/network'
import type { Permit } from '../domain/access/rate-limits'
import type { Origin } from '../domain/shared/addressed'
import { invalid, unauthorized, unavailable } from '../domain/shared/error'
import type { Clock } from '../ports/clock'
import type { Directory, Node } from '../ports/node'
import { type Modes, rulesOf } from '../usecases/shared/mode'

/** More than any chain of proxies, since each hop is compared with every trusted network. */
const MAX_HOPS = 32

/** Walks `X-Forwarded-For` from the right for as long as the hop before is a trusted proxy. */
export function clientIpOf(
  socketAddress: string,
  forwardedFor: string | null,
  trustedProxies: readonly string[],
): string {
  // Most sockets are plain IPv4 already.
  const socket = socketAddress.includes(':') ? plain(socketAddress) : socketAddress
  if (trustedProxies.length === 0 || forwardedFor === null) return socket
  const isTrusted = (address: string) => trustedProxies.some((cidr) => cidrContains(cidr, address))
  let client = socket
  // Empty elements of a list mean nothing: RFC 9110, 5.6.1.2.
  const hops = forwardedFor
    .split(',')
    .map((hop) => hop.trim())
    .filter(Boolean)
  for (const hop of hops.slice(-MAX_HOPS).reverse()) {
    const address = withoutPort(hop)
    if (!isTrusted(client) || !ipaddr().isValid(address)) break
    client = plain(address)
  }
  return client
}

/** Some proxies add the port: `203.0.113.9:4711`, `[2001:db8::9]:4711`. */
const withoutPort = (hop: string) => {
  const [, v4, v6] = /^(?:([0-9.]+):[0-9]+|\[([^\]]+)\](?::[0-9]+)?)$/.exec(hop) ?? []
  return v4 ?? v6 ?? hop
}

/** `::ffff:127.0.0.1` is 127.0.0.1. */
const plain = (address: string) => (ipaddr().isValid(address) ? ipaddr().process(address).toString() : address)

/** Headers that proxies, tunnels and content delivery networks add. */
const FORWARDING_HEADERS = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'x-envoy-external-address',
  'x-azure-clientip',
  'true-client-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'cf-connecting-ip',
  'cdn-loop',
]

const isForwarded = (headers: Headers): boolean =>
  [...headers.keys()].some((name) => name.startsWith('x-forwarded-') || FORWARDING_HEADERS.includes(name))

/** A loopback name or address, as URLs write it. */
export const isLoopbackHost = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

const isLoopbackAddress = (address: string): boolean => cidrContains('127.0.0.0/8', address) || address === '::1'

/** Whether the request comes from this machine, by a loopback name: not through a proxy, and not from a page of another site. */
export const isLocalRequest = (request: Request, url: URL, address: string): boolean =>
  isLoopbackAddress(address) && isLoopbackHost(url.hostname) && !isForwarded(request.headers)

/**
 * Whether the address of `clientIpOf` belongs to one client. It does not behind a proxy that is missing in
 * `WATCHWORD_TRUSTED_PROXIES`, since all clients share it there. `origin` is the origin of the client's page.
 */
export function isOwnAddress(
  { headers }: Request,
  address: string,
  { socketAddress, trustedProxies, origin }: { socketAddress: string; trustedProxies: readonly string[]; origin: URL },
): boolean {
  if (isLoopbackAddress(address)) return isLoopbackHost(origin.hostname) && !isForwarded(headers)
  if (trustedProxies.some((cidr) => cidrContains(cidr, address))) return false
  const isTold = trustedProxies.some((cidr) => cidrContains(cidr, socketAddress))
  return isTold || !isForwarded(headers)
}

/** The parts of a request that authentication reads. */
export interface RequestContext {
  headers: Headers
  search: string
  clientIp: string
  /** Request id and trace, for log lines and spans. */
  origin: Origin
}

export interface AuthenticatedCaller {
  key: ApiKey
  /** Counted already; given back when the request is refused after all. */
  permit: Permit
  idempotencyHeader: string | null
  /** The end user's address, for issues of live codes where it is known. */
  endUser: string | undefined
  origin: Origin
}

export interface AuthenticateDependencies {
  node: Pick<Node, 'directory' | 'limits'>
  clock: Pick<Clock, 'now'>
  modes: Modes
}

/**
 * The caller of a procedure. Throws `unauthorized`, `forbidden`, `invalid` for a parameter that is given twice, `limited`, or
 * `unavailable`. `onKey` is called as soon as the key is known, since a refused request belongs to a key, too.
 * Specification: "Authentication", "Limits".
 */
export async function authenticate(
  deps: AuthenticateDependencies,
  { headers, search, clientIp, origin }: RequestContext,
  access: OperationAccess,
  onKey: (key: ApiKey) => void,
): Promise<AuthenticatedCaller> {
  const { node, clock, modes } = deps
  const key = activeKey(await findKey(node.directory, headers.get('authorization')), clock.now())
  onKey(key)
  authorize(key, access, headers.get('origin') ?? undefined, clientIp)
  // A repeated parameter is ambiguous.
  const repeated = repeatedParameter(search)
  if (repeated !== undefined) throw invalid(repeated.slice(0, 64), 'duplicate_field', 'this parameter is given twice')
  const isCounted = key.mode === 'live' && access.limitedAs === 'issue'
  const endUser = isCounted ? endUserAddress(key, headers, clientIp) : undefined
  const rules = rulesOf(modes, key).requestLimits(key, access.limitedAs, endUser ?? clientIp)
  const permit = await node.limits.acquire(rules)
  return { key, permit, idempotencyHeader: headers.get('idempotency-key'), endUser, origin }
}

const BEARER = /^Bearer +([^\s]+) *$/i

/**
 * The key of an `Authorization: Bearer` header. Throws `unavailable` where the store cannot be read. The look-up is by SHA-256, so
 * its timing does not reveal how much of a guess was right.
 */
function findKey(directory: Pick<Directory, 'keyByHash'>, authorization: string | null): Promise<KnownKey | undefined> {
  const text = BEARER.exec(authorization ?? '')?.[1] ?? ''
  if (!parseKey(text)) throw unauthorized()
  return directory.keyByHash(keyHashText(text)).catch(cannotCheck)
}

function cannotCheck(cause: unknown): never {
  throw Object.assign(unavailable('The key cannot be checked at the moment'), { cause })
}

/** Throws `unauthorized` for every kind of wrong key alike. */
function activeKey(key: KnownKey | undefined, now: number): KnownKey {
  if (!key || !isActive(key, now) || hasPoisonousScope(key)) throw unauthorized()
  // Expired or revoked browser keys must not allow their origins.
  return key.browserKeys ? { ...key, browserKeys: key.browserKeys.filter((other) => isActive(other, now)) } : key
}

/** The end user's address: the caller's own with a browser key, else the one that the server states. Throws `invalid`. */
function endUserAddress({ kind }: ApiKey, headers: Headers, clientIp: string): string | undefined {
  if (kind === 'pk') return clientIp
  const stated = headers.get(END_USER_HEADER)?.trim()
  if (stated === undefined) return undefined
  if (isIP(stated) === 0) throw invalid(END_USER_HEADER, 'invalid_format', 'must be one IPv4 or IPv6 address')
  return stated
}

/** With a secret key every request comes from the server's address, so the server states the end user's. */
const END_USER_HEADER = 'X-Watchword-Client-Ip'

function repeatedParameter(search: string): string | undefined {
  if (!search.includes('&')) return undefined
  const seen = new Set<string>()
  for (const name of new URLSearchParams(search).keys()) {
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}
