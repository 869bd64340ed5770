/**
 * Counts of prefixes and networks, of which attackers make up as many as they like: so many are known, those where a code went
 * last. Of whoever only asks for one nothing is remembered, so that what is refused makes nothing forgotten.
 */
import type { KeyKind } from '../../domain/access/api-key'
import { NetworkCounter, TrafficCounter, type TrafficCounterState } from '../rules/traffic-counter'

/** Some two kilobytes each. */
const MOST = 20_000
/** So many outlive a restart: an attack goes to places that were seen last. */
const MOST_KEPT = 2_000

const NO_PREFIX = new TrafficCounter()
const NO_NETWORK = new NetworkCounter()

/** What counts of an app's codes of one kind of key are known by. `hash`: of the prefix or network. */
export const prefixName = (appId: string, kind: KeyKind, hash: string) => `p${appId}${kind}${hash}`
export const networkName = (appId: string, kind: KeyKind, hash: string) => `n${appId}${kind}${hash}`

const newPrefix = () => new TrafficCounter()
const newNetwork = () => new NetworkCounter()

export type PlaceState = readonly [name: string, counter: TrafficCounterState]

/** Where one is on the way to. */
export class Entered {
  constructor(
    readonly counter: TrafficCounter,
    private readonly name: string,
    private readonly entered: Map<string, TrafficCounter>,
  ) {
    counter.entering++
  }

  leave(): void {
    this.counter.entering--
    if (this.counter.entering === 0 && this.entered.get(this.name) === this.counter) this.entered.delete(this.name)
  }
}

export class PrefixAndNetworkCounters {
  readonly #known = new Map<string, TrafficCounter>()
  /** Of a snapshot: most of them nobody asks for again. All are older than those that are known. */
  readonly #restored = new Map<string, TrafficCounterState>()
  /** Where codes are on their way to that may still be refused, and no other has gone. */
  readonly #entered = new Map<string, TrafficCounter>()
  /** It goes on where it was: to begin anew would pass by all that has gone. */
  readonly #oldest = this.#known.keys()

  prefix(name: string): TrafficCounter {
    return this.#of(name, newPrefix)
  }

  network(name: string): NetworkCounter {
    return this.#of(name, newNetwork) as NetworkCounter
  }

  /** To be looked at only: what is not known has no codes. */
  prefixSeen(name: string): TrafficCounter {
    return this.#at(name) ?? NO_PREFIX
  }

  /** The same. */
  networkSeen(name: string): NetworkCounter {
    return (this.#at(name) as NetworkCounter | undefined) ?? NO_NETWORK
  }

  /** Counts one more that is on its way there, until it leaves. */
  enterPrefix(name: string): Entered {
    return this.#enter(name, newPrefix)
  }

  /** The same. */
  enterNetwork(name: string): Entered {
    return this.#enter(name, newNetwork)
  }

  /** All of an app's: they are about to be counted anew. */
  forget(appId: string): void {
    for (const places of [this.#restored, this.#known])
      for (const name of places.keys()) if (name.startsWith(appId, 1)) places.delete(name)
  }

  /** An app's places that were seen last, those seen last at the end. All of them would hold the event loop for 0.2 s. */
  stateOf(appId: string): PlaceState[] {
    const isOwn = ([name]: readonly [string, unknown]) => name.startsWith(appId, 1)
    const known = this.#known.entries().filter(isOwn).toArray().slice(-MOST_KEPT)
    const restored = this.#restored.entries().filter(isOwn).toArray()
    return [
      ...restored.slice(Math.min(0, known.length - MOST_KEPT) || restored.length),
      ...known.map(([name, { state }]): PlaceState => [name, state]),
    ]
  }

  restore(places: readonly PlaceState[]): void {
    for (const [name, state] of places) this.#restored.set(name, state)
  }

  #at(name: string): TrafficCounter | undefined {
    return this.#knownAt(name) ?? this.#entered.get(name)
  }

  #knownAt(name: string): TrafficCounter | undefined {
    const state = this.#restored.get(name)
    if (!state) return this.#known.get(name)
    const counter = name.startsWith('n') ? newNetwork() : newPrefix()
    counter.restore(state)
    this.#restored.delete(name)
    this.#known.set(name, counter)
    return counter
  }

  #enter(name: string, make: () => TrafficCounter): Entered {
    const there = this.#at(name)
    const counter = there ?? make()
    if (!there) this.#entered.set(name, counter)
    return new Entered(counter, name, this.#entered)
  }

  #of(name: string, make: () => TrafficCounter): TrafficCounter {
    const known = this.#knownAt(name)
    const counter = known ?? this.#entered.get(name) ?? make()
    // The newest is the last one.
    if (known) this.#known.delete(name)
    this.#known.set(name, counter)
    if (this.#restored.size + this.#known.size > MOST) this.#forgetOldest()
    return counter
  }

  #forgetOldest(): void {
    const [restored] = this.#restored.keys()
    if (restored !== undefined) {
      this.#restored.delete(restored)
      return
    }
    const { value } = this.#oldest.next()
    if (value !== undefined) this.#known.delete(value)
  }
}
