/**
 * What each use case costs on SQLite in commits, which wait for the disk, and in statements. The table is in
 * docs/performance.md.
 */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { migrate } from '../../src/store/sqlite/connection/migrate'
import { CountingFile } from '../support/counting-file'
import { FilePlace } from '../support/place'
import { type Furnished, SMS_URL, World } from '../support/world'

let file: CountingFile
let world: World
let keys: Furnished
let made = 0

const issue = async () => {
  const order = { phoneNumber: `010-3000-${1_000 + ++made}`, purpose: 'p', idempotencyKey: `k${made}` }
  return { ...order, ...(await world.call('rest', 'issue', order, { key: keys.live })).body }
}

/** Of all that it brings with it. */
async function costOf(work: () => Promise<unknown>): Promise<{ commits: number; statements: number }> {
  await world.settle()
  file.take()
  await work()
  await world.settle()
  const { commits, statements } = file.take()
  return { commits, statements: statements.length }
}

beforeAll(async () => {
  file = new CountingFile()
  world = await World.start({ place: new FilePlace() })
  keys = await world.furnish()
  await world.provide('main', ['sms'], SMS_URL, { reports: false })
  await world.advance(1_500)
  await issue()
})
afterAll(async () => {
  await world.stop()
  file.restore()
})

test('a delivered code takes 2 commits and 13 statements: counted for its phone, issued with its call begun, and recorded with its charge', async () => {
  expect(await costOf(issue)).toEqual({ commits: 2, statements: 13 })
  expect(await world.rows('SELECT count(*) AS n FROM jobs')).toEqual([{ n: 0 }])
})

test('a connection prepares a statement once: another code of the same kind prepares none', async () => {
  await issue()
  await world.settle()
  const prepare = spyOn(Database.prototype, 'prepare')
  await issue()
  await world.settle()
  const prepared = prepare.mock.calls
  prepare.mockRestore()
  expect(prepared).toEqual([])
})

test('what becomes of a message is stored as what changes by it, which leaves the index of live codes as it is', async () => {
  await world.settle()
  file.take()
  await issue()
  await world.settle()
  const updates = file.take().statements.filter((text) => text.startsWith('update "issues"'))
  expect(updates).toHaveLength(1)
  const changed = updates[0]?.match(/\w+(?=" = \?)/g)
  const mayChange = ['delivery_status', 'send_pending', 'billing_status', 'debited_amount', 'updated_at']
  expect([...mayChange, 'begun_at', 'begun_call']).toEqual(expect.arrayContaining([...(changed ?? [])]))
  expect(changed).toContain('billing_status')
})

test('no statement of a delivered code is planned anew for its values', async () => {
  await world.settle()
  file.take()
  await issue()
  await world.settle()
  const conditions = file.take().statements.flatMap((text) => text.split(/ (?:on|where) /i).slice(1))
  expect(conditions).not.toBeEmpty()
  // SQLite may plan by the value of a bare parameter, also of a LIMIT.
  expect(conditions.filter((text) => /(?:[<>=]|limit) \?/i.test(text))).toEqual([])
})

test('no statement of a delivered code or its verify makes a table for itself', async () => {
  await world.settle()
  file.take()
  const { issueId } = await issue()
  await world.call('rest', 'verify', { issueId, code: world.sms.lastCode() }, { key: keys.live })
  await world.settle()
  const { statements } = file.take()
  using db = new Database(':memory:')
  migrate(db)
  const opens = (text: string) => db.query<{ opcode: string }, []>(`EXPLAIN ${text}`).all()
  expect(statements.length).toBeGreaterThan(15)
  expect(statements.filter((text) => opens(text).some(({ opcode }) => opcode === 'OpenEphemeral'))).toEqual([])
})

test('a verify takes 1 commit and 3 statements, and where codes have been wrong 5', async () => {
  const verifying = async (...codes: Array<(code: string) => string>) => {
    const { issueId } = await issue()
    const sent = world.sms.lastCode()
    const costs: object[] = []
    for (const code of codes)
      costs.push(await costOf(() => world.call('rest', 'verify', { issueId, code: code(sent) }, { key: keys.live })))
    return costs
  }
  const right = (code: string) => code
  const wrong = (code: string) => (code === '000000' ? '000001' : '000000')
  expect(await verifying(right)).toEqual([{ commits: 1, statements: 3 }])
  expect(await verifying(wrong, right)).toEqual([
    { commits: 1, statements: 5 },
    { commits: 1, statements: 5 },
  ])
})

test('a status takes 1 statement, and a replay where the code was issued; elsewhere a commit of nothing and 4', async () => {
  const { issueId, phoneNumber, purpose, idempotencyKey } = await issue()
  const again = (by: World) => by.call('rest', 'issue', { phoneNumber, purpose, idempotencyKey }, { key: keys.live })
  expect(await costOf(() => again(world))).toEqual({ commits: 0, statements: 1 })
  const status = () => world.call('rest', 'status', { issueId }, { key: keys.live })
  expect(await costOf(status)).toEqual({ commits: 0, statements: 1 })
  const beside = await World.open({ place: world.place, clock: world.clock })
  // The first requests of a server read more.
  void beside.app.start()
  await again(beside)
  await beside.settle()
  expect((await costOf(() => again(beside))).statements).toBe(4)
  await beside.app.stop()
})
