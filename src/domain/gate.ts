/**
 * How many messages a provider has in the air at a time, and whether it gets any: the dispatcher takes a place first
 * and calls the provider second. Places live in this process's memory; a message without one waits in the database.
 */
import { Breaker, type Health } from './breaker'
import type { SendOutcome } from './delivery'

export const MAX_CONCURRENCY = 10_000

/** Room for one piece of work; given back once, whatever happens. */
export interface Place {
  free(): void
}

/** A number of places, which may change. */
export class Places {
  #taken = 0

  constructor(private readonly max: () => number) {}

  get isEmpty(): boolean {
    return this.#taken === 0
  }

  enter(): Place | undefined {
    if (this.#taken >= this.max()) return undefined
    this.#taken++
    let isTaken = true
    return {
      free: () => {
        if (isTaken) this.#taken--
        isTaken = false
      },
    }
  }
}

/** A place at a provider. */
export interface Pass extends Place {
  /** Frees the place, and learns from the answer; tells the provider's health when it has changed. */
  answered(outcome: SendOutcome, now: number): Health | undefined
}

export class Gate {
  #inFlight = 0
  /** What the provider bears: less than `concurrency` while it refuses for being busy; grows by one a round trip. */
  #bears: number
  readonly #breaker: Breaker | undefined

  /** Of the same carrier, as it was configured before: what it still has in the air takes room here, too. */
  #before: Gate | undefined

  /** `neverOpens` is for a provider whose failures are played. */
  constructor(
    readonly concurrency: number,
    { neverOpens = false, before }: { neverOpens?: boolean; before?: Gate | undefined } = {},
  ) {
    this.#bears = concurrency
    this.#before = before
    this.#breaker = neverOpens ? undefined : new Breaker()
  }

  get inFlight(): number {
    if (this.#before?.inFlight === 0) this.#before = undefined
    return this.#inFlight + (this.#before?.inFlight ?? 0)
  }

  /** Whether a message may be sent, room permitting. */
  admits(now: number): boolean {
    return this.#breaker?.admits(now) ?? true
  }

  /** It said that it cannot serve anybody; only a probe may show the contrary. */
  isUnfit(now: number): boolean {
    return (this.#breaker?.isUnfit ?? false) && !this.admits(now)
  }

  health(now: number): Health {
    return this.#breaker?.health(now) ?? { isHealthy: true, since: now, code: undefined, retryAt: undefined }
  }

  /** A place, or undefined where there is no room or the provider rests. */
  enter(now: number): Pass | undefined {
    if (this.inFlight >= Math.floor(this.#bears) || !this.admits(now)) return undefined
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
      free: () => {
        if (leave() && isProbe) this.#breaker?.abandonProbe()
      },
      answered: (outcome, at) => {
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
