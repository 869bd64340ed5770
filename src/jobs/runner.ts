/**
 * The only loop: claim due jobs → run → (the job's use case records). Timers are hints; rows are the truth, so a job
 * that is missed, or whose process died, comes back when its lease ends. Each kind has a lane and a concurrency of its
 * own: a slow carrier does not hold up settlements.
 */
import type { Job, JobKind } from '../domain/job'
import type { Clock, Log, Store } from '../ports'
import type { Kind } from './kinds'

/** Look at least this often for jobs that another process has queued. */
const IDLE_POLL_MS = 1_000
const RETRY_AFTER_FAILURE_MS = 1_000

interface RunnerDependencies {
  store: Store
  clock: Clock
  log: Log
  kinds: Record<JobKind, Kind>
}

export class Runner {
  readonly #lanes: Lane[]

  constructor({ kinds, ...shared }: RunnerDependencies) {
    this.#lanes = Object.entries(kinds).map(([name, kind]) => new Lane(name as JobKind, kind, shared))
  }

  start(): void {
    for (const lane of this.#lanes) lane.start()
  }

  /** There may be work: look now instead of at the next timer. */
  wake(): void {
    for (const lane of this.#lanes) lane.wake()
  }

  /** Claims nothing more and waits for what is running. */
  async stop(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.stop()))
  }

  /** Unix milliseconds at which every lane last looked for work. */
  lastLookedAt(): number {
    return Math.min(...this.#lanes.map((lane) => lane.lookedAt))
  }
}

class Lane {
  readonly #running = new Set<Promise<void>>()
  #started = false
  #looking: Promise<void> | undefined
  #lookAgain = false
  #cancelTimer: () => void = () => {}
  lookedAt = 0

  constructor(
    private readonly name: JobKind,
    private readonly kind: Kind,
    private readonly shared: Omit<RunnerDependencies, 'kinds'>,
  ) {}

  start(): void {
    this.#started = true
    this.wake()
  }

  wake(): void {
    if (!this.#started) return
    if (this.#looking) {
      this.#lookAgain = true
      return
    }
    this.#cancelTimer()
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined
    })
  }

  async stop(): Promise<void> {
    this.#started = false
    this.#cancelTimer()
    await this.#looking
    while (this.#running.size > 0) await Promise.all(this.#running)
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
      log.error({ err: errorText(error), jobs: this.name }, 'could not claim jobs')
      nextLookMs = RETRY_AFTER_FAILURE_MS
    }
    if (this.#started) this.#cancelTimer = clock.after(nextLookMs, () => this.wake())
  }

  /** Starts what is due and there is room for; answers how long until there may be more. */
  async #claimAndRun(): Promise<number> {
    const { store, clock } = this.shared
    const isDue = () => {
      const at = store.nextJobAt(this.name)
      return at !== undefined && at <= clock.now()
    }
    while (this.#started && isDue()) {
      const room = this.kind.concurrency - this.#running.size
      if (room <= 0) return IDLE_POLL_MS
      const claimed = await store.transaction((tx) => tx.claimJobs(this.name, room))
      if (claimed.length === 0) break
      for (const job of claimed) this.#run(job)
    }
    const nextAt = store.nextJobAt(this.name)
    return nextAt === undefined ? IDLE_POLL_MS : Math.min(Math.max(nextAt - clock.now(), 0), IDLE_POLL_MS)
  }

  #run(job: Job): void {
    const { log } = this.shared
    const running = this.kind
      .run(job)
      .catch((error) => {
        log.error(
          { err: errorText(error), job: job.jobId, kind: job.kind, attempt: job.attempt },
          'job failed; it comes back after its lease',
        )
      })
      .finally(() => {
        const wasFull = this.#running.size >= this.kind.concurrency
        this.#running.delete(running)
        if (wasFull) this.wake()
      })
    this.#running.add(running)
  }
}

/** The kind of error only: messages, stacks and causes may quote data. */
const errorText = (error: unknown) => {
  const { name, code } =
    error instanceof Error ? (error as Error & { code?: unknown }) : { name: 'unknown', code: undefined }
  return typeof code === 'string' ? `${name} ${code}` : name
}
