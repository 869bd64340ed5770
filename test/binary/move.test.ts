/** `move`: a service that goes from its folder to PostgreSQL and back, on the command line. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS } from '../support/until'
import { newFolder, type Program, programIn, run, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = programIn(folder.path)
const place = await (await sharedPostgres()).database()
const secretFile = join(folder.path, 'watchword-data/watchword.secret')
afterAll(async () => {
  folder.remove()
  await place.drop()
})

const refusal = async (of: Program, ...args: string[]) => {
  const { exitCode, stdout, stderr } = await run(of, ...args, '--json')
  return { exitCode, stdout, ...JSON.parse(stderr).error }
}

test('killed at any moment it goes on, all is there in the end, and there is a way back', async () => {
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '7')
  const db = new Database(join(folder.path, 'watchword-data/watchword.db'))
  db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
    INSERT INTO clock_steps SELECT i, 1, 'many' FROM n`)
  db.close()
  const before = await runJson(program, 'app', 'list')

  const server = await Server.start(program)
  const there = ['move', '--from', 'watchword-data', '--to', place.url]
  expect(await refusal(program, ...there)).toMatchObject({ exitCode: 1, stdout: '', code: 'already_served' })
  await server.stop()

  let kills = 0
  for (let wait = 300; ; wait *= 1.2) {
    const child = Bun.spawn([...program.command, ...there], {
      cwd: program.cwd,
      env: {},
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    await Promise.race([Bun.sleep(wait), child.exited])
    if (child.exitCode !== null) {
      expect(child.exitCode).toBe(0)
      break
    }
    child.kill('SIGKILL')
    await child.exited
    kills++
  }
  expect(kills).toBeGreaterThan(0)
  expect(await runJson(program, ...there)).toMatchObject({ isNew: false })
  expect(await refusal(program, 'app', 'list')).toMatchObject({ exitCode: 1, code: 'moved' })
  const { exitCode, stderr } = await run(program, 'serve')
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("watchword move --undo --from 'watchword-data'")])

  const secret = readFileSync(secretFile, 'utf8').trim()
  const back = ['move', '--from', place.url, '--to', 'back']
  expect(await refusal(program, ...back)).toMatchObject({ code: 'config' })
  const keyed = programIn(folder.path, { WATCHWORD_SECRET: secret })
  const told = await run(keyed, ...back)
  expect(told).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Start the server with --data back') })
  expect(told.stderr).toContain('clock_steps: 60000 of 60000 rows')
  expect(told.stdout + told.stderr).not.toContain(secret)
  expect(await runJson(keyed, 'app', 'list', '--data', 'back')).toEqual(before)
  expect((await runJson(keyed, 'audit', 'verify', '--data', 'back')).isIntact).toBe(true)
  expect(statSync(join(folder.path, 'back/watchword.audit')).size).toBeGreaterThan(0)

  expect(await run(program, 'move', '--undo', '--from', 'watchword-data')).toMatchObject({ exitCode: 2 })
  await runJson(program, 'move', '--undo', '--from', 'watchword-data', '--yes')
  expect(await runJson(program, 'app', 'list')).toEqual(before)
})

test('what cannot be meant is refused before anything is made', async () => {
  const wrong = (...args: string[]) => refusal(program, 'move', ...args)
  expect(await wrong('--from', 'watchword-data', '--to', 'elsewhere')).toMatchObject({ exitCode: 2, code: 'usage' })
  expect(await wrong('--from', place.url, '--to', place.url)).toMatchObject({ exitCode: 2, code: 'usage' })
  expect(await wrong('--from', 'watchword-data')).toMatchObject({ exitCode: 2, code: 'usage' })
  expect(await wrong('--from', 'nowhere', '--to', place.url)).toMatchObject({ exitCode: 1 })
  const other = join(folder.path, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'watchword.secret'), 'the key of quite another database, which is not here')
  const keyed = programIn(folder.path, { WATCHWORD_SECRET: readFileSync(secretFile, 'utf8').trim() })
  expect(await refusal(keyed, 'move', '--from', place.url, '--to', 'other')).toMatchObject({ code: 'conflict' })
})

test('an audit log whose end is gone is looked at before its file is left behind', async () => {
  const other = newFolder()
  const one = programIn(other.path)
  await runJson(one, 'app', 'create', 'shop')
  const db = new Database(join(other.path, 'watchword-data/watchword.db'))
  db.run('DELETE FROM audit_entries')
  db.close()
  const refused = await refusal(one, 'move', '--from', 'watchword-data', '--to', place.url)
  expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining('audit log') })
  other.remove()
})
