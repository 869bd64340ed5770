/** Opening a file while another program creates it. */
import { Database } from 'bun:sqlite'
import { expect, spyOn, test } from 'bun:test'
import { createDatabase } from '../../src/store/sqlite/open'
import { openAt, query, Scratch } from './open'

test('waits until nobody else uses the file, which the write-ahead log asks for', async () => {
  using scratch = new Scratch()
  createDatabase(scratch.file)
  // The other program writes before the file is in WAL mode.
  const other = new Database(scratch.file)
  other.run('BEGIN IMMEDIATE')
  let waits = 0
  using _ = spyOn(Bun, 'sleepSync').mockImplementation(() => {
    if (++waits === 3) other.run('COMMIT')
  })
  const store = openAt(scratch.file)
  expect(waits).toBeGreaterThanOrEqual(3)
  expect(query(scratch.file, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
  await store.close()
  other.close()
})
