/** Checkpoints of the write-ahead log run beside requests. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { Checkpoints, type Length, waiting } from '../../src/store/sqlite/connection/checkpoints'
import { Writer } from '../../src/store/sqlite/connection/writer'
import { until } from '../support/until'
import { Scratch } from './open'

const LONG = 1_000
const PAGE_BYTES = 4_096

let scratch: Scratch
let db: Database
let checkpoints: Checkpoints
let writer: Writer

beforeEach(() => {
  scratch = new Scratch()
  db = new Database(scratch.file, { create: true, strict: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = FULL')
  db.run('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)')
})
afterEach(async () => {
  await writer.close()
  await checkpoints.close()
  db.close()
  scratch[Symbol.dispose]()
})

function openWith(file: string) {
  checkpoints = new Checkpoints(file, db, LONG)
  writer = new Writer(db, { soon: setImmediate, elapsed: () => 0, committed: () => checkpoints.committed() })
}

const TEXT = 'x'.repeat(PAGE_BYTES)

/** Runs transactions one after another, as requests do; each writes some three pages. */
async function write(units: number): Promise<void> {
  const insert = db.query('INSERT INTO notes (text) VALUES (?)')
  for (let n = 0; n < units; n++) {
    await writer.run(
      async () => insert.run(TEXT),
      () => {},
    )
  }
}

const logPages = () => statSync(`${scratch.file}-wal`).size / PAGE_BYTES
const toBeCopied = () => waiting(db.query<Length, []>('PRAGMA wal_checkpoint(NOOP)').get())
/** Waits for a condition while transactions go on. */
const untilWriting = (isTrue: () => boolean) =>
  until(async () => {
    if (!isTrue()) await write(1)
    return isTrue()
  }, 'the log to be copied')
const stored = () => (db.query('SELECT count(*) AS n FROM notes').get() as { n: number }).n

test('a long log is copied while nobody commits, and begins anew', async () => {
  openWith(scratch.file)
  for (let round = 0; round < 5; round++) {
    await write(LONG)
    await until(() => toBeCopied() < LONG, 'the log to be copied')
  }
  // Some fifteen thousand pages were written, three thousand a round.
  expect(logPages()).toBeLessThan(3 * 3 * LONG)
  expect(stored()).toBe(5 * LONG)
  expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})

test('where there can be no thread it is copied between two groups', async () => {
  openWith(`${scratch.file}/nowhere.db`)
  db.run('PRAGMA wal_autocheckpoint = 0')
  await write(LONG)
  await untilWriting(() => toBeCopied() < 10)
})

test('what could not be copied while somebody reads the past is copied when they have gone', async () => {
  openWith(scratch.file)
  const reader = new Database(scratch.file, { readonly: true })
  reader.run('BEGIN')
  reader.query('SELECT count(*) FROM notes').get()
  await write(2 * LONG)
  expect(toBeCopied()).toBeGreaterThan(2 * LONG)
  reader.close()
  await untilWriting(() => toBeCopied() < LONG)
})

test('closing waits for a copy under way', async () => {
  openWith(scratch.file)
  await write(LONG)
  await writer.close()
  await checkpoints.close()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(logPages()).toBe(0)
})
