/** A unit that is used after its end throws instead of writing into somebody else's. */
import type { Tx } from '../ports/store'

/** A unit of these doors, until `end`. */
export function openTx(doors: Tx): { tx: Tx; end(): void } {
  let hasEnded = false
  const tx = new Proxy(doors, {
    get(doors, name) {
      if (hasEnded) throw new Error('This transaction has ended')
      return doors[name as keyof Tx]
    },
  })
  return {
    tx,
    end() {
      hasEnded = true
    },
  }
}
