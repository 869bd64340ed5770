import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SimulationFailure } from '../simulate'
import keptSeeds from './kept-seeds.json'
import { type LaidOut, laidOut } from './laid-out'
import { PLANTS, type Plant } from './plants'
import { simulate } from './simulate'

const SEEDS = Array.from({ length: 6 }, (_, index) => index + 1)
/** Within so many seeds each planted bug is found. */
const FOUND_WITHIN = Array.from({ length: 40 }, (_, index) => index + 1)

/** Where those were found that are not at once: these seeds are looked at first. */
const FOUND_AT: Record<string, number> = {
  'credit is read, and then written': 2,
  'who stops gives back what others run': 9,
  'who has waited to follow the clock follows it, too': 2,
  'a carrier that does not tell what became of a message has lost it': 3,
  'each connection counts for itself': 4,
  'a message is sent within the unit that writes it down': 4,
  'what was lost with its commit is done again': 4,
  'what was lost with its commit counts as stored': 2,
  'who has lost a message charges it, too': 2,
  'a server counts only codes that it lets in itself': 20,
  'wrong codes of a phone are counted beside each other': 10,
}

let stage: LaidOut
beforeAll(async () => {
  stage = await laidOut()
}, 60_000)
afterAll(() => stage.close())

/** The first seed that tells of a broken promise. */
async function firstFailure(seeds: readonly number[], plant: Plant = {}): Promise<unknown> {
  for (const seed of seeds) {
    const failure = await simulate(seed, stage.database, plant).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failure !== undefined) return failure
  }
  return undefined
}

describe('several servers over one PostgreSQL, one statement at a time', () => {
  test(`${SEEDS.length} seeds keep every promise`, async () => {
    expect(await firstFailure(SEEDS)).toBeUndefined()
  }, 240_000)

  test('seeds that once told of a broken promise are kept, and keep it now', async () => {
    expect(await firstFailure(keptSeeds)).toBeUndefined()
  }, 240_000)

  test('a seed tells the same story every time', async () => {
    expect(await simulate(3, stage.database)).toEqual(await simulate(3, stage.database))
  }, 60_000)

  test.each(Object.entries(PLANTS))(
    'finds the planted bug: %s',
    async (name, plant) => {
      expect(await firstFailure([FOUND_AT[name] ?? 1, ...FOUND_WITHIN], plant)).toBeInstanceOf(SimulationFailure)
    },
    240_000,
  )
})
