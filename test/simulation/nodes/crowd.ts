/** Many who ask at once with one test key, on whichever server answers: all servers together grant what the specification says. */
import type { SeededRandom } from '../../support/random'
import type { Ask } from './clients'
import type { SetClock } from './set-clock'

/** Specification, "Limits": of each kind of request. */
const MOST = 120
/** Of what is under way nobody knows how often it has counted. */
const LEAST = 100
const WITHIN_MS = 60_000
/** Until then a clock that was set back has been noticed. */
const FOLLOWED_WITHIN_MS = 3_000

interface Request {
  /** Between two moments of the clock that never steps; nobody knows the second while it is under way. */
  from: number
  to: number
  isRefused: boolean
  /** How many tries before its answer may have counted. */
  unknown: number
}

export class Crowd {
  readonly #requests: Request[] = []

  constructor(
    private readonly deps: {
      ask: Ask
      random: SeededRandom
      clock: SetClock
      note: (line: string) => void
      /** How many requests servers have had counted again since then: their connection was lost meanwhile. */
      countedTwice: (since: number) => number
    },
  ) {}

  /** All with one idempotency key: a replay counts like any other. */
  async come(): Promise<string | undefined> {
    const { random, note } = this.deps
    const size = random.pick([50, 150])
    note(`  a crowd of ${size}`)
    const found = await Promise.all(Array.from({ length: size }, () => this.#ask()))
    return found.find((reason) => reason !== undefined) ?? this.#tooMany() ?? this.#tooFew()
  }

  async #ask(): Promise<string | undefined> {
    const { ask, clock } = this.deps
    const request = { from: clock.elapsed(), to: Number.POSITIVE_INFINITY, isRefused: false, unknown: 0 }
    this.#requests.push(request)
    const { status, body, unknown } = await ask('issue', {
      ...{ phoneNumber: '010-0000-0000', purpose: 'crowd', idempotencyKey: 'crowd' },
    })
    Object.assign(request, { to: clock.elapsed(), isRefused: status === 429, unknown })
    return [200, 429].includes(status) ? undefined : `a test issue is answered ${status} ${JSON.stringify(body)}`
  }

  /** Surely within one minute. */
  #tooMany(): string | undefined {
    const granted = this.#requests.filter(({ isRefused }) => !isRefused)
    for (const { from } of granted) {
      if (this.deps.clock.wasSet('forward', from, from + WITHIN_MS)) continue
      const within = granted.filter((other) => other.from >= from && other.to < from + WITHIN_MS)
      if (within.length > MOST) return `a test key is granted ${within.length} requests within a minute`
    }
    return undefined
  }

  /** A minute is as long again where the clock was set back within it. */
  #tooFew(): string | undefined {
    for (const { from, to } of this.#requests.filter(({ isRefused }) => isRefused)) {
      const since = from - WITHIN_MS - FOLLOWED_WITHIN_MS
      const begins = this.deps.clock.wasSet('back', since, to) ? since - WITHIN_MS : since
      const counted = this.#requests
        .filter((other) => other.to >= begins && other.from <= to)
        .reduce((sum, { isRefused, unknown }) => sum + (isRefused ? 0 : 1) + unknown, 0)
      if (counted + this.deps.countedTwice(begins) < LEAST) return `a test key is refused after ${counted} requests`
    }
    return undefined
  }
}
