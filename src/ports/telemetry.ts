/**
 * What is told of the service's work to whoever operates it: each thing that happens is told once, and becomes a line of the
 * log, a count among the metrics and, where traces are on, a span. Never a number, code, key or secret.
 */

import type { Rule } from '../abuse/rules/rule'
import type { KeyKind } from '../domain/access/api-key'
import type { Issue, Origin, ReasonCode } from '../domain/codes/issue'
import type { SendOutcome } from '../domain/delivery/delivery'
import type { QueueState } from '../domain/operations/job'
import type { NodeCondition } from '../domain/operations/node'
import type { Refusal } from '../domain/shared/error'
import type { Channel, Leg, Mode } from '../domain/shared/value'

export interface Telemetry {
  requestAnswered(answered: RequestAnswered): void
  issueDecided(decided: IssueDecided): void
  codeChecked(checked: CodeChecked): void
  attemptAnswered(answered: AttemptAnswered): void
  /** It is verified, expired, replaced or without attempts now. */
  codeEnded(issue: Pick<Issue, 'mode' | 'channel' | 'verificationStatus'>): void
  /** Once for each message, when its credit is settled: what is reported later is no news to who watches. */
  deliveryEnded(ended: DeliveryEnded): void
  webhookAnswered(answered: WebhookAnswered): void
  /** Begins a span; of nothing where traces are off. `parent`: a W3C `traceparent`, for a request whatever its caller says. */
  begin(name: SpanName, parent?: string | null): Span
}

export type SpanName = 'request' | 'transaction' | 'attempt' | 'report' | 'webhook'

/** Something that takes time. It ends once. */
export interface Span {
  /** By which others are part of it; undefined where traces are off. */
  readonly trace: string | undefined
  end(said?: SpanEnd): void
}

export interface SpanEnd {
  /** Instead of the one it began with. */
  name?: string
  attributes?: Readonly<Record<string, string | number | boolean | undefined>>
  hasFailed?: boolean
}

/** Where nothing is traced. */
export const NO_SPAN: Span = { trace: undefined, end() {} }

export interface RequestAnswered {
  origin: Origin
  /** Which operation it was for; no path, since a path may hold anything. */
  route: string
  status: number
  ms: number
  /** What it was refused with. */
  refusal: Refusal | undefined
  appId: string | undefined
  keyId: string | undefined
  mode: Mode | undefined
}

export interface IssueDecided {
  origin: Origin | undefined
  appId: string
  mode: Mode
  keyKind: KeyKind
  channel: Channel
  country: string | undefined
  /** Undefined where there is none. */
  issueId: string | undefined
  /** `failed`: by an error that nobody foresaw. */
  outcome: 'issued' | 'replayed' | 'refused' | 'failed'
  /** What it was refused with. */
  refusal: Refusal | undefined
  /** What was found against it, whether or not it was refused for it. */
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
  /** As it may be shown. */
  code: string | undefined
  ms: number
}

export interface DeliveryEnded {
  /** As it is now: delivered, failed, or sent, where its carrier says no more. */
  issue: Issue
  /** The one that has had it last; undefined where it went to none. */
  carrier: string | undefined
  /** Unix milliseconds. */
  endedAt: number
}

export interface WebhookAnswered {
  origin: Origin | undefined
  issueId: string | undefined
  eventId: string
  endpointId: string
  type: string
  /** `again`: it is tried once more later; the others are final. */
  outcome: 'delivered' | 'failed' | 'again'
  /** Of HTTP. */
  status: number | undefined
  attempts: number
  ms: number
}

/** Where traces go. */
export interface TraceSettings {
  /** Of a collector; spans go to `/v1/traces` there. */
  url: string
  headers: Readonly<Record<string, string>>
  /** Of the traces that begin here, from 0 to 1; one that a caller has begun is followed as the caller does. */
  share: number
}

/** How the store works, told by itself. */
export interface StoreTelemetry {
  /** A group is on disk, or a transaction: how many units it had, how long the first has waited, how long the commit took. */
  committed(units: number, waitedMs: number, commitMs: number): void
  /** What a unit, or a group of them, did could not be stored, or runs again: it lost against another, or for one that failed. */
  uncommitted(how: 'failed' | 'again'): void
  /** The write-ahead log was copied into the database. */
  checkpointed(ms: number): void
}

export interface Vitals {
  queues: readonly QueueState[]
  /** What waits for room at a carrier. */
  carrierQueues: ReadonlyArray<QueueState & { carrier: string }>
  carriers: ReadonlyArray<{ name: string; isHealthy: boolean; inFlight: number; concurrency: number }>
  /** None where a server has its database for itself. */
  nodes: ReadonlyArray<{ state: NodeCondition }>
  pool: PoolUsage | undefined
  databaseBytes: number
  /** Of the write-ahead log; undefined where a server has none of its own. */
  logBytes: number | undefined
  /** How long the oldest unit that has not begun has waited. */
  waitingMs: number
  /** What apps have, and have set aside of it for messages on their way, credits; none where that is not asked for. */
  wallets: ReadonlyArray<{ appId: string; balance: number; reserved: number }>
}

/** How many of the store's connections for changes are in use. */
export interface PoolUsage {
  readonly size: number
  readonly busy: number
  /** Transactions that wait for a connection. */
  readonly waiting: number
}
