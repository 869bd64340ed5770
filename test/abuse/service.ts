/** What the worlds of this simulation are played against: the product, or what of it decides. */
import type { CallerKind } from '../../src/domain/access/caller'

/** Somebody asks for a code. */
export interface Asked {
  readonly kind: CallerKind
  /** E.164. */
  readonly phone: string
  readonly country: string
  /** Of whoever sits at the form. */
  readonly address: string
  /** A vendor says that a human asks: what rules of traffic find is outweighed. */
  readonly isProven?: boolean
}

export interface Sent {
  readonly issueId: string
  readonly phone: string
  readonly kind: CallerKind
  /** Credits. */
  readonly price: number
}

export interface Refused {
  /** Which limit it was; of others the HTTP status. */
  readonly limit: string
  readonly retryAfterMs: number | undefined
  /** Which rule it was, where that is known: callers are not told. */
  readonly rule?: string | undefined
}

export interface Service {
  /** Lets time pass until then, with all that happens in it. Unix milliseconds. */
  until(at: number): Promise<void>
  issue(asked: Asked): Promise<Sent | Refused>
  /** The right code is typed. */
  verify(sent: Sent): Promise<void>
  /** The carrier says that the message has arrived. */
  arrived(sent: Sent): Promise<void>
  /** When each incident was stored, so that an operator could see it; Unix milliseconds. */
  incidents(): Promise<number[]>
  stop(): Promise<void>
}

export const isSent = (answer: Sent | Refused): answer is Sent => 'issueId' in answer
