/** A job that is given back begins anew, whoever claims it and however soon. */
import { expect, test } from 'bun:test'
import { FRONT, type Job } from '../../src/domain/operations/job'
import type { AcquireJobSlot } from '../../src/jobs/runner'
import { Runner } from '../../src/jobs/runner'
import { createWakeUps } from '../../src/runtime/single-node'
import { openAt, Scratch } from '../store/open'
import { furnish, issueNumber, NOW, OWNER, StillClock } from '../store/sample'
import { VirtualClock } from '../support/clock'

const idle: AcquireJobSlot = () => undefined
const log = { debug() {}, info() {}, warn() {}, error() {} }
const CARRIER = 'main'

test('one that is moved and claimed again by one commit, before its last run has quite ended, runs where it was moved to', async () => {
  using scratch = new Scratch()
  const store = openAt(scratch.file, { clock: new StillClock() })
  await furnish(store)
  const [moved, waiting] = [issueNumber(1).issueId, issueNumber(2).issueId]
  const job = { kind: 'deliver', owner: OWNER, runAt: NOW } as const
  await store.transaction((tx) => tx.jobs.add({ ...job, subjectId: moved }))
  await store.transaction((tx) => tx.jobs.add({ ...job, subjectId: waiting, queue: CARRIER }))

  const sent: string[] = []
  const bothSent = Promise.withResolvers<void>()
  const run = async (held: Job) => {
    if (held.queue === FRONT) return store.transaction((tx) => tx.jobs.reschedule(held, NOW, CARRIER))
    await store.transaction((tx) => tx.jobs.finish(held))
    sent.push(held.subjectId)
    if (sent.length === 2) bothSent.resolve()
  }
  // The carrier has room from the second look on, which is taken right behind the move.
  let looks = 0
  const deliver: AcquireJobSlot = (queue) => {
    if (queue === CARRIER && looks++ === 0) return undefined
    return { run, release() {} }
  }
  const runner = new Runner({
    store,
    clock: new VirtualClock(NOW),
    log,
    kinds: { deliver, 'await-report': idle, 'next-leg': idle, notice: idle, webhook: idle },
    wakeUps: createWakeUps(),
  })
  runner.start()
  await bothSent.promise
  expect(sent.sort()).toEqual([moved, waiting].sort())
  await runner.stop()
  expect(await store.read.jobs.heads('deliver')).toEqual([])
  await store.close()
})
