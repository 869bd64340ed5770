/** Wakes the dispatcher of this process. */
import type { WakeUps } from '../ports/node'

export function createWakeUps(): WakeUps {
  const listeners: Array<() => void> = []
  return {
    wake() {
      for (const look of listeners) look()
    },
    listen: (look) => void listeners.push(look),
  }
}
