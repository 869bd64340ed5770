/** Wakes the dispatcher of this process. */
import type { JobKind } from '../domain/operations/job'
import type { WakeUps } from '../ports/node'

export function createWakeUps(): WakeUps {
  const listeners: Array<(kind: JobKind) => void> = []
  return {
    wake(kind) {
      for (const look of listeners) look(kind)
    },
    subscribe: (look) => void listeners.push(look),
  }
}
