/**
 * Failed sign-ins slow down who makes them, and nobody else: an account and an address together, and the address, more
 * generously, whatever accounts it tries. Pauses grow with each failure. Decisions: "Operators".
 * In this process's memory, bounded whatever is tried; times are milliseconds of a clock that only goes forward.
 */
import { Refusal } from '../../domain/shared/error'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/shared/value'
import type { SignInAttempt, SignInLimits, SignInSubject } from '../../ports/node'

/** So many failures are free; the next pause is twice the one before. */
export interface Pace {
  free: number
  firstMs: number
  longestMs: number
}

export const PACES = {
  /** Of an account and an address. */
  pair: { free: 5, firstMs: 30 * SECOND_MS, longestMs: HOUR_MS },
  /** Of an address: many people may share one. */
  address: { free: 30, firstMs: 30 * SECOND_MS, longestMs: 15 * MINUTE_MS },
  /** Of the second factor: who guesses it has the password, and may come from any number of addresses. */
  code: { free: 5, firstMs: 30 * SECOND_MS, longestMs: HOUR_MS },
} as const satisfies Record<string, Pace>

/** How long to wait after so many failures. */
export const pauseMs = ({ free, firstMs, longestMs }: Pace, failures: number): number =>
  failures < free ? 0 : Math.min(longestMs, firstMs * 2 ** (failures - free))

/** Who has not failed for so long has not failed. */
export const FORGIVEN_MS = DAY_MS
/** Subjects of each kind; who would push one out has to fail for half as many others. */
export const MOST_SUBJECTS = 20_000
const NEWS_EVERY_MS = HOUR_MS

interface Failed {
  times: number
  lastAt: number
}

/** Failures of each subject. */
class FailedSignIns {
  /** Those that failed last. When they are many, they become the older ones, and those before are forgotten. */
  #newer = new Map<string, Failed>()
  #older = new Map<string, Failed>()

  constructor(private readonly pace: Pace) {}

  get size(): number {
    return this.#newer.size + this.#older.size
  }

  times(subject: string, now: number): number {
    return this.#find(subject, now)?.times ?? 0
  }

  /** How long the subject is paused still; 0: it is not. */
  waitMs(subject: string, now: number): number {
    const failed = this.#find(subject, now)
    return failed ? Math.max(0, failed.lastAt + pauseMs(this.pace, failed.times) - now) : 0
  }

  /** Answers what takes it back. */
  count(subject: string, now: number): () => void {
    const failed = this.#find(subject, now) ?? { times: 0, lastAt: now }
    const { lastAt } = failed
    failed.times++
    failed.lastAt = now
    this.forget(subject)
    if (this.#newer.size >= MOST_SUBJECTS / 2) {
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
    return failed && now < failed.lastAt + FORGIVEN_MS ? failed : undefined
  }
}

export class SignInPauses implements SignInLimits {
  readonly #pairs = new FailedSignIns(PACES.pair)
  readonly #addresses = new FailedSignIns(PACES.address)
  readonly #codes = new FailedSignIns(PACES.code)
  /** When a pause was told of, by operator. */
  readonly #toldAt = new Map<string, number>()

  acquire({ account, liftedAt, anyLiftedAt, address, isKnown }: SignInSubject, now: number): SignInAttempt {
    // What was counted before is another's, and forgotten with time.
    const name = `${account} ${liftedAt}`
    const pair = `${name} ${address}`
    const from = `${address} ${anyLiftedAt}`
    const waitMs = (at: number) => Math.max(this.#pairs.waitMs(pair, at), this.#addresses.waitMs(from, at))
    const isPaused = waitMs(now) > 0
    if (isPaused && !isKnown) throw paused(waitMs(now))
    const undo = [this.#pairs.count(pair, now), this.#addresses.count(from, now)]
    const takeBack = () => {
      for (const one of undo.splice(0)) one()
    }
    // Strangers who have the password are slowed down together, and do not keep out who comes from a known address.
    const code = isKnown ? pair : name
    return {
      release: takeBack,
      succeed: () => {
        takeBack()
        this.#pairs.forget(pair)
        this.#codes.forget(code)
      },
      continueWithSecondFactor: (at) => {
        const codeWaitMs = this.#codes.waitMs(code, at)
        if (codeWaitMs > 0) {
          takeBack()
          throw paused(codeWaitMs)
        }
        this.#codes.count(code, at)
      },
      refusal: (at) => (isPaused ? paused(waitMs(at)) : undefined),
      failuresToLog: (operatorId, at) => {
        const toldAt = this.#toldAt.get(operatorId)
        const isOld = toldAt === undefined || at >= toldAt + NEWS_EVERY_MS
        if (!isOld || this.#pairs.waitMs(pair, at) === 0) return undefined
        this.#toldAt.set(operatorId, at)
        return this.#pairs.times(pair, at)
      },
    }
  }

  /** How many subjects are remembered. */
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
