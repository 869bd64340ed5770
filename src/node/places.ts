/** Counts of prefixes and networks, of which attackers make as many as they like: so many are known, those seen last. */
import { NetworkTally, Tally } from '../domain/traffic'

/** Some two kilobytes each. */
const MOST = 20_000

export class Places {
  readonly #known = new Map<string, Tally>()
  /** It goes on where it was: to begin anew would pass by all that has gone. */
  readonly #oldest = this.#known.keys()

  prefix(name: string): Tally {
    return this.#of(`p${name}`, () => new Tally())
  }

  network(name: string): NetworkTally {
    return this.#of(`n${name}`, () => new NetworkTally()) as NetworkTally
  }

  /** All of an app's: they are about to be counted anew. */
  forget(appId: string): void {
    for (const name of this.#known.keys()) if (name.startsWith(appId, 1)) this.#known.delete(name)
  }

  #of(name: string, make: () => Tally): Tally {
    const known = this.#known.get(name)
    const tally = known ?? make()
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
