/**
 * Counts of prefixes and networks, of which attackers make up as many as they like: so many are known, those where a code went
 * last. Of whoever only asks for one nothing is remembered, so that what is refused makes nothing forgotten.
 */
import type { KeyKind } from '../../domain/access/api-key'
import { NetworkCounter, TrafficCounter, type TrafficCounterState } from '../rules/traffic-counter'

/** Some two kilobytes each. */
const MAX_COUNTERS = 20_000
/** So many outlive a restart: an attack goes to places that were seen last. */
const MAX_SAVED = 2_000

const NO_PREFIX = new TrafficCounter()
const NO_NETWORK = new NetworkCounter()

/** What counts of an app's codes of one kind of key are known by. `hash`: of the prefix or network. */
export const prefixName = (appId: string, kind: KeyKind, hash: string) => `p${appId}${kind}${hash}`
export const networkName = (appId: string, kind: KeyKind, hash: string) => `n${appId}${kind}${hash}`

const newPrefix = () => new TrafficCounter()
const newNetwork = () => new NetworkCounter()

export type SavedCounter = readonly [name: string, counter: TrafficCounterState]

/** Where one is on the way to. */
export class AcquiredCounter {
  constructor(
    readonly counter: TrafficCounter,
    private readonly name: string,
    private readonly inFlight: Map<string, TrafficCounter>,
  ) {
    counter.inFlight++
  }

  release(): void {
    this.counter.inFlight--
    if (this.counter.inFlight === 0 && this.inFlight.get(this.name) === this.counter) this.inFlight.delete(this.name)
  }
}

export class PrefixAndNetworkCounters {
  readonly #counters = new Map<string, TrafficCounter>()
  /** Of a snapshot: most of them nobody asks for again. All are older than those that are known. */
  readonly #restored = new Map<string, TrafficCounterState>()
  /** Where codes are on their way to that may still be refused, and no other has gone. */
  readonly #inFlight = new Map<string, TrafficCounter>()
  /** It goes on where it was: to begin anew would pass by all that has gone. */
  readonly #oldest = this.#counters.keys()

  prefix(name: string): TrafficCounter {
    return this.#counterOf(name, newPrefix)
  }

  network(name: string): NetworkCounter {
    return this.#counterOf(name, newNetwork) as NetworkCounter
  }

  /** To be looked at only: what is not known has no codes. */
  peekPrefix(name: string): TrafficCounter {
    return this.#find(name) ?? NO_PREFIX
  }

  /** The same. */
  peekNetwork(name: string): NetworkCounter {
    return (this.#find(name) as NetworkCounter | undefined) ?? NO_NETWORK
  }

  /** Counts one more that is on its way there, until it leaves. */
  acquirePrefix(name: string): AcquiredCounter {
    return this.#acquire(name, newPrefix)
  }

  /** The same. */
  acquireNetwork(name: string): AcquiredCounter {
    return this.#acquire(name, newNetwork)
  }

  /** All of an app's: they are about to be counted anew. */
  forget(appId: string): void {
    for (const places of [this.#restored, this.#counters])
      for (const name of places.keys()) if (name.startsWith(appId, 1)) places.delete(name)
  }

  /** An app's places that were seen last, those seen last at the end. All of them would hold the event loop for 0.2 s. */
  stateOf(appId: string): SavedCounter[] {
    const isOwn = ([name]: readonly [string, unknown]) => name.startsWith(appId, 1)
    const known = this.#counters.entries().filter(isOwn).toArray().slice(-MAX_SAVED)
    const restored = this.#restored.entries().filter(isOwn).toArray()
    return [
      ...restored.slice(Math.min(0, known.length - MAX_SAVED) || restored.length),
      ...known.map(([name, { state }]): SavedCounter => [name, state]),
    ]
  }

  restore(places: readonly SavedCounter[]): void {
    for (const [name, state] of places) this.#restored.set(name, state)
  }

  #find(name: string): TrafficCounter | undefined {
    return this.#findKnown(name) ?? this.#inFlight.get(name)
  }

  #findKnown(name: string): TrafficCounter | undefined {
    const state = this.#restored.get(name)
    if (!state) return this.#counters.get(name)
    const counter = name.startsWith('n') ? newNetwork() : newPrefix()
    counter.restore(state)
    this.#restored.delete(name)
    this.#counters.set(name, counter)
    return counter
  }

  #acquire(name: string, make: () => TrafficCounter): AcquiredCounter {
    const there = this.#find(name)
    const counter = there ?? make()
    if (!there) this.#inFlight.set(name, counter)
    return new AcquiredCounter(counter, name, this.#inFlight)
  }

  #counterOf(name: string, make: () => TrafficCounter): TrafficCounter {
    const known = this.#findKnown(name)
    const counter = known ?? this.#inFlight.get(name) ?? make()
    // The newest is the last one.
    if (known) this.#counters.delete(name)
    this.#counters.set(name, counter)
    if (this.#restored.size + this.#counters.size > MAX_COUNTERS) this.#forgetOldest()
    return counter
  }

  #forgetOldest(): void {
    const [restored] = this.#restored.keys()
    if (restored !== undefined) {
      this.#restored.delete(restored)
      return
    }
    const { value } = this.#oldest.next()
    if (value !== undefined) this.#counters.delete(value)
  }
}
