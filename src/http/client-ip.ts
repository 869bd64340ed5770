/** The client's address: the socket's, or the one a trusted proxy names. And whether it is the client's own. */
import { cidrContains, ipaddr } from '../domain/access/network'

/** More proxies than anybody has; each is compared with every trusted network. */
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
  for (const hop of forwardedFor.split(',').slice(-MAX_HOPS).reverse()) {
    const address = withoutPort(hop.trim())
    if (!isTrusted(client) || !ipaddr().isValid(address)) break
    client = plain(address)
  }
  return client
}

/** Some proxies name the port, too: `203.0.113.9:4711`, `[2001:db8::9]:4711`. */
const withoutPort = (hop: string) => {
  const [, v4, v6] = /^(?:([0-9.]+):[0-9]+|\[([^\]]+)\](?::[0-9]+)?)$/.exec(hop) ?? []
  return v4 ?? v6 ?? hop
}

/** `::ffff:127.0.0.1` is 127.0.0.1. */
const plain = (address: string) => (ipaddr().isValid(address) ? ipaddr().process(address).toString() : address)

/** What proxies, tunnels and content networks say of themselves or of whom they speak for. */
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

export const isForwarded = (headers: Headers): boolean =>
  [...headers.keys()].some((name) => name.startsWith('x-forwarded-') || FORWARDING_HEADERS.includes(name))

/** A name or address of this machine, as URLs have it. */
export const isLoopbackHost = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

export const isLoopbackAddress = (address: string): boolean => cidrContains('127.0.0.0/8', address) || address === '::1'

/** Whether somebody on this machine asks, by its own name: not through a proxy, and not a page of another site. */
export const isLocalRequest = (request: Request, url: URL, address: string): boolean =>
  isLoopbackAddress(address) && isLoopbackHost(url.hostname) && !isForwarded(request.headers)

/**
 * Whether an address that `clientIpOf` told is one client's own, and not that of a proxy nobody has named in
 * `WATCHWORD_TRUSTED_PROXIES`, behind which everybody has it. `origin` is where the client's page is from.
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
