/**
 * Counters of prefixes and networks, bounded since attackers make up as many as they like: those that a code went to
 * last are kept. A refused request keeps none, so that refusals do not evict counters.
 */
import type { CallerKind } from '../../domain/access/caller'
import { Place, type PlaceState } from '../rules/place'

/** Each takes some two kilobytes. */
const MAX_COUNTERS = 20_000
/** Counters of a snapshot. An attack goes to the places that were counted last. */
const MAX_SAVED = 2_000

const NOTHING = new Place()

/** Names of counters. `hash`: keyed hash of the prefix or network, hexadecimal digits. */
export const prefixName = (appId: string, kind: CallerKind, hash: string) => `p${appId}${kind}${hash}`
export const networkName = (appId: string, kind: CallerKind, hash: string) => `n${appId}${kind}${hash}`

export type SavedCounter = readonly [name: string, counter: PlaceState]

/** A counter that a request in flight holds. A counter without codes exists only while it is held. */
export class AcquiredCounter {
  constructor(
    readonly counter: Place,
    private readonly name: string,
    private readonly inFlight: Map<string, Place>,
  ) {
    counter.inFlight++
  }

  release(): void {
    this.counter.inFlight--
    if (this.counter.inFlight === 0 && this.inFlight.get(this.name) === this.counter) this.inFlight.delete(this.name)
  }
}

export class PrefixAndNetworkCounters {
  readonly #counters = new Map<string, Place>()
  /** Counters of a snapshot, restored when they are first used: most never are. All are older than those in `#counters`. */
  readonly #restored = new Map<string, PlaceState>()
  /** Counters without codes that requests in flight hold. */
  readonly #inFlight = new Map<string, Place>()
  /** Kept between evictions: a new iterator would skip over all deleted entries again. */
  readonly #oldest = this.#counters.keys()

  place(name: string): Place {
    const known = this.#findKnown(name)
    const counter = known ?? this.#inFlight.get(name) ?? new Place()
    // Moves it to the end, where the newest is.
    if (known) this.#counters.delete(name)
    this.#counters.set(name, counter)
    if (this.#restored.size + this.#counters.size > MAX_COUNTERS) this.#forgetOldest()
    return counter
  }

  /** Read-only look-up; an unknown place is empty. */
  peek(name: string): Place {
    return this.#find(name) ?? NOTHING
  }

  /** The place, where codes have gone to it. */
  known(name: string | undefined): Place | undefined {
    return name === undefined ? undefined : this.#find(name)
  }

  /** Counts a request in flight until it is released. */
  acquire(name: string): AcquiredCounter {
    const there = this.#find(name)
    const counter = there ?? new Place()
    if (!there) this.#inFlight.set(name, counter)
    return new AcquiredCounter(counter, name, this.#inFlight)
  }

  /** Removes all counters of an app before they are counted anew. */
  forget(appId: string): void {
    for (const places of [this.#restored, this.#counters])
      for (const name of places.keys()) if (name.startsWith(appId, 1)) places.delete(name)
  }

  /** The counters of an app that were used last, newest at the end. Saving all would hold the event loop for 0.2 s. */
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

  #find(name: string): Place | undefined {
    return this.#findKnown(name) ?? this.#inFlight.get(name)
  }

  #findKnown(name: string): Place | undefined {
    const state = this.#restored.get(name)
    if (!state) return this.#counters.get(name)
    const counter = new Place()
    counter.restore(state)
    this.#restored.delete(name)
    this.#counters.set(name, counter)
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
