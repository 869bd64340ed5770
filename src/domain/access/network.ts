/** IP addresses and networks. Libraries are loaded at first use, since a server listens before. */
import type * as Net from 'node:net'
import type Library from 'ipaddr.js'

/**
 * Whether the network contains the address. Throws for a `cidr` that `isNetwork` refuses. An IPv4-mapped address counts
 * as the IPv4 one.
 */
export function cidrContains(cidr: string, address: string): boolean {
  if (!ipaddr().isValid(address)) return false
  const [network, bits] = ipaddr().parseCIDR(cidr)
  const ip = ipaddr().process(address)
  return ip.kind() === network.kind() && ip.match(network, bits)
}

/**
 * Whether the text is a network in CIDR notation. Refuses short forms such as `10.1/16`, which people read differently,
 * and IPv4 networks written as IPv6.
 */
export function isNetwork(cidr: string): boolean {
  const [address = ''] = cidr.split('/')
  if (!ipaddr().isValidCIDR(cidr)) return false
  const { IPv4, IPv6 } = ipaddr()
  const ip = ipaddr().parse(address)
  return ip instanceof IPv6 ? !ip.isIPv4MappedAddress() : IPv4.isValidFourPartDecimal(address)
}

/**
 * The network an address is counted under: the /64 for IPv6, since a host may use another address of it for each
 * request.
 */
export function networkOf(address: string): string {
  if (!ipaddr().isValid(address)) return address
  const { IPv6 } = ipaddr()
  const ip = ipaddr().process(address)
  return ip instanceof IPv6 ? `${new IPv6([...ip.parts.slice(0, 4), 0, 0, 0, 0])}/64` : ip.toString()
}

let library: typeof Library | undefined
let net: typeof Net | undefined

export function ipaddr(): typeof Library {
  library ??= require('ipaddr.js') as typeof Library
  return library
}

/** Version of an IP address; 0 for any other text. */
export function isIP(text: string): number {
  net ??= require('node:net') as typeof Net
  return net.isIP(text)
}
