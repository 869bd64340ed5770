/** How often each rule was against codes of an app, by minute and place, until it is stored. */
import { MINUTE_MS } from '../../domain/shared/value'
import type { Decision } from '../../ports/store/traffic'
import type { RequestFacts, RuleHit } from '../rules/assess'

/** An attacker chooses prefixes and networks, so a minute has at most so many rows with places of their own. */
const MAX_PLACES_PER_MINUTE = 100

/** Hashes are hexadecimal digits; an empty one stands for several places. */
type DecisionCount = Omit<Decision, 'appId' | 'prefixHash' | 'networkHash' | 'times' | 'credits'> & {
  readonly prefix: string
  readonly network: string
  times: number
  credits: number
}

export class DecisionCounter {
  #counts = new Map<string, DecisionCount>()
  /** Rows of the running minute that have a place of their own. They outlive `take`: the limit holds for the whole minute. */
  #placed = { minute: 0, rows: new Set<string>() }

  constructor(private readonly appId: string) {}

  add({ rule, isRefused, price }: RuleHit, facts: RequestFacts, now: number): void {
    const { kind, country = '', prefix, network = '' } = facts
    const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS
    const count = { minute, kind, country, rule, isRefused, prefix, network, times: 1, credits: price }
    this.#sum(this.#hasPlace(count) ? count : { ...count, prefix: '', network: '' })
  }

  /** The counts since the last call. A caller that cannot store them gives them back with `putBack`. */
  take(): Decision[] {
    const taken = [...this.#counts.values()]
    this.#counts = new Map()
    return taken.map(({ prefix, network, ...count }) => ({
      ...{ appId: this.appId, ...count },
      ...{ prefixHash: Buffer.from(prefix, 'hex'), networkHash: Buffer.from(network, 'hex') },
    }))
  }

  putBack(decisions: readonly Decision[]): void {
    for (const { prefixHash, networkHash, ...count } of decisions)
      this.#sum({ ...count, prefix: prefixHash.toHex(), network: networkHash.toHex() })
  }

  #hasPlace(count: DecisionCount): boolean {
    if (this.#placed.minute !== count.minute) this.#placed = { minute: count.minute, rows: new Set() }
    const { rows } = this.#placed
    const row = rowOf(count)
    if (rows.size < MAX_PLACES_PER_MINUTE) rows.add(row)
    return rows.has(row)
  }

  #sum(count: DecisionCount): void {
    const row = rowOf(count)
    const known = this.#counts.get(row)
    if (!known) {
      this.#counts.set(row, count)
      return
    }
    known.times += count.times
    known.credits += count.credits
  }
}

const rowOf = ({ minute, kind, country, rule, isRefused, prefix, network }: DecisionCount): string =>
  `${minute}/${kind}/${country}/${rule}/${isRefused}/${prefix}/${network}`
