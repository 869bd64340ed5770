/**
 * What a server remembers beside what is stored, or shares with its like: counts, places, what rarely changes. One server:
 * `node/alone.ts`.
 */

import type { ChallengeSettings } from '../abuse/rules/challenge'
import type { KnownKey } from '../domain/access/api-key'
import type { App } from '../domain/access/app'
import type { LimitRule, Permit } from '../domain/access/rate-limits'
import type { IdempotencyRecord } from '../domain/codes/idempotency'
import type { CarrierConfig, Health } from '../domain/delivery/carrier'
import type { SendOutcome } from '../domain/delivery/delivery'
import type { Route } from '../domain/delivery/route'
import type { Template } from '../domain/message/template'
import type { JobKind } from '../domain/operations/job'
import type { LogSampler } from '../domain/operations/log-sampler'
import type { NodeState } from '../domain/operations/node'
import type { Refusal } from '../domain/shared/error'
import type { Owner } from '../domain/shared/value'
import type { Tx } from './store'
import type { Traffic } from './traffic'

export interface Node {
  readonly limits: Limits
  readonly backlog: Backlog
  readonly replays: Replays
  readonly limiters: ConcurrencyLimiters
  readonly directory: Directory
  readonly keyUse: KeyUse
  readonly load: StoreLoad
  readonly signInLimits: SignInLimits
  /** Of the lines of its log. */
  readonly logSampler: LogSampler
  readonly wakeUps: WakeUps
  readonly traffic: Traffic
}

/** Tells dispatchers that there is work of a kind, so that they need not look for it. */
export interface WakeUps {
  wake(kind: JobKind): void
  /** Calls whenever there is work. */
  subscribe(look: (kind: JobKind) => void): void
}

export interface Limits {
  /** Counts one under every rule, or throws `limited` and counts none. At once where nobody else has to be asked. */
  acquire(rules: readonly LimitRule[]): Promise<Permit> | Permit
  /** The same for a new issue, which is still to be confirmed. */
  acquireForIssue(rules: readonly LimitRule[]): Promise<IssuePermit>
}

export interface IssuePermit extends Permit {
  /**
   * Counts in the unit that stores the issue what is counted by the issues of a phone: answers what it is
   * refused with, if it is. Its questions go out with those that are asked beside it.
   */
  confirm(tx: Tx): Promise<Refusal | undefined>
}

/** How many messages may wait to be sent. */
export interface Backlog {
  /** Makes room for one more message, or throws `unavailable`. */
  acquire(): Promise<BacklogPermit>
}

/** Room that is taken before the message is stored; one of the two is called, once. */
export interface BacklogPermit extends Permit {
  /** It is stored, and counts like every other that waits. */
  markStored(): void
}

/** Idempotency keys that have made an issue here lately. */
export interface Replays {
  /** It is stored, and so is its issue. */
  note(claim: IdempotencyRecord): void
  /** Where it is not known here, the store may know it. */
  find(owner: Owner, keyHash: Uint8Array): IdempotencyRecord | undefined
}

/** The ways in to the carriers, by name. */
export interface ConcurrencyLimiters {
  /**
   * A new one, where the carrier is new or set up anew. `servers`: as many may be at it at a time, where it counts them.
   * `neverOpens`: its failures are played.
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
  /** Whether this server is one of those that may be at it now. */
  readonly isAllowedHere: boolean
  readonly inFlight: number
  /** Whether a message may be sent, room permitting. */
  admits(now: number): boolean
  health(now: number): Health
  /** A place, or undefined where there is no room or the carrier rests. */
  acquire(now: number): CarrierPermit | undefined
}

/** Room for one piece of work; given back once, whatever happens. */
export interface Slot {
  release(): void
}

/** A place at a carrier. */
export interface CarrierPermit extends Slot {
  /** Frees the place, and learns from the answer; tells the carrier's health when it has changed. */
  settle(outcome: SendOutcome, now: number): Health | undefined
}

/** Where a message stands that is to be sent: among those that look for their carrier, or at one. It has one place at a time. */
export interface CarrierSlot extends Slot {
  /** Whom it has a place at; undefined while it looks. */
  readonly carrier: string | undefined
  /** Gives up its place for one at the carrier, if there is room. */
  moveTo(carrier: string, limiter: ConcurrencyLimiter, now: number): void
  /** Frees the place at the carrier, which learns from its answer; tells the carrier's health when it has changed. */
  settle(outcome: SendOutcome, now: number): Health | undefined
}

/** What rarely changes: a change made in whatever process holds at once. */
export interface Directory {
  /** `hash`: in hexadecimal. */
  keyByHash(hash: string): Promise<KnownKey | undefined>
  app(appId: string): Promise<App | undefined>
  /** What an app asks for where a rule would refuse. */
  challenge(appId: string): Promise<ChallengeSettings | undefined>
  /** The app's own templates before the built-in ones; an own template hides a built-in of the same id. */
  templates(appId: string): Promise<Template[]>
  /** The usual one where no id is given. */
  template(appId: string, templateId?: string): Promise<Template | undefined>
  carriers(): Promise<CarrierConfig[]>
  routes(): Promise<Route[]>
  /** Whether an active public key lists the origin. */
  isPublicOrigin(origin: string, now: number): Promise<boolean>
}

/** When keys were last used. */
export interface KeyUse {
  note(keyId: string, at: number): void
  /** What is not stored yet of one key. */
  latest(keyId: string): number | undefined
}

/** Who tries to sign in. */
export interface SignInSubject {
  account: string
  /** When the pauses of the account were lifted last, and those of any: that lifts the pauses of addresses. */
  liftedAt: number | undefined
  anyLiftedAt: number | undefined
  address: string
  /** Whether the account has been signed in to from the address. */
  isKnown: boolean
}

/** An attempt that is looked at. It counts as failed from its beginning, so that many at a time are as many. */
export interface SignInAttempt {
  /** It forgives the failures of the pair. */
  succeed(): void
  /** It was none. */
  release(): void
  /** Goes on to the second factor, which has pauses of its own. Throws `limited`, and then it was no attempt. */
  continueWithSecondFactor(now: number): void
  /** What a wrong one is told where only the known address has let it be looked at. */
  refusal(now: number): Refusal | undefined
  /** How often the pair has failed, where it is paused now and nothing was told of the operator lately. */
  failuresToLog(operatorId: string, now: number): number | undefined
}

/** Pauses that failed sign-ins have earned. */
export interface SignInLimits {
  /** Throws `limited` while the pair or the address is paused, but for a known one. */
  acquire(who: SignInSubject, now: number): SignInAttempt
}

/** How the store keeps up. */
export interface StoreLoad {
  /** How long the oldest unit that has not begun has waited. */
  waitingMs(): number
  /** How often what a unit did could not be stored. */
  writeFailures(): number
}

export interface Fleet {
  readonly nodeId: string
  /** Says that this server is here; answers everybody who was heard of within a day, in one order everywhere. */
  heartbeat(how: Pick<NodeState, 'name' | 'version' | 'isLeaving'>): Promise<NodeState[]>
  /** It is gone for good; until it is heard of again. */
  forget(nodeId: string): Promise<void>
  /** Counts one under every rule for all servers at once, exactly, or throws `limited` and counts none. */
  acquire(rules: readonly LimitRule[]): Promise<Permit>
}
