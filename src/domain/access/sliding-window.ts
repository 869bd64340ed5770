/** Default number of parts of a window. */
const PARTS = 4

/** Shared empty array; it is never written to. */
const NOTHING_BEFORE: number[] = []

/** The newest part, then pairs of index and count of the parts that are not empty. */
export type SlidingCounterState = readonly number[]

/**
 * Approximate sum over a sliding window in constant memory: one number for each part of the window, and for the part
 * before it. The oldest part counts by its share, as if spread evenly. A burst may count up to one part too long or too
 * short.
 */
export class SlidingCounter {
  /** Empty while all counts are in the newest part, which saves memory: most counters have one code. */
  #counted = NOTHING_BEFORE
  readonly #partMs: number
  /** The newest part with a count. */
  #newest = Number.NEGATIVE_INFINITY
  /** Sum of all parts. */
  #all = 0

  constructor(
    windowMs: number,
    private readonly parts = PARTS,
  ) {
    this.#partMs = windowMs / parts
  }

  add(amount: number, at: number): void {
    const part = this.#partOf(at)
    if (part > this.#newest) this.#moveTo(part)
    // Late events count in the newest part.
    if (this.#counted.length > 0) this.#counted[this.#slotOf(this.#newest)] = this.#of(this.#newest) + amount
    this.#all += amount
  }

  /** State for `restore` of a counter with the same window and parts; empty where nothing was counted. */
  get state(): SlidingCounterState {
    if (this.#newest === Number.NEGATIVE_INFINITY) return []
    const state = [this.#newest]
    if (this.#counted.length === 0 && this.#all !== 0) state.push(this.#slotOf(this.#newest), this.#all)
    for (const [part, count] of this.#counted.entries()) if (count !== 0) state.push(part, count)
    return state
  }

  restore(state: SlidingCounterState): void {
    if (state[0] === undefined) return
    this.#newest = state[0]
    this.#counted = this.#noneInAll()
    this.#all = 0
    for (let at = 1; at < state.length; at += 2) {
      const count = state[at + 1] as number
      this.#counted[state[at] as number] = count
      this.#all += count
    }
  }

  total(now: number): number {
    const part = this.#partOf(now)
    const oldest = this.#of(part - this.parts)
    const left = (oldest * ((part + 1) * this.#partMs - now)) / this.#partMs
    return this.#since(part - this.parts) - oldest + left
  }

  /** Upper bound of the sum. */
  most(now: number): number {
    return this.#since(this.#partOf(now) - this.parts)
  }

  /** Milliseconds until the sum is below `max`, if nothing is added; two windows where `max` is not above zero. */
  waitMs(max: number, now: number): number {
    if (this.total(now) < max) return 0
    if (max <= 0) return 2 * this.parts * this.#partMs
    // The first part in which enough of the oldest counts expire.
    let part = this.#partOf(now)
    while (this.#since(part - this.parts + 1) >= max) part++
    const left = (max - this.#since(part - this.parts + 1)) / this.#of(part - this.parts)
    return Math.max(1, Math.ceil((part + 1 - left) * this.#partMs - now))
  }

  /** The same by the upper bound: it is up to one part longer, and never too short. */
  surelyWaitMs(max: number, now: number): number {
    if (this.most(now) < max) return 0
    if (max <= 0) return 2 * this.parts * this.#partMs
    let part = this.#partOf(now)
    while (this.#since(part - this.parts) >= max) part++
    return Math.max(1, part * this.#partMs - now)
  }

  #partOf(at: number): number {
    return Math.floor(at / this.#partMs)
  }

  /** Sum of that part and later ones. */
  #since(part: number): number {
    if (part <= this.#newest - this.parts) return this.#all
    let count = 0
    for (let one = Math.max(part, this.#newest - this.parts); one <= this.#newest; one++) count += this.#of(one)
    return count
  }

  #of(part: number): number {
    if (this.#counted.length === 0) return part === this.#newest ? this.#all : 0
    const isKnown = part <= this.#newest && part >= this.#newest - this.parts
    return isKnown ? (this.#counted[this.#slotOf(part)] ?? 0) : 0
  }

  #slotOf(part: number): number {
    return part % (this.parts + 1)
  }

  #noneInAll(): number[] {
    return Array<number>(this.parts + 1).fill(0)
  }

  #moveTo(part: number): void {
    const isEmpty = this.#counted.length === 0 && this.#all === 0
    if (isEmpty || part - this.parts > this.#newest) {
      this.#counted = NOTHING_BEFORE
      this.#all = 0
      this.#newest = part
      return
    }
    if (this.#counted.length === 0) {
      this.#counted = this.#noneInAll()
      this.#counted[this.#slotOf(this.#newest)] = this.#all
    }
    for (let one = this.#newest + 1; one <= part; one++) {
      this.#all -= this.#counted[this.#slotOf(one)] ?? 0
      this.#counted[this.#slotOf(one)] = 0
    }
    this.#newest = part
  }
}
