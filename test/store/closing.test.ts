/** What closing does with the write-ahead log, and to other programs that have the database open. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { openAt, openWithConnection, query, Scratch } from './open'
import { issueNumber } from './sample'

const FOR_EVER_MS = 2 ** 31 - 1

test('waits for nobody: who writes meanwhile would wait as long', async () => {
  using scratch = new Scratch()
  const { store, writing } = openWithConnection(scratch.file)
  await store.transaction((tx) => tx.issues.add(issueNumber(1)))
  // This reader stays open until the end of the test.
  using reader = new Database(scratch.file, { readonly: true })
  reader.run('BEGIN')
  reader.query('SELECT count(*) FROM issues').get()
  await store.transaction((tx) => tx.issues.add(issueNumber(2)))
  writing.run(`PRAGMA busy_timeout = ${FOR_EVER_MS}`)
  await store.close()
  expect(query(scratch.file, 'SELECT 1 FROM issues')).toHaveLength(2)
})

test('leaves the log to the program that copies it', async () => {
  using scratch = new Scratch()
  // Such a program keeps a connection, so that the store is not the last to close.
  using other = new Database(scratch.file, { create: true })
  const { store, writing } = openWithConnection(scratch.file, { checkpointPages: 0 })
  expect(writing.query('PRAGMA wal_autocheckpoint').get()).toEqual({ wal_autocheckpoint: 0 })
  await store.transaction((tx) => tx.issues.add(issueNumber(1)))
  expect(other.query('SELECT count(*) AS n FROM issues').get()).toEqual({ n: 1 })
  await store.close()
  const left = statSync(`${scratch.file}-wal`).size
  expect(left).toBeGreaterThan(0)
  expect(other.query('PRAGMA wal_checkpoint(NOOP)').get()).toMatchObject({ checkpointed: 0 })
  const again = openAt(scratch.file)
  expect(await again.read.issues.find(issueNumber(1), issueNumber(1).issueId)).toEqual(issueNumber(1))
  await again.close()
})

test('answers whoever has asked for an issue', async () => {
  using scratch = new Scratch()
  const store = openAt(scratch.file)
  const { appId, mode, issueId } = issueNumber(1)
  await store.transaction((tx) => tx.issues.add(issueNumber(1)))
  const closed = store.close()
  const asked = store.read.issues.standing({ appId, mode }, issueId)
  await closed
  expect(await asked).toMatchObject({ issueId })
})
