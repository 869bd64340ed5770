/** Seeded randomness: the same seed tells the same story. */
import { v7 } from 'uuid'
import type { Random } from '../../src/ports/vault'

export interface SeededRandom extends Random {
  /** 0 ≤ x < 1. */
  fraction(): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
}

/** mulberry32. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  let made = 0
  let seq = 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (max: number) => Math.floor(fraction() * max)
  const bytes = (length: number) => Uint8Array.from({ length }, () => below(256))
  return {
    fraction,
    below,
    bytes,
    // In the order of their making within one millisecond, as the platform makes them.
    uuid(now) {
      const jump = below(2 ** 20)
      seq = now === made ? seq + 1 + jump : jump
      made = now
      return v7({ msecs: now, random: bytes(16), seq })
    },
    chance: (probability) => fraction() < probability,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
  }
}
