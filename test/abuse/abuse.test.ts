/**
 * What attacks cost the owner, and whom protection refuses. A commit is checked with three honest days and the first quarter
 * of every other world, since attacks cost what they cost at their beginning; `ci:nightly` plays the whole day of each.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { MINUTE_MS } from '../../src/domain/shared/value'
import { isNightly } from '../support/depth'
import { HANGS_AFTER_MS } from '../support/until'
import { A_LOT } from './attackers'
import { KOREANS } from './people'
import { type Simulated, simulate } from './simulate'
import { HONEST, named, OUTAGES, ROTATING, UNKNOWN } from './worlds'

setDefaultTimeout(HANGS_AFTER_MS)

const SEED = 1
/** Of each honest world. */
const SEEDS = isNightly ? 20 : 1
const DAY_HOURS = 24
const HOURS = isNightly ? DAY_HOURS : DAY_HOURS / 4
/** Played whole every time: an ordinary day, a launch, and an app so small that few codes decide. */
const WHOLE_DAYS = ['weekday', 'launch', 'small app']

/**
 * Such an attack stops the country for browser keys, people too, but not before less than half of the usual share is typed: so it
 * may cost a third more than people ask for in an hour, of whom some 130 come in the busiest.
 */
const WHOLE_COUNTRY = 'all prefixes'
const A_BUSY_HOUR = 170

/** Of people, and of what they ask for: who is refused asks again. */
const refusedShare = ({ people }: Simulated) => people.without / people.wishes
const refusedRequests = ({ people }: Simulated) => 1 - people.sent / people.asked
/** Who has a code in the end waits a minute for it, as for a message that is late: no more of them than are refused. */
const delayedShare = ({ people }: Simulated) => people.delayed / people.wishes

function expectPeopleUndisturbed(simulated: Simulated): void {
  expect(refusedShare(simulated)).toBeLessThan(0.01)
  expect(refusedRequests(simulated)).toBeLessThan(0.01)
  expect(delayedShare(simulated)).toBeLessThan(0.01)
  expect(simulated.seenAfterMs).toEqual([])
}

