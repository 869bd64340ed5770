import { describe, expect, test } from 'bun:test'
import { SABOTAGES } from './sabotage'
import { SimulationFailure, simulate } from './simulate'

const SEEDS = 100
/** Seeds that once found something. */
const KEPT: number[] = []

describe('simulation', () => {
  test(`${SEEDS} seeds keep every promise`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) await simulate(seed)
  }, 120_000)

  if (KEPT.length > 0) test.each(KEPT)('kept seed %i', async (seed) => void (await simulate(seed)))

  test('a seed tells the same story every time', async () => {
    expect(await simulate(7)).toEqual(await simulate(7))
  })

  test.each(Object.entries(SABOTAGES))(
    'finds the planted bug: %s',
    async (_, sabotage) => {
      const found = async () => {
        for (let seed = 1; seed <= SEEDS; seed++) await simulate(seed, sabotage)
      }
      await expect(found()).rejects.toThrow(SimulationFailure)
    },
    60_000,
  )
})
