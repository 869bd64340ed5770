/** Counted slots for work. A slot is acquired before the job is claimed. */
import type { Slot } from '../ports/node'

/** A number of slots, which may change. */
export class Semaphore {
  #taken = 0

  constructor(private readonly max: () => number) {}

  get isEmpty(): boolean {
    return this.#taken === 0
  }

  acquire(): Slot | undefined {
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

export const fixedSemaphore = (max: number) => new Semaphore(() => max)

/** Slots for each queue. A slot also counts among all queues together, and in the semaphores of `alsoIn`. */
export function slotsPerQueue(
  maxOf: (queue: string) => number,
  maxTogether: number,
  alsoIn: (queue: string) => readonly Semaphore[] = () => [],
): (queue: string) => Slot | undefined {
  const all = fixedSemaphore(maxTogether)
  const byQueue = new Map<string, Semaphore>()
  return (queue) => {
    const own = byQueue.get(queue) ?? new Semaphore(() => maxOf(queue))
    const slot = acquireAll([own, ...alsoIn(queue), all])
    if (!slot) return undefined
    byQueue.set(queue, own)
    return {
      release() {
        slot.release()
        if (own.isEmpty) byQueue.delete(queue)
      },
    }
  }
}

/** A slot of each semaphore, or of none. */
function acquireAll(semaphores: readonly Semaphore[]): Slot | undefined {
  const taken: Slot[] = []
  const release = () => {
    for (const slot of taken) slot.release()
  }
  for (const semaphore of semaphores) {
    const slot = semaphore.acquire()
    if (!slot) {
      release()
      return undefined
    }
    taken.push(slot)
  }
  return { release }
}
