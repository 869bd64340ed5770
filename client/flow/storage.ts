/** Stores a flow over a reload of the page. Never a code; of the answer of `verify` only the proof. */
import type { FlowClock } from './clock'
import type { Held } from './internal-state'

/** `sessionStorage` or a similar object. It will contain the phone number. */
export interface FlowStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export interface FlowMemory<V> {
  recall(): Held<V> | undefined
  keep(held: Held<V>): void
}

/** Version of the stored format. Other versions are ignored. */
const FORMAT = 1

/** Older states are ignored: the service forgets idempotency keys, and a repeated one would send another code. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1_000

/** Stored proofs are dropped when they have expired. */
const PROVEN_MS = 10 * 60 * 1_000

/** Times of the page's clock, which are stored as durations. */
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

/** The storage may be full, denied or corrupted; then the flow is not stored. */
function quietly<T>(access: () => T): T | undefined {
  try {
    return access()
  } catch {
    return undefined
  }
}
