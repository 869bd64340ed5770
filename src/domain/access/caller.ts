/** Whoever asks for a message: a key, or a relay. */
import type { Mode } from '../shared/value'

/** `sk`: secret key, `pk`: public key. */
export type KeyKind = 'sk' | 'pk'
/** Whoever asks for a message: a key, or a relay, which has a secret of its own. Limits and rules count each kind by itself. */
export const CALLER_KINDS = ['sk', 'pk', 'relay'] as const
export type CallerKind = (typeof CALLER_KINDS)[number]
/** Whether it is seen if somebody types the codes: another platform does not say. */
export const SEES_TYPING: Readonly<Record<CallerKind, boolean>> = { sk: true, pk: true, relay: false }

/** Whoever asks for a message. */
export interface Caller {
  /** The id of the key or the relay. */
  keyId: string
  appId: string
  organizationId: string
  kind: CallerKind
  mode: Mode
  limits: KeyLimits
  /** Region of the app: ISO 3166 country whose national phone formats are read; undefined: the server's default. */
  region: string | undefined
}

/** Limits of one key, requests per minute. Each may only be tighter than the platform's limit. */
export interface KeyLimits {
  issuesPerMin?: number
  verifiesPerMin?: number
  readsPerMin?: number
  issuesPerMinPerIp?: number
}
