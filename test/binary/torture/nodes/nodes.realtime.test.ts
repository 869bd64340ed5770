/** What they promise, the torture says; here a short one. A long one: `bun run torture:nodes --events 300`. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { isNightly } from '../../../support/depth'
import { tellEvidence } from '../../../support/evidence'
import { SEED } from '../../../support/seed'
import { HANGS_AFTER_MS } from '../../../support/until'
import { tortureNodes } from './torture'

setDefaultTimeout(isNightly ? 3 * HANGS_AFTER_MS : HANGS_AFTER_MS)

/** Each kind once. */
const KINDS = 10
const EVENTS = isNightly ? 100 : KINDS
/** Otherwise nothing was put to the test: it goes on until so much has happened, however slow the machine is. */
const AT_LEAST = { issues: 30, verified: 3, lostCommits: 3, lostRequests: 3, laterLegs: 10 }

test('servers that share a database send nothing twice and forget no answer, whichever of them fails', async () => {
  const told = await tortureNodes({ events: EVENTS, atLeast: AT_LEAST, seed: SEED, leases: 'end', database: 'alone' })
  expect(Object.keys(told.events).length).toBe(KINDS)
  tellEvidence('kills of servers', EVENTS)
})
