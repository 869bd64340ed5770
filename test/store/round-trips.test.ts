/**
 * What each use case costs on PostgreSQL in round trips and statements. They do not depend on the machine; the table is
 * in docs/several-servers.md. In addition, all requests of a server share reads: the version of the settings twice a
 * second, the backlog once.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { DAY_MS } from '../../src/domain/shared/value'
import { erasePhone } from '../../src/usecases/erase-phone'
import { CountingWire } from '../support/counting-wire'
import { sharedPostgres } from '../support/postgres'
import { SchemaPlace } from '../support/schema-place'
import { HANGS_AFTER_MS } from '../support/until'
import { UNTOLD } from '../support/untold'
import { type Answer, type Furnished, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

interface Cost {
  roundTrips: number
  statements: number
}

let wire: CountingWire
let world: World
let keys: Furnished
let made = 0

const request = () => ({ phoneNumber: `010-3000-${1_000 + ++made}`, purpose: 'p', idempotencyKey: `k${made}` })
const issue = (body = request(), key = keys.live) => world.call('rest', 'issue', body, { key })
const verify = (issueId: string, code: string) => world.call('rest', 'verify', { issueId, code }, { key: keys.live })
const status = (issueId: string) => world.call('rest', 'status', { issueId }, { key: keys.live })

/** Counts until the request is answered, without work that goes on afterwards. */
async function costOf(call: () => Promise<Answer>): Promise<Cost> {
  await world.settle()
  await wire.quiet()
  const before = { roundTrips: wire.roundTrips, statements: wire.statements.length }
  const answer = await call()
  const cost = {
    roundTrips: wire.roundTrips - before.roundTrips,
    statements: wire.statements.length - before.statements,
  }
  expect(answer.status).toBe(200)
  return cost
}

/** Counts the transactions with as many changes since the last count. */
function unitsThat(change: string, isMeant = (_text: string) => true): Cost[] {
  const isChange = (text: string) => text.startsWith(change) && isMeant(text)
  const found = wire.units.filter(({ statements }) => statements.some(isChange))
  return found.map(({ roundTrips, statements }) => ({ roundTrips, statements: statements.length }))
}

const atMost = (cost: Cost | undefined, most: Cost) => {
  expect(cost?.roundTrips ?? Number.NaN).toBeLessThanOrEqual(most.roundTrips)
  expect(cost?.statements ?? Number.NaN).toBeLessThanOrEqual(most.statements)
}

/** Of several times: a statement is prepared when a connection first sends it, which costs one more round trip. */
async function cheapest(once: () => Promise<Cost>): Promise<Cost> {
  const costs: Cost[] = []
  for (let n = 0; n < WARMED_BY; n++) costs.push(await once())
  return costs.toSorted((one, other) => one.roundTrips - other.roundTrips)[0] as Cost
}

const WARMED_BY = 8

beforeAll(async () => {
  wire = await CountingWire.to((await sharedPostgres()).port)
  world = await World.start({ place: await SchemaPlace.find((url) => wire.through(url)) })
  keys = await world.furnish()
  for (let round = 0; round < WARMED_BY; round++) {
    const body = request()
    const { issueId } = (await issue(body)).body
    await issue(body)
    await issue()
    await status(issueId)
    await world.settle()
    await verify(issueId, '000000')
    await verify(issueId, world.sms.lastCode())
  }
})

afterAll(async () => {
  await world.stop()
  wire.close()
})

test('an issue whose message goes out with it takes 3 round trips', async () => {
  await issue()
  atMost(await costOf(issue), { roundTrips: 3, statements: 10 })
})

test('its replay takes 1 where it was issued, and elsewhere 4', async () => {
  const body = request()
  await issue(body)
  atMost(await costOf(() => issue(body)), { roundTrips: 1, statements: 1 })
  const beside = await World.open({ place: world.place, clock: world.clock })
  const again = () => beside.call('rest', 'issue', body, { key: keys.live })
  for (let round = 0; round < WARMED_BY; round++) await again()
  atMost(await costOf(again), { roundTrips: 4, statements: 9 })
  await beside.store.close()
})

test('a status takes 1', async () => {
  const { issueId } = (await issue()).body
  atMost(await costOf(() => status(issueId)), { roundTrips: 1, statements: 1 })
})

test('a verify takes 2, and where codes have been wrong 3', async () => {
  const verifying = async (which: 'right' | 'wrong' | 'after') => {
    const { issueId } = (await issue()).body
    await world.settle()
    const code = world.sms.lastCode()
    const right = () => costOf(() => verify(issueId, code))
    const wrong = () => costOf(() => verify(issueId, code === '000000' ? '000001' : '000000'))
    if (which === 'right') return right()
    const first = await wrong()
    return which === 'wrong' ? first : right()
  }
  atMost(await cheapest(() => verifying('right')), { roundTrips: 2, statements: 6 })
  atMost(await cheapest(() => verifying('wrong')), { roundTrips: 3, statements: 9 })
  atMost(await cheapest(() => verifying('after')), { roundTrips: 3, statements: 9 })
})

test('recording what a carrier answered takes 3, whatever it was', async () => {
  for (const answer of [{ id: 'carrier-1' }, {}]) {
    const sent = async () => {
      world.sms.script(() => ({ kind: 'answered', status: 200, body: JSON.stringify(answer) }))
      await issue()
      await world.settle()
      await wire.quiet()
    }
    for (let round = 0; round < WARMED_BY; round++) await sent()
    const recorded = await cheapest(async () => {
      wire.units.length = 0
      await sent()
      const [cost, ...more] = unitsThat('insert into "attempts"')
      expect(more).toEqual([])
      return cost as Cost
    })
    atMost(recorded, { roundTrips: 3, statements: 10 })
  }
})

test('erasing issues of a phone takes 3 for as many as are erased together', async () => {
  const phones = Array.from({ length: WARMED_BY + 1 }, (_, n) => `010-7000-000${n}`)
  for (const phoneNumber of phones)
    for (const purpose of ['one', 'two', 'three', 'four']) await issue({ ...request(), phoneNumber, purpose })
  await world.settle()
  // Nothing counts them any more.
  await world.leap(3 * DAY_MS)
  const privacy = { ...world.admin, telemetry: UNTOLD, numbering: world.config.numbering }
  for (const phoneNumber of phones) {
    await wire.quiet()
    wire.units.length = 0
    expect(await world.run(erasePhone(privacy, { phoneNumber }))).toMatchObject({ issues: 4, counted: 0 })
  }
  await wire.quiet()
  const [removed, ...more] = unitsThat('INSERT INTO erased_issues')
  expect(more).toEqual([])
  atMost(removed, { roundTrips: 3, statements: 40 })
})

test('an issue whose message waits for a place takes 3', async () => {
  await world.crowd(keys.live)
  for (let round = 0; round < WARMED_BY; round++) await issue()
  atMost(await costOf(issue), { roundTrips: 3, statements: 12 })
})
