/** Seeded choices: the same seed makes the same ones. */
export interface SeededChoice {
  /** 0 ≤ x < 1. */
  fraction(): number
  below(max: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
}

/** mulberry32. */
export function seededChoice(seed: number): SeededChoice {
  let state = seed >>> 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (max: number) => Math.floor(fraction() * max)
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
  }
}
