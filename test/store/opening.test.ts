/** What opening does where another program begins with the same file. */
import { expect, test } from 'bun:test'
import { layOut } from '../../src/store/sqlite/open'
import { openAt, query, Scratch } from './open'

/** Writes for a moment, as another one that begins does, before the file has a write-ahead log. */
const BEGINNER = `
  const { Database } = require('bun:sqlite')
  const db = new Database(process.argv[1])
  db.run('BEGIN IMMEDIATE')
  console.log('writes')
  Bun.sleepSync(200)`

test('waits until nobody else uses the file, which the write-ahead log asks for', async () => {
  using scratch = new Scratch()
  layOut(scratch.file)
  const other = Bun.spawn([process.execPath, '-e', BEGINNER, scratch.file], { stdout: 'pipe' })
  await other.stdout.getReader().read()
  const store = openAt(scratch.file)
  expect(query(scratch.file, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
  await store.close()
})
