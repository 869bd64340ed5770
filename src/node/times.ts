/**
 * A time for each of many subjects, in two numbers: a map of texts takes ten times as much. Subjects are told apart by 53 bits
 * of a hash that is another one in each process.
 */

const SMALLEST = 16
const FREE = 0
/** So many that to make one of them anew, with a million subjects in all, takes no longer than a request. */
const TABLES = 64

/** Nobody attacks where there is nothing to make them of: a test of a page. */
const [SEED = 0, OTHER_SEED = 0] = globalThis.crypto?.getRandomValues(new Uint32Array(2)) ?? []

/** Limits ask for one subject several times in a row. */
let last = { subject: '', hash: hashOf('') }

/** cyrb53, by bryc; written here, since also Node runs it. */
function hashOf(subject: string): number {
  let low = SEED
  let high = OTHER_SEED
  for (let at = 0; at < subject.length; at++) {
    const code = subject.charCodeAt(at)
    low = Math.imul(low ^ code, 2_654_435_761)
    high = Math.imul(high ^ code, 1_597_334_677)
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  return (high & 0x1f_ffff) * 2 ** 32 + (low >>> 0) || 1
}

function nameOf(subject: string): number {
  if (last.subject !== subject) last = { subject, hash: hashOf(subject) }
  return last.hash
}

export class Times {
  readonly #tables: Array<Table | undefined> = Array.from({ length: TABLES })
  /** Where the look at all of them goes on. */
  #unseen = 0

  get(subject: string): number | undefined {
    const name = nameOf(subject)
    return this.#tables[tableOf(name)]?.get(name)
  }

  set(subject: string, time: number): void {
    const name = nameOf(subject)
    this.#tables[tableOf(name)] ??= new Table()
    this.#tables[tableOf(name)]?.set(name, time)
  }

  delete(subject: string): void {
    const name = nameOf(subject)
    this.#tables[tableOf(name)]?.delete(name)
  }

  /** Looks at some: each is as `kept` says, or is forgotten where that is undefined. Answers false when it has seen all. */
  look(looks: number, kept: (time: number) => number | undefined): boolean {
    for (let left = looks; this.#unseen < TABLES; this.#unseen++) {
      const table = this.#tables[this.#unseen]
      left = table?.look(left, kept) ?? left
      if (left === 0) return true
      if (table?.isEmpty) this.#tables[this.#unseen] = undefined
    }
    this.#unseen = 0
    return false
  }
}

const tableOf = (name: number) => Math.floor(name / 2 ** 47)

class Table {
  /** Each at the place that the end of its name says, or the next free one behind it. */
  #names = new Float64Array(SMALLEST)
  #times = new Float64Array(SMALLEST)
  #size = 0
  #unseen = 0

  get(name: number): number | undefined {
    const place = this.#placeOf(name)
    return this.#names[place] === FREE ? undefined : this.#times[place]
  }

  set(name: number, time: number): void {
    this.#put(name, time)
    if (4 * this.#size > 3 * this.#names.length) this.#resize(2 * this.#names.length)
  }

  delete(name: number): void {
    const place = this.#placeOf(name)
    if (this.#names[place] !== FREE) this.#free(place)
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /** Answers how many looks are left; none, unless it has seen all. */
  look(looks: number, kept: (time: number) => number | undefined): number {
    let left = looks
    for (; left > 0 && this.#unseen < this.#names.length; left--) {
      const isTaken = this.#names[this.#unseen] !== FREE
      const time = isTaken ? kept(this.#times[this.#unseen] as number) : undefined
      // Another one may take its place.
      if (isTaken && time === undefined) this.#free(this.#unseen)
      else this.#times[this.#unseen++] = time ?? 0
    }
    if (left > 0) this.#startOver()
    return left
  }

  #startOver(): void {
    this.#unseen = 0
    if (8 * this.#size < this.#names.length && this.#names.length > SMALLEST) this.#resize(this.#names.length / 2)
  }

  /** Where it is, or would be. */
  #placeOf(name: number): number {
    const last = this.#names.length - 1
    let place = name & last
    while (this.#names[place] !== FREE && this.#names[place] !== name) place = (place + 1) & last
    return place
  }

  #put(name: number, time: number): void {
    const place = this.#placeOf(name)
    if (this.#names[place] === FREE) this.#size++
    this.#names[place] = name
    this.#times[place] = time
  }

  /** Those behind it that are not where they would be come nearer. */
  #free(place: number): void {
    const last = this.#names.length - 1
    let gap = place
    for (let next = (gap + 1) & last; this.#names[next] !== FREE; next = (next + 1) & last) {
      const name = this.#names[next] as number
      if (((next - name) & last) < ((next - gap) & last)) continue
      this.#names[gap] = name
      this.#times[gap] = this.#times[next] as number
      gap = next
    }
    this.#names[gap] = FREE
    this.#size--
  }

  #resize(places: number): void {
    const [names, times] = [this.#names, this.#times]
    this.#names = new Float64Array(places)
    this.#times = new Float64Array(places)
    this.#size = 0
    this.#unseen = 0
    // By an iterator it takes ten times as long.
    for (let place = 0; place < names.length; place++) {
      const name = names[place] as number
      if (name !== FREE) this.#put(name, times[place] as number)
    }
  }
}
