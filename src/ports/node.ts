/**
 * State of a server outside the store: rate limits, capacity, carrier limiters, caches and traffic. One server keeps it
 * in memory (`runtime/single-node.ts`); several share some of it (`runtime/cluster.ts`).
 */

import type { ChallengeSettings } from '../abuse/rules/challenge'
import type { KnownKey } from '../domain/access/api-key'
import type { App } from '../domain/access/app'
import type { LimitRule, Permit } from '../domain/access/rate-limits'
import type { CarrierConfig, Health } from '../domain/delivery/carrier'
import type { SendOutcome } from '../domain/delivery/delivery'
import type { ReportTally } from '../domain/delivery/report-tally'
import type { Route } from '../domain/delivery/route'
import type { Template } from '../domain/message/template'
import type { ChangeTopic } from '../domain/operations/change'
import type { JobKind } from '../domain/operations/job'
import type { LogSampler } from '../domain/operations/log-sampler'
import type { NodeState } from '../domain/operations/node'
import type { Refusal } from '../domain/shared/error'
import type { Owner } from '../domain/shared/value'
import type { IdempotencyRecord } from '../domain/verification/idempotency'
import type { Tx } from './store'
import type { Traffic } from './traffic'

export interface Node {
  readonly limits: Limits
  readonly backlog: Backlog
  readonly replays: Replays
  readonly limiters: ConcurrencyLimiters
  readonly directory: Directory
  readonly keyUse: KeyUse
  readonly reports: ReportNotes
  readonly load: StoreLoad
  readonly signInLimits: SignInLimits
  readonly logSampler: LogSampler
  readonly wakeUps: WakeUps
  readonly traffic: Traffic
  readonly changes: Changes
}

/** Changes in the store by any server, for open pages of the console. */
export interface Changes {
  /**
   * The topics that have changed since the last answer, within a second; none of them is a heartbeat. It ends when the
   * server leaves. Throws `unavailable` where too many pages are open.
   */
  follow(signal: AbortSignal | undefined): AsyncGenerator<readonly ChangeTopic[], void>
}

/** Tells dispatchers at once that a job of a kind is due, so that they need not poll. */
export interface WakeUps {
  wake(kind: JobKind): void
  subscribe(look: (kind: JobKind) => void): void
}

export interface Limits {
  /** Counts one under every rule, or throws `limited` and counts none. Synchronous where no other server has to be asked. */
  acquire(rules: readonly LimitRule[]): Promise<Permit> | Permit
  /** The same for a new issue, whose per-phone limits are confirmed in its transaction. */
  acquireForIssue(rules: readonly LimitRule[]): Promise<IssuePermit>
}

export interface IssuePermit extends Permit {
  /**
   * Checks the limits that are counted by stored issues of a phone, in the transaction that stores the issue. Answers
   * the refusal, if there is one. Its queries share a round trip with others of the transaction.
   */
  confirm(tx: Tx): Promise<Refusal | undefined>
}

/** The limit of messages that wait to be sent. */
export interface Backlog {
  /** Reserves room for one more message, or throws `unavailable`. */
  acquire(): Promise<BacklogPermit>
}

/** Room reserved before the message is stored. Either `release` or `markStored` is called, once. */
export interface BacklogPermit extends Permit {
  /** The message is stored and counts as waiting from now on. */
  markStored(): void
}

/** Cache of idempotency records that this server stored lately. */
export interface Replays {
  /** Remembers a record that is stored with its issue. */
  note(claim: IdempotencyRecord): void
  /** Undefined where it is not cached; the store may still have it. */
  find(owner: Owner, keyHash: Uint8Array): IdempotencyRecord | undefined
}

/** Concurrency limiters of the carriers, by name. */
export interface ConcurrencyLimiters {
  /**
   * Makes a limiter for a carrier that is new or was changed. `servers`: how many servers may use it at a time, where
   * the carrier counts them. `neverOpens`: the circuit breaker stays closed, since the simulator's failures are
   * scripted.
   */
  open(
    name: string,
    concurrency: number,
    how?: { servers?: number | undefined; neverOpens?: boolean },
  ): ConcurrencyLimiter
  find(name: string): ConcurrencyLimiter | undefined
  close(name: string): void
}

