/** The next release is killed while it migrates a recorded database: the database stays as it was, and the next start migrates it. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nextRelease } from '../binary/deploy/build'
import { fromSource, keep, newFolder, run, runJson } from '../binary/support'
import { HANGS_AFTER_MS, until } from '../support/until'
import { RECORDED, unpackDatabase } from './fixture'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
afterAll(folder.remove)

/** A statement of the migration that writes until the process is killed: half of it is in the file by then. */
const ENDLESS = `
  CREATE TABLE endless (i INTEGER NOT NULL) STRICT;
  INSERT INTO endless WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT i FROM n;`

const next = nextRelease(folder.path)

test.each(RECORDED.map((recorded) => [recorded.version, recorded] as const))('on %s', async (version, recorded) => {
  const data = join(folder.path, version)
  mkdirSync(data)
  const file = join(data, 'watchword.db')
  unpackDatabase(version, file)
  const schemaOf = () => {
    using db = new Database(file)
    return db.query('SELECT name, sql, user_version FROM sqlite_schema, pragma_user_version ORDER BY name').all()
  }
  const before = schemaOf()
  const { size } = statSync(file)
  const program = fromSource(folder.path, { WATCHWORD_SECRET: recorded.secret, WATCHWORD_DATA: data }, next.tree)

  const migration = join(next.tree, 'migrations/sqlite/9999_next.sql')
  const text = readFileSync(migration, 'utf8')
  writeFileSync(migration, text + ENDLESS)
  const child = Bun.spawn([...program.command, 'serve', '--port', '0'], {
    ...{ cwd: program.cwd, env: program.env, stdout: 'pipe', stderr: 'pipe' },
  })
  let logged = ''
  const noting = [child.stdout, child.stderr].map((stream) =>
    keep(stream, (some) => {
      logged += some
    }),
  )
  await until(() => statSync(file).size > 2 * size, 'half of the migration to be written')
  expect(logged).toContain('"migration":')
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await child.exited
  await Promise.all(noting)
  expect(schemaOf()).toEqual(before)

  writeFileSync(migration, text)
  expect(await run(program, 'app', 'list')).toMatchObject({ exitCode: 0 })
  expect((await runJson(program, 'app', 'list')).apps).toMatchObject([{ appId: recorded.appId }])
  expect(await runJson(program, 'audit', 'verify')).toMatchObject({ isIntact: true })
  expect(schemaOf()).not.toEqual(before)
})