test('the documentation names worlds that exist', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/abuse.md')).text()
  const [table = ''] = /\| Situation [\s\S]*?\n\n/.exec(page) ?? []
  const worlds = table
    .split('\n')
    .slice(2)
    .flatMap((row) => [...(row.split('|')[3] ?? '').matchAll(/`([^`]+)`/g)])
  expect(worlds.length).toBeGreaterThan(12)
  for (const [, name = ''] of worlds) expect(named(name).name).toBe(name)
})

describe.each([...HONEST])('$name', (world) => {
  test('refuses at most one person in two hundred, and is no incident', async () => {
    const hours = WHOLE_DAYS.includes(world.name) ? DAY_HOURS : HOURS
    const people = { without: 0, wishes: 0 }
    for (let seed = SEED; seed < SEED + SEEDS; seed++) {
      const simulated = await simulate(world, seed, { hours })
      expectPeopleUndisturbed(simulated)
      people.without += simulated.people.without
      people.wishes += simulated.people.wishes
    }
    expect(people.wishes).toBeGreaterThan(SEEDS * 5)
    expect(people.without).toBeLessThanOrEqual(people.wishes / 200)
  })
})

test('sixty times as many people as come in the busiest hour, from one minute to the next, are no incident either', async () => {
  const [evening, world] = [4, named('launch, by a server, no reports')]
  expectPeopleUndisturbed(await simulate(world, evening, { hours: HOURS }))
})

describe.each([...OUTAGES])('$name', (world) => {
  test('opens no incident, and nobody goes without a code', async () => {
    const simulated = await simulate(world, SEED, { hours: HOURS })
    expect(simulated.people.without).toBe(0)
    expectPeopleUndisturbed(simulated)
  })
})

describe.each([...ROTATING])('$name', (world) => {
  test('costs fewer than fifty credits, or an hour of a whole country, is seen at once, and leaves people theirs', async () => {
    const simulated = await simulate(world, SEED, { hours: HOURS })
    const { attackers, beyond, seenAfterMs } = simulated
    expect(attackers.asked).toBe((A_LOT * HOURS) / DAY_HOURS)
    const isOfWholeCountry = world.name.startsWith(WHOLE_COUNTRY)
    expect(beyond).toBeLessThan(isOfWholeCountry ? A_BUSY_HOUR : 50)
    // Where nothing is sent there is nothing to see.
    if (attackers.sent > 0) expect(seenAfterMs[0]).toBeLessThan(isOfWholeCountry ? 2 * MINUTE_MS : MINUTE_MS)
    if (!isOfWholeCountry) expect(refusedShare(simulated)).toBeLessThan(0.01)
  })
})

test('people who prove that they are get their codes in an attack on their whole country, too', async () => {
  const simulated = await simulate(named('all prefixes, people prove that they are'), SEED, { hours: HOURS })
  expect(refusedShare(simulated)).toBeLessThan(0.01)
})

test('whoever asks from one address costs fewer than fifty credits, is seen, and leaves people theirs', async () => {
  const simulated = await simulate(named('one address'), SEED, { hours: HOURS })
  expect(simulated.beyond).toBeLessThan(50)
  // Its first minute is that of a limit: ten codes are no incident.
  expect(simulated.seenAfterMs[0]).toBeLessThan(2 * MINUTE_MS)
  expect(refusedShare(simulated)).toBeLessThan(0.01)
})

test('an attack by a relay costs four usual days at most, and is seen', async () => {
  const simulated = await simulate(named('all prefixes, by a relay'), SEED, { hours: HOURS })
  expect(simulated.beyond).toBeLessThan(4 * KOREANS.aDay)
  expect(simulated.seenAfterMs[0]).toBeLessThan(2 * MINUTE_MS)
})

test('whoever asks again when told to, and not before, costs two busy hours at most', async () => {
  const simulated = await simulate(named('waits as it is told'), SEED, { hours: HOURS })
  expect(simulated.beyond).toBeLessThan(2 * A_BUSY_HOUR)
  expect(simulated.seenAfterMs[0]).toBeLessThan(3 * MINUTE_MS)
})

describe('whoever asks slowly', () => {
  test.each([4, 9])('is not told from people who do not type, and costs what is sent: %d an hour', async (perHour) => {
    const simulated = await simulate(named(`drip of ${perHour} an hour`), SEED, { hours: HOURS })
    expect(simulated.beyond).toBeLessThanOrEqual(HOURS * perHour)
    expectPeopleUndisturbed(simulated)
  })

  test('is stopped where fewer than half of the usual share type, as at night: 60 an hour', async () => {
    const simulated = await simulate(named('drip of 60 an hour'), SEED)
    expect(simulated.beyond).toBeLessThan(DAY_HOURS * 60 * 0.8)
    expect(simulated.seenAfterMs).not.toEqual([])
    expect(refusedShare(simulated)).toBeLessThan(0.6)
  })
})

/** By six hours its caps of the day are used up. */
describe.each([...UNKNOWN])('$name', (world) => {
  test('costs what its caps let through that start small, and is seen within a minute', async () => {
    const simulated = await simulate(world, SEED, { hours: HOURS })
    const { attackers, beyond, seenAfterMs } = simulated
    expect(beyond).toBeLessThan(600)
    expect(seenAfterMs[0]).toBeLessThan(MINUTE_MS)
    expect(attackers.refused).toHaveProperty('cap')
    expect(attackers.sent).toBeGreaterThan(400)
    if (!world.name.includes(WHOLE_COUNTRY)) expect(refusedShare(simulated)).toBeLessThan(0.01)
  })
})

test('a seed tells the same story every time', async () => {
  const world = named('few prefixes')
  const hours = { hours: 0.5 }
  expect(await simulate(world, 3, hours)).toEqual(await simulate(world, 3, hours))
})
