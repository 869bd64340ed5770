/**
 * Loaded into the server before it starts (`bun --preload`): how long its event loop was held, told through a shared
 * file. Time in which the process had no turn on a busy machine counts for nothing: a thread of its own says how long
 * the process was alive, and the processor time of the loop's thread how long that computed.
 */
import { writeFileSync } from 'node:fs'

/** In which file, for the process that is measured. */
export const PROBE_FILE = 'FUZZ_PROBE_FILE'
/** The same for the thread that says how long the process was alive. */
export const ALIVE_IN = 'FUZZ_ALIVE_IN'

/** Milliseconds, both since they were last set to 0. */
const BUSY = 0
const SILENT = 1
/** Milliseconds since the start: how long the loop's thread has computed, and the process was alive. */
const COMPUTED = 2
export const ALIVE = 3
const NUMBERS = 4

/** Seldom enough to cost little beside what is measured. */
const EVERY_MS = 5

export interface Held {
  /** The longest time the loop's thread computed without letting a timer run. */
  busyMs: number
  /** The longest time no timer of the loop ran while the process was alive, whatever the reason. */
  silentMs: number
}

export const shared = (file: string) => {
  const bytes = Bun.mmap(file, { shared: true })
  return new Float64Array(bytes.buffer, bytes.byteOffset, NUMBERS)
}

export interface Probe {
  /** The longest since it was asked before. */
  held(): Held
  /** How long the loop's thread has computed in all. */
  computedMs(): number
}

/** The reading end. */
export function openProbe(file: string): Probe {
  writeFileSync(file, new Uint8Array(NUMBERS * Float64Array.BYTES_PER_ELEMENT))
  const numbers = shared(file)
  return {
    held() {
      const held = { busyMs: numbers[BUSY] ?? 0, silentMs: numbers[SILENT] ?? 0 }
      numbers.fill(0, BUSY, SILENT + 1)
      return held
    },
    computedMs: () => numbers[COMPUTED] ?? 0,
  }
}

function measure(file: string): void {
  const numbers = shared(file)
  const computedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  const now = () => ({ alive: numbers[ALIVE] ?? 0, computed: computedMs() })
  let last = now()
  const tick = () => {
    const { alive, computed } = now()
    numbers[SILENT] = Math.max(numbers[SILENT] ?? 0, alive - last.alive)
    numbers[BUSY] = Math.max(numbers[BUSY] ?? 0, computed - last.computed)
    numbers[COMPUTED] = computed
    last = { alive, computed }
    setTimeout(tick, EVERY_MS).unref()
  }
  setTimeout(tick, EVERY_MS).unref()
  new Worker(`${import.meta.dir}/alive.ts`, { ref: false, env: { [ALIVE_IN]: file } })
}

const file = process.env[PROBE_FILE]
if (file !== undefined) measure(file)
