/** Which carrier would get a code for a number now, and why. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import * as administer from '../../src/usecases/administer'
import { explainRoute, type RouteQuestion } from '../../src/usecases/explain-route'
import { BACKUP_URL, type Furnished, START, World } from '../support/world'

let world: World
let keys: Furnished

beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  await world.provide('spare', ['sms'], BACKUP_URL)
})
afterEach(() => world.stop())

const NUMBER = '010-1234-5678'
const explain = async (more: Partial<RouteQuestion> = {}) => {
  const { store, clock, vault, config } = world
  const { numbering, prices } = config
  const deps = { store, clock, vault, numbering, prices, explain: async () => 'what it means' }
  return explainRoute(deps, { appId: keys.appId, to: NUMBER, channel: 'sms', kind: 'sk', ...more })
}
const leg = async (more?: Partial<RouteQuestion>) => (await explain(more)).legs[0]

describe('the carriers of a number', () => {
  test('are all of the channel in the order of adding, without a route', async () => {
    expect(await explain()).toEqual({
      ...{ country: 'KR', isPlanned: false, refusals: [] },
      legs: [
        {
          ...{ channel: 'sms', isAbsent: false, route: undefined },
          carriers: [
            { name: 'main', state: 'next' },
            { name: 'spare', state: 'later' },
          ],
        },
      ],
    })
  })

  test('are those of the most specific route, and the others are named as unheeded', async () => {
    const { appId } = keys
    await administer.setRoute(world.admin, { channel: 'sms', country: undefined, appId: undefined, carriers: ['main'] })
    await administer.setRoute(world.admin, { channel: 'sms', country: 'KR', appId, carriers: ['spare'] })
    expect(await leg()).toMatchObject({
      route: { country: 'KR', appId },
      carriers: [
        { name: 'spare', state: 'next' },
        { name: 'main', state: 'unheeded' },
      ],
    })
    expect(await leg({ to: '+14155552671' })).toMatchObject({
      route: { country: undefined },
      carriers: [{ name: 'main' }, {}],
    })
  })

  test('are passed over while they are paused or unhealthy, each with its reason', async () => {
    await administer.pauseCarrier(world.admin, 'main')
    expect((await leg())?.carriers).toEqual([
      { name: 'main', state: 'paused', since: START },
      { name: 'spare', state: 'next' },
    ])
    await administer.resumeCarrier(world.admin, 'main')
    const health = { isHealthy: false, since: START, code: 'HTTP_401', retryAt: START + 1 }
    await world.store.transaction((tx) => tx.carriers.saveHealth('main', health))
    expect((await leg())?.carriers[0]).toMatchObject({
      ...{ name: 'main', state: 'unhealthy', since: START, code: 'HTTP_401', explanation: 'what it means' },
    })
  })

  test('come by the legs of a plan, and without one an AlimTalk falls back to SMS', async () => {
    const channels = async () => {
      const { isPlanned, legs } = await explain({ channel: 'alimtalk' })
      return [isPlanned, ...legs.map(({ channel, waitSec }) => [channel, waitSec])]
    }
    expect(await channels()).toEqual([false, ['alimtalk', undefined], ['sms', undefined]])
    const legs = [{ channel: 'whatsapp', waitSec: 8 }, { channel: 'alimtalk' }] as const
    await administer.setPlan(world.admin, keys.appId, { channel: 'alimtalk', country: 'KR', legs })
    expect(await channels()).toEqual([true, ['whatsapp', 8], ['alimtalk', undefined]])
    expect((await leg({ channel: 'alimtalk' }))?.carriers).toEqual([])
  })
})

test('what would refuse the code is named: a closed country, a locked phone, and too little credit', async () => {
  expect((await explain({ kind: 'pk', to: '+14155552671' })).refusals).toEqual(['country_closed'])
  await administer.clawBackCredit(world.admin, { appId: keys.appId, amount: 1_000, reference: 'r' })
  expect((await explain()).refusals).toEqual(['no_credit'])
  const phoneHash = world.vault.phoneHash('+821012345678')
  const failures = { inARow: 100, lastAt: START, lockedAt: START, byDay: [], issuedAt: undefined }
  const phone = { appId: keys.appId, kind: 'sk', phoneHash } as const
  await world.store.transaction(async (tx) => {
    await tx.failures.lock(phone)
    await tx.failures.save(phone, failures)
  })
  expect((await explain()).refusals).toEqual(['failures_locked', 'no_credit'])
  expect((await explain({ kind: 'pk' })).refusals).toEqual(['no_credit'])
})

test('nothing is sent, and the number is in no row and no log', async () => {
  const before = await world.rows('SELECT count(*) AS n FROM issues')
  await explain()
  await world.settle()
  expect(world.sms.requests).toEqual([])
  expect(await world.rows('SELECT count(*) AS n FROM issues')).toEqual(before)
  expect(world.logged.join()).not.toContain('12345678')
})
