/** The simulation of several servers finds what is planted: else its seeds would prove nothing. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { HANGS_AFTER_MS } from '../../support/until'
import { SimulationFailure } from '../simulate'
import { type LaidOut, laidOut } from './laid-out'
import { PLANTS } from './plants'
import { firstFailure } from './simulate'

setDefaultTimeout(HANGS_AFTER_MS)

/** Within so many seeds each planted bug is found; the same in every run. */
const FOUND_WITHIN = Array.from({ length: 10 }, (_, index) => index + 1)

/** Where those were found that are not at once: these seeds are looked at first. */
const FOUND_AT: Record<string, number> = {
  'what is decided by is read without a lock': 16,
  'credit is read, and then written': 2,
  'two issue for one phone at a time': 7,
  'a lease ends by the clock of whoever looks': 19,
  'who stops gives back what others run': 8,
  'who has waited to follow the clock follows it, too': 2,
  'a carrier that does not tell what became of a message has lost it': 16,
  'each connection counts for itself': 5,
  'a message is sent within the transaction that writes it down': 6,
  'what was lost with its commit is done again': 9,
  'what was lost with its commit counts as stored': 8,
  'who has lost a job records what came of it': 2,
  'who has lost a message charges it, too': 5,
  'a server counts only codes that it lets in itself': 20,
  'wrong codes of a phone are counted beside each other': 25,
}

let stage: LaidOut
beforeAll(async () => {
  stage = await laidOut()
})
afterAll(() => stage.close())

test.each(Object.entries(PLANTS))('finds the planted bug: %s', async (name, plant) => {
  expect(await firstFailure(stage, [FOUND_AT[name] ?? 1, ...FOUND_WITHIN], plant)).toBeInstanceOf(SimulationFailure)
})
