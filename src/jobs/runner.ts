/**
 * The only loop: claim due jobs → run → (the job's use case records). Timers are hints; rows are the truth, so a job
 * that is missed, or whose process died, comes back when its lease ends. Each kind has a lane of its own, and within it
 * each carrier a queue: a slow carrier holds up neither settlements nor other carriers.
 */

import type { Job, JobKind } from '../domain/operations/job'
import { errorFields } from '../domain/shared/error-fields'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { WakeUps } from '../ports/node'
import type { Store } from '../ports/store'
import type { JobRoom, Opening } from './kinds'

/** Look at least this often for jobs that another process has queued. */
const IDLE_POLL_MS = 1_000
const RETRY_AFTER_FAILURE_MS = 1_000

/** So that one claim does not keep the database for long. */
const CLAIMED_AT_ONCE = 256

/** Room for jobs of one queue. */
interface QueueRoom {
  queue: string
  openings: Opening[]
}

interface RunnerDependencies {
  store: Store
  clock: Clock
  log: Log
  wakeUps: WakeUps
  kinds: Record<JobKind, JobRoom>
}

export class Runner {
  readonly #byKind: Record<JobKind, JobWorker>
  readonly #workers: readonly JobWorker[]

  constructor({ kinds, wakeUps, ...shared }: RunnerDependencies) {
    const workers = Object.entries(kinds).map(
      ([name, kind]) => [name, new JobWorker(name as JobKind, kind, shared)] as const,
    )
    this.#byKind = Object.fromEntries(workers) as Record<JobKind, JobWorker>
    this.#workers = Object.values(this.#byKind)
    wakeUps.subscribe((kind) => this.#byKind[kind].wake())
  }

  /** Whether one more may be run beside those that were claimed: nobody waits for room. */
  hasRoom(kind: JobKind): boolean {
    return this.#byKind[kind].hasRoom
  }

  /** Whoever stops waits until what is answered here has been called: then it is known whether there is one more to run. */
  expect(kind: JobKind): () => void {
    return this.#byKind[kind].expect()
  }

  /** Runs a job that is held already. */
  run(job: Job, opening: Opening): void {
    this.#byKind[job.kind].run(job, opening)
  }

  start(): void {
    for (const worker of this.#workers) worker.start()
  }

  /** Claims nothing more and waits for what is running. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()))
  }

  /** Unix milliseconds at which every lane last looked for work. */
  lastLookedAt(): number {
    return Math.min(...this.#workers.map((worker) => worker.lookedAt))
  }
}

class JobWorker {
  readonly #running = new Map<number, Job>()
  /** How many run, or are known to come. */
  #busy = 0
  /** Of who waits until there are none. */
  #idle: PromiseWithResolvers<void> | undefined
  #started = false
  #looking: Promise<void> | undefined
  #lookAgain = false
  /** Something is due for which there was no room. */
  #isStarved = false
  /** The queue that got the last room: those behind it come first next time, so that no queue waits for ever. */
  #lastServed = ''
  #cancelTimer: () => void = () => {}
  lookedAt = 0

  constructor(
    private readonly name: JobKind,
    private readonly kind: JobRoom,
    private readonly shared: Omit<RunnerDependencies, 'kinds' | 'wakeUps'>,
  ) {}

  expect(): () => void {
    this.#busy++
    return () => this.#ended()
  }

  #ended(): void {
    this.#busy--
    if (this.#busy === 0) {
      this.#idle?.resolve()
      this.#idle = undefined
    }
    if (this.#isStarved) this.wake()
  }

  get hasRoom(): boolean {
    return this.#started && !this.#isStarved
  }

  start(): void {
    this.#started = true
    this.wake()
  }

  /** There may be work: look now instead of at the next timer. */
  wake(): void {
    if (!this.#started) return
    if (this.#looking) {
      this.#lookAgain = true
      return
    }
    this.#cancelTimer()
    // Once for everybody who wakes it now: a group that is committed has many.
    this.#looking = Promise.resolve().then(() => this.#look())
  }

  async stop(): Promise<void> {
    this.#started = false
    this.#cancelTimer()
    await this.#looking
    while (this.#busy > 0) {
      this.#idle ??= Promise.withResolvers()
      await this.#idle.promise
    }
  }

  async #look(): Promise<void> {
    const { clock, log } = this.shared
    let nextLookMs = IDLE_POLL_MS
    try {
      do {
        this.#lookAgain = false
        this.lookedAt = clock.now()
        nextLookMs = await this.#claimAndRun()
      } while (this.#lookAgain && this.#started)
    } catch (error) {
      log.error({ ...errorFields(error), jobs: this.name }, 'could not claim jobs')
      nextLookMs = RETRY_AFTER_FAILURE_MS
    }
    // In one step with the last check for wakes: one in between would be lost.
    this.#looking = undefined
    if (this.#started) this.#cancelTimer = clock.after(nextLookMs, () => this.wake())
  }

  /** Starts what is due and there is room for; answers how long until there may be more. */
  async #claimAndRun(): Promise<number> {
    const { store, clock } = this.shared
    for (;;) {
      const heads = await store.read.jobs.heads(this.name)
      const due = heads.filter(({ runAt }) => runAt <= clock.now())
      const rooms = this.#started ? this.#takeRooms(due.map(({ queue }) => queue)) : []
      this.#isStarved = rooms.length < due.length
      const claimed = rooms.length > 0 ? await this.#claim(rooms) : 0
      if (claimed > 0) continue
      const waits = heads.map(({ runAt }) => runAt - clock.now()).filter((ms) => ms > 0)
      return Math.min(IDLE_POLL_MS, ...waits)
    }
  }

  /** Places first, jobs second: what is claimed can run at once. */
  #takeRooms(queues: string[]): QueueRoom[] {
    const behind = queues.filter((queue) => queue > this.#lastServed)
    const ahead = queues.filter((queue) => queue <= this.#lastServed)
    const rooms = [...behind, ...ahead]
      .map((queue) => {
        const openings: Opening[] = []
        for (let opening = this.kind(queue); opening; opening = this.kind(queue)) {
          openings.push(opening)
          if (openings.length === CLAIMED_AT_ONCE) break
        }
        return { queue, openings }
      })
      .filter(({ openings }) => openings.length > 0)
    this.#lastServed = rooms.at(-1)?.queue ?? this.#lastServed
    return rooms
  }

  async #claim(rooms: QueueRoom[]): Promise<number> {
    try {
      const claimed = await this.shared.store.transaction(async (tx) => {
        const jobs: Job[] = []
        for (const { queue, openings } of rooms) jobs.push(...(await tx.jobs.claim(this.name, queue, openings.length)))
        return jobs
      })
      for (const job of claimed) {
        const opening = rooms.find(({ queue }) => queue === job.queue)?.openings.pop()
        if (opening) this.run(job, opening)
      }
      return claimed.length
    } finally {
      for (const opening of rooms.flatMap(({ openings }) => openings)) opening.release()
    }
  }

  run(job: Job, opening: Opening): void {
    const held = this.#running.get(job.jobId)
    if (held && job.attempt === held.attempt + 1) {
      // Its lease ended while it still runs here, as when the clock was set forward: it goes on under the new one. What
      // was given back has a higher number, and begins anew, also where its last run has not quite ended.
      held.attempt = job.attempt
      opening.release()
      return
    }
    void this.#runToEnd(job, opening)
  }

  async #runToEnd(job: Job, opening: Opening): Promise<void> {
    this.#running.set(job.jobId, job)
    this.#busy++
    try {
      await opening.run(job)
    } catch (error) {
      this.shared.log.error(
        { ...errorFields(error), job: job.jobId, kind: job.kind, attempt: job.attempt },
        'job failed; it comes back after its lease',
      )
    } finally {
      opening.release()
      if (this.#running.get(job.jobId) === job) this.#running.delete(job.jobId)
      this.#ended()
    }
  }
}
