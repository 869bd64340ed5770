/** The same of the product itself: HTTP, limits, rules, database and carriers, on either store. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { product } from './product'
import { simulate } from './simulate'
import { named } from './worlds'

setDefaultTimeout(600_000)

const SEED = 1
/** Six minutes: until a pause holds. A day of it by `bun run simulate-abuse --product`. */
const HOURS = 0.1

describe('the beginning of an attack', () => {
  test.each(['few prefixes', 'all prefixes', 'opened countries, by a server', 'own numbers, 30 % typed'])(
    'costs as much as in the simulation: %s',
    async (name) => {
      const world = named(name)
      const [real, simulated] = [
        await simulate(world, SEED, { open: product, hours: HOURS }),
        await simulate(world, SEED, { hours: HOURS }),
      ]
      expect(real.beyond).toBeLessThan(50)
      expect(real.attackers).toMatchObject({ asked: simulated.attackers.asked, sent: simulated.attackers.sent })
      expect(real.people).toMatchObject({ asked: simulated.people.asked, sent: simulated.people.sent })
      expect(real.seenAfterMs).toHaveLength(simulated.seenAfterMs.length)
    },
  )
})
