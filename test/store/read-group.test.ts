/** Look-ups of one turn of the event loop run in one read transaction. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { ReadGroup } from '../../src/store/sqlite/connection/read-group'
import { Scratch } from './open'

let scratch: Scratch
let writing: Database
let reading: Database
let group: ReadGroup

const written = () => reading.query<{ n: number }, []>('SELECT max(n) AS n FROM written').get()?.n
const write = (n: number) => writing.run('INSERT INTO written VALUES (?)', [n])
const messageOf = (read: Promise<unknown>) =>
  read.then(
    () => undefined,
    (error) => error.message,
  )
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

beforeEach(() => {
  scratch = new Scratch()
  writing = new Database(scratch.file, { create: true })
  writing.run('PRAGMA journal_mode = WAL')
  writing.run('CREATE TABLE written (n INTEGER)')
  write(1)
  reading = new Database(scratch.file, { readonly: true })
  group = new ReadGroup(reading, setImmediate)
})
afterEach(() => {
  reading.close()
  writing.close()
  scratch[Symbol.dispose]()
})

test('a read finds what was committed before it was asked for, also where others had been asked for earlier', async () => {
  const earlier = group.read(written)
  write(2)
  const later = group.read(written)
  expect(await Promise.all([earlier, later])).toEqual([2, 2])
  write(3)
  expect(await group.read(written)).toBe(3)
})

test('reads of one turn see the same, whoever commits between them', async () => {
  const committing = () => {
    const found = written()
    write(2)
    return found
  }
  expect(await Promise.all([group.read(committing), group.read(written)])).toEqual([1, 1])
  expect(await group.read(written)).toBe(2)
})

test('nobody is answered before the turn ends, and then all are', async () => {
  const answered: number[] = []
  for (const n of [1, 2, 3]) void group.read(written).then(() => answered.push(n))
  await Promise.resolve()
  expect(answered).toEqual([])
  await turn()
  expect(answered).toEqual([1, 2, 3])
})

test('a read that fails takes nobody along, nor what is read later', async () => {
  const failing = () => {
    throw new Error('broken')
  }
  const all = [group.read(written), group.read(failing), group.read(written)]
  expect(await messageOf(all[1] as Promise<unknown>)).toBe('broken')
  expect([await all[0], await all[2]]).toEqual([1, 1])
  write(2)
  expect(await group.read(written)).toBe(2)
})

test('an error that ends the transaction ends nothing else', async () => {
  const ending = () => {
    reading.run('ROLLBACK')
    throw new Error('broken')
  }
  expect(await messageOf(group.read(ending))).toBe('broken')
  expect(await group.read(written)).toBe(1)
})

test('where nothing can be read everybody is told, and later ones are answered again', async () => {
  reading.run('BEGIN')
  expect(await Promise.all([group.read(written), group.read(written)].map(messageOf))).toEqual([
    expect.stringContaining('transaction'),
    expect.stringContaining('transaction'),
  ])
  reading.run('COMMIT')
  expect(await group.read(written)).toBe(1)
})

test('of a file that is broken everybody is told, and nothing else is thrown', async () => {
  for (let n = 2; n < 3_000; n++) write(n)
  writing.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const bytes = readFileSync(scratch.file)
  writeFileSync(scratch.file, bytes.fill(0xff, 3 * 4_096), { flag: 'r+' })
  const told = Promise.all([group.read(written), group.read(written)].map(messageOf))
  expect(() => group.readNow()).not.toThrow()
  expect(await told).toEqual([expect.stringContaining('malformed'), expect.stringContaining('malformed')])
})

test('who asks where it is closed is told, and nothing else is thrown', async () => {
  reading.close()
  const told = messageOf(group.read(written))
  expect(() => group.readNow()).not.toThrow()
  expect(await told).toContain('closed')
})
