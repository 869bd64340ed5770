/** `restore --check`: what a backup would bring back, found out beside the running server, and telling nobody. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HANGS_AFTER_MS, until } from '../support/until'
import { newFolder, programIn, run, runJson, Server, StubCarrier } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const allowed = { WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true', WATCHWORD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' }
const program = programIn(folder.path, allowed)
const data = join(folder.path, 'watchword-data')
const scratch = join(folder.path, 'scratch')
const backup = join(folder.path, 'backup.db')
const carrier = new StubCarrier()
let told = 0
const hooks = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => hear() })
const hear = () => {
  told++
  // It is to be told again.
  return new Response('', { status: 500 })
}
let server: Server
let key = ''

const issued = async () => (await server.issue(key, '010-1234-5678', { purpose: crypto.randomUUID() })).body.issueId

/** A message that waits for its carrier, and an event that waits for its receiver, are in the backup; two issues are not. */
beforeAll(async () => {
  mkdirSync(scratch)
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  key = (await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')).key
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '7')
  await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  const hook = ['--mode', 'live', '--url', hooks.url.href, '--events', 'otp.verified']
  await runJson(program, 'webhook', 'add', '--app', appId, ...hook)
  server = await Server.start(program)
  const first = await issued()
  await until(() => carrier.codeFor('+821012345678') !== '', 'the message')
  await server.verify(key, first, carrier.codeFor('+821012345678'))
  await until(() => told > 0, 'the webhook')
  carrier.answer = () => new Response('', { status: 429 })
  const before = carrier.received.length
  await issued()
  await until(() => carrier.received.length > before, 'a message that is not taken')
  const { name } = await runJson(program, 'backup')
  copyFileSync(join(data, 'backups', name), backup)
  await issued()
  await issued()
})
afterAll(async () => {
  await server.stop('SIGKILL')
  await Promise.all([carrier.stop(), hooks.stop(true)])
  folder.remove()
})

const check = (...args: string[]) => ['restore', '--check', '--scratch', scratch, ...args]

test('says beside the running server what is in the newest backup, and what is not', async () => {
  const checked = await runJson(program, ...check())
  expect(checked).toMatchObject({
    backup: expect.stringContaining(join('watchword-data', 'backups', 'watchword-')),
    held: { apps: 1, issues: 2, webhooks: 1 },
    lost: { issues: 2, ledgerEntries: 0 },
  })
  expect(Date.parse(checked.lost.newest)).toBeGreaterThan(Date.parse(checked.lost.since))
  const { stdout } = await run(program, ...check())
  expect(stdout).toContain('Lost would be 2 issues, 0 ledger entries')
  expect(readdirSync(scratch)).toEqual([])
  expect((await server.call('GET', '/readyz')).status).toBe(200)
})

test('sends nothing and tells nobody, although both are waiting', async () => {
  await server.stop('SIGKILL')
  const heard = [carrier.received.length, told]
  const db = new Database(backup)
  // Both are due.
  db.run('UPDATE jobs SET run_at = 0, leased = 0')
  const kinds = db.query('SELECT DISTINCT kind FROM jobs').values().flat()
  expect(kinds).toEqual(expect.arrayContaining(['deliver', 'webhook']))
  db.run('PRAGMA journal_mode = DELETE')
  db.close()
  await runJson(program, ...check(backup))
  expect([carrier.received.length, told]).toEqual(heard)
  server = await Server.start(program)
})

test('fails where the backup would not do, and leaves nothing behind', async () => {
  const wrong = join(folder.path, 'wrong.db')
  copyFileSync(backup, wrong)
  const db = new Database(wrong)
  db.run('UPDATE wallets SET balance = 70')
  db.run('PRAGMA journal_mode = DELETE')
  db.close()
  const { exitCode, stdout, stderr } = await run(program, ...check(wrong, '--json'))
  expect({ exitCode, stdout, ...JSON.parse(stderr).error }).toMatchObject({
    exitCode: 1,
    stdout: '',
    code: 'damaged_database',
    message: expect.stringContaining('does not add up'),
  })
  expect(readdirSync(scratch)).toEqual([])
})

test('without a backup there is nothing to check, be there a database or none', async () => {
  const other = newFolder()
  const elsewhere = programIn(other.path)
  const refusal = async () => {
    const { exitCode, stderr } = await run(elsewhere, 'restore', '--check', '--json')
    return [exitCode, JSON.parse(stderr).error.code]
  }
  expect(await refusal()).toEqual([1, 'no_database'])
  await runJson(elsewhere, 'app', 'create', 'shop')
  expect(await refusal()).toEqual([1, 'not_found'])
  other.remove()
})

test('without a database there is nothing to hold a backup against', async () => {
  const other = newFolder()
  const there = join(other.path, 'watchword-data')
  mkdirSync(there)
  copyFileSync(join(data, 'watchword.secret'), join(there, 'watchword.secret'))
  const checked = await runJson(programIn(other.path), ...check(backup))
  expect(checked).toMatchObject({ held: { issues: 2 } })
  expect(checked.lost).toBeUndefined()
  expect(readdirSync(there)).toEqual(['watchword.secret'])
  other.remove()
})