export interface ConcurrencyLimiter {
  readonly concurrency: number
  /** Whether this server is one of those that may use the carrier now. */
  readonly isAllowedHere: boolean
  readonly inFlight: number
  /** Whether the circuit breaker lets a message through. */
  admits(now: number): boolean
  health(now: number): Health
  /** A permit; undefined where all are taken or the circuit breaker is open. */
  acquire(now: number): CarrierPermit | undefined
}

/** Room for one piece of work. It is released once, whatever happens. */
export interface Slot {
  release(): void
}

/** A permit to send one message to a carrier. */
export interface CarrierPermit extends Slot {
  /** Releases the permit and tells the circuit breaker the outcome. Returns the carrier's health when it has changed. */
  settle(outcome: SendOutcome, now: number): Health | undefined
}

/**
 * The slot of a message that is to be sent: among those that choose a carrier, or at a carrier. It holds one permit at
 * a time.
 */
export interface CarrierSlot extends Slot {
  /** The carrier it holds a permit of; undefined while it is choosing. */
  readonly carrier: string | undefined
  /** Exchanges its permit for one of the carrier, if there is room. */
  moveTo(carrier: string, limiter: ConcurrencyLimiter, now: number): void
  /** Releases the permit and tells the circuit breaker the outcome. Returns the carrier's health when it has changed. */
  settle(outcome: SendOutcome, now: number): Health | undefined
}

/** Cached settings. A change made in any process takes effect at once. */
export interface Directory {
  /** `hash`: hexadecimal digits. */
  keyByHash(hash: string): Promise<KnownKey | undefined>
  app(appId: string): Promise<App | undefined>
  /** The challenge of an app, which may lift a refusal. */
  challenge(appId: string): Promise<ChallengeSettings | undefined>
  /** The app's own templates before the built-in ones; an own template hides a built-in of the same id. */
  templates(appId: string): Promise<Template[]>
  /** The default template where no id is given. */
  template(appId: string, templateId?: string): Promise<Template | undefined>
  carriers(): Promise<CarrierConfig[]>
  routes(): Promise<Route[]>
  /** Whether an active public key lists the origin. */
  isPublicOrigin(origin: string, now: number): Promise<boolean>
}

/** When keys were last used, kept in memory and stored now and then. */
export interface KeyUse {
  note(keyId: string, at: number): void
  /** The last use of a key that is not stored yet. */
  latest(keyId: string): number | undefined
}

/** The results of carriers' reports, kept in memory and stored now and then. */
export interface ReportNotes {
  note(carrier: string, tally: ReportTally): void
}

/** The account and address of somebody who signs in. */
export interface SignInSubject {
  account: string
  /** When an operator last lifted the pauses of this account, and of any account, which also lifts those of addresses. */
  liftedAt: number | undefined
  anyLiftedAt: number | undefined
  address: string
  /** Whether the account has been signed in to from the address. */
  isKnown: boolean
}

/** An attempt to sign in. It counts as failed from its beginning, so that concurrent attempts count, too. */
export interface SignInAttempt {
  /** Clears the failures of account and address. */
  succeed(): void
  /** Does not count it: it was no attempt. */
  release(): void
  /** Continues with the second factor, which has pauses of its own. Throws `limited`; then the attempt does not count. */
  continueWithSecondFactor(now: number): void
  /** The refusal of a wrong password that was checked only since the address is known. */
  refusal(now: number): Refusal | undefined
  /**
   * How often account and address have failed, where that should be logged: they are paused, and nothing was logged
   * lately.
   */
  failuresToLog(operatorId: string, now: number): number | undefined
}

/** Limits of sign-in attempts, by account and address. */
export interface SignInLimits {
  /** Throws `limited` while account or address are paused, unless the address is known to the account. */
  acquire(who: SignInSubject, now: number): SignInAttempt
}

/** Load of the store. */
export interface StoreLoad {
  /** How long the oldest waiting transaction has waited. */
  waitingMs(): number
  /** How many transactions could not be stored. */
  writeFailures(): number
}

export interface Fleet {
  readonly nodeId: string
  /** Reports that this server is alive. Answers the servers heard of within a day, in the same order on every server. */
  heartbeat(how: Pick<NodeState, 'name' | 'version' | 'isLeaving' | 'isFollowed' | 'changes'>): Promise<NodeState[]>
  /** Removes a server that is gone, until it is heard of again. */
  forget(nodeId: string): Promise<void>
  /** Counts one under every rule exactly, across all servers, or throws `limited` and counts none. */
  acquire(rules: readonly LimitRule[]): Promise<Permit>
}
