/**
 * What attacks cost the owner of the product itself (HTTP, limits, rules, database, carriers), on either store. Whatever a rule
 * lets through it lets through at the beginning. There are two hours at least; a day of every world by
 * `bun run simulate-abuse --product`, on PostgreSQL with `--postgres`.
 */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { MINUTE_MS } from '../../src/domain/shared/value'
import { isNightly } from '../support/depth'
import { IS_POSTGRES } from '../support/place'
import { HANGS_AFTER_MS } from '../support/until'
import { A_LOT } from './attackers'
import { byTwoServers, KILLED_AFTER_HOURS, killedOnce, product, productEverySecond } from './product'
import { type Open, type Simulated, simulate } from './simulate'
import { named } from './worlds'

setDefaultTimeout(HANGS_AFTER_MS)

const SEED = 1
const DAY_HOURS = 24
/** A database in a process of its own takes some times as long as a file. */
const HOURS = isNightly && !IS_POSTGRES ? 6 : 2
const HONEST_HOURS = isNightly && !IS_POSTGRES ? DAY_HOURS : HOURS
/** Until most has been refused for some minutes. */
const BEGINNING = 0.1
const AROUND_A_KILL = 3 * KILLED_AFTER_HOURS
/** Phones that were refused and did not come back are known to the server that refused them only. */
const A_START = 20
/** An attack asks 1.2 times a second, and servers find each other's codes some three seconds later. */
const NOT_SEEN_YET = 4

const refusedShare = ({ people }: Simulated) => people.without / people.wishes

function expectGoals(simulated: Simulated, hours: number): void {
  expect(simulated.attackers.asked).toBe(Math.round((A_LOT * hours) / DAY_HOURS))
  const isTyped = (simulated.world.attack?.types ?? 0) > 0
  expect(simulated.beyond).toBeLessThan(isTyped ? 500 : 150)
  expect(simulated.seenAfterMs[0]).toBeLessThan(4 * MINUTE_MS)
}

/** On PostgreSQL nightly plays them, too: the rules are the same, and a database in a process of its own takes some times as long. */
const isPlayed = isNightly || !IS_POSTGRES

describe('hours of it', () => {
  test.if(isPlayed)('without an attack fewer than one in a hundred are refused, and nothing is told', async () => {
    const simulated = await simulate(named('weekday'), SEED, { open: product, hours: HONEST_HOURS })
    expect(simulated.people.wishes).toBeGreaterThan(50 * HOURS)
    expect(refusedShare(simulated)).toBeLessThan(0.01)
    expect(simulated.seenAfterMs).toEqual([])
  })

  test.if(isPlayed)(
    'rotating addresses and numbers are paid for little, are seen within minutes, and people get theirs',
    async () => {
      const simulated = await simulate(named('few prefixes'), SEED, { open: product, hours: HOURS })
      expectGoals(simulated, HOURS)
      expect(refusedShare(simulated)).toBeLessThan(0.02)
    },
  )

  describe('of every prefix', () => {
    const playedBy = (open: Open) => simulate(named('all prefixes'), SEED, { open, hours: AROUND_A_KILL })
    let alone: Simulated

    beforeAll(async () => {
      alone = await playedBy(product)
    })

    test.if(isPlayed)('a server that is killed and started again gives nothing anew', async () => {
      const killed = await playedBy(killedOnce)
      expectGoals(killed, AROUND_A_KILL)
      expect(killed.beyond).toBeLessThanOrEqual(alone.beyond + A_START)
    })

    test.if(IS_POSTGRES)('two servers give hardly more than one: each finds what the other has sent', async () => {
      const two = await playedBy(byTwoServers)
      expectGoals(two, AROUND_A_KILL)
      expect(two.beyond).toBeLessThanOrEqual(alone.beyond + A_START + NOT_SEEN_YET)
    })
  })
})

describe('the beginning of an attack', () => {
  // A commit plays two, one by pages and one by a server.
  const WORLDS = ['few prefixes', 'opened countries, by a server', 'all prefixes', 'own numbers, 30 % typed']
  test.each(isNightly ? WORLDS : WORLDS.slice(0, 2))('costs as much as in the simulation: %s', async (name) => {
    const world = named(name)
    const [real, simulated] = [
      await simulate(world, SEED, { open: productEverySecond, hours: BEGINNING }),
      await simulate(world, SEED, { hours: BEGINNING }),
    ]
    expectGoals(real, BEGINNING)
    expect(real.attackers).toMatchObject({ asked: simulated.attackers.asked, sent: simulated.attackers.sent })
    expect(real.people).toMatchObject({ asked: simulated.people.asked, sent: simulated.people.sent })
    expect(real.seenAfterMs).toHaveLength(simulated.seenAfterMs.length)
  })
})
