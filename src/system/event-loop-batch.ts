/**
 * Batches the work of one turn of the event loop: all requests and answers that arrived continue together, and their reads and writes
 * follow together. The processor's caches stay warm, and one commit serves the whole batch. One by one, an issue takes an
 * eighth more of the processor, and a status twice as much.
 */
export interface EventLoopBatch {
  /** Resolves together with everything else that has arrived in this turn. */
  join: () => Promise<void>
  /** Calls after everything that has joined. */
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
    // Runs after all microtasks that follow from the resolved batch.
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
    // An error must not stop the other work, and must still be reported as uncaught.
    queueMicrotask(() => {
      throw defect
    })
  }
}

/** There is one event loop. */
export const eventLoopBatch = createEventLoopBatch()
