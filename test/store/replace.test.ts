import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { replaceDatabase } from '../../src/store/sqlite/connection/replace'
import { query, Scratch } from './open'

/** A database in WAL mode with a row that identifies it. */
function make(file: string, number: number): Database {
  const db = new Database(file, { create: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('CREATE TABLE which (number INTEGER)')
  db.run(`INSERT INTO which VALUES (${number})`)
  return db
}

const numberIn = (file: string) => query<{ number: number }>(file, 'SELECT number FROM which')[0]?.number

/** The first database, its successor, and the path at which the first is kept. */
function prepare(scratch: Scratch) {
  const successor = join(scratch.dir, 'successor.db')
  make(scratch.file, 1).close()
  make(successor, 2).close()
  return { file: scratch.file, successor, kept: join(scratch.dir, 'kept.db') }
}

test('one database takes the place of another, which is kept whole', () => {
  using scratch = new Scratch()
  const { file, successor, kept } = prepare(scratch)
  expect(replaceDatabase(file, successor, kept)).toBe(true)
  expect([numberIn(file), numberIn(kept), existsSync(successor)]).toEqual([2, 1, false])
})

test('up to the one rename that decides, the database is where it was', () => {
  using scratch = new Scratch()
  const { file, kept } = prepare(scratch)
  expect(() => replaceDatabase(file, join(scratch.dir, 'nothing.db'), kept)).toThrow('ENOENT')
  expect(numberIn(file)).toBe(1)
})

test('where there was none it is put there', () => {
  using scratch = new Scratch()
  const { file, successor, kept } = prepare(scratch)
  const elsewhere = join(scratch.dir, 'elsewhere.db')
  expect(replaceDatabase(elsewhere, successor, kept)).toBe(false)
  expect([numberIn(elsewhere), existsSync(kept), numberIn(file)]).toEqual([2, false, 1])
})

test('one that somebody has open is not replaced', () => {
  using scratch = new Scratch()
  const { file, successor, kept } = prepare(scratch)
  const somebody = new Database(file)
  somebody.run('INSERT INTO which VALUES (3)')
  expect(() => replaceDatabase(file, successor, kept)).toThrow('locked')
  somebody.close()
  expect([numberIn(file), numberIn(successor), existsSync(kept)]).toEqual([1, 2, false])
})
