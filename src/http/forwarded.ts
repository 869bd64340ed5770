/** Whether a request came through something that passes requests on, and whose address it then has. */
import { cidrContains } from '../domain/access/network'

/** What proxies, tunnels and content networks say of themselves or of whom they speak for. */
const MARKS = [
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
  [...headers.keys()].some((name) => name.startsWith('x-forwarded-') || MARKS.includes(name))

/** A name or address of this machine, as URLs have it. */
export const isLoopbackHost = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

export const isLoopbackAddress = (address: string): boolean => cidrContains('127.0.0.0/8', address) || address === '::1'

/** Whether somebody on this machine asks, by its own name: not through a proxy, and not a page of another site. */
export const isFromHere = (request: Request, url: URL, address: string): boolean =>
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
