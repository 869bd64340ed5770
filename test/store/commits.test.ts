/** What each use case costs on SQLite: commits, which wait for the disk, and statements. The table is in docs/performance.md. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
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

test('a delivered code takes 2 commits and 18 statements: issued with its first attempt, and recorded with its charge', async () => {
  expect(await costOf(issue)).toEqual({ commits: 2, statements: 18 })
  expect(await world.rows('SELECT count(*) AS n FROM jobs')).toEqual([{ n: 0 }])
})

test('a verify takes 1 commit and 3 statements, right or wrong', async () => {
  const { issueId } = await issue()
  const code = world.sms.lastCode()
  const verify = (code: string) => world.call('rest', 'verify', { issueId, code }, { key: keys.live })
  expect(await costOf(() => verify(code === '000000' ? '000001' : '000000'))).toEqual({ commits: 1, statements: 2 })
  expect(await costOf(() => verify(code))).toEqual({ commits: 1, statements: 3 })
})

test('a replay takes a commit of nothing and 3 statements, a status 1 statement', async () => {
  const { issueId, phoneNumber, purpose, idempotencyKey } = await issue()
  const again = () => world.call('rest', 'issue', { phoneNumber, purpose, idempotencyKey }, { key: keys.live })
  expect((await costOf(again)).statements).toBe(3)
  const status = () => world.call('rest', 'status', { issueId }, { key: keys.live })
  expect(await costOf(status)).toEqual({ commits: 0, statements: 1 })
})
