/** The client's address: the socket's, or the one a trusted proxy names. */
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
