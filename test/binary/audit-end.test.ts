/** The end of the audit log, and pauses of sign-ins, where several processes and a restore have to do with them. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HANGS_AFTER_MS } from '../support/until'
import { type Json, newFolder, type Program, programIn, run, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

let folder: ReturnType<typeof newFolder>
let program: Program
beforeEach(() => {
  folder = newFolder()
  program = programIn(folder.path)
})
afterEach(() => folder.remove())

const inData = (name: string) => join(folder.path, 'watchword-data', name)
const auditFinding = async () => {
  const { stdout } = await run(program, 'doctor', '--json')
  return (JSON.parse(stdout).checks as Json[]).filter(({ check }) => check === 'audit')
}

function sabotage(sql: string): void {
  const db = new Database(inData('watchword.db'))
  db.run(sql)
  db.close()
}

test('entries that were cut off are told of at start, by doctor and by verify, until they are accepted', async () => {
  for (const name of ['one', 'two', 'three']) await runJson(program, 'app', 'create', name)
  expect(await auditFinding()).toMatchObject([{ state: 'ok' }])
  sabotage('DELETE FROM audit_entries WHERE seq > 1')
  sabotage("DELETE FROM facts WHERE name = 'audit_head'")
  const server = await Server.start(program)
  await server.stop()
  const line = server.stderr.split('\n').find((text) => text.includes('the newest entries of the audit log are gone'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ where: 'file', seq: 3, problem: 'cut_off' })
  expect(await auditFinding()).toMatchObject([{ state: 'problem', message: expect.stringContaining('entry 3') }])
  expect((await run(program, 'audit', 'verify')).exitCode).toBe(1)
  expect(await runJson(program, 'audit', 'accept')).toMatchObject({ lost: [{ where: 'file', seq: 3 }] })
  expect(await auditFinding()).toMatchObject([{ state: 'ok' }])
  expect((await run(program, 'audit', 'verify')).exitCode).toBe(0)
})

test('a backup tells where the log in it ends, and an older one that is restored is no loss', async () => {
  await runJson(program, 'app', 'create', 'one')
  const { name, audit } = await runJson(program, 'backup')
  expect(audit).toEqual({ entries: 1, head: expect.stringMatching(/^[0-9a-f]{64}$/) })
  for (const app of ['two', 'three']) await runJson(program, 'app', 'create', app)
  const before = readFileSync(inData('watchword.audit'), 'utf8').trim()
  expect(before).toStartWith('3 ')
  await runJson(program, 'restore', inData(join('backups', name)), '--yes')
  expect(await auditFinding()).toMatchObject([{ state: 'ok' }])
  expect(await runJson(program, 'audit', 'verify', '--holds', audit.head)).toMatchObject({ isIntact: true, entries: 2 })
  const { entries } = await runJson(program, 'audit', 'list')
  // What was before is not forgotten: the entry says how far it went.
  expect(entries[0]).toMatchObject({ action: 'database.restore', detail: { auditHead: before } })
  const server = await Server.start(program)
  await server.stop()
  expect(server.stderr).not.toContain('audit log')
})

test('a new folder has a file that says where the log ends, and no line about it', async () => {
  const server = await Server.start(program)
  await runJson(program, 'app', 'create', 'one')
  await server.stop()
  expect(existsSync(inData('watchword.audit'))).toBe(true)
  expect(server.stderr).not.toContain('audit')
})

test('`operator unlock` lifts pauses of a server that runs', async () => {
  const server = await Server.start(program)
  const { setUp } = JSON.parse(server.stdout.split('\n')[0] ?? '')
  const ask = (procedure: string, input: object) =>
    fetch(`${server.url}/console/rpc/${procedure}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify({ json: input }),
    })
  const ann = { email: 'ann@example.com', password: 'correct horse battery' }
  await ask('session/setUp', { token: String(setUp).split('#')[1], name: 'Ann', ...ann })
  const other = { email: 'bob@example.com', password: 'wrong' }
  const statuses: number[] = []
  for (let n = 0; n < 6; n++) statuses.push((await ask('session/signIn', { ...ann, password: 'wrong' })).status)
  for (let n = 0; n < 6; n++) statuses.push((await ask('session/signIn', other)).status)
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 401, 401, 401, 401, 401, 429])
  expect((await ask('session/signIn', ann)).status).toBe(200)
  expect((await ask('session/signIn', { ...ann, password: 'wrong' })).status).toBe(401)
  for (let n = 0; n < 4; n++) await ask('session/signIn', { ...ann, password: 'wrong' })
  expect((await ask('session/signIn', { ...ann, password: 'wrong' })).status).toBe(429)
  expect(await runJson(program, 'operator', 'unlock', 'Ann@Example.com')).toMatchObject({ email: ann.email })
  expect((await ask('session/signIn', { ...ann, password: 'wrong' })).status).toBe(401)
  const unknown = await run(program, 'operator', 'unlock', 'nobody@example.com')
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, 'No such operator: nobody@example.com\n'])
  await server.stop()
})
