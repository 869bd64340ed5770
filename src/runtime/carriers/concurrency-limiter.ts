/**
 * Adaptive concurrency limit of a carrier, with its circuit breaker. The dispatcher acquires a permit before it calls the carrier.
 * Permits are in this process's memory; a message without one waits in the database.
 */
import type { Health } from '../../domain/delivery/carrier'
import type { SendOutcome } from '../../domain/delivery/delivery'
import type { CarrierPermit, ConcurrencyLimiters, ConcurrencyLimiter as Way } from '../../ports/node'
import { CircuitBreaker } from './circuit-breaker'

interface LimiterOptions {
  /** For the simulator, whose failures are scripted. */
  neverOpens?: boolean | undefined
  former?: CarrierLimiter | undefined
  /** How many of the carrier's permits are this server's now. */
  share?: () => number
}

export class CarrierLimiter implements Way {
  #inFlight = 0
  /** Falls below `concurrency` while the carrier refuses for being busy, and grows by one a round trip. */
  #limit: number
  readonly #breaker: CircuitBreaker | undefined
  readonly #share: () => number

  /** The limiter of the same carrier before it was reconfigured: its messages in flight count here, too. */
  #former: CarrierLimiter | undefined

  constructor(
    readonly concurrency: number,
    { neverOpens = false, former, share = () => concurrency }: LimiterOptions = {},
  ) {
    this.#limit = concurrency
    this.#former = former
    this.#share = share
    this.#breaker = neverOpens ? undefined : new CircuitBreaker()
  }

  get inFlight(): number {
    if (this.#former?.inFlight === 0) this.#former = undefined
    return this.#inFlight + (this.#former?.inFlight ?? 0)
  }

  get isAllowedHere(): boolean {
    return this.#share() > 0
  }

  admits(now: number): boolean {
    return this.#breaker?.admits(now) ?? true
  }

  health(now: number): Health {
    return this.#breaker?.health(now) ?? { isHealthy: true, since: now, code: undefined, retryAt: undefined }
  }

  acquire(now: number): CarrierPermit | undefined {
    if (this.inFlight >= Math.min(Math.floor(this.#limit), this.#share())) return undefined
    if (!this.admits(now)) return undefined
    const isProbe = this.#breaker?.wouldProbe(now) ?? false
    if (isProbe) this.#breaker?.beginProbe()
    this.#inFlight++
    let isAcquired = true
    const release = () => {
      if (!isAcquired) return false
      isAcquired = false
      this.#inFlight--
      return true
    }
    return {
      release: () => {
        if (release() && isProbe) this.#breaker?.abandonProbe()
      },
      settle: (outcome, at) => {
        release()
        this.#adjustLimit(outcome)
        // A carrier that is busy with other messages is not broken.
        if (isBusy(outcome) && this.#inFlight > 0 && !isProbe) return undefined
        return this.#breaker?.answered(outcome, { isProbe, now: at })
      },
    }
  }

  /** A busy refusal with n other messages in flight shows that the carrier takes n at a time. */
  #adjustLimit(outcome: SendOutcome): void {
    if (outcome.kind === 'accepted') this.#limit = Math.min(this.concurrency, this.#limit + 1 / this.#limit)
    if (isBusy(outcome)) this.#limit = Math.max(1, Math.min(this.#limit, this.#inFlight))
  }
}

const isBusy = (outcome: SendOutcome) => outcome.kind === 'refused' && outcome.retry === 'later'

/** The concurrency limiters of all carriers, in this process's memory. */
export class LocalLimiters implements ConcurrencyLimiters {
  readonly #byName = new Map<string, CarrierLimiter>()

  /** `share`: how many of a carrier's slots are this server's now, where at most `servers` may use it. */
  constructor(private readonly share: (slots: number, servers?: number) => number = (slots) => slots) {}

  open(
    name: string,
    concurrency: number,
    { neverOpens, servers }: Parameters<ConcurrencyLimiters['open']>[2] = {},
  ): Way {
    const share = () => this.share(concurrency, servers)
    const limiter = new CarrierLimiter(concurrency, { neverOpens, former: this.#byName.get(name), share })
    this.#byName.set(name, limiter)
    return limiter
  }

  find(name: string): Way | undefined {
    return this.#byName.get(name)
  }

  close(name: string): void {
    this.#byName.delete(name)
  }
}
