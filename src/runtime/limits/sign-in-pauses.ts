/**
 * Failed sign-ins slow down only their source: the pair of account and address, and, with a larger allowance, the address alone.
 * Pauses grow with each failure. Decisions: "Operators". Memory is bounded. Times are milliseconds of a clock that never goes back.
 */
import { Refusal } from '../../domain/shared/error'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/shared/value'
import type { SignInAttempt, SignInLimits, SignInSubject } from '../../ports/node'

/** `free` failures have no pause. Each further pause is twice the one before. */
export interface PausePolicy {
  free: number
  firstMs: number
  longestMs: number
}

export const PAUSE_POLICIES = {
  /** For a pair of account and address. */
  pair: { free: 5, firstMs: 30 * SECOND_MS, longestMs: HOUR_MS },
  /** For an address, which many people may share. */
  address: { free: 30, firstMs: 30 * SECOND_MS, longestMs: 15 * MINUTE_MS },
  /** For the second factor: an attacker who guesses it has the password, and may use many addresses. */
  code: { free: 5, firstMs: 30 * SECOND_MS, longestMs: HOUR_MS },
} as const satisfies Record<string, PausePolicy>

/** The pause after a number of failures. */
export const pauseMs = ({ free, firstMs, longestMs }: PausePolicy, failures: number): number =>
  failures < free ? 0 : Math.min(longestMs, firstMs * 2 ** (failures - free))

/** Failures are forgotten after a day without another one. */
export const FORGET_FAILURES_MS = DAY_MS
/** Per kind. To push a subject out, an attacker must fail for half as many others. */
export const MAX_SUBJECTS = 20_000
const LOG_EVERY_MS = HOUR_MS

interface Failed {
  times: number
  lastAt: number
}

/** Failures of each subject. */
class FailedSignIns {
  /** Two generations: when the newer one is full, it becomes the older one, which is dropped. */
  #newer = new Map<string, Failed>()
  #older = new Map<string, Failed>()

  constructor(private readonly policy: PausePolicy) {}

  get size(): number {
    return this.#newer.size + this.#older.size
  }

  times(subject: string, now: number): number {
    return this.#find(subject, now)?.times ?? 0
  }

  /** Milliseconds until the pause ends; 0 without a pause. */
  waitMs(subject: string, now: number): number {
    const failed = this.#find(subject, now)
    return failed ? Math.max(0, failed.lastAt + pauseMs(this.policy, failed.times) - now) : 0
  }

  /** Returns a function that undoes the count. */
  count(subject: string, now: number): () => void {
    const failed = this.#find(subject, now) ?? { times: 0, lastAt: now }
    const { lastAt } = failed
    failed.times++
    failed.lastAt = now
    this.forget(subject)
    if (this.#newer.size >= MAX_SUBJECTS / 2) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(subject, failed)
    return () => {
      if (failed.lastAt === now) failed.lastAt = lastAt
      if (--failed.times === 0 && this.#find(subject, now) === failed) this.forget(subject)
    }
  }

  forget(subject: string): void {
    this.#newer.delete(subject)
    this.#older.delete(subject)
  }

  #find(subject: string, now: number): Failed | undefined {
    const failed = this.#newer.get(subject) ?? this.#older.get(subject)
    return failed && now < failed.lastAt + FORGET_FAILURES_MS ? failed : undefined
  }
}

export class SignInPauses implements SignInLimits {
  readonly #pairs = new FailedSignIns(PAUSE_POLICIES.pair)
  readonly #addresses = new FailedSignIns(PAUSE_POLICIES.address)
  readonly #codes = new FailedSignIns(PAUSE_POLICIES.code)
  /** When a pause was last logged, by operator. */
  readonly #loggedAt = new Map<string, number>()

  acquire({ account, liftedAt, anyLiftedAt, address, isKnown }: SignInSubject, now: number): SignInAttempt {
    // Lifting the pauses changes the name, so that earlier failures no longer count.
    const name = `${account} ${liftedAt}`
    const pair = `${name} ${address}`
    const from = `${address} ${anyLiftedAt}`
    const waitMs = (at: number) => Math.max(this.#pairs.waitMs(pair, at), this.#addresses.waitMs(from, at))
    const isPaused = waitMs(now) > 0
    if (isPaused && !isKnown) throw paused(waitMs(now))
    const undo = [this.#pairs.count(pair, now), this.#addresses.count(from, now)]
    const release = () => {
      for (const one of undo.splice(0)) one()
    }
    // Unknown addresses share one count of wrong codes, which does not affect sign-ins from a known address.
    const code = isKnown ? pair : name
    return {
      release: release,
      succeed: () => {
        release()
        this.#pairs.forget(pair)
        this.#codes.forget(code)
      },
      continueWithSecondFactor: (at) => {
        const codeWaitMs = this.#codes.waitMs(code, at)
        if (codeWaitMs > 0) {
          release()
          throw paused(codeWaitMs)
        }
        this.#codes.count(code, at)
      },
      refusal: (at) => (isPaused ? paused(waitMs(at)) : undefined),
      failuresToLog: (operatorId, at) => {
        const loggedAt = this.#loggedAt.get(operatorId)
        const isOld = loggedAt === undefined || at >= loggedAt + LOG_EVERY_MS
        if (!isOld || this.#pairs.waitMs(pair, at) === 0) return undefined
        this.#loggedAt.set(operatorId, at)
        return this.#pairs.times(pair, at)
      },
    }
  }

  /** The number of remembered subjects. */
  get size(): number {
    return this.#pairs.size + this.#addresses.size + this.#codes.size
  }
}

const paused = (retryAfterMs: number) =>
  new Refusal('limited', `Too many failed sign-ins: wait ${Math.ceil(retryAfterMs / SECOND_MS)} s`, {
    limit: 'perIp',
    policy: 'platform',
    retryAfterMs,
  })
