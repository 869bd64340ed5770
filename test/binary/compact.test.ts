/** `compact`: the file of a data folder gets smaller, beside a running server and without one. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { HANGS_AFTER_MS } from '../support/until'
import { newFolder, type Program, programIn, run, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const MIB = 2 ** 20

let folder: ReturnType<typeof newFolder>
let program: Program
let file: string

beforeEach(async () => {
  folder = newFolder()
  program = programIn(folder.path)
  file = join(folder.path, 'watchword-data', 'watchword.db')
  await runJson(program, 'app', 'create', 'shop')
})
afterEach(() => folder.remove())

/** As if so much had been deleted. */
function leaveFree(bytes: number): void {
  const db = new Database(file)
  db.run(`INSERT INTO facts (name, value) VALUES ('ballast', zeroblob(${bytes}))`)
  db.run("DELETE FROM facts WHERE name = 'ballast'")
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  expect(statSync(file).size).toBeGreaterThan(bytes)
}

/** As releases before this one laid it out. */
function layOutAsBefore(): void {
  const db = new Database(file)
  db.run('PRAGMA auto_vacuum = NONE')
  db.run('VACUUM')
  db.close()
}

const appsOf = async () => (await runJson(program, 'app', 'list')).apps.length

test('without a server it is written anew, and nothing is lost', async () => {
  layOutAsBefore()
  leaveFree(4 * MIB)
  const { bytesBefore, bytesAfter } = await runJson(program, 'compact')
  expect([bytesBefore > 4 * MIB, bytesAfter < MIB, bytesAfter]).toEqual([true, true, statSync(file).size])
  expect(await appsOf()).toBe(1)
  expect((await runJson(program, 'audit', 'verify')).isIntact).toBe(true)
  expect(readdirSync(join(folder.path, 'watchword-data')).filter((name) => /compact|replaced/.test(name))).toEqual([])
})

test('beside a server its free pages are given back, while that answers', async () => {
  leaveFree(4 * MIB)
  const server = await Server.start(program)
  const { bytesAfter } = await runJson(program, 'compact')
  expect([bytesAfter < MIB, bytesAfter]).toEqual([true, statSync(file).size])
  expect((await server.call('GET', '/readyz')).status).toBe(200)
  await runJson(program, 'app', 'create', 'another')
  await server.stop()
  expect(await appsOf()).toBe(2)
})

test('beside a server one of an earlier release is written anew where it is small, and a large one waits until that is stopped', async () => {
  layOutAsBefore()
  leaveFree(70 * MIB)
  const server = await Server.start(program)
  const { exitCode, stderr } = await run(program, 'compact', '--json')
  expect([exitCode, JSON.parse(stderr).error.code]).toEqual([1, 'already_served'])
  await server.stop()
  await runJson(program, 'compact')
  layOutAsBefore()
  leaveFree(4 * MIB)
  const next = await Server.start(program)
  expect((await runJson(program, 'compact')).bytesAfter).toBeLessThan(MIB)
  await next.stop()
  expect(await appsOf()).toBe(1)
})
