/** What is held on the heap: what no garbage collection frees. */
import { heapStats } from 'bun:jsc'

type Stats = ReturnType<typeof heapStats>

/** One collection spares what a word on the stack happens to look like. Another one, in another turn, does not. */
const COLLECTIONS = 4

async function held(count: (stats: Stats) => number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < COLLECTIONS; n++) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    Bun.gc(true)
    least = Math.min(least, count(heapStats()))
  }
  return least
}

/** The engine counts what arrays hold outside of its heap twice. */
export const heldBytes = () => held(({ heapSize, extraMemorySize }) => heapSize + extraMemorySize)

export const heldObjects = () => held(({ objectCount }) => objectCount)
