/** Network addresses and URLs that webhooks may be sent to. Decisions: "Webhooks". */
import type { IPv4, IPv6 } from 'ipaddr.js'
import { cidrContains, ipaddr, isIP } from '../access/network'
import { invalid } from '../shared/error'
import type { Mode } from '../shared/value'

/** The range of public IPv6 hosts. Prefixes that embed an IPv4 address are outside. */
const GLOBAL_IPV6 = '2000::/3'

/** A public address, but answered by the host of a virtual machine: Azure's agent, which serves credentials. */
const AZURE_HOST = '168.63.129.16'

/**
 * Whether webhooks may be sent to the address: to public unicast addresses, and into the networks of `allowedCidrs`.
 * Takes an address, not a name; an unreadable one is forbidden.
 */
export function mayReach(ip: string, allowedCidrs: readonly string[]): boolean {
  const address = readAddress(ip)
  if (address === undefined) return false
  return isPublic(address) || allowedCidrs.some((cidr) => cidrContains(cidr, address.toString()))
}

type IpAddress = IPv4 | IPv6

/**
 * A mapped address is read as its IPv4 address. Undefined for notations that parsers read differently (`010.0.0.1`,
 * `127.1`), and for addresses with a zone, which differ on every machine.
 */
function readAddress(ip: string): IpAddress | undefined {
  const version = isIP(ip)
  if (version === 4) return ipaddr().process(ip)
  // ipaddr.js takes `::127.0.0.1` for a mapped address, so it gets hexadecimal digits only.
  const url = `http://[${ip}]/`
  return version === 6 && URL.canParse(url) ? ipaddr().process(new URL(url).hostname.slice(1, -1)) : undefined
}

function isPublic(address: IpAddress): boolean {
  // `unicast`: no registry of special addresses (RFC 6890) lists it.
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr().IPv6
    ? address.match(ipaddr().IPv6.parseCIDR(GLOBAL_IPV6))
    : address.toString() !== AZURE_HOST
}

/** The address a URL names instead of a host name, without the brackets of IPv6. */
export function literalAddress({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? undefined : host
}

export interface HookUrlPolicy {
  allowHttp: boolean
  /** Empty: any. */
  ports: readonly number[]
  allowedCidrs: readonly string[]
  /** Test-mode endpoints on this machine are allowed, by http and on any port: see `policyFor`. */
  testOnLoopback?: boolean
}

const LOOPBACK_CIDRS = ['127.0.0.0/8', '::1/128']

/** Whether the URL names this machine, by `localhost` or a loopback address. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false
  const parsed = new URL(url)
  const address = literalAddress(parsed)
  if (address === undefined) return parsed.hostname === 'localhost'
  return LOOPBACK_CIDRS.some((cidr) => cidrContains(cidr, address))
}

/** The policy of one endpoint, which also holds for its redirects. */
export function policyFor({ mode, url }: { mode: Mode; url: string }, policy: HookUrlPolicy): HookUrlPolicy {
  if (!policy.testOnLoopback || mode !== 'test' || !isLoopback(url)) return policy
  return { allowHttp: true, ports: [], allowedCidrs: [...policy.allowedCidrs, ...LOOPBACK_CIDRS] }
}

const URL_MAX_LENGTH = 2_048
const DEFAULT_PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 }

/** Throws `invalid` for a text that is no URL of a webhook under any policy. */
export function assertHookUrl(text: string): void {
  if (text.length > URL_MAX_LENGTH)
    throw invalid('url', 'too_long', `at most ${URL_MAX_LENGTH} characters`, { max: URL_MAX_LENGTH })
  // The parser would drop or encode these silently, so that the shown URL would differ from the called one.
  if (/[\s\p{Cc}\\]/u.test(text))
    throw invalid('url', 'invalid_url', 'must not have spaces, control characters or backslashes')
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    throw invalid('url', 'invalid_url', 'must be an absolute URL such as https://app.example.com/hooks')
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '')
    throw invalid('url', 'url_with_credentials', 'must not have a user name or password')
  if (text.includes('#')) throw invalid('url', 'url_with_fragment', 'must not have a fragment, which is never sent')
}

/**
 * Throws `invalid` for a URL that the policy forbids. Host names are checked when a connection is made, since they may
 * resolve differently each time.
 */
export function assertHookTarget(text: string, { allowHttp, ports, allowedCidrs }: HookUrlPolicy): void {
  assertHookUrl(text)
  const url = new URL(text)
  if (url.protocol === 'http:' && !allowHttp) throw invalid('url', 'https_required', 'must begin with https://')
  const port = url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port)
  if (port === 0 || (ports.length > 0 && !ports.includes(port)))
    throw invalid('url', 'port_not_allowed', `port ${port} is not allowed`, { port })
  const address = literalAddress(url)
  if (address !== undefined && !mayReach(address, allowedCidrs)) {
    throw invalid('url', 'target_not_allowed', `webhooks may not be sent to the address ${address}`, { address })
  }
}

/** Both must be URLs, or the first none that can be read, which is then another one. */
export const isSameOrigin = (url: string, other: string): boolean => URL.parse(url)?.origin === new URL(other).origin
