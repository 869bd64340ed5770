/** What random input of a run is drawn from: a commit is checked with its own, a failure names it. */
export const SEED = Number(process.env.TEST_SEED ?? 1)

/** So many seeds that belong to this run. */
export const seedsOfRun = (count: number): number[] => Array.from({ length: count }, (_, index) => SEED + index)
