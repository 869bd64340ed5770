/** The fields that a message and a verification have in common. */
import type { CallerKind } from '../access/caller'
import type { Channel, Owner } from './value'

/** For whom, for what, and who asked. Holds no number, only its keyed hash. Times are Unix milliseconds. */
export interface Addressed extends Owner {
  /** The id of the row, whether it is an issue, a message or a verification. */
  readonly issueId: string
  /** Each message has an id of its own; that of the current leg. */
  readonly messageId: string
  /** For what; of a relayed message the name of its relay. */
  readonly purpose: string
  readonly templateId: string
  readonly channel: Channel
  /** The kind of key, or a relay, that asked. */
  readonly keyKind: CallerKind
  readonly phoneHash: Uint8Array
  readonly country: string | undefined
  readonly metadata: Readonly<Record<string, string>> | undefined
  readonly createdAt: number
  /** Until then a code can be verified, and a message is worth sending. */
  readonly expiresAt: number
  readonly updatedAt: number

  /** Keyed hashes of the number's prefix and of the end user's network, for the rules against abuse. */
  readonly prefixHash: Uint8Array | undefined
  readonly networkHash: Uint8Array | undefined

  /** Undefined where the row is older than the column. */
  readonly origin: Origin | undefined

  /** When the phone was erased. The row cannot be looked up any more; it still counts for limits and billing. */
  readonly erasedAt?: number | undefined
}

/** The request that made it. Its ids connect log lines and spans over the life of an issue. */
export interface Origin {
  /** `X-Request-Id` of the request. */
  readonly requestId: string
  /** W3C `traceparent` of that request, and behind a space its `tracestate`, if any; undefined where it is not traced. */
  readonly trace?: string | undefined
}

/** The headers that pass a trace on. */
export function traceHeaders(trace: Origin['trace']): { traceparent?: string; tracestate?: string } {
  const [traceparent, tracestate] = trace?.split(/ (.*)/) ?? []
  return { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) }
}

export type VerificationStatus = 'issued' | 'verified' | 'expired' | 'max_attempts' | 'replaced'
