import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Refusal } from '../../src/domain/shared/error'
import { WritingSession } from '../../src/store/sqlite/connection/session'
import { TransactionState } from '../../src/store/sqlite/connection/transaction-state'
import { Writer } from '../../src/store/sqlite/connection/writer'
import { openTx } from '../../src/store/tx'
import { errorOf } from '../support/error-of'
import { openWithConnection, query, Scratch } from './open'
import { claimOf, furnish, hash16, issueNumber, LETTER, NOW, OWNER, outcomeOf, VAULT } from './sample'

const UNAVAILABLE = { error: { kind: 'unavailable', cause: expect.objectContaining({ name: 'SQLiteError' }) } }

describe.each(['together', 'with a savepoint each'])(
  'a writer whose transactions run %s, on a disk that is full',
  (options) => {
    let scratch: Scratch
    let db: Database
    let outside: Database
    let writer: Writer
    const happened: string[] = []

    beforeEach(async () => {
      scratch = new Scratch()
      db = new Database(scratch.file, { create: true, strict: true })
      db.run('PRAGMA journal_mode = WAL')
      db.run('PRAGMA foreign_keys = ON')
      db.run('CREATE TABLE parents (id INTEGER PRIMARY KEY)')
      db.run('CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL)')
      db.run('CREATE TABLE children (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)')
      outside = new Database(scratch.file, { readonly: true })
      writer = new Writer(db, { soon: setImmediate, elapsed: () => 0 })
      happened.length = 0
      const spoil = () => {
        note('spoilt')
        throw new Error('refused')
      }
      if (options !== 'together') await run('spoilt', spoil)
    })
    afterEach(async () => {
      await writer.close()
      outside.close()
      db.close()
      scratch[Symbol.dispose]()
    })

    const fill = () => {
      const { page_count } = db.query('PRAGMA page_count').get() as { page_count: number }
      db.run(`PRAGMA max_page_count = ${page_count}`)
    }
    const free = () => db.run('PRAGMA max_page_count = 1073741823')
    const note = (name: string, text = 'small') => db.query('INSERT INTO notes VALUES (?, ?)').run(name, text)
    const HUGE = 'x'.repeat(100_000)
    const stored = () =>
      (outside.query('SELECT name FROM notes ORDER BY name').all() as Array<{ name: string }>).map(({ name }) => name)
    const run = (name: string, work: () => void) =>
      outcomeOf(
        writer.run(
          async () => {
            work()
            return name
          },
          () => happened.push(name),
        ),
      )
    const answered = (outcomes: Array<{ value: string } | { error: unknown }>) =>
      outcomes.flatMap((outcome) => ('value' in outcome ? [outcome.value] : []))

    test('when SQLite gives the whole transaction up, whoever was before in the group is told so too', async () => {
      fill()
      let wasRolledBack = false
      const outcomes = await Promise.all([
        run('a', () => note('a')),
        run('b', () => {
          note('b')
          try {
            note('huge', HUGE)
          } finally {
            wasRolledBack = !db.inTransaction
          }
        }),
        run('c', () => note('c')),
        run('d', () => note('d')),
      ])
      expect(wasRolledBack).toBe(true)
      expect(outcomes).toMatchObject([UNAVAILABLE, UNAVAILABLE, { value: 'c' }, { value: 'd' }])
      expect(stored()).toEqual(['c', 'd'])
      expect(happened).toEqual(['c', 'd'])
      expect(db.inTransaction).toBe(false)
    })

    test('what follows in the group is still all or nothing', async () => {
      fill()
      const refusal = new Error('refused')
      const outcomes = await Promise.all([
        run('a', () => note('huge', HUGE)),
        run('b', () => {
          note('b')
          throw refusal
        }),
        run('c', () => note('c')),
      ])
      expect(outcomes).toMatchObject([UNAVAILABLE, { error: refusal }, { value: 'c' }])
      expect(stored()).toEqual(['c'])
    })

    test('when every transaction of the group is too much, every one is told so, and nothing is half-written', async () => {
      fill()
      const names = Array.from({ length: 20 }, (_, n) => `n${n}`)
      const outcomes = await Promise.all(
        names.map((name) =>
          run(name, () => {
            note(name)
            note(`${name}-huge`, HUGE)
          }),
        ),
      )
      expect(outcomes).toMatchObject(names.map(() => UNAVAILABLE))
      expect(stored()).toEqual([])
      expect(happened).toEqual([])
    })

    test('when SQLite takes back only the statement, only its transaction is lost', async () => {
      fill()
      let wasRolledBack: boolean | undefined
      const outcomes = await Promise.all([
        run('a', () => note('a')),
        run('b', () => {
          note('b')
          try {
            // With several rows under a unique index SQLite keeps a statement journal.
            db.query('INSERT INTO notes SELECT value, ? FROM json_each(\'["x", "y", "z"]\')').run(HUGE)
          } finally {
            wasRolledBack = !db.inTransaction
          }
        }),
        run('c', () => note('c')),
      ])
      expect(wasRolledBack).toBe(false)
      expect(outcomes).toMatchObject([{ value: 'a' }, UNAVAILABLE, { value: 'c' }])
      expect(stored()).toEqual(['a', 'c'])
    })

    test('as the disk fills up, what is answered is exactly what is stored', async () => {
      const { page_count } = db.query('PRAGMA page_count').get() as { page_count: number }
      db.run(`PRAGMA max_page_count = ${page_count + 20}`)
      const names = Array.from({ length: 60 }, (_, n) => `n${String(n).padStart(2, '0')}`)
      const all: string[] = []
      for (let at = 0; at < names.length; at += 7) {
        const outcomes = await Promise.all(
          names.slice(at, at + 7).map((name) =>
            run(name, () => {
              note(name, 'y'.repeat(2_000))
              note(`${name}-more`, 'z'.repeat(1_000))
            }),
          ),
        )
        all.push(...answered(outcomes))
      }
      expect(all.length).toBeGreaterThan(0)
      expect(all.length).toBeLessThan(names.length)
      expect(stored()).toEqual(all.flatMap((name) => [name, `${name}-more`]).toSorted())
      expect(happened).toEqual(all)
    })

    test('writing works again once there is room', async () => {
      fill()
      expect(await run('a', () => note('huge', HUGE))).toMatchObject(UNAVAILABLE)
      free()
      expect(await run('b', () => note('huge', HUGE))).toEqual({ value: 'b' })
      expect(stored()).toEqual(['huge'])
    })

    test('when the commit itself fails, nobody of the group is stored, and the next group is', async () => {
      const outcomes = await Promise.all([
        run('a', () => note('a')),
        run('b', () => db.run('INSERT INTO children VALUES (404)')),
        run('c', () => note('c')),
      ])
      expect(outcomes).toMatchObject([UNAVAILABLE, UNAVAILABLE, UNAVAILABLE])
      expect([stored(), happened, db.inTransaction]).toEqual([[], [], false])
      expect(await run('d', () => note('d'))).toEqual({ value: 'd' })
      expect(stored()).toEqual(['d'])
    })

    test('while another process holds the database, a group is refused without being run, and works after it', async () => {
      const holder = new Database(scratch.file)
      holder.run('BEGIN IMMEDIATE')
      const ran: string[] = []
      const outcomes = await Promise.all(['a', 'b'].map((name) => run(name, () => ran.push(name))))
      expect(outcomes).toMatchObject([UNAVAILABLE, UNAVAILABLE])
      expect(ran).toEqual([])
      holder.run('ROLLBACK')
      holder.close()
      expect(await run('c', () => note('c'))).toEqual({ value: 'c' })
      expect(stored()).toEqual(['c'])
    })

    test('what is told to the caller says nothing of the database, and that trying again may help', async () => {
      fill()
      const outcome = await run('a', () => note('huge', HUGE))
      const { error } = outcome as { error: Refusal }
      expect(error).toBeInstanceOf(Refusal)
      expect(error.message).not.toMatch(/sqlite|disk|notes/i)
      expect(error.detail.retryAfterMs).toBeGreaterThan(0)
    })
  },
)

