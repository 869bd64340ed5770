/** `move`: a service that goes from its folder to PostgreSQL and back, on the command line. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS, until } from '../support/until'
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

const TRAP = 42
/** More than are moved at a time. */
const ROWS = 6_000

/** Kills a move in the middle: where a table has so many rows, the next waits for a lock that is not let go. */
async function killWhileItFills(table: string, rows: number, words: string[]): Promise<void> {
  await using sql = new SQL(place.url, { max: 1 })
  await sql.unsafe(`
    CREATE FUNCTION wait_in_trap() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN
        IF (SELECT count(*) FROM ${table}) >= ${rows} THEN PERFORM pg_advisory_lock_shared(${TRAP}); END IF;
        RETURN NULL; END $$;
    CREATE FUNCTION set_trap() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
      IF to_regclass('${table}') IS NOT NULL AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = 'trap') THEN
        CREATE TRIGGER trap BEFORE INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION wait_in_trap();
      END IF; END $$;
    CREATE EVENT TRIGGER set_trap ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION set_trap();
    SELECT pg_advisory_lock(${TRAP})`)
  if ((await sql.unsafe(`SELECT to_regclass('${table}') AS its`))[0].its !== null)
    await sql.unsafe(`CREATE TRIGGER trap BEFORE INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION wait_in_trap()`)
  const child = Bun.spawn([...program.command, ...words], {
    cwd: program.cwd,
    env: {},
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const trapped = `FROM pg_locks WHERE locktype = 'advisory' AND objid = ${TRAP} AND NOT granted`
  await until(async () => (await sql.unsafe(`SELECT pid ${trapped}`)).length > 0, `${table} to be filled`)
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await child.exited
  await sql.unsafe(`SELECT pg_terminate_backend(pid) ${trapped}`)
  await until(async () => (await sql.unsafe(`SELECT pid ${trapped}`)).length === 0, 'its session to end')
  // What was written is gone with the session.
  expect((await sql.unsafe(`SELECT count(*)::int AS rows FROM ${table}`))[0]).toEqual({ rows: 0 })
  await sql.unsafe(`
    DROP EVENT TRIGGER set_trap; DROP FUNCTION set_trap; DROP FUNCTION wait_in_trap CASCADE;
    SELECT pg_advisory_unlock_all()`)
}

test('killed at any moment it is undone or repeated, all is there in the end, and there is a way back', async () => {
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '7')
  const db = new Database(join(folder.path, 'watchword-data/watchword.db'))
  db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
    INSERT INTO clock_steps SELECT i, 1 FROM n`)
  db.close()
  const before = await runJson(program, 'app', 'list')

  const server = await Server.start(program)
  const there = ['move', '--from', 'watchword-data', '--to', place.url]
  expect(await refusal(program, ...there)).toMatchObject({ exitCode: 1, stdout: '', code: 'already_served' })
  await server.stop()

  await killWhileItFills('apps', 0, there)
  expect(await refusal(program, 'app', 'list')).toMatchObject({
    code: 'moved',
    message: expect.stringContaining(`repeat \`watchword move --from 'watchword-data' --to '${place.url}'\``),
  })
  await runJson(program, 'move', '--undo', '--from', 'watchword-data', '--yes')
  expect(await runJson(program, 'app', 'list')).toEqual(before)
  await killWhileItFills('clock_steps', ROWS / 2, there)
  expect(await run(program, ...there)).toMatchObject({ exitCode: 0 })
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
  expect(told.stderr).toContain(`clock_steps: ${ROWS} of ${ROWS} rows`)
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
