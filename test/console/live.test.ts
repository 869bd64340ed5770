/** Server-sent events: what has changed is told within a second, to who may see it, and to nobody once they may not. */
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import * as administer from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { SchemaPlace } from '../support/schema-place'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'
import { ConsoleClient } from './client'

setDefaultTimeout(HANGS_AFTER_MS)

const PASSWORD = 'correct horse battery'
let worlds: World[] = []
let made = 0

afterEach(async () => {
  for (const world of worlds.toReversed()) await world.stop()
  worlds = []
})

async function start(options: Parameters<typeof World.start>[0] = {}) {
  const world = await World.start(options)
  worlds.push(world)
  return world
}

async function signIn(world: World) {
  const owner = new ConsoleClient(world)
  const person = { name: 'Ann', email: 'ann@example.com', password: PASSWORD }
  await owner.call('session/setUp', { token: await world.run(setUpToken(world)), ...person })
  return owner
}

const issue = (world: World, { test: key }: Furnished) => {
  const request = { phoneNumber: '010-0000-0000', purpose: `p${made}`, idempotencyKey: `k${made++}` }
  return world.call('rest', 'issue', request, { key })
}

describe('live changes', () => {
  test('are told within a second, by topic, and an idle stream has a heartbeat', async () => {
    const world = await start()
    const keys = await world.furnish()
    const owner = await signIn(world)
    const stream = await owner.follow('live/changes')
    // Nothing has changed since the page was opened.
    const opened = world.clock.now()
    expect(await stream.next()).toEqual({ topics: [] })
    expect(world.clock.now() - opened).toBeWithin(9_000, 11_000)

    await issue(world, keys)
    const issued = world.clock.now()
    const { topics } = await stream.next()
    expect(topics).toContain('issues')
    expect(world.clock.now() - issued).toBeLessThan(1_000)
    const paid = await owner.call('wallet/topUp', { appId: keys.appId, amount: 5, reference: 'order-7' })
    expect(paid).toMatchObject({ status: 200 })
    // A command is another process: what it sets is told, too.
    await world.run(administer.renameApp(world.admin, keys.appId, 'shop'))
    const told = new Set<string>()
    while (!(told.has('wallet') && told.has('audit') && told.has('settings')))
      for (const topic of (await stream.next()).topics) told.add(topic)
  })

  test('are told from the moment a page is opened', async () => {
    const world = await start()
    const owner = await signIn(world)
    const stream = await owner.follow('live/changes')
    await owner.call('apps/create', { name: 'shop' })
    expect((await stream.next()).topics).toEqual(expect.arrayContaining(['settings', 'audit']))
  })

  test('end with the session, and with the server', async () => {
    const world = await start()
    const owner = await signIn(world)
    const other = new ConsoleClient(world)
    await other.call('session/signIn', { email: 'ann@example.com', password: PASSWORD })
    const [stream, kept] = [await owner.follow('live/changes'), await other.follow('live/changes')]
    await stream.next()
    await owner.call('session/signOut')
    expect(await stream.next()).toBeUndefined()
    expect((await kept.next()).topics).toEqual([])
    expect((await kept.next()).topics).toContain('people')
    expect((await owner.request('live/changes')).status).toBe(401)
    await world.run(world.app.leave())
    while ((await kept.next()) !== undefined);
  })

  test('are for at most 200 pages at a time, and one that goes makes room', async () => {
    const world = await start()
    const owner = await signIn(world)
    const streams = []
    for (let n = 0; n < 200; n++) streams.push(await owner.follow('live/changes'))
    const reads = Promise.all(streams.map((stream) => stream.next()))
    const refused = await owner.call('live/changes')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
    await world.run(reads)
    for (const stream of streams) stream.leave()
    await world.advance(1_000)
    expect(await (await owner.follow('live/changes')).next()).toEqual({ topics: [] })
  })
})

test('over PostgreSQL what changes at one server is told at another, within a second', async () => {
  const place = await SchemaPlace.find()
  const one = await start({ place })
  const keys = await one.furnish()
  const owner = await signIn(one)
  const other = await start({ place, clock: one.clock, seed: 2 })
  const stream = await owner.follow('live/changes')
  // By then the other server knows that somebody follows.
  await stream.next()
  await issue(other, keys)
  const issued = one.clock.now()
  // Neither server waits for what the other one has asked of the database.
  for (let n = 0; n < 9; n++) {
    await one.advance(100)
    await other.settle()
    await one.settle()
  }
  const told: string[] = []
  while (!told.includes('issues')) told.push(...(await stream.next()).topics)
  expect(one.clock.now() - issued).toBeLessThan(1_000)
})
