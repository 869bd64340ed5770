/**
 * Makes checkpoints of the write-ahead log when it has grown long. A worker thread copies most of it, because that
 * takes as long as many requests. The short rest is copied between two groups, so that the log starts from its
 * beginning again.
 */
import type { Database } from 'bun:sqlite'
import type { Worker } from 'node:worker_threads'
import type { StoreTelemetry } from '../../../ports/telemetry'

/** Length of the write-ahead log, in pages. */
export interface Length {
  log: number
  checkpointed: number
}

/** Pages not yet copied. */
export const waiting = (length: Length | null) => (length ? length.log - length.checkpointed : 0)

/** Pages that are copied, and flushed to a disk, within some twenty milliseconds. */
export const SHORT = 150

export class Checkpoints {
  readonly #waiting: () => number
  readonly #copy: () => void
  #thread: Worker | undefined
  #copying: Promise<void> | undefined
  #answered: (isRestOurs: boolean) => void = () => {}
  #isRestOurs = false
  #truncate: () => boolean
  #truncating: PromiseWithResolvers<boolean> | undefined
  telemetry: StoreTelemetry | undefined
  #hasFailed = false
  /** Pages not yet copied at which the thread is asked. */
  #enough: number

  /** `db` is the connection that writes to `file`; a log of `long` pages is to be copied. */
  constructor(
    private readonly file: string,
    db: Database,
    private readonly long: number,
  ) {
    this.#enough = long
    // As a last resort SQLite makes a checkpoint itself, within a commit.
    db.run(`PRAGMA wal_autocheckpoint = ${4 * long}`)
    const look = db.query<Length, []>('PRAGMA wal_checkpoint(NOOP)')
    const copy = db.query('PRAGMA wal_checkpoint(PASSIVE)')
    this.#waiting = () => waiting(look.get())
    this.#copy = () => void copy.get()
    const truncate = db.query<Length & { busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)')
    this.#truncate = () => withoutWaiting(db, () => truncate.get()?.busy === 0)
  }

  /** Resolves when the log is nearly copied, or cannot be copied now. */
  async shorten(): Promise<void> {
    if (this.#waiting() <= SHORT) return
    this.#copying ??= this.#copyAside()
    await this.#copying
  }

  /** Answers after the next commit whether the log is empty, to all who ask. A reader of the log prevents that. */
  truncateAtCommit(): Promise<boolean> {
    this.#truncating ??= Promise.withResolvers()
    return this.#truncating.promise
  }

  /** To be called after every commit. */
  committed(): void {
    this.#truncating?.resolve(this.#truncate())
    this.#truncating = undefined
    if (this.#copying) return
    try {
      this.#copyIfLong()
    } catch {
      // The disk may be full. Changes in the log are as safe as those that are copied.
    }
  }

  async close(): Promise<void> {
    this.#thread?.ref()
    await this.#copying
    await this.#thread?.terminate()
  }

  #copyIfLong(): void {
    if (this.#isRestOurs) {
      this.#isRestOurs = false
      this.#copy()
    }
    const pages = this.#waiting()
    // After a failure, tries again once the log has grown by as much again.
    if (this.#hasFailed) this.#enough = pages + this.long
    else if (pages < this.long) this.#enough = this.long
    this.#hasFailed = false
    if (pages >= this.#enough) this.#copying = this.#copyAside()
  }

  async #copyAside(): Promise<void> {
    const begunAt = performance.now()
    this.#isRestOurs = await this.#ask()
    this.telemetry?.checkpointed(performance.now() - begunAt)
    this.#hasFailed = !this.#isRestOurs
    this.#copying = undefined
  }

  /** Whether the rest is short enough to be copied by this thread. */
  #ask(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#answered = resolve
      this.#thread ??= this.#start()
      this.#thread.postMessage('copy')
    })
  }

  #start(): Worker {
    const { Worker } = process.getBuiltinModule('node:worker_threads')
    const thread = new Worker(new URL('./checkpointer.ts', import.meta.url), { workerData: this.file })
    thread.on('message', (isRestOurs: boolean) => this.#answered(isRestOurs))
    // Without a worker thread the log is copied here, however long that takes.
    const gone = () => {
      this.#thread = undefined
      this.#answered(true)
    }
    thread.on('error', gone)
    thread.on('exit', gone)
    thread.unref()
    return thread
  }
}

/**
 * False where `truncate` fails or another program prevents it. It does not wait, because that would hold up every
 * writer.
 */
function withoutWaiting(db: Database, truncate: () => boolean): boolean {
  const { timeout } = db.query('PRAGMA busy_timeout').get() as { timeout: number }
  try {
    db.run('PRAGMA busy_timeout = 0')
    return truncate()
  } catch {
    return false
  } finally {
    db.run(`PRAGMA busy_timeout = ${timeout}`)
  }
}
