/** One pipelined transaction, tested with answers that a database seldom gives. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { SQL } from 'bun'
import { ClockWatch } from '../../src/store/clock-watch'
import { isTransient } from '../../src/store/postgres/connection/failure'
import { PipelinedTransaction, type Wire } from '../../src/store/postgres/connection/pipelined-transaction'
import { wireOf } from '../../src/store/postgres/connection/pool'
import { openStore } from '../../src/store/postgres/open'
import { Postgres } from '../support/postgres'
import { HANGS_AFTER_MS } from '../support/until'
import { NOW, StillClock, VAULT } from './sample'

setDefaultTimeout(HANGS_AFTER_MS)

const OPENED = ['1000', '7', '1', '00000001', '0']
const BEFORE_ITS_LIFE = ['1000', '7', null, '00000001', '0']

const failure = (code: string, errno?: string) => Object.assign(new Error(errno ?? code), { code, errno })
const ENDED = failure('ERR_POSTGRES_CONNECTION_CLOSED')
const SHUT_DOWN = failure('ERR_POSTGRES_SERVER_ERROR', '57P01')
const TAKEN = failure('ERR_POSTGRES_SERVER_ERROR', '23505')

/** A scripted connection: other statements have no rows. It records what was sent. */
function wired({ opening = OPENED, ...answers }: Record<string, unknown>) {
  const asked: string[] = []
  const query = (text: string) => {
    asked.push(text)
    const known = text.includes('clock_ms()') ? [opening] : (answers[text] ?? [])
    const told = known instanceof Error ? Promise.reject(known) : Promise.resolve(known)
    const done = told.then(() => ({ command: typeof known === 'string' ? known : text }))
    done.catch(() => {})
    told.catch(() => {})
    return Object.assign(done, { values: () => told })
  }
  return { asked, wire: { unsafe: query } as unknown as Wire }
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  )

const begin = (answers: Record<string, unknown> = {}) => {
  const { asked, wire } = wired(answers)
  const clock = { elapsed: () => 0 }
  return {
    asked,
    block: new PipelinedTransaction(wire, { time: ({ stamped }) => stamped, clock, watch: new ClockWatch() }),
  }
}

test('before the life of its database has begun nobody is answered, and nothing is stored', async () => {
  const { block, asked } = begin({ opening: BEFORE_ITS_LIFE, read: [['it is there']] })
  expect(await failureOf(block.ask('read', []))).toMatchObject({ name: 'UnbegunError' })
  const silent = begin({ opening: BEFORE_ITS_LIFE })
  silent.block.send('write')
  expect(await failureOf(silent.block.commit())).toMatchObject({ name: 'UnbegunError' })
  expect([...asked, ...silent.asked]).not.toContain('COMMIT')
})

test('what has ended takes nothing more, and ends once', async () => {
  const committed = begin()
  await committed.block.commit()
  const rolledBack = begin()
  await rolledBack.block.rollback()
  for (const { block, asked } of [committed, rolledBack]) {
    const before = [...asked]
    expect(() => block.send('write')).toThrow('has ended')
    expect(await failureOf(block.ask('read', []))).toMatchObject({ message: 'This transaction has ended' })
    expect(await failureOf(block.commit())).toMatchObject({ message: 'This transaction has ended' })
    await block.rollback()
    expect(asked).toEqual(before)
  }
})

test('what had gone wrong before is what went wrong, whatever becomes of the commit', async () => {
  for (const commit of [ENDED, SHUT_DOWN, 'ROLLBACK']) {
    const { block } = begin({ write: TAKEN, COMMIT: commit })
    block.send('write')
    expect(await failureOf(block.commit())).toBe(TAKEN)
  }
})

test('a commit that nobody hears of may be stored, and so may one that is ended while it waits', async () => {
  for (const write of [[], ENDED]) {
    const { block } = begin({ write, COMMIT: ENDED })
    block.send('write')
    expect(await failureOf(block.commit())).toMatchObject({ name: 'CommitLostError' })
  }
  expect(await failureOf(begin({ COMMIT: SHUT_DOWN }).block.commit())).toMatchObject({ kind: 'unavailable' })
})

test('a commit is waited for where nothing was written: until then its rows are locked for the next', async () => {
  const { promise: answer, resolve: answerTheCommit } = Promise.withResolvers<never[]>()
  const { block, asked } = begin({ COMMIT: answer })
  await block.ask('SELECT … FOR UPDATE SKIP LOCKED', [])
  let isOver = false
  const over = block.commit().then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  expect([asked.at(-1), isOver]).toEqual(['COMMIT', false])
  answerTheCommit([])
  await over
})

test('who ends a transaction knows that it has ended: its connection is for others then', async () => {
  const isOver = Promise.withResolvers<unknown[]>()
  const { wire, asked } = wired({ ROLLBACK: isOver.promise })
  const block = new PipelinedTransaction(wire, { time: ({ stamped }) => stamped, clock: { elapsed: () => 0 } })
  const ended: string[] = []
  const ending = block.rollback().then(() => ended.push('ended'))
  await block.opened()
  expect(asked).toContain('ROLLBACK')
  expect(ended).toEqual([])
  isOver.resolve([])
  await ending
})

test('whoever has come to a standby, as while another one takes over, is told to come back', async () => {
  const primary = await Postgres.start()
  const clock = new StillClock()
  await (await openStore({ url: primary.url(), size: 1, clock, vault: VAULT, time: () => NOW })).close()
  const replica = await primary.replica()
  const sql = new SQL(replica.url(), { max: 1 })
  try {
    const block = new PipelinedTransaction(wireOf(sql), { time: () => NOW, clock, watch: new ClockWatch() })
    const error = await failureOf(block.ask('SELECT 1', []))
    expect(error).toMatchObject({ name: 'PostgresError' })
    expect(isTransient(error)).toBe(true)
  } finally {
    await sql.close()
    await Promise.all([replica.stop(), primary.stop()])
  }
})
