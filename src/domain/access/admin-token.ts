/**
 * Tokens of the management API, which machines administer with; finance's tools read usage with one. An owner makes them.
 * Decisions: "Administration".
 */
import { forbidden } from '../shared/error'
import { cidrContains } from './network'

export const ADMIN_TOKENS_MAX = 50

/** The nouns of administration that have routes. */
export const ADMIN_NOUNS = [
  ...(['apps', 'audit', 'carriers', 'inbox', 'issues', 'keys', 'notices', 'operators', 'overview', 'prices'] as const),
  ...(['privacy', 'protection', 'relays', 'system', 'templates', 'usage', 'wallet', 'webhooks'] as const),
] as const
export type AdminNoun = (typeof ADMIN_NOUNS)[number]

/** Rights of a token on a noun: `read`, or `write`, which includes reading. */
export type AdminScope = `${AdminNoun}:${'read' | 'write'}`

export interface AdminToken {
  readonly tokenId: string
  readonly name: string
  /** SHA-256 of the token. */
  readonly tokenHash: Uint8Array
  readonly scopes: readonly AdminScope[]
  /** The only apps it sees; undefined: all. */
  readonly appIds: readonly string[] | undefined
  /** From where it is taken; none: from anywhere. */
  readonly allowedCidrs: readonly string[]
  readonly expiresAt: number | undefined
  readonly createdBy: string
  readonly createdAt: number
}

/** A request that creates something, with an idempotency key. Repeated within a day it gets the same answer. */
export interface AdminRequest {
  /** Keyed hash of the token and the key, in hexadecimal. */
  readonly requestId: string
  /** Keyed hash of what was asked. */
  readonly fingerprint: string
}

/** Finance's tools have a token that does only this. */
export const USAGE_SCOPE: AdminScope = 'usage:read'

const hasScope = (scopes: readonly string[], noun: string, act: 'read' | 'write'): boolean =>
  scopes.includes(`${noun}:write`) || (act === 'read' && scopes.includes(`${noun}:read`))

/** Throws `forbidden`. */
export function assertScope(scopes: readonly AdminScope[], noun: string, act: 'read' | 'write'): void {
  if (!hasScope(scopes, noun, act))
    throw forbidden('scope_missing', `The token lacks the scope ${noun}:${act}`, { scope: `${noun}:${act}` })
}

/** Whether it is taken now, from this address. */
export const isTaken = ({ expiresAt, allowedCidrs }: AdminToken, address: string, now: number): boolean =>
  (expiresAt === undefined || now < expiresAt) &&
  (allowedCidrs.length === 0 || allowedCidrs.some((cidr) => cidrContains(cidr, address)))
