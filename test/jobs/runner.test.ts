/** No lane sleeps while there is work for it and room, one that hangs does not look awake, and one that stops ends well. */
import { expect, test } from 'bun:test'
import type { Job } from '../../src/domain/operations/job'
import { Semaphore } from '../../src/jobs/dispatch'
import type { AcquireJobSlot } from '../../src/jobs/runner'
import { Runner } from '../../src/jobs/runner'
import type { Store, Tx } from '../../src/ports/store'
import { createWakeUps } from '../../src/runtime/single-node'
import { ASLEEP } from '../support/asleep'
import { VirtualClock } from '../support/clock'
import { START } from '../support/world'

const jobNumber = (jobId: number): Job => ({
  jobId,
  kind: 'webhook',
  appId: 'app',
  mode: 'live',
  subjectId: String(jobId),
  runAt: START,
  attempt: 1,
  queue: '',
})

/** Calls back that many microtasks from now. */
function after(ticks: number, callback: () => void): void {
  queueMicrotask(ticks === 0 ? callback : () => after(ticks - 1, callback))
}

/** Long enough for all that follows without time passing. */
const calm = () => new Promise<void>((resolve) => after(200, resolve))

const idle: AcquireJobSlot = () => undefined
const log = { debug() {}, info() {}, warn() {}, error() {} }

const COUNT = Array.from({ length: 12 }, (_, n) => n)
/** When somebody wakes the lane, and when the one that runs may end, in microtasks. */
const MOMENTS = [...COUNT.map((n) => [n, 0]), ...COUNT.map((n) => [0, n])] as Array<[number, number]>

test.each(MOMENTS)(
  'what waits for room is done at once: somebody wakes the lane at %d, and room is made at %d',
  async (wakesAt, endsAt) => {
    // One runs, and two wait for its place.
    const waiting = [jobNumber(1), jobNumber(2), jobNumber(3)]
    const done: number[] = []
    const first = Promise.withResolvers<void>()
    const store = {
      read: {
        jobs: {
          heads: async (kind: string) =>
            kind === 'webhook' && waiting.length > 0 ? [{ queue: '', runAt: START }] : [],
        },
      },
      transaction: <T>(work: (tx: Tx) => Promise<T>) =>
        work({
          jobs: { claim: async (_: string, __: string, limit: number) => waiting.splice(0, limit) },
        } as unknown as Tx),
    } as unknown as Store
    const room = new Semaphore(() => 1)
    const kind: AcquireJobSlot = () => {
      const place = room.acquire()
      return (
        place && {
          async run({ jobId }) {
            if (jobId === 1) await first.promise
            done.push(jobId)
          },
          release: () => place.release(),
        }
      )
    }
    const kinds = { deliver: idle, 'await-report': idle, 'next-leg': idle, notice: idle, webhook: kind }
    const wakeUps = createWakeUps()
    const runner = new Runner({ store, clock: new VirtualClock(START), log, kinds, wakeUps })
    runner.start()
    await calm()
    expect(done).toEqual([])

    after(wakesAt, () => wakeUps.wake('webhook'))
    after(endsAt, first.resolve)
    await calm()
    expect(done).toEqual([1, 2, 3])
    await runner.stop()
  },
)

test.each(['deliver', 'await-report', 'webhook'] as const)(
  'the runner does not dispatch while one of its lanes hangs, whichever: %s',
  async (hanging) => {
    const clock = new VirtualClock(START)
    const store = {
      read: { jobs: { heads: async (kind: string) => (kind === hanging ? [{ queue: '', runAt: START }] : []) } },
      transaction: () => new Promise(() => {}),
    } as unknown as Store
    const kind: AcquireJobSlot = () => ({ run: async () => {}, release() {} })
    const kinds = { deliver: kind, 'await-report': kind, 'next-leg': kind, notice: kind, webhook: kind }
    const runner = new Runner({ store, clock, log, kinds, ...ASLEEP })
    expect(runner.isDispatching()).toBe(false)
    runner.start()
    await calm()
    expect(runner.isDispatching()).toBe(true)
    while (clock.now() < START + 11_000) {
      clock.fireNext(1_000)
      await calm()
    }
    expect(runner.isDispatching()).toBe(false)
  },
)

test('what is being claimed when the runner stops is run and waited for, and nothing else is claimed', async () => {
  const waiting = [jobNumber(1), jobNumber(2)]
  const claiming = Promise.withResolvers<void>()
  const running = Promise.withResolvers<void>()
  const store = {
    read: {
      jobs: {
        heads: async (kind: string) => (kind === 'webhook' && waiting.length > 0 ? [{ queue: '', runAt: START }] : []),
      },
    },
    transaction: async <T>(work: (tx: Tx) => Promise<T>) => {
      await claiming.promise
      return work({ jobs: { claim: async () => waiting.splice(0, 1) } } as unknown as Tx)
    },
  } as unknown as Store
  const begun: number[] = []
  let isAsked = false
  // Room for one more each time it looks.
  const webhook: AcquireJobSlot = () => {
    isAsked = !isAsked
    if (!isAsked) return undefined
    return {
      async run({ jobId }) {
        begun.push(jobId)
        await running.promise
      },
      release() {},
    }
  }
  const clock = new VirtualClock(START)
  const wakeUps = createWakeUps()
  const runner = new Runner({
    store,
    clock,
    log,
    kinds: { deliver: idle, 'await-report': idle, 'next-leg': idle, notice: idle, webhook },
    wakeUps,
  })
  runner.start()
  await calm()
  let isStopped = false
  const stopped = runner.stop().then(() => {
    isStopped = true
  })
  claiming.resolve()
  await calm()
  expect({ begun, isStopped }).toEqual({ begun: [1], isStopped: false })
  running.resolve()
  await stopped
  wakeUps.wake('webhook')
  await calm()
  expect(begun).toEqual([1])
  expect(clock.fireNext(60_000)).toMatchObject({ fired: false })
})
