/** What is kept over a reload of the page. Never a code; of what `verify` has answered the proof, which is good for minutes. */
import type { FlowClock } from './clock'
import type { Held } from './held'

/** `sessionStorage`, or anything like it. Whoever reads it reads the phone number. */
export interface FlowStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export interface FlowMemory<V> {
  recall(): Held<V> | undefined
  keep(held: Held<V>): void
}

/** Of how a flow was written down: one that an older release has written is forgotten. */
const FORMAT = 1

/** A key is new again some day, and would have another code sent. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1_000

/** A proof that a backend may believe yet, or else nothing is verified any more. */
const PROVEN_MS = 10 * 60 * 1_000

/** Moments of a clock that ends with the page: kept is how long it is to them. */
const MOMENTS: ReadonlySet<string> = new Set(['resendAt', 'submitAt', 'expiresAt'])

const NO_MEMORY: FlowMemory<never> = { recall: () => undefined, keep: () => {} }

export function memoryIn<V>(storage: FlowStorage | undefined, key: string, clock: FlowClock): FlowMemory<V> {
  if (!storage) return NO_MEMORY
  return {
    recall: () => quietly(() => read<V>(storage.getItem(key), clock.now())),
    keep: (held) =>
      quietly(() => (isPristine(held) ? storage.removeItem(key) : storage.setItem(key, write(held, clock.now())))),
  }
}

const isPristine = <V>({ phase, phoneNumber }: Held<V>) => phase === 'idle' && phoneNumber === ''

const write = <V>({ answer: _, ...held }: Held<V>, now: number): string =>
  JSON.stringify({ form: FORMAT, keptAt: Date.now(), held }, (name, value) => (MOMENTS.has(name) ? value - now : value))

function read<V>(text: string | null, now: number): Held<V> | undefined {
  const { form, keptAt, held } = JSON.parse(text ?? '{}', (name, value) => (MOMENTS.has(name) ? value + now : value))
  const forgottenAfterMs = held?.proof ? PROVEN_MS : FORGOTTEN_AFTER_MS
  return form === FORMAT && Math.abs(Date.now() - keptAt) < forgottenAfterMs ? held : undefined
}

/** A storage may be full, closed to the page, or written by somebody else: then nothing is kept. */
function quietly<T>(access: () => T): T | undefined {
  try {
    return access()
  } catch {
    return undefined
  }
}
