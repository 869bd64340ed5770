/** Who delivers messages, or plays it. */
import type { AwaitedReport } from '../domain/delivery/attempt'
import type { DeliveryReport, SendOutcome } from '../domain/delivery/delivery'
import type { OutboundMessage } from '../domain/message/rendered-message'
import type { Leg } from '../domain/shared/value'
import type { ConcurrencyLimiter } from './node'

/** A carrier, or what plays one. */
export interface Carrier {
  readonly name: string
  /** Whether it ever tells what became of a message, by callback or by `query`. */
  readonly reports: boolean
  /** Never throws for what the outside did; see `SendOutcome` for the four outcomes. */
  send(message: OutboundMessage): Promise<SendOutcome>
  /** Asks for a message's fate; `askAgainMs` when it is not decided yet. */
  query?(message: AwaitedReport): Promise<DeliveryReport | { askAgainMs: number }>
  /** Reads a report callback; undefined when it is not authentic. Throws `invalid` when it cannot be read. */
  readReports?(callback: ReportCallback): ReportedMessage[] | undefined | Promise<ReportedMessage[] | undefined>
  /** The answer to a GET by which the carrier tries the report URL; undefined where it does not show our secret. */
  answerChallenge?(query: URLSearchParams): string | undefined
  /** Ends what it holds open; a send after that is refused. */
  close?(): Promise<void>
}

/** A carrier and the way in to it. */
export interface CarrierEndpoint {
  readonly carrier: Carrier
  readonly limiter: ConcurrencyLimiter
}

/** Carriers for a message, in order of preference; empty: the channel cannot be served. */
export type Router = (whom: { channel: Leg; appId: string; country: string | undefined }) => readonly CarrierEndpoint[]

export interface ReportCallback {
  /** As the carrier called it, query included; some sign it. */
  url: string
  headers: Headers
  query: URLSearchParams
  /** The body, at most 64 KiB; empty where the carrier calls a URL that says everything. */
  text: string
}

export interface ReportedMessage extends DeliveryReport {
  /** The carrier's id of the message, or the `messageId` we sent along. */
  messageId: string
  /** The carrier's id, where `messageId` is ours. */
  carrierMessageId?: string
  /** The callback proves nothing (an unsigned vendor): ask the carrier before believing it. */
  mustAsk?: boolean
}
