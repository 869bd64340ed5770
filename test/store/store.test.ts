import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Store } from '../../src/ports/store'
import { SQLITE } from '../../src/store/dialect'
import { ISSUES } from '../../src/store/issues'
import { migrate } from '../../src/store/sqlite/connection/migrate'
import { errorOf } from '../support/error-of'
import { until } from '../support/until'
import { openAt, openWithConnection, query, Scratch } from './open'
import { reportSuite } from './report-suite'
import { APP, anEndpoint, attemptOf, furnish, issueNumber, LETTER, NOW, OWNER, StillClock } from './sample'
import { storeSuite } from './suite'
import { eventNumber, hookAttempt, hookOf } from './webhooks'

const opened = (clock: StillClock) => {
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
    newsMs: 0,
    close: async () => {
      for (const store of stores) await store.close()
      scratch[Symbol.dispose]()
    },
  }
}

storeSuite('SQLite', opened)
reportSuite('SQLite', opened)

test('what a phone has had is found by an index, and nothing is sorted for it', () => {
  using scratch = new Scratch()
  const db = new Database(scratch.file, { create: true })
  migrate(db)
  const text = ISSUES({ dialect: SQLITE }).newestOfPhone.text
  const plan = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`).all()
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH issues USING INDEX issues_by_phone (<expr>=? AND app_id=? AND mode=? AND issue_id>?)',
  ])
  db.close()
})

test('what is asked for in one turn is one commit', async () => {
  using scratch = new Scratch()
  const turns: Array<() => void> = []
  const store = openAt(scratch.file, { soon: (drain) => turns.push(drain) })
  const finished: number[] = []
  const asked = Array.from({ length: 5 }, (_, n) =>
    store.transaction(async (tx) => {
      await tx.issues.add(issueNumber(n + 1))
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
  const many = Array.from({ length: 1_200 }, (_, n) => store.transaction((tx) => tx.issues.add(issueNumber(n + 1))))
  await Promise.all(many)
  expect(query(scratch.file, 'SELECT count(*) AS count FROM issues')).toEqual([{ count: 1_200 }])
  await store.close()
})

test('work that goes on for ever leaves sockets and timers their turns', async () => {
  using scratch = new Scratch()
  const store = openAt(scratch.file)
  let isOver = false
  const goOn = async () => {
    while (!isOver) await store.assertWritable()
  }
  const all = Array.from({ length: 50 }, goOn)
  const socket = connect({ host: '127.0.0.1', port: 1 })
  await new Promise((resolve) => socket.once('error', resolve))
  // The check repeats by a timer, which needs turns of the event loop.
  let looks = 0
  await until(() => ++looks > 1, 'a second look')
  isOver = true
  await Promise.all(all)
  await store.close()
})

test('neither number, text nor code is in the file, and credentials of a provider are not either', async () => {
  using scratch = new Scratch()
  const store = openAt(scratch.file)
  await furnish(store)
  await store.transaction(async (tx) => {
    const issue = issueNumber(1)
    await tx.issues.add(issue)
    await tx.outbox.add(issue, { ...LETTER, text: 'Your code is 734291', code: '734291' })
    await tx.attempts.add(attemptOf(issue, 1))
    await tx.carriers.save({
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
  await store.transaction((tx) => tx.outbox.add(one, LETTER))
  const outside = new Database(scratch.file)
  outside.run(`UPDATE outbox SET issue_id = X'${other.issueId.replaceAll('-', '')}'`)
  outside.close()
  await errorOf(store.transaction((tx) => tx.outbox.find(other.issueId)))
  await store.close()
})

/** A store with two endpoints and one event delivered to both. */
async function told(scratch: Scratch) {
  const store = openAt(scratch.file)
  const one = anEndpoint({
    headers: { Authorization: 'Bearer receiver-credential' },
    secrets: [{ secret: 'whsec_newest' }, { secret: 'whsec_before', validUntil: NOW + 1 }],
  })
  const other = anEndpoint({ endpointId: 'whe_other' })
  const event = eventNumber(1, { body: '{"to":"+82******5678","metadata":{"name":"Ann"}}' })
  const hooks = [hookOf(one, event), hookOf(other, event)] as const
  await furnish(store)
  await store.transaction(async (tx) => {
    for (const endpoint of [one, other]) await tx.endpoints.add(endpoint)
    await tx.hooks.addEvent(event)
    for (const hook of hooks) {
      await tx.hooks.add(hook)
      await tx.hooks.addAttempt(hookAttempt(hook, 1, { answer: 'stack trace of the receiver' }))
    }
  })
  return { store, one, other, event, hooks }
}

test('secrets, headers, bodies and answers of webhooks are not in the file', async () => {
  using scratch = new Scratch()
  const { store, one } = await told(scratch)
  await store.transaction((tx) => tx.endpoints.save({ ...one, secrets: [{ secret: 'whsec_rotated' }] }))
  await store.close()
  const bytes = readFileSync(scratch.file)
  expect(bytes.includes(one.url)).toBe(true)
  for (const secret of ['whsec_', 'Authorization', 'receiver-credential', '5678', 'Ann', 'stack trace']) {
    expect([secret, bytes.includes(secret)]).toEqual([secret, false])
  }
})

test('what was sealed for one webhook does not open for another', async () => {
  using scratch = new Scratch()
  const { store, one, event, hooks } = await told(scratch)
  const outside = new Database(scratch.file)
  const swap = (table: string, column: string, key: string) => {
    const rows = outside.query(`SELECT ${key} AS id, ${column} AS sealed FROM ${table} ORDER BY 1`).all() as Array<{
      id: string
      sealed: Uint8Array
    }>
    for (const [n, { id }] of rows.entries()) {
      const sealed = rows[(n + 1) % rows.length]?.sealed ?? null
      outside.query(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`).run(sealed, id)
    }
  }
  await store.transaction((tx) => tx.hooks.addEvent(eventNumber(2)))
  const reads: Array<[string, string, string, () => Promise<unknown>]> = [
    ['webhook_endpoints', 'secrets', 'endpoint_id', () => store.read.endpoints.find(one.endpointId)],
    ['webhook_endpoints', 'headers', 'endpoint_id', () => store.read.endpoints.find(one.endpointId)],
    ['webhook_events', 'body', 'event_id', () => store.transaction((tx) => tx.hooks.event(event.eventId))],
    ['webhook_attempts', 'answer', 'delivery_id', () => store.read.hooks.attempts(hooks[0].deliveryId)],
  ]
  for (const [table, column, key, read] of reads) {
    expect(await read()).toBeDefined()
    swap(table, column, key)
    await errorOf(read())
    swap(table, column, key)
  }
  outside.close()
  await store.close()
})

test('what was answered is there after the process dies without closing', async () => {
  using scratch = new Scratch()
  const clock = new StillClock()
  const died = openAt(scratch.file, { clock })
  await died.transaction((tx) => tx.issues.add(issueNumber(1)))
  const copy = `${scratch.file}-copy`
  for (const suffix of ['', '-wal']) copyFileSync(scratch.file + suffix, copy + suffix)
  const reopened = openAt(copy, { clock })
  expect(await reopened.read.issues.find(OWNER, issueNumber(1).issueId)).toEqual(issueNumber(1))
  await reopened.close()
  await died.close()
})

test('assertWritable throws where the database cannot be written', async () => {
  using scratch = new Scratch()
  const { store, writing } = openWithConnection(scratch.file)
  await store.assertWritable()
  writing.run('PRAGMA query_only = ON')
  expect(await errorOf(store.assertWritable())).toMatchObject({ kind: 'unavailable' })
  writing.run('PRAGMA query_only = OFF')
  await store.assertWritable()
  await store.close()
})
