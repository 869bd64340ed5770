/** The benchmark writes into our tables past the store: when they change, it has to. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { pipelineTables } from '../../bench/contenders/pipeline-tables'
import { fill } from '../../bench/fill'
import { furnish } from '../../bench/furnish'
import { Requests } from '../../bench/load/workloads'
import { newFolder } from '../binary/support'
import { CountingFile } from '../support/counting-file'
import { FilePlace } from '../support/place'
import { type Furnished, SMS_URL, World } from '../support/world'

let place: FilePlace
let world: World
let keys: Furnished

beforeEach(async () => {
  place = new FilePlace()
  world = await World.start({ place })
  keys = await world.furnish()
})
afterEach(() => world.stop())

test('what the benchmark fills a database with fits its tables', () => {
  fill({ file: world.file, appId: keys.appId, issues: 200, days: 2, until: world.clock.now() })
  const db = new Database(world.file, { readonly: true })
  expect(db.query("SELECT count(*) AS issues FROM issues WHERE key_kind = 'sk'").get()).toEqual({ issues: 200 })
  db.close()
})

test('what the benchmark repeats was issued right before, to the same server', () => {
  const target = { url: '', wire: 'rest' as const, key: 'key' }
  const run = (request: number) => new Requests(target, { base: 0, count: 0 }, { request, verified: 0 }, [])
  const requests = run(5_000)
  const before = new Set(requests.before('replay'))
  const repeated = Array.from(before, () => requests.next('replay') ?? '')
  expect(new Set(repeated)).toEqual(before)
  const later = run(requests.position.request).before('replay')
  expect(later.filter((request) => before.has(request))).toEqual([])
})

/** What is left of each code, but for what is its own. */
const traces = async () => ({
  issues: await world.rows(
    `SELECT purpose, template_id, channel, key_kind, sms_fallback, country, max_attempts, verification_status, attempts_used,
       delivery_status, leg, send_pending, outcome_ambiguous, outcome_code, billing_status, price, debited_amount FROM issues`,
  ),
  attempts: await world.rows('SELECT number, leg, provider, outcome, retry, code FROM attempts'),
  entries: await world.rows(`SELECT entry_type, amount_delta FROM ledger_entries WHERE entry_type = 'debit'`),
  keys: await world.rows('SELECT mode FROM issues WHERE key_hash IS NOT NULL'),
})

test('the floor of a code leaves what a delivered code of ours leaves, by 10 statements', async () => {
  await world.provide('main', ['sms'], SMS_URL, { reports: false })
  await world.advance(1_500)
  const order = { phoneNumber: '010-3000-0001', purpose: 'login', idempotencyKey: 'ours' }
  await world.call('rest', 'issue', order, { key: keys.live })
  await world.settle()

  const file = new CountingFile()
  const floor = pipelineTables(place.dir, keys.appId, world.vault)
  const floorOrder = { phoneNumber: '+821030000002', purpose: 'login', idempotencyKey: 'floor' }
  const { message } = floor.issue(floorOrder)
  if (!message) throw new Error('nothing to send')
  floor.settle(message, 'carrier-1')
  const { statements } = file.take()
  expect(floor.issue(floorOrder).message).toBeUndefined()
  floor.db.close()
  file.restore()

  expect(statements).toHaveLength(10)
  for (const rows of Object.values(await traces())) {
    expect(rows).toHaveLength(2)
    expect(rows[1]).toEqual(rows[0])
  }
  const [wallet] = await world.rows<object>('SELECT balance, reserved, entries FROM wallets')
  expect(wallet).toEqual({ balance: 998, reserved: 0, entries: 3 })
  for (const emptied of ['outbox', 'jobs']) expect(await world.rows(`SELECT 1 FROM ${emptied}`)).toEqual([])
})

test('what the benchmark issues before fits its tables, too', async () => {
  const folder = newFolder()
  const { file } = await furnish(folder.path, { issues: 3, carrierUrl: 'http://127.0.0.1:9/none' })
  const db = new Database(file, { readonly: true })
  expect(db.query('SELECT count(*) AS issues FROM issues').get()).toEqual({ issues: 3 })
  db.close()
  folder.remove()
})
