import { describe, expect, test } from 'bun:test'
import keptSeeds from './kept-seeds.json'
import { SABOTAGES } from './sabotage'
import { type Sabotage, SimulationFailure, simulate } from './simulate'
import { eachUnitTwice } from './twice'

/** More by a command: `bun run simulate`. */
const SEEDS = Array.from({ length: 70 }, (_, index) => index + 1)

/** The first seed that tells of a broken promise. */
async function firstFailure(seeds: readonly number[], sabotage: Sabotage = {}): Promise<unknown> {
  for (const seed of seeds) {
    const failure = await simulate(seed, sabotage).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failure !== undefined) return failure
  }
  return undefined
}

describe('simulation', () => {
  test(`${SEEDS.length} seeds keep every promise`, async () => {
    expect(await firstFailure(SEEDS)).toBeUndefined()
  }, 600_000)

  test('units that run twice, as a database may ask for, keep every promise', async () => {
    expect(await firstFailure(SEEDS.slice(0, 60), { store: eachUnitTwice })).toBeUndefined()
  }, 240_000)

  test('seeds that once told of a broken promise are kept, and keep it now', async () => {
    expect(await firstFailure(keptSeeds)).toBeUndefined()
  }, 240_000)

  test('a seed tells the same story every time', async () => {
    expect(await simulate(7)).toEqual(await simulate(7))
  })

  test.each(Object.entries(SABOTAGES))(
    'finds the planted bug: %s',
    async (_, sabotage) => {
      expect(await firstFailure(SEEDS, sabotage)).toBeInstanceOf(SimulationFailure)
    },
    240_000,
  )
})
