/** The simulation of several servers finds what is planted: else its seeds would prove nothing. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { HANGS_AFTER_MS } from '../../support/until'
import { SimulationFailure } from '../simulate'
import { type LaidOut, laidOut } from './laid-out'
import { PLANTS } from './plants'
import { firstFailure } from './simulate'

setDefaultTimeout(HANGS_AFTER_MS)

/** Within so many seeds each planted bug is found; the same in every run. */
const FOUND_WITHIN = Array.from({ length: 40 }, (_, index) => index + 1)

/** Where those were found that are not at once: these seeds are looked at first. */
const FOUND_AT: Record<string, number> = {
  'two issue for one phone at a time': 2,
  'credit is read, and then written': 5,
  'a lease ends by the clock of whoever looks': 3,
  'the lease of who was killed never ends': 11,
  'who stops gives back what others run': 15,
  'a carrier that does not tell what became of a message has lost it': 3,
  'each connection counts for itself': 6,
  'a message is sent within the transaction that writes it down': 17,
  'what was lost with its commit is done again': 8,
  'what was lost with its commit counts as stored': 3,
  'a server counts only codes that it lets in itself': 5,
  'wrong codes of a phone are counted beside each other': 10,
  'who has lost a job records what came of it': 5,
}

let stage: LaidOut
beforeAll(async () => {
  stage = await laidOut()
})
afterAll(() => stage.close())

test.each(Object.entries(PLANTS))('finds the planted bug: %s', async (name, plant) => {
  expect(await firstFailure(stage, [FOUND_AT[name] ?? 1, ...FOUND_WITHIN], plant)).toBeInstanceOf(SimulationFailure)
})
