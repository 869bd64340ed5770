/**
 * Telemetry: each event of the service is reported once and becomes a line of the log, a metric and, where tracing is
 * on, a span. Never a phone number, code, key or secret. Vitals are read on demand.
 */

import type { Rule } from '../abuse/rules/rule'
import type { CallerKind } from '../domain/access/caller'
import type { SendOutcome } from '../domain/delivery/delivery'
import type { ReportOutcome } from '../domain/delivery/report-tally'
import type { Message } from '../domain/message/message'
import type { QueueState } from '../domain/operations/job'
import type { NodeCondition } from '../domain/operations/node'
import type { NoticeKind } from '../domain/operations/notice'
import type { Origin } from '../domain/shared/addressed'
import type { Refusal } from '../domain/shared/error'
import type { Channel, Leg, Mode } from '../domain/shared/value'
import type { ReasonCode, Verification } from '../domain/verification/verification'

export interface Telemetry {
  requestAnswered(answered: RequestAnswered): void
  issueDecided(decided: IssueDecided): void
  codeChecked(checked: CodeChecked): void
  attemptAnswered(answered: AttemptAnswered): void
  /** The code was verified, expired, replaced or used up its attempts. */
  codeEnded(verification: Pick<Verification, 'mode' | 'channel' | 'verificationStatus'>): void
  /** Once for each message, when its credit is settled. Later reports of the carrier are not counted. */
  deliveryEnded(ended: DeliveryEnded): void
  webhookAnswered(answered: WebhookAnswered): void
  reportReceived(received: ReportReceived): void
  /**
   * Begins a span, which does nothing where tracing is off. `parent`: as in `Span.trace`; for a request the headers that its
   * caller sent, unchecked.
   */
  begin(name: SpanName, parent?: string | null): Span
}

export type SpanName = 'request' | 'transaction' | 'attempt' | 'report' | 'webhook'

/** A span of a trace. It ends once. */
export interface Span {
  /** W3C `traceparent` for child spans, and behind a space the `tracestate`, if any; undefined where tracing is off. */
  readonly trace: string | undefined
  end(said?: SpanEnd): void
}

export interface SpanEnd {
  /** Replaces the name it began with. */
  name?: string
  attributes?: Readonly<Record<string, string | number | boolean | undefined>>
  hasFailed?: boolean
}

export interface RequestAnswered {
  origin: Origin
  /** The operation. Not the path, which may contain anything. */
  route: string
  status: number
  ms: number
  /** The refusal it was answered with. */
  refusal: Refusal | undefined
  appId: string | undefined
  keyId: string | undefined
  mode: Mode | undefined
}

export interface IssueDecided {
  origin: Origin | undefined
  appId: string
  mode: Mode
  keyKind: CallerKind
  channel: Channel
  country: string | undefined
  /** Undefined where no issue was made. */
  issueId: string | undefined
  /** `failed`: an unexpected error. */
  outcome: 'issued' | 'replayed' | 'refused' | 'failed'
  /** The refusal it was answered with. */
  refusal: Refusal | undefined
  /** The rule that was against it, whether or not it was refused for it. */
  rule: Rule | undefined
  ms: number
}

export interface CodeChecked {
  mode: Mode
  result: 'verified' | ReasonCode
}

export interface AttemptAnswered {
  origin: Origin | undefined
  issueId: string
  mode: Mode
  carrier: string
  leg: Leg
  outcome: SendOutcome['kind']
  /** The carrier's code, without digits that may be of the message. */
  code: string | undefined
  ms: number
}

export interface DeliveryEnded {
  /** Settled: delivered, failed, or sent where the carrier reports no more. */
  message: Message
  /** The last carrier; undefined where none had the message. */
  carrier: string | undefined
  /** Unix milliseconds. */
  endedAt: number
}

export interface ReportReceived {
  /** By name, and of a carrier that is set up. */
  carrier: string
  outcome: ReportOutcome
  /** How many reports of the carrier with this outcome were not logged since the last one that was. */
  unsaid: number | undefined
}

export interface WebhookAnswered {
  origin: Origin | undefined
  issueId: string | undefined
  eventId: string
  endpointId: string
  type: string
  /** `again`: it is retried later; the others are final. */
  outcome: 'delivered' | 'failed' | 'again'
  /** HTTP status of the receiver. */
  status: number | undefined
  attempts: number
  ms: number
}

/** Settings of trace export. */
export interface TraceSettings {
  /** URL of an OpenTelemetry collector; spans are posted to its `/v1/traces`. */
  url: string
  headers: Readonly<Record<string, string>>
  /** Sampled share of the traces that begin here, 0 to 1. A trace that a caller began is sampled as the caller decided. */
  share: number
}

/** Telemetry of the store. */
export interface StoreTelemetry {
  /** A commit is on disk: how many transactions it had, how long the first one waited, and how long the commit took. */
  committed(transactions: number, waitedMs: number, commitMs: number): void
  /** A transaction, or a batch of them, could not be stored (`failed`), or is retried (`again`) after a conflict. */
  uncommitted(how: 'failed' | 'again'): void
  /** A checkpoint copied the write-ahead log into the database. */
  checkpointed(ms: number): void
}

/** Metrics as text, for `/metrics`. */
export interface MetricsSource {
  /** Undefined: every client of the listener may read. */
  token: string | undefined
  text(): Promise<string>
  contentType: string
}

export interface Vitals {
  queues: readonly QueueState[]
  /** Messages that wait for room at a carrier. */
  carrierQueues: ReadonlyArray<QueueState & { carrier: string }>
  carriers: ReadonlyArray<{ name: string; isHealthy: boolean; inFlight: number; concurrency: number }>
  /** Empty where one server has the database for itself. */
  nodes: ReadonlyArray<{ state: NodeCondition }>
  pool: PoolUsage | undefined
  databaseBytes: number
  /** Size of the write-ahead log; undefined where the server has none of its own. */
  logBytes: number | undefined
  /** Free space of the disk of the data folder; undefined where the database is elsewhere. */
  freeBytes: number | undefined
  /** Kinds of the notices that are open. */
  notices: readonly NoticeKind[]
  /** How long the oldest waiting transaction has waited. */
  waitingMs: number
  /** Balance and reserved credits of each app; empty where that metric is off. */
  wallets: ReadonlyArray<{ appId: string; balance: number; reserved: number }>
}

/** How many of the store's connections for changes are in use. */
export interface PoolUsage {
  readonly size: number
  readonly busy: number
  /** Transactions that wait for a connection. */
  readonly waiting: number
}
