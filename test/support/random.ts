/** Seeded randomness: the same seed tells the same story. */
import { v7 } from 'uuid'
import { type SeededChoice, seededChoice } from '../../src/conformance/seeded-choice'
import type { Random } from '../../src/ports/vault'

export interface SeededRandom extends Random, SeededChoice {}

export function seededRandom(seed: number): SeededRandom {
  let made = 0
  let seq = 0
  const choice = seededChoice(seed)
  const { below } = choice
  const bytes = (length: number) => Uint8Array.from({ length }, () => below(256))
  return {
    ...choice,
    bytes,
    // In the order of their making within one millisecond, as the platform makes them.
    uuid(now) {
      const jump = below(2 ** 20)
      seq = now === made ? seq + 1 + jump : jump
      made = now
      return v7({ msecs: now, random: bytes(16), seq })
    },
  }
}
