/** A `Tx` that throws when it is used after its end, so that it cannot write into another transaction. */
import type { Tx } from '../ports/store'

export function openTx(methods: Tx): { tx: Tx; end(): void } {
  let hasEnded = false
  const tx = new Proxy(methods, {
    get(methods, name) {
      if (hasEnded) throw new Error('This transaction has ended')
      return methods[name as keyof Tx]
    },
  })
  return {
    tx,
    end() {
      hasEnded = true
    },
  }
}
