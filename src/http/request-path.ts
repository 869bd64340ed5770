/** Where a request goes: its path and query, as a URL has them. */
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
