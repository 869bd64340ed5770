/** The ways in to the carriers, in this process's memory. */
import type { ConcurrencyLimiters, ConcurrencyLimiter as Way } from '../../ports/node'
import { CarrierGate } from './concurrency-limiter'

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
