import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { isNightly } from '../../support/depth'
import { tellEvidence } from '../../support/evidence'
import { inPortions, seedsOfRun } from '../../support/seed'
import { HANGS_AFTER_MS } from '../../support/until'
import keptSeeds from './kept-seeds.json'
import { type LaidOut, laidOut } from './laid-out'
import { firstFailure, simulate } from './simulate'

setDefaultTimeout(HANGS_AFTER_MS)

/** More by a command: `bun run simulate:nodes`. */
const SEEDS = seedsOfRun(isNightly ? 100 : 3)

let stage: LaidOut
beforeAll(async () => {
  stage = await laidOut()
})
afterAll(() => stage.close())

describe('several servers over one PostgreSQL, one statement at a time', () => {
  test.each(inPortions(SEEDS))('seeds %s keep every promise', async (_, seeds) => {
    expect(await firstFailure(stage, seeds)).toBeUndefined()
    tellEvidence('seeds of servers', seeds.length)
  })

  test('seeds that once told of a broken promise are kept, and keep it now', async () => {
    expect(await firstFailure(stage, keptSeeds)).toBeUndefined()
  })

  test('a seed tells the same story every time', async () => {
    expect(await simulate(3, stage.database)).toEqual(await simulate(3, stage.database))
  })
})
