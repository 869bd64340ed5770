import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, readFileSync } from 'node:fs'
import type { Store } from '../../src/ports'
import { openAt, openWithConnection, query, Scratch } from './open'
import { APP, attemptOf, furnish, issueNumber, LETTER, NOW, OWNER, StillClock } from './sample'
import { storeSuite } from './suite'

storeSuite('SQLite', (clock) => {
  const scratch = new Scratch()
  const stores: Store[] = []
  const opening = () => {
    const store = openAt(scratch.file, { clock })
    let closing: Promise<void> | undefined
    const once = { ...store, close: () => (closing ??= store.close()) }
    stores.push(once)
    return once
  }
  return {
    store: opening(),
    another: opening,
    close: async () => {
      for (const store of stores) await store.close()
      scratch[Symbol.dispose]()
    },
  }
})

test('what is asked for in one turn is one commit', async () => {
  using scratch = new Scratch()
  const turns: Array<() => void> = []
  const store = openAt(scratch.file, { soon: (drain) => turns.push(drain) })
  const finished: number[] = []
  const asked = Array.from({ length: 5 }, (_, n) =>
    store.transaction(async (tx) => {
      await tx.addIssue(issueNumber(n + 1))
      tx.afterCommit(() => finished.push(query(scratch.file, 'SELECT 1 FROM issues').length))
    }),
  )
  expect(turns).toHaveLength(1)
  expect(query(scratch.file, 'SELECT 1 FROM issues')).toEqual([])
  turns.shift()?.()
  await Promise.all(asked)
  expect(finished).toEqual([5, 5, 5, 5, 5])
  await store.close()
})

test('a group is taken in portions, and everybody is answered', async () => {
  using scratch = new Scratch()
  const store = openAt(scratch.file)
  const many = Array.from({ length: 1_200 }, (_, n) => store.transaction((tx) => tx.addIssue(issueNumber(n + 1))))
  await Promise.all(many)
  expect(query(scratch.file, 'SELECT count(*) AS count FROM issues')).toEqual([{ count: 1_200 }])
  await store.close()
})

test('neither number, text nor code is in the file, and credentials of a provider are not either', async () => {
  using scratch = new Scratch()
  const store = openAt(scratch.file)
  await furnish(store)
  await store.transaction(async (tx) => {
    const issue = issueNumber(1)
    await tx.addIssue(issue)
    await tx.addOutbox(issue, { ...LETTER, text: 'Your code is 734291', code: '734291' })
    await tx.addAttempt(attemptOf(issue, 1))
    await tx.saveProvider({
      name: 'main',
      type: 'http',
      channels: ['sms'],
      config: { token: 'carrier-credential' },
      createdAt: NOW,
    })
  })
  await store.close()
  const bytes = readFileSync(scratch.file)
  expect(bytes.includes(APP.name)).toBe(true)
  for (const secret of ['1012345678', '734291', 'Your code', 'carrier-credential']) {
    expect([secret, bytes.includes(secret)]).toEqual([secret, false])
  }
})

test('a message that was sealed for one issue does not open for another', async () => {
  using scratch = new Scratch()
  const store = openAt(scratch.file)
  const [one, other] = [issueNumber(1), issueNumber(2)]
  await store.transaction((tx) => tx.addOutbox(one, LETTER))
  const outside = new Database(scratch.file)
  outside.run(`UPDATE outbox SET issue_id = X'${other.issueId.replaceAll('-', '')}'`)
  outside.close()
  await expect(store.transaction((tx) => tx.findOutbox(other.issueId))).rejects.toThrow()
  await store.close()
})

test('what was answered is there after the process dies without closing', async () => {
  using scratch = new Scratch()
  const clock = new StillClock()
  const died = openAt(scratch.file, { clock })
  await died.transaction((tx) => tx.addIssue(issueNumber(1)))
  const copy = `${scratch.file}-copy`
  for (const suffix of ['', '-wal']) copyFileSync(scratch.file + suffix, copy + suffix)
  const reopened = openAt(copy, { clock })
  expect(await reopened.read.issue(OWNER, issueNumber(1).issueId)).toEqual(issueNumber(1))
  await reopened.close()
  await died.close()
})

test('assertWritable throws where the database cannot be written', async () => {
  using scratch = new Scratch()
  const { store, writing } = openWithConnection(scratch.file)
  await store.assertWritable()
  writing.run('PRAGMA query_only = ON')
  await expect(store.assertWritable()).rejects.toMatchObject({ kind: 'unavailable' })
  writing.run('PRAGMA query_only = OFF')
  await store.assertWritable()
  await store.close()
})
