/** What is to happen when, the soonest first. */
interface Entry {
  readonly at: number
  readonly order: number
  readonly act: () => Promise<void>
}

const isSooner = (one: Entry, other: Entry) => one.at < other.at || (one.at === other.at && one.order < other.order)

/** A binary heap. */
export class Agenda {
  readonly #entries: Entry[] = []
  #order = 0

  add(at: number, act: () => Promise<void>): void {
    const entries = this.#entries
    const added = { at, order: this.#order++, act }
    let place = entries.length
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = entries[above] as Entry
      if (!isSooner(added, parent)) break
      entries[place] = parent
      place = above
    }
    entries[place] = added
  }

  take(): Entry | undefined {
    const entries = this.#entries
    const [first] = entries
    const last = entries.pop()
    if (!first || !last || first === last) return first
    let place = 0
    for (;;) {
      const child = this.#soonerChild(place)
      const next = entries[child]
      if (!next || !isSooner(next, last)) break
      entries[place] = next
      place = child
    }
    entries[place] = last
    return first
  }

  #soonerChild(place: number): number {
    const [left, right] = [this.#entries[2 * place + 1], this.#entries[2 * place + 2]]
    return left && right && isSooner(right, left) ? 2 * place + 2 : 2 * place + 1
  }
}
