/** Carriers: services that deliver messages, and the simulator of test mode. */
import type { AwaitedReport } from '../domain/delivery/attempt'
import type { DeliveryReport, SendOutcome } from '../domain/delivery/delivery'
import type { OutboundMessage } from '../domain/message/rendered-message'
import type { Leg } from '../domain/shared/value'
import type { ConcurrencyLimiter } from './node'

/** A carrier, or the simulator. */
export interface Carrier {
  readonly name: string
  /** Whether the carrier reports deliveries, by callback or by `query`. */
  readonly reports: boolean
  /** Never throws for a failure of the carrier or the network; see `SendOutcome`. */
  send(message: OutboundMessage): Promise<SendOutcome>
  /** Asks what became of a message; answers `askAgainMs` while it is not decided. */
  query?(message: AwaitedReport): Promise<DeliveryReport | { askAgainMs: number }>
  /** Takes back a message that may still be delivered. Best effort; never throws for a failure of the carrier or the network. */
  revoke?(carrierMessageId: string): Promise<void>
  /** Reads a report callback; undefined when it is not authentic. Throws `invalid` when it cannot be read. */
  readReports?(callback: ReportCallback): ReportedMessage[] | undefined | Promise<ReportedMessage[] | undefined>
  /** The text that the carrier wants as the answer to its reports. */
  reportAnswer?: string | undefined
  /** The document that the carrier fetches while it calls; undefined where the callback is not authentic or is not about a code of ours. */
  answerCall?(callback: ReportCallback): Promise<CallDocument | undefined>
  /** The answer to a GET by which the carrier tries the report URL; undefined where it does not show our secret. */
  answerChallenge?(query: URLSearchParams): string | undefined
  /** Closes open connections; a later send is refused. */
  close?(): Promise<void>
}

/** A carrier, and the limiter of messages in flight to it. */
export interface CarrierEndpoint {
  readonly carrier: Carrier
  readonly limiter: ConcurrencyLimiter
}

/** Carriers for a message, in order of preference; empty: the channel cannot be served. */
export type Router = (whom: { channel: Leg; appId: string; country: string | undefined }) => readonly CarrierEndpoint[]

export interface ReportCallback {
  /** The URL as the carrier called it, query included: some carriers sign it. */
  url: string
  headers: Headers
  query: URLSearchParams
  /** The body, at most 64 KiB; empty where the carrier reports in the query. */
  text: string
}

/** The words of a call, or that it ends. */
export interface CallDocument {
  document: string
  contentType: string
}

export interface ReportedMessage extends DeliveryReport {
  /** The carrier's id of the message, or the `messageId` we sent along. */
  messageId: string
  /** The carrier's id, where `messageId` is ours. */
  carrierMessageId?: string
  /** The callback is not signed, so the carrier is asked before it is believed. */
  mustAsk?: boolean
}

/** A setting of a type of carriers, as forms and lists show it. */
export interface TypeSetting {
  /** Within a group `group.field`. */
  name: string
  title: string
  /** The title of its group. */
  group?: string | undefined
  help?: string | undefined
  secret?: boolean | undefined
  optional?: boolean | undefined
  default?: string | undefined
  /** An address that requests go to. */
  url?: boolean | undefined
  /** A text of several lines, such as a key as PEM. */
  multiline?: boolean | undefined
  /** The value that is made of the text. A flag is `true`, and headers are lines such as `X-Api-Key: value`. */
  kind?: 'number' | 'flag' | 'headers' | undefined
}

/** A type of carriers without its secrets and code: what an operator chooses and fills in. */
export interface ListedType {
  type: string
  title: string
  channels: readonly Leg[]
  documentation: string
  settings: readonly TypeSetting[]
}

/** Languages to create of the authentication template of WhatsApp; none: only its state is asked for. */
export interface TemplateRequest {
  /** Meta's language codes, such as `en_US`. */
  languages: readonly string[]
  /** How long codes live, as the message says. */
  minutes: number
  /** Apps that Android fills the code into: package names and signature hashes. */
  androidApps: ReadonlyArray<{ packageName: string; signatureHash: string }>
}

/** One language of the template. `status` is Meta's, such as PENDING, APPROVED, REJECTED or PAUSED. */
export interface TemplateState {
  language: string
  status: string
  reason?: string
}
