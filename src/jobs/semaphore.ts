/** Numbers of places for work, taken before it is claimed. */
import type { Slot } from '../ports/node'

/** A number of places, which may change. */
export class Semaphore {
  #taken = 0

  constructor(private readonly max: () => number) {}

  get isEmpty(): boolean {
    return this.#taken === 0
  }

  enter(): Slot | undefined {
    if (this.#taken >= this.max()) return undefined
    this.#taken++
    let isTaken = true
    return {
      release: () => {
        if (isTaken) this.#taken--
        isTaken = false
      },
    }
  }
}

export const fixed = (places: number) => new Semaphore(() => places)

/** Room in each queue, within the room of all together and what `alsoIn` names. */
export function inQueuesOf(
  each: (queue: string) => number,
  together: number,
  alsoIn: (queue: string) => readonly Semaphore[] = () => [],
): (queue: string) => Slot | undefined {
  const all = fixed(together)
  const byQueue = new Map<string, Semaphore>()
  return (queue) => {
    const own = byQueue.get(queue) ?? new Semaphore(() => each(queue))
    const place = enterEach([own, ...alsoIn(queue), all])
    if (!place) return undefined
    byQueue.set(queue, own)
    return {
      release() {
        place.release()
        if (own.isEmpty) byQueue.delete(queue)
      },
    }
  }
}

/** One place of each, or none of any. */
function enterEach(rooms: readonly Semaphore[]): Slot | undefined {
  const taken: Slot[] = []
  const free = () => {
    for (const place of taken) place.release()
  }
  for (const room of rooms) {
    const place = room.enter()
    if (!place) {
      free()
      return undefined
    }
    taken.push(place)
  }
  return { release: free }
}
