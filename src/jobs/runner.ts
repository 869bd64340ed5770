/**
 * Claims due jobs and runs them. Timers are only hints and rows are the truth: a job that is missed, or whose process
 * died, is claimed again when its lease ends. Each kind has a worker, and each carrier a queue, so a slow carrier
 * delays nothing else.
 *
 * The protocol of all work that reaches outside: prepare (transaction) → act → record (transaction). If another process
 * claims the job meanwhile, nothing is recorded (the fence). An answer that cannot be stored now is retried until the
 * lease ends.
 */
import { DISPATCHER_SILENT_MS, type Job, type JobKind, LEASE_MS } from '../domain/operations/job'
import { errorFields, Refusal } from '../domain/shared/error'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Slot, WakeUps } from '../ports/node'
import type { Store, Tx } from '../ports/store'
import type { BegunWork, JobHandler } from '../ports/work'

export interface PerformDependencies {
  store: Store
  clock: Pick<Clock, 'after'>
}

/** Returns the answer, or undefined where nothing was done outside. */
export async function perform<Subject, Call, Answer>(
  deps: PerformDependencies,
  work: JobHandler<Subject, Call, Answer>,
  job: Job,
): Promise<Answer | undefined> {
  const call = await deps.store.transaction((tx) => begin(tx, work, job))
  return call === undefined ? undefined : complete(deps, work, job, call)
}

/** The first half. Subject and job are locked in that order; both queries are sent together. */
export async function begin<Subject, Call>(
  tx: Tx,
  work: Pick<JobHandler<Subject, Call, unknown>, 'lock' | 'prepare'>,
  job: Job,
): Promise<Call | undefined> {
  const [subject, isHeld] = await Promise.all([work.lock(tx, job), tx.jobs.lock(job)])
  return isHeld ? work.prepare(tx, job, subject) : undefined
}

/** The second half, after the first is committed. */
export async function complete<Subject, Call, Answer>(
  deps: PerformDependencies,
  work: JobHandler<Subject, Call, Answer>,
  job: Job,
  call: Call,
): Promise<Answer> {
  const answer = await work.act(call)
  const record = async (tx: Tx) => {
    const [subject, isHeld] = await Promise.all([
      work.lock(tx, job),
      work.endsJob ? tx.jobs.finish(job) : tx.jobs.lock(job),
    ])
    const noted = work.recordAlways?.(tx, call, answer)
    if (noted) await noted
    if (isHeld) await work.record(tx, job, subject, call, answer)
  }
  await retryRecord(deps, LEASE_MS[job.kind], record)
  return answer
}

/** The same for a call that was begun with its issue: it needs no job, since the issue says that it was begun. */
export async function makeCall<Answer>(deps: PerformDependencies, call: BegunWork<Answer>): Promise<void> {
  const answer = await call.act()
  await retryRecord(deps, LEASE_MS.deliver, (tx) => call.record(tx, answer))
}

const RETRY_EVERY_MS = 1_000

/**
 * A store that cannot write now (a full disk, a long lock) may write soon. The answer is known only here. If it were
 * lost, a refused message would be charged, and a delayed one would never be sent.
 */
async function retryRecord(
  { store, clock }: PerformDependencies,
  forMs: number,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await store.transaction(work)
    } catch (error) {
      const mayPass = error instanceof Refusal && error.kind === 'unavailable'
      if (!mayPass || tries * RETRY_EVERY_MS >= forMs) throw error
      await new Promise<void>((again) => void clock.after(RETRY_EVERY_MS, again))
    }
  }
}

/** Another process may have queued a job without a wake-up here. */
const IDLE_POLL_MS = 1_000
const RETRY_AFTER_FAILURE_MS = 1_000

/** Bounds the length of one transaction. */
const MAX_CLAIMED_AT_ONCE = 256

/** A slot for one job, with the work that is done in it. `release` is called at the latest when the job has run. */
export interface JobSlot extends Slot {
  run(job: Job): Promise<unknown>
}

/** A slot for one more job of a queue, or undefined while there is none. */
export type AcquireJobSlot = (queue: string) => JobSlot | undefined

/** Acquired slots for jobs of one queue. */
interface QueueSlots {
  queue: string
  slots: JobSlot[]
}

interface RunnerDependencies {
  store: Store
  clock: Clock
  log: Log
  wakeUps: WakeUps
  kinds: Record<JobKind, AcquireJobSlot>
}

export class Runner {
  readonly #byKind: Record<JobKind, JobWorker>
  readonly #workers: readonly JobWorker[]
  readonly #clock: Clock

