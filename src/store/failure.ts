/** Errors of the stores, and guards of their methods. Callers learn only that trying again may help; the cause stays inside. */
import { unavailable } from '../domain/shared/error'
import type { Tx } from '../ports/store'

export const cannotRead = (cause: unknown) =>
  Object.assign(unavailable('The store cannot be read at the moment'), { cause })

export const cannotWrite = (cause: unknown) =>
  Object.assign(unavailable('The store cannot write at the moment'), { cause })

type ReadFunction = (...args: unknown[]) => Promise<unknown> | AsyncIterable<unknown>
type Translate = (error: unknown) => unknown

/** Wraps read methods, so that they throw what `translate` makes of their errors. */
export function guarded<Methods extends object>(methods: Methods, translate: Translate): Methods {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    typeof method === 'function' ? guardedRead(method as ReadFunction, translate) : guarded(method, translate),
  ])
  return Object.fromEntries(entries)
}

function guardedRead(read: ReadFunction, translate: Translate): ReadFunction {
  return (...args) => {
    const answer = read(...args)
    if (answer instanceof Promise) return answer.catch((error) => Promise.reject(translate(error)))
    return pages(answer, translate)
  }
}

async function* pages(answer: AsyncIterable<unknown>, translate: Translate) {
  try {
    yield* answer
  } catch (error) {
    throw translate(error)
  }
}

export class WrongSecretError extends Error {
  override name = 'WrongSecretError'
  constructor() {
    super('The master secret does not open this database: it was changed, or this is another one.')
  }
}

/** A `Tx` that throws when it is used after its end, so that it cannot write into another transaction. */
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
