/** Parts that a window is counted in, unless it has to be told more finely. */
const PARTS = 4

/**
 * How much there was within the last hour, day or other window, by five numbers or so: one for each part of it, and of the part
 * before the share that still counts, as if it had been spread evenly. So a count costs no memory that grows with it. What came
 * in a burst is off by at most that burst, for at most a quarter of a window.
 */
export class Sliding {
  /** Empty until something was: of most places somebody makes up, most is never counted. */
  #counted: number[] = []
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
    this.#counted[this.#newest % (this.parts + 1)] = this.#of(this.#newest) + amount
    this.#all += amount
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
    const isKnown = part <= this.#newest && part >= this.#newest - this.parts
    return isKnown ? (this.#counted[part % (this.parts + 1)] ?? 0) : 0
  }

  #moveTo(part: number): void {
    if (this.#counted.length === 0) this.#counted = Array.from({ length: this.parts + 1 }, () => 0)
    const from = Math.max(this.#newest + 1, part - this.parts)
    for (let one = from; one <= part; one++) {
      this.#all -= this.#counted[one % (this.parts + 1)] ?? 0
      this.#counted[one % (this.parts + 1)] = 0
    }
    this.#newest = part
  }
}
