import { describe, expect, test } from 'bun:test'
import { SABOTAGES } from './sabotage'
import { type Sabotage, SimulationFailure, simulate } from './simulate'

const SEEDS = 100

/** The first seed that tells of a broken promise. */
async function firstFailure(sabotage: Sabotage): Promise<unknown> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const failure = await simulate(seed, sabotage).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failure !== undefined) return failure
  }
  return undefined
}

describe('simulation', () => {
  test(`${SEEDS} seeds keep every promise`, async () => {
    expect(await firstFailure({})).toBeUndefined()
  }, 120_000)

  test('a seed tells the same story every time', async () => {
    expect(await simulate(7)).toEqual(await simulate(7))
  })

  test.each(Object.entries(SABOTAGES))(
    'finds the planted bug: %s',
    async (_, sabotage) => {
      expect(await firstFailure(sabotage)).toBeInstanceOf(SimulationFailure)
    },
    60_000,
  )
})
