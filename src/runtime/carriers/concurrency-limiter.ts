/** Concurrency limits and circuit breakers of carriers: how many messages a carrier has in flight, and whether it gets any. */
import type { Health } from '../../domain/delivery/carrier'
import type { SendOutcome } from '../../domain/delivery/delivery'
import type { CarrierPermit, ConcurrencyLimiters, ConcurrencyLimiter as Way } from '../../ports/node'

/**
 * `taken`: the carrier works. `busy`: it refused for now. `unclear`: it may have taken the message. `unreached`: no connection was
 * made. `unfit`: it cannot serve anybody, as with a wrong credential.
 */
type Result = 'taken' | 'busy' | 'unclear' | 'unreached' | 'unfit'

interface OpenPeriod {
  since: number
  from: number
  forMs: number
  code: string
}

const RECENT_CALLS = 50
const RECENT_MS = 60_000
const MIN_CALLS = 10
const MAX_UNREACHED_IN_A_ROW = 3
const MAX_UNCLEAR_SHARE = 0.5
const FIRST_OPEN_MS = 10_000
const MAX_OPEN_MS = 60_000

/**
 * A failure rate opens the breaker, and one real message probes it.
 *
 *   closed ──mostly failures──▶ open ──after a while──▶ half open: one message probes ──taken──▶ closed
 *                                ▲ stays open longer ──────────not taken─────────────┘
 *
 * Failures in a row count whatever the time between them, so that a dead carrier is found at one message a minute, too.
 *
 * A carrier that is only busy (it refuses some and takes others) stays closed: the concurrency limit gives it fewer at a time.
 */
export class CircuitBreaker {
  /** Oldest first. */
  #recent: Array<{ at: number; result: Result }> = []
  /** How many of the latest calls in a row were not taken, and how many were unreached. */
  #inARow = { failed: 0, unreached: 0 }
  #opened: OpenPeriod | undefined
  #isProbing = false

  /** Whether a message may be sent now. */
  admits(now: number): boolean {
    return this.#opened === undefined || this.wouldProbe(now)
  }

  wouldProbe(now: number): boolean {
    if (!this.#opened || this.#isProbing) return false
    const openMs = now - this.#opened.from
    // A clock that was set back must not keep the breaker open longer.
    return openMs < 0 || openMs >= this.#opened.forMs
  }

  health(now: number): Health {
    if (!this.#opened) return { isHealthy: true, since: now, code: undefined, retryAt: undefined }
    const { since, from, forMs, code } = this.#opened
    return { isHealthy: false, since, code, retryAt: from + forMs }
  }

  beginProbe(): void {
    this.#isProbing = true
  }

  /** The probe was not sent: the next message may be the probe. */
  abandonProbe(): void {
    this.#isProbing = false
  }

  /** Counts the answer to one message. Returns the carrier's health if it changed. */
  answered(outcome: SendOutcome, { isProbe, now }: { isProbe: boolean; now: number }): Health | undefined {
    const result = resultOf(outcome)
    if (isProbe) return this.#probed(result, outcome.code, now)
    // Messages that were sent before the breaker opened say nothing about the carrier now.
    if (this.#opened) return undefined
    this.#count(result, now)
    return this.#isFailing(result) ? this.#open(outcome.code, { since: now, forMs: FIRST_OPEN_MS, now }) : undefined
  }

  #probed(result: Result, code: string | undefined, now: number): Health | undefined {
    this.#isProbing = false
    const before = this.#opened
    if (result !== 'taken') {
      const forMs = Math.min((before?.forMs ?? FIRST_OPEN_MS) * 2, MAX_OPEN_MS)
      return { ...this.#open(code, { since: before?.since ?? now, forMs, now }), isStill: true }
    }
    this.#opened = undefined
    return this.health(now)
  }

  #count(result: Result, now: number): void {
    const recent = this.#recent
    // After the clock was set back, earlier calls lie in the future.
    while ((recent.at(-1)?.at ?? now) > now) recent.pop()
    recent.push({ at: now, result })
    while (recent.length > RECENT_CALLS || (recent[0]?.at ?? now) <= now - RECENT_MS) recent.shift()
    this.#inARow = {
      failed: result === 'taken' ? 0 : this.#inARow.failed + 1,
      unreached: result === 'unreached' ? this.#inARow.unreached + 1 : 0,
    }
  }

  #isFailing(latest: Result): boolean {
    if (latest === 'unfit' || this.#inARow.unreached >= MAX_UNREACHED_IN_A_ROW) return true
    if (this.#inARow.failed >= MIN_CALLS && this.#share('taken') === 0) return true
    return this.#recent.length >= MIN_CALLS && this.#share('unclear') >= MAX_UNCLEAR_SHARE
  }

  #share(wanted: Result): number {
    let count = 0
    for (const { result } of this.#recent) if (result === wanted) count++
    return count / this.#recent.length
  }

  #open(code = '', { since, forMs, now }: { since: number; forMs: number; now: number }): Health {
    this.#opened = { since, from: now, forMs, code }
    // Calls from before say nothing about the carrier when the breaker closes again.
    this.#recent = []
    this.#inARow = { failed: 0, unreached: 0 }
    return this.health(now)
  }
}

function resultOf(outcome: SendOutcome): Result {
  if (outcome.kind === 'ambiguous') return 'unclear'
  if (outcome.kind === 'accepted') return 'taken'
  if (outcome.retry === 'unfit' || outcome.retry === 'unreached') return outcome.retry
  // Any other refusal is about the message, so the carrier works.
  return outcome.retry === 'later' ? 'busy' : 'taken'
}

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
