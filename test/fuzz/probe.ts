/**
 * Loaded into the server before it starts (`bun --preload`): how long its event loop was held, told through a shared
 * file. Held means both that no timer had its turn and that the thread was computing, so that a machine which runs
 * something else meanwhile does not count.
 */
import { writeFileSync } from 'node:fs'

/** In which file, for the process that is measured. */
export const PROBE_FILE = 'FUZZ_PROBE_FILE'

/** Milliseconds, both since they were last set to 0. */
const BUSY = 0
const SILENT = 1

const EVERY_MS = 1

export interface Held {
  /** The longest time the loop's thread computed without letting a timer run. */
  busyMs: number
  /** The longest time no timer ran, whatever the reason. */
  silentMs: number
}

const shared = (file: string) => {
  const bytes = Bun.mmap(file, { shared: true })
  return new Float64Array(bytes.buffer, bytes.byteOffset, 2)
}

/** The reading end: answers what was the longest since it was asked before. */
export function openProbe(file: string): () => Held {
  writeFileSync(file, new Uint8Array(2 * Float64Array.BYTES_PER_ELEMENT))
  const numbers = shared(file)
  return () => {
    const held = { busyMs: numbers[BUSY] ?? 0, silentMs: numbers[SILENT] ?? 0 }
    numbers.fill(0)
    return held
  }
}

function measure(file: string): void {
  const numbers = shared(file)
  const computedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let last = { at: performance.now(), computed: computedMs() }
  const tick = () => {
    const now = { at: performance.now(), computed: computedMs() }
    const silent = now.at - last.at
    numbers[SILENT] = Math.max(numbers[SILENT] ?? 0, silent)
    numbers[BUSY] = Math.max(numbers[BUSY] ?? 0, Math.min(silent, now.computed - last.computed))
    last = now
    setTimeout(tick, EVERY_MS).unref()
  }
  setTimeout(tick, EVERY_MS).unref()
}

const file = process.env[PROBE_FILE]
if (file !== undefined) measure(file)
