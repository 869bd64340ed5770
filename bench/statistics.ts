/** Medians and spreads of rounds. */

export interface Rounds {
  median: number
  min: number
  max: number
}

export function roundsOf(values: readonly number[]): Rounds {
  const sorted = [...values].sort((a, b) => a - b)
  return { median: quantile(sorted, 0.5), min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 }
}

/** Of sorted values. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

/** Round by round, so that what slows the machine for a while slows both. */
export const ratiosOf = (these: readonly number[], those: readonly number[]): Rounds =>
  roundsOf(these.map((value, round) => value / (those[round] ?? Number.NaN)))

export const count = (value: number) => Math.round(value).toLocaleString('en-US')

export const fixed = (value: number, digits = 2) => value.toFixed(digits)
