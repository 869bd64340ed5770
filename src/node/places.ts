/**
 * Counts of prefixes and networks, of which attackers make up as many as they like: so many are known, those where a code went
 * last. Of whoever only asks for one nothing is remembered, so that what is refused makes nothing forgotten.
 */
import { NetworkTally, Tally } from '../domain/traffic'

/** Some two kilobytes each. */
const MOST = 20_000

const NO_PREFIX = new Tally()
const NO_NETWORK = new NetworkTally()

/** Where one is on the way to. */
export interface Entered {
  readonly tally: Tally
  leave(): void
}

export class Places {
  readonly #known = new Map<string, Tally>()
  /** Where codes are on their way to that may still be refused, and no other has gone. */
  readonly #entered = new Map<string, Tally>()
  /** It goes on where it was: to begin anew would pass by all that has gone. */
  readonly #oldest = this.#known.keys()

  prefix(name: string): Tally {
    return this.#of(`p${name}`, () => new Tally())
  }

  network(name: string): NetworkTally {
    return this.#of(`n${name}`, () => new NetworkTally()) as NetworkTally
  }

  /** To be looked at only: what is not known has no codes. */
  prefixSeen(name: string): Tally {
    return this.#at(`p${name}`) ?? NO_PREFIX
  }

  /** The same. */
  networkSeen(name: string): NetworkTally {
    return (this.#at(`n${name}`) as NetworkTally | undefined) ?? NO_NETWORK
  }

  /** Counts one more that is on its way there, until it leaves. */
  enterPrefix(name: string): Entered {
    return this.#enter(`p${name}`, () => new Tally())
  }

  /** The same. */
  enterNetwork(name: string): Entered {
    return this.#enter(`n${name}`, () => new NetworkTally())
  }

  /** All of an app's: they are about to be counted anew. */
  forget(appId: string): void {
    for (const name of this.#known.keys()) if (name.startsWith(appId, 1)) this.#known.delete(name)
  }

  #at(name: string): Tally | undefined {
    return this.#known.get(name) ?? this.#entered.get(name)
  }

  #enter(name: string, make: () => Tally): Entered {
    const there = this.#at(name)
    const tally = there ?? make()
    if (!there) this.#entered.set(name, tally)
    tally.entering++
    return {
      tally,
      leave: () => {
        tally.entering--
        if (tally.entering === 0 && this.#entered.get(name) === tally) this.#entered.delete(name)
      },
    }
  }

  #of(name: string, make: () => Tally): Tally {
    const known = this.#known.get(name)
    const tally = known ?? this.#entered.get(name) ?? make()
    // The newest is the last one.
    if (known) this.#known.delete(name)
    this.#known.set(name, tally)
    if (this.#known.size > MOST) this.#forgetOldest()
    return tally
  }

  #forgetOldest(): void {
    const { value } = this.#oldest.next()
    if (value !== undefined) this.#known.delete(value)
  }
}
