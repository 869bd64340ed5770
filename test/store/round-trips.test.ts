/**
 * What each use case costs on PostgreSQL in round trips and statements. They do not depend on the machine; the table is
 * in docs/several-servers.md. In addition, all requests of a server share reads: the version of the settings twice a
 * second, the backlog once.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { DAY_MS, SECOND_MS } from '../../src/domain/shared/value'
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

/** A statement is prepared when a connection first sends it, which costs one more round trip. */
const WARMED_BY = 8

const CLAIM_COLUMNS = 6

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

test('an issue whose message goes out with it takes 2 round trips', async () => {
  await issue()
  atMost(await costOf(issue), { roundTrips: 2, statements: 11 })
})

test('its replay takes 1 where it was issued, and elsewhere 2', async () => {
  const body = request()
  await issue(body)
  atMost(await costOf(() => issue(body)), { roundTrips: 1, statements: 1 })
  const beside = await World.open({ place: world.place, clock: world.clock })
  const again = () => beside.call('rest', 'issue', body, { key: keys.live })
  for (let round = 0; round < WARMED_BY; round++) await again()
  atMost(await costOf(again), { roundTrips: 2, statements: 8 })
  await beside.store.close()
})

test('a status takes 1', async () => {
  const { issueId } = (await issue()).body
  atMost(await costOf(() => status(issueId)), { roundTrips: 1, statements: 1 })
})

test('a verify takes 2, and where codes have been wrong 3', async () => {
  const { issueId } = (await issue()).body
  await world.settle()
  atMost(await costOf(() => verify(issueId, world.sms.lastCode())), { roundTrips: 2, statements: 6 })
  const mistaken = (await issue()).body.issueId
  await world.settle()
  const code = world.sms.lastCode()
  const wrong = () => verify(mistaken, code === '000000' ? '000001' : '000000')
  atMost(await costOf(wrong), { roundTrips: 3, statements: 9 })
  atMost(await costOf(() => verify(mistaken, code)), { roundTrips: 3, statements: 9 })
})

test('recording what a carrier answered takes 2, whatever it was', async () => {
  for (const answer of [{ id: 'carrier-1' }, {}]) {
    const sent = async () => {
      world.sms.script(() => ({ kind: 'answered', status: 200, body: JSON.stringify(answer) }))
      await issue()
      await world.settle()
      await wire.quiet()
    }
    for (let round = 0; round < WARMED_BY; round++) await sent()
    wire.units.length = 0
    await sent()
    const [recorded, ...more] = unitsThat('update "attempts"')
    expect(more).toEqual([])
    atMost(recorded, { roundTrips: 2, statements: 11 })
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
  const [removed, ...more] = unitsThat('WITH unlinked')
  expect(more).toEqual([])
  atMost(removed, { roundTrips: 3, statements: 16 })
})

test('issues that share a transaction take as many for all of them, and few statements more', async () => {
  wire.units.length = 0
  for (let round = 0; round < 2 * WARMED_BY; round++) {
    // The first transaction comes while there is no other to share a batch with.
    await Promise.all(Array.from({ length: 9 }, () => issue()))
    await world.settle()
  }
  await wire.quiet()
  const ofEight = unitsThat('insert into "claims"', (text) => text.includes(`$${8 * CLAIM_COLUMNS}`))
  expect(ofEight.length).toBeGreaterThan(WARMED_BY)
  // Every connection sends each statement once, so that all are prepared.
  const [cost] = ofEight.toSorted((a, b) => a.roundTrips - b.roundTrips)
  atMost(cost, { roundTrips: 2, statements: 13 })
})

test('an issue whose message waits for a place takes 2', async () => {
  await world.crowd(keys.live)
  for (let round = 0; round < WARMED_BY; round++) await issue()
  atMost(await costOf(issue), { roundTrips: 2, statements: 9 })
})

test('a look at where the codes of many apps go, and what becomes of them, takes 2 statements', async () => {
  for (let n = 0; n < 12; n++) await issue(request(), (await world.furnish()).live)
  await world.settle()
  const looks = () => wire.statements.filter((text) => /from (unnest.+ AS look|"incidents" where.+ANY)/is.test(text))
  await world.advance(SECOND_MS)
  await wire.quiet()
  wire.statements.length = 0
  await world.advance(SECOND_MS)
  await wire.quiet()
  expect(looks()).toHaveLength(2)
})