describe('a store on a disk that is full', () => {
  const rendered = { ...LETTER, text: '가'.repeat(1_000), variables: { name: 'x'.repeat(20_000) } }

  test('refuses what it cannot keep as unavailable, keeps nothing of it, and recovers', async () => {
    using scratch = new Scratch()
    const { store, writing } = openWithConnection(scratch.file)
    await furnish(store)
    const { page_count } = writing.query('PRAGMA page_count').get() as { page_count: number }
    writing.run(`PRAGMA max_page_count = ${page_count + 40}`)
    const issues = Array.from({ length: 30 }, (_, n) => issueNumber(n + 1))
    const effects: string[] = []
    const issue = (index: number) => {
      const issue = issues[index] as (typeof issues)[number]
      return outcomeOf(
        store.transaction(async (tx) => {
          tx.afterCommit(() => effects.push(issue.issueId))
          await tx.wallets.save({ ...(await tx.wallets.lock(OWNER.appId)), reserved: index + 1 })
          await tx.issues.add(issue, claimOf(issue, index))
          await tx.outbox.add(issue, rendered)
          await tx.jobs.add({ kind: 'deliver', owner: issue, subjectId: issue.issueId, runAt: NOW })
          return issue.issueId
        }),
      )
    }
    const outcomes: Array<{ value: string } | { error: unknown }> = []
    for (let at = 0; at < issues.length; at += 3) {
      outcomes.push(...(await Promise.all([at, at + 1, at + 2].map(issue))))
    }
    const answered = outcomes.flatMap((outcome) => ('value' in outcome ? [outcome.value] : []))
    const refused = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []))
    expect(answered.length).toBeGreaterThan(0)
    expect(refused.length).toBeGreaterThan(0)
    for (const error of refused) expect(error).toMatchObject({ kind: 'unavailable' })
    expect(effects).toEqual(answered)
    for (const table of ['issues', 'outbox', 'jobs']) {
      expect([table, query(scratch.file, `SELECT 1 FROM ${table}`).length]).toEqual([table, answered.length])
    }
    const listed = await store.read.issues.page(OWNER, { limit: 100 }, NOW)
    expect(listed.map(({ issueId }) => issueId)).toEqual(answered.toReversed())

    writing.run('PRAGMA max_page_count = 1073741823')
    const lost = outcomes.findIndex((outcome) => 'error' in outcome)
    expect(await issue(lost)).toMatchObject({ value: issues[lost]?.issueId })
    expect(await store.transaction((tx) => tx.idempotency.find(OWNER, hash16(lost)))).toBeDefined()
    await store.close()
  })
})

test('a statement of the store that fails is known as a failure of the storage', async () => {
  using scratch = new Scratch()
  const { store, writing } = openWithConnection(scratch.file)
  const { tx } = openTx(new WritingSession(writing, new TransactionState()), { vault: VAULT, headFile: undefined })
  writing.run('PRAGMA query_only = ON')
  expect(await errorOf(tx.issues.add(issueNumber(1)))).toMatchObject({ name: 'SQLiteError' })
  writing.run('PRAGMA query_only = OFF')
  await store.close()
})
