/** Parts that a window is counted in, unless it has to be told more finely. */
const PARTS = 4

/** Shared: nothing is ever written to it. */
const NOTHING_BEFORE: number[] = []

/** The newest part, then each part that is not empty and its count. */
export type SlidingCounterState = readonly number[]

/**
 * How much there was within the last hour, day or other window, by five numbers or so: one for each part of it, and of the part
 * before the share that still counts, as if it had been spread evenly. So a count costs no memory that grows with it. What came
 * in a burst is off by at most that burst, for at most a quarter of a window.
 */
export class SlidingCounter {
  /** Empty while all there is lies in the newest part: of most places somebody makes up there is one code. */
  #counted = NOTHING_BEFORE
  readonly #partMs: number
  /** The last part that anything was counted in. */
  #newest = Number.NEGATIVE_INFINITY
  /** In all of them: mostly that is what is asked for. */
  #all = 0

  /** `windowMs`: milliseconds. */
  constructor(
    windowMs: number,
    private readonly parts = PARTS,
  ) {
    this.#partMs = windowMs / parts
  }

  add(amount: number, at: number): void {
    const part = this.#partOf(at)
    if (part > this.#newest) this.#moveTo(part)
    // What is told late counts as soon as it is told.
    if (this.#counted.length > 0) this.#counted[this.#slotOf(this.#newest)] = this.#of(this.#newest) + amount
    this.#all += amount
  }

  /** What `restore` of another one with the same window takes; empty where nothing was counted. */
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

  /** Never fewer than there were. */
  most(now: number): number {
    return this.#since(this.#partOf(now) - this.parts)
  }

  /** Milliseconds until there are fewer than `max`, if nothing more comes; two windows where `max` is not above zero. */
  waitMs(max: number, now: number): number {
    if (this.total(now) < max) return 0
    if (max <= 0) return 2 * this.parts * this.#partMs
    // The first part in which enough of the oldest may go.
    let part = this.#partOf(now)
    while (this.#since(part - this.parts + 1) >= max) part++
    const left = (max - this.#since(part - this.parts + 1)) / this.#of(part - this.parts)
    return Math.max(1, Math.ceil((part + 1 - left) * this.#partMs - now))
  }

  /** The same where none may be missed: until there are surely fewer, which takes a part longer at most. */
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

  /** In that part and those after it. */
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
