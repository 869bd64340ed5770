/** One hostile request, byte by byte as it is written to the socket. */
import type { Mode } from '../../src/domain/shared/value'
import type { SeededRandom } from '../support/random'
import type { Target } from './target'

export interface Shot {
  /** What it tries, in words; a finding is reported under it. */
  what: string
  request: Uint8Array
  /** It is no HTTP: Bun's parser may refuse it by itself, or wait for the rest. */
  isBroken?: true
  /** The server may well do it, and more is then different than one issue more. */
  mayChange?: true
}

/** What is wrong in one subject's own view, in words; empty is well. */
export type Play = (random: SeededRandom, target: Target) => Promise<string[]>

export interface Subject {
  name: string
  shots: (random: SeededRandom, target: Target) => Shot[]
  /** Requests that depend on one another, sent and judged by the subject. */
  play?: Play
}

export type Headers = Record<string, string>
export type Body = string | Uint8Array | object

export const bytesOf = (body: Body): Uint8Array =>
  body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))

/** Without a body where `body` is left out; a header that is given goes before the usual one of that name. */
export function request(method: string, path: string, headers: Headers = {}, body?: Body): Uint8Array {
  const content = body === undefined ? undefined : bytesOf(body)
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const usual: Headers = {
    Host: 'localhost',
    Connection: 'close',
    ...(content && { 'Content-Type': 'application/json', 'Content-Length': String(content.length) }),
  }
  const lines = [
    ...Object.entries(usual).filter(([name]) => !given.has(name.toLowerCase())),
    ...Object.entries(headers),
  ].map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`),
    content ?? new Uint8Array(),
  ])
}

/** Where a body may go, and who sends it there. */
export interface Door {
  name: string
  path: string
  headers: Headers
}

export const bearer = (key: string): Headers => ({ Authorization: `Bearer ${key}` })

/** With a live key there is no credit, so that an order is looked at to its end and then refused. */
export const rest = ({ keys }: Target, operation: string, mode: Mode = 'live'): Door => ({
  name: `REST ${operation}`,
  path: `/v1/${operation}`,
  headers: bearer(keys[mode]),
})

export const rpc = ({ keys }: Target, procedure: string, mode: Mode = 'live'): Door => ({
  name: `RPC ${procedure}`,
  path: `/v1/rpc/otp/${procedure}`,
  headers: bearer(keys[mode]),
})

export const consoleRpc = ({ url, cookies }: Target, procedure: string, role: keyof Target['cookies']): Door => ({
  name: `console ${procedure}`,
  path: `/console/rpc/${procedure}`,
  headers: { Host: new URL(url).host, Origin: url, ...(cookies[role] !== '' && { Cookie: cookies[role] }) },
})

export const knock = ({ name, path, headers }: Door, what: string, body: Body, more: Headers = {}): Shot => ({
  what: `${name}: ${what}`,
  request: request('POST', path, { ...headers, ...more }, body),
})

/** Some of a list, in its order. */
export const some = <T>(random: SeededRandom, items: readonly T[], share = 0.5): T[] =>
  items.filter(() => random.chance(share))
