/** Group commit: a transaction that fails does not fail the others, whatever it has written. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Writer } from '../../src/store/sqlite/connection/writer'
import { Scratch } from './open'
import { outcomeOf } from './sample'

const REFUSED = new Error('refused')

let scratch: Scratch
let db: Database
let writer: Writer
let elapsedMs: number
/** Transactions and effects in the order in which they ran. */
let ran: string[]
let happened: string[]

beforeEach(() => {
  scratch = new Scratch()
  db = new Database(scratch.file, { create: true, strict: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('CREATE TABLE notes (name TEXT PRIMARY KEY)')
  writer = new Writer(db, { soon: setImmediate, elapsed: () => elapsedMs })
  elapsedMs = 0
  ran = []
  happened = []
})
afterEach(async () => {
  await writer.close()
  db.close()
  scratch[Symbol.dispose]()
})

const note = (name: string) => db.query('INSERT INTO notes VALUES (?)').run(name)
const names = () => db.query('SELECT name FROM notes ORDER BY name').values().flat()

const run = (name: string, work: () => unknown) =>
  outcomeOf(
    writer.run(
      async () => {
        ran.push(name)
        return work()
      },
      () => happened.push(name),
    ),
  )
const writes = (name: string) => run(name, () => void note(name))
const refuses = (name: string) =>
  run(name, () => {
    throw REFUSED
  })
const writesAndRefuses = (name: string) =>
  run(name, () => {
    note(name)
    throw REFUSED
  })

test('where one is refused that has written nothing, everybody else runs once', async () => {
  const outcomes = await Promise.all([writes('a'), refuses('b'), writes('c')])
  expect(outcomes).toMatchObject([{ value: undefined }, { error: REFUSED }, { value: undefined }])
  expect([ran, happened, names()]).toEqual([
    ['a', 'b', 'c'],
    ['a', 'c'],
    ['a', 'c'],
  ])
})

test('where one is refused that has written, nothing of it is stored, and of everybody else all, once', async () => {
  const outcomes = await Promise.all([writes('a'), writesAndRefuses('b'), writes('c')])
  expect(outcomes).toMatchObject([{ value: undefined }, { error: REFUSED }, { value: undefined }])
  expect([ran, happened, names()]).toEqual([
    ['a', 'b', 'a', 'b', 'c'],
    ['a', 'c'],
    ['a', 'c'],
  ])
})

test('who runs again sees nothing of what was rolled back', async () => {
  const seen: unknown[][] = []
  await Promise.all([
    run('a', () => {
      seen.push(names())
      note('a')
    }),
    writesAndRefuses('b'),
  ])
  expect(seen).toEqual([[], []])
})

test('nobody is refused for what was rolled back', async () => {
  let isFirst = true
  const outcomes = await Promise.all([
    run('a', () => {
      if (isFirst) note('a')
      isFirst = false
    }),
    run('b', () => {
      if (names().includes('a')) throw REFUSED
    }),
    writesAndRefuses('c'),
  ])
  expect(outcomes).toMatchObject([{ value: undefined }, { value: undefined }, { error: REFUSED }])
})

test('who is refused for what somebody has written is told when that is on disk', async () => {
  const told: string[] = []
  await Promise.all([
    writes('a').then(() => told.push('a')),
    run('b', () => {
      if (names().includes('a')) throw REFUSED
    }).then(() => told.push('b')),
  ])
  expect(told).toEqual(['a', 'b'])
})

test('for a second after one has failed that had written, such a one costs nobody a second run', async () => {
  await Promise.all([writes('a'), writesAndRefuses('b')])
  const group = async (...group: string[]) => {
    ran = []
    await Promise.all(group.map((name) => (name === 'no' ? writesAndRefuses(name) : writes(name))))
    return ran
  }
  elapsedMs = 999
  expect(await group('c', 'no', 'd')).toEqual(['c', 'no', 'd'])
  elapsedMs = 1_000
  expect(await group('e', 'no', 'f')).toEqual(['e', 'no', 'e', 'no', 'f'])
  expect(names()).toEqual(['a', 'c', 'd', 'e', 'f'])
})

test('where SQLite gives everything up and a transaction goes on nevertheless, it has failed, and those behind it are stored', async () => {
  const goesOn = () => run('b', () => db.run('ROLLBACK'))
  const outcomes = await Promise.all([writes('a'), goesOn(), writes('c')])
  expect(outcomes).toMatchObject([
    { error: { kind: 'unavailable' } },
    { error: { kind: 'unavailable' } },
    { value: undefined },
  ])
  expect([happened, names()]).toEqual([['c'], ['c']])
})
