/**
 * How many messages a carrier has in the air at a time, and whether it gets any: the dispatcher takes a place first
 * and calls the carrier second. Places live in this process's memory; a message without one waits in the database.
 */
import type { Health } from '../../domain/delivery/carrier'
import type { SendOutcome } from '../../domain/delivery/delivery'
import type { CarrierPermit, ConcurrencyLimiters, ConcurrencyLimiter as Way } from '../../ports/node'
import { CircuitBreaker } from './circuit-breaker'

interface GateOptions {
  /** For a carrier whose failures are played. */
  neverOpens?: boolean | undefined
  before?: CarrierGate | undefined
  /** How many of its places are this server's now. */
  share?: () => number
}

export class CarrierGate implements Way {
  #inFlight = 0
  /** What the carrier bears: less than `concurrency` while it refuses for being busy; grows by one a round trip. */
  #bears: number
  readonly #breaker: CircuitBreaker | undefined
  readonly #share: () => number

  /** Of the same carrier, as it was configured before: what it still has in the air takes room here, too. */
  #before: CarrierGate | undefined

  constructor(
    readonly concurrency: number,
    { neverOpens = false, before, share = () => concurrency }: GateOptions = {},
  ) {
    this.#bears = concurrency
    this.#before = before
    this.#share = share
    this.#breaker = neverOpens ? undefined : new CircuitBreaker()
  }

  get inFlight(): number {
    if (this.#before?.inFlight === 0) this.#before = undefined
    return this.#inFlight + (this.#before?.inFlight ?? 0)
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
    if (this.inFlight >= Math.min(Math.floor(this.#bears), this.#share())) return undefined
    if (!this.admits(now)) return undefined
    const isProbe = this.#breaker?.wouldProbe(now) ?? false
    if (isProbe) this.#breaker?.beginProbe()
    this.#inFlight++
    let isOut = true
    const leave = () => {
      if (!isOut) return false
      isOut = false
      this.#inFlight--
      return true
    }
    return {
      release: () => {
        if (leave() && isProbe) this.#breaker?.abandonProbe()
      },
      settle: (outcome, at) => {
        leave()
        this.#learn(outcome)
        // Refused while it works on others: busy, not broken.
        if (isBusy(outcome) && this.#inFlight > 0 && !isProbe) return undefined
        return this.#breaker?.answered(outcome, { isProbe, now: at })
      },
    }
  }

  /** Refused for being busy with n others in the air: it bears n. */
  #learn(outcome: SendOutcome): void {
    if (outcome.kind === 'accepted') this.#bears = Math.min(this.concurrency, this.#bears + 1 / this.#bears)
    if (isBusy(outcome)) this.#bears = Math.max(1, Math.min(this.#bears, this.#inFlight))
  }
}

const isBusy = (outcome: SendOutcome) => outcome.kind === 'refused' && outcome.retry === 'later'

/** The concurrency limiters of all carriers, in this process's memory. */
export class LocalGates implements ConcurrencyLimiters {
  readonly #byName = new Map<string, CarrierGate>()

  /** `share`: of so many places, how many are this server's now, where only so many servers may be there. */
  constructor(private readonly share: (places: number, servers?: number) => number = (places) => places) {}

  open(
    name: string,
    concurrency: number,
    { neverOpens, servers }: Parameters<ConcurrencyLimiters['open']>[2] = {},
  ): Way {
    const share = () => this.share(concurrency, servers)
    const limiter = new CarrierGate(concurrency, { neverOpens, before: this.#byName.get(name), share })
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
