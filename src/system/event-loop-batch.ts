/**
 * A turn of the event loop, divided: whatever has arrived in it is gone on with in a row, and behind that is read and written
 * in a row what all of it needs. Each then finds in the processor's caches what the one before it has left there, one
 * commit is of as many as there are, and whoever waits for several answers is woken once. Gone through one by one, each with
 * all its parts, a code takes an eighth more of the processor, and a status twice as much.
 */
export interface EventLoopBatch {
  /** Resolves with everything else that has arrived in this turn. */
  join: () => Promise<void>
  /** Calls behind all that. */
  runAfter: (work: () => void) => void
}

export function createEventLoopBatch(): EventLoopBatch {
  let batch: PromiseWithResolvers<void> | undefined
  let works: Array<() => void> = []
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      batch?.resolve()
      batch = undefined
    })
    // Behind everything that follows from that without waiting.
    setImmediate(() => {
      isScheduled = false
      const due = works
      works = []
      for (const work of due) call(work)
      if (batch) schedule()
    })
  }

  return {
    join() {
      batch ??= Promise.withResolvers()
      schedule()
      return batch.promise
    },
    runAfter(work) {
      works.push(work)
      schedule()
    },
  }
}

function call(work: () => void): void {
  try {
    work()
  } catch (defect) {
    // It must not keep the others from theirs, nor go unseen.
    queueMicrotask(() => {
      throw defect
    })
  }
}

/** There is one event loop. */
export const eventLoopBatch = createEventLoopBatch()
