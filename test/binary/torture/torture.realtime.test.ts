/** What it promises, the torture says; here a short one. A long one: `bun run torture --kills 300`. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { isNightly } from '../../support/depth'
import { tellEvidence } from '../../support/evidence'
import { SEED } from '../../support/seed'
import { HANGS_AFTER_MS } from '../../support/until'
import { compile } from '../compiled'
import { torture } from './torture'

setDefaultTimeout(isNightly ? 3 * HANGS_AFTER_MS : HANGS_AFTER_MS)

const KILLS = isNightly ? 300 : 10
/** Otherwise nothing was put to the test: it goes on until so much has happened, however slow the machine is. */
const AT_LEAST = { issues: 50, interrupted: 3, verified: 10, unanswered: 3, laterLegs: 10 }

test(`killed ${KILLS} times at work, it sends nothing twice, forgets no answer and charges everything once`, async () => {
  const binary = await compile()
  const told = await torture({ binary, kills: KILLS, atLeast: AT_LEAST, seed: SEED, leases: 'end' })
  expect(told.issues).toBeGreaterThanOrEqual(AT_LEAST.issues)
  tellEvidence('kills', KILLS)
})
