/**
 * What attacks cost the owner, and whom protection refuses. Days without an attack are lived through, and the two attacks that
 * differ most; of the others the first quarter, since what they cost they cost at their beginning and after a pause. All of
 * it, and other seeds, by `bun run simulate-abuse`.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { NEW_CAPS } from '../../src/domain/cap'
import { MINUTE_MS } from '../../src/domain/value'
import { A_LOT } from './attackers'
import { type Simulated, simulate } from './simulate'
import { HONEST, named, OUTAGES, ROTATING } from './worlds'

/** A day takes ten seconds of a processor, which others may want as well. */
setDefaultTimeout(600_000)

const SEED = 1
const DAY_HOURS = 24
const QUARTER = { hours: DAY_HOURS / 4 }
/** Outages are over by then. */
const HALF = { hours: DAY_HOURS / 2 }
const WHOLE_DAYS = ['few prefixes', 'all prefixes']

/** Such an attack stops the country for browser keys, people too. */
const WHOLE_COUNTRY = 'all prefixes'

const refusedShare = ({ people }: Simulated) => people.without / people.wishes

describe.each([...HONEST])('$name', (world) => {
  test('refuses fewer than one in a hundred', async () => {
    const simulated = await simulate(world, SEED)
    expect(simulated.people.wishes).toBeGreaterThan(40)
    expect(refusedShare(simulated)).toBeLessThan(0.01)
  })
})

describe.each([...OUTAGES])('$name', (world) => {
  test('opens no incident, and nobody goes without a code', async () => {
    const { people, seenAfterMs } = await simulate(world, SEED, HALF)
    expect([people.without, seenAfterMs]).toEqual([0, []])
  })
})

describe.each([...ROTATING])('$name', (world) => {
  test('costs fewer than fifty credits, is seen within a minute, and leaves people theirs', async () => {
    const hours = WHOLE_DAYS.includes(world.name) ? DAY_HOURS : QUARTER.hours
    const simulated = await simulate(world, SEED, { hours })
    const { attackers, beyond, seenAfterMs } = simulated
    expect(attackers.asked).toBe((A_LOT * hours) / DAY_HOURS)
    expect(beyond).toBeLessThan(50)
    // Where nothing is sent there is nothing to see.
    if (attackers.sent > 0) expect(seenAfterMs[0]).toBeLessThan(MINUTE_MS)
    if (!world.name.startsWith(WHOLE_COUNTRY)) expect(refusedShare(simulated)).toBeLessThan(0.01)
  })
})

test('people who prove that they are get their codes in an attack on their whole country, too', async () => {
  const simulated = await simulate(named('all prefixes, people prove that they are'), SEED, QUARTER)
  expect(refusedShare(simulated)).toBeLessThan(0.01)
})

describe('an app of which nothing is known', () => {
  const most = (per: 'app' | 'prefix') =>
    NEW_CAPS.find((cap) => cap.kind === 'pk' && cap.per === per && cap.every === 'day')?.max ?? 0

  test.each([
    ['new app, few prefixes', 3 * most('prefix')],
    ['new app, all prefixes', most('app')],
  ])('costs what its caps of a day let through, and no more: %s', async (name, credits) => {
    const { attackers, people } = await simulate(named(name), SEED)
    expect(attackers.sent).toBeLessThanOrEqual(credits)
    expect(attackers.sent + people.sent).toBeLessThanOrEqual(most('app'))
    expect(attackers.refused).toHaveProperty('cap')
    expect(attackers.sent).toBeGreaterThan(credits / 2)
  })
})

test('a seed tells the same story every time', async () => {
  const world = named('few prefixes')
  const hours = { hours: 0.5 }
  expect(await simulate(world, 3, hours)).toEqual(await simulate(world, 3, hours))
})
