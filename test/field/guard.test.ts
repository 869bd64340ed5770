/** Whom the guard refuses and what it lets through in situations of the field: `guard.ts`. */
import { expect, test } from 'bun:test'
import { QuickService } from '../abuse/quick'
import { isSent } from '../abuse/service'
import { simulate } from '../abuse/simulate'
import { NO_PAST } from '../abuse/warm-up'
import { type GuardCase, HONEST_CASES, PUMPED_CASES } from './guard'

const SEED = 1

async function expectRight({ name, world, hours, without, beyond, isQuiet }: GuardCase): Promise<void> {
  const played = await simulate({ ...world, name }, SEED, { hours })
  const { people, attackers } = played
  expect(people.without).toBeLessThanOrEqual(without * people.wishes)
  if (beyond !== undefined) expect(played.beyond).toBeLessThanOrEqual(beyond)
  if (isQuiet) expect(played.seenAfterMs).toEqual([])
  expect(people.asked + attackers.asked).toBeGreaterThan(0)
}

for (const one of [...HONEST_CASES, ...PUMPED_CASES]) test(`${one.name}: ${one.report}`, () => expectRight(one))

/** 18F/identity-idp#2388: a stranger who knows a number has codes sent until its owner gets none. */
test('an owner gets a code through the server after a stranger has used up those of the page', async () => {
  const from = Date.parse('2026-03-18T00:00:00.000Z')
  const service = new QuickService({}, NO_PAST, from, SEED)
  const owner = { phone: '+821031234567', country: 'KR' }
  let now = from
  let given = 0
  for (let asked = 0; asked < 20; asked++) {
    now += 3 * 60_000
    await service.until(now)
    if (isSent(await service.issue({ ...owner, kind: 'pk', address: '198.51.100.7' }))) given++
  }
  expect(given).toBe(15)
  const through = (kind: 'pk' | 'sk') => service.issue({ ...owner, kind, address: '203.0.113.9' })
  expect(isSent(await through('sk'))).toBe(true)
  expect(await through('pk')).toMatchObject({ limit: 'perPhone' })
})