  constructor({ kinds, wakeUps, ...shared }: RunnerDependencies) {
    this.#clock = shared.clock
    const workers = Object.entries(kinds).map(
      ([name, kind]) => [name, new JobWorker(name as JobKind, kind, shared)] as const,
    )
    this.#byKind = Object.fromEntries(workers) as Record<JobKind, JobWorker>
    this.#workers = Object.values(this.#byKind)
    wakeUps.subscribe((kind) => this.#byKind[kind].wake())
  }

  /** Whether a job may run without being claimed: true while no due job waits for a slot. */
  hasRoom(kind: JobKind): boolean {
    return this.#byKind[kind].hasRoom
  }

  /** Announces a job that may follow. `stop` waits until the returned function is called. */
  expect(kind: JobKind): () => void {
    return this.#byKind[kind].expect()
  }

  start(): void {
    for (const worker of this.#workers) worker.start()
  }

  /** Claims nothing more and waits for running jobs. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()))
  }

  /** Whether each worker has looked for work lately. */
  isDispatching(): boolean {
    const oldest = Math.min(...this.#workers.map((worker) => worker.lookedAt))
    return this.#clock.now() - oldest < DISPATCHER_SILENT_MS
  }
}

class JobWorker {
  readonly #running = new Map<number, Job>()
  /** Jobs that run or were announced by `expect`. */
  #busy = 0
  /** Resolves when none are left; set while `stop` waits. */
  #idle: PromiseWithResolvers<void> | undefined
  #started = false
  #looking: Promise<void> | undefined
  #lookAgain = false
  /** A due job found no slot. */
  #lacksSlots = false
  /** The queue that got the last slot. The queues behind it come first next time, so that no queue starves. */
  #lastServed = ''
  #cancelTimer: () => void = () => {}
  lookedAt = 0

  constructor(
    private readonly name: JobKind,
    private readonly kind: AcquireJobSlot,
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
    if (this.#lacksSlots) this.wake()
  }

  get hasRoom(): boolean {
    return this.#started && !this.#lacksSlots
  }

  start(): void {
    this.#started = true
    this.wake()
  }

  /** Looks for work now instead of at the next timer. */
  wake(): void {
    if (!this.#started) return
    if (this.#looking) {
      this.#lookAgain = true
      return
    }
    this.#cancelTimer()
    // One look serves all wake-ups of a group commit.
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
    // No await may stand between this and the last check of `#lookAgain`: a wake-up in between would be lost.
    this.#looking = undefined
    if (this.#started) this.#cancelTimer = clock.after(nextLookMs, () => this.wake())
  }

  /** Starts due jobs for which there are slots. Returns the milliseconds until the next look. */
  async #claimAndRun(): Promise<number> {
    const { store, clock } = this.shared
    for (;;) {
      const heads = await store.read.jobs.heads(this.name)
      const due = heads.filter(({ runAt }) => runAt <= clock.now())
      const queues = this.#started ? this.#acquireSlots(due.map(({ queue }) => queue)) : []
      this.#lacksSlots = queues.length < due.length
      const claimed = queues.length > 0 ? await this.#claim(queues) : 0
      if (claimed > 0) continue
      const waits = heads.map(({ runAt }) => runAt - clock.now()).filter((ms) => ms > 0)
      return Math.min(IDLE_POLL_MS, ...waits)
    }
  }

  /** Slots are acquired before jobs are claimed, so that a claimed job runs at once. Queues take turns at them. */
  #acquireSlots(queues: string[]): QueueSlots[] {
    const behind = queues.filter((queue) => queue > this.#lastServed)
    const ahead = queues.filter((queue) => queue <= this.#lastServed)
    const acquired = [...behind, ...ahead].map((queue): QueueSlots => ({ queue, slots: [] }))
    const takesSlot = ({ queue, slots }: QueueSlots): boolean => {
      const slot = slots.length < MAX_CLAIMED_AT_ONCE ? this.kind(queue) : undefined
      if (!slot) return false
      slots.push(slot)
      this.#lastServed = queue
      return true
    }
    for (let asking = acquired; asking.length > 0; ) asking = asking.filter(takesSlot)
    return acquired.filter(({ slots }) => slots.length > 0)
  }

  async #claim(queues: QueueSlots[]): Promise<number> {
    try {
      const claimed = await this.shared.store.transaction(async (tx) => {
        const jobs: Job[] = []
        for (const { queue, slots: openings } of queues)
          jobs.push(...(await tx.jobs.claim(this.name, queue, openings.length)))
        return jobs
      })
      for (const job of claimed) {
        const slot = queues.find(({ queue }) => queue === job.queue)?.slots.pop()
        if (slot) this.run(job, slot)
      }
      return claimed.length
    } finally {
      for (const slot of queues.flatMap(({ slots: openings }) => openings)) slot.release()
    }
  }

  run(job: Job, slot: JobSlot): void {
    const held = this.#running.get(job.jobId)
    if (held && job.attempt === held.attempt + 1) {
      // The lease ended while the job still runs here, as when the clock was set forward: it continues under the new attempt.
      // A job that was released has a higher number and starts again, even if its last run has not quite ended.
      held.attempt = job.attempt
      slot.release()
      return
    }
    void this.#runToEnd(job, slot)
  }

  async #runToEnd(job: Job, slot: JobSlot): Promise<void> {
    this.#running.set(job.jobId, job)
    this.#busy++
    try {
      await slot.run(job)
    } catch (error) {
      this.shared.log.error(
        { ...errorFields(error), job: job.jobId, kind: job.kind, attempt: job.attempt },
        'job failed; it comes back after its lease',
      )
    } finally {
      slot.release()
      if (this.#running.get(job.jobId) === job) this.#running.delete(job.jobId)
      this.#ended()
    }
  }
}
