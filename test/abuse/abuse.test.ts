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
import { playAttacks, playRandom } from './random-play'
import { type Simulated, simulate } from './simulate'
import { type AbuseWorld, HONEST, named, OTHER_ATTACKS, OUTAGES, ROTATING, UNKNOWN } from './worlds'

setDefaultTimeout(HANGS_AFTER_MS)

const SEED = 1
/** Of each honest world. */
const SEEDS = isNightly ? 20 : 1
const DAY_HOURS = 24
/** Worlds that are drawn. */
const RANDOM = isNightly ? 300 : 3
const ATTACKED = isNightly ? 60 : 1
/** Nobody tells of relays what is typed, so people of a crowd are asked to come back. */
const relayed = ({ crowds }: AbuseWorld) => crowds[0]?.kind === 'relay'
const HOURS = isNightly ? DAY_HOURS : DAY_HOURS / 4
/** Played whole every time: an ordinary day, a launch, and an app so small that few codes decide. */
const WHOLE_DAYS = ['weekday', 'launch', 'small app']

/** Messages that an attack may have paid for, by whether the app is known. */
const MOST_PAID = { known: 150, new: 600 } as const
const paidAtMost = ({ isKnown }: AbuseWorld) => MOST_PAID[isKnown ? 'known' : 'new']

const refusedShare = ({ people }: Simulated) => people.without / Math.max(1, people.wishes)
/** Who has a code in the end has waited for half a minute. */
const delayedShare = ({ people }: Simulated) => people.delayed / Math.max(1, people.wishes)

function expectPeopleUndisturbed(simulated: Simulated): void {
  expect(refusedShare(simulated)).toBeLessThan(0.005)
  expect(delayedShare(simulated)).toBeLessThan(relayed(simulated.world) ? 0.25 : 0.05)
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

describe.each([...ROTATING, ...OTHER_ATTACKS.filter(({ attack }) => attack?.perDay === A_LOT), ...UNKNOWN])(
  '$name',
  (world) => {
    const isTyped = (world.attack?.types ?? 0) > 0

    test('is paid for little, is seen within minutes, and leaves people theirs', async () => {
      const simulated = await simulate(world, SEED, { hours: HOURS })
      const { attackers, beyond, seenAfterMs } = simulated
      // Whose numbers are his own and typed keeps most of his wishes: each phone has its limit.
      expect(beyond).toBeLessThan(isTyped ? 1_000 : paidAtMost(world))
      // Where nothing is sent there is nothing to see.
      if (attackers.sent > 0) expect(seenAfterMs[0]).toBeLessThan((world.isKnown ? 4 : 6) * MINUTE_MS)
      expect(refusedShare(simulated)).toBeLessThan(0.05)
    })
  },
)

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
    expect(refusedShare(simulated)).toBeLessThan(0.005)
  })
})

describe('worlds that nobody imagined', () => {
  test(`leave at most one person in two hundred without a code in 99 of 100, and one in fifty in any: ${RANDOM}`, async () => {
    const played = await playRandom(RANDOM, SEED)
    expect(played.filter(({ share }) => share > 0.005).length).toBeLessThanOrEqual(Math.ceil(RANDOM / 100))
    expect(played.filter(({ share }) => share > 0.02)).toEqual([])
  })

  test(`are attacked for little, and most people get their codes meanwhile: ${ATTACKED}`, async () => {
    const played = await playAttacks(ATTACKED, SEED)
    expect(played.filter(({ beyond, limit }) => beyond > limit).length).toBeLessThanOrEqual(Math.ceil(ATTACKED / 10))
    expect(played.filter(({ share }) => share > 0.05).length).toBeLessThanOrEqual(Math.ceil(ATTACKED / 20))
  })
})

test('a seed tells the same story every time', async () => {
  const world = named('few prefixes')
  const hours = { hours: 0.5 }
  expect(await simulate(world, 3, hours)).toEqual(await simulate(world, 3, hours))
})
