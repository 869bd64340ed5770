/** What random input of a run is drawn from: a commit is checked with its own, a failure names it. */
export const SEED = Number(process.env.TEST_SEED ?? 1)

/** So many seeds that belong to this run. */
export const seedsOfRun = (count: number): number[] => Array.from({ length: count }, (_, index) => SEED + index)

/** Seeds in portions, each with its name: a test of a thousand would hide how far it has come, and take the time of all. */
export const inPortions = (seeds: readonly number[]): Array<[string, number[]]> =>
  Array.from({ length: Math.ceil(seeds.length / PORTION) }, (_, index) => {
    const portion = seeds.slice(index * PORTION, (index + 1) * PORTION)
    return [`${portion[0]} to ${portion.at(-1)}`, portion]
  })
const PORTION = 5
