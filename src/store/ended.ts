/** A unit that is used after its end throws instead of writing into somebody else's. */
import type { Tx } from '../ports/store'

const ENDED = new Proxy(
  {},
  {
    get() {
      throw new Error('This transaction has ended')
    },
  },
)

/** A unit of these doors, until `end`. */
export function openUnit(doors: Tx): { tx: Tx; end(): void } {
  const tx: Tx = Object.create(doors)
  return { tx, end: () => void Object.setPrototypeOf(tx, ENDED) }
}
