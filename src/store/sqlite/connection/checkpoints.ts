/**
 * Copies the write-ahead log into the database when it has grown long, in a thread of its own: that takes as long as many
 * requests. What is written meanwhile is short, and copied between two groups, so that the log begins anew.
 */
import type { Database } from 'bun:sqlite'
import type { Worker } from 'node:worker_threads'
import type { StoreTelemetry } from '../../../ports/telemetry'

/** Of the log, in pages. */
export interface Length {
  log: number
  checkpointed: number
}

/** Pages that are to be copied. */
export const waiting = (length: Length | null) => (length ? length.log - length.checkpointed : 0)

/** Pages; to copy them takes a millisecond. */
export const SHORT = 300

export class Checkpoints {
  readonly #waiting: () => number
  readonly #copy: () => void
  #thread: Worker | undefined
  #copying: Promise<void> | undefined
  #answered: (isRestOurs: boolean) => void = () => {}
  #isRestOurs = false
  #truncate: () => boolean
  #truncating: ((isTruncated: boolean) => void) | undefined
  /** Whom it tells how it works. */
  telemetry: StoreTelemetry | undefined
  #hasFailed = false
  /** How many pages wait before the thread is asked. */
  #enough: number

  /** Of the connection that writes to `file`; the log is `long` at so many pages. */
  constructor(
    private readonly file: string,
    db: Database,
    private readonly long: number,
  ) {
    this.#enough = long
    // The wall behind it: SQLite's own, within a commit.
    db.run(`PRAGMA wal_autocheckpoint = ${4 * long}`)
    const look = db.query<Length, []>('PRAGMA wal_checkpoint(NOOP)')
    const copy = db.query('PRAGMA wal_checkpoint(PASSIVE)')
    this.#waiting = () => waiting(look.get())
    this.#copy = () => void copy.get()
    const truncate = db.query<Length & { busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)')
    this.#truncate = () => withoutWaiting(db, () => truncate.get()?.busy === 0)
  }

  /** Resolves when hardly anything of the log is left to be copied, or cannot be copied now. */
  async shorten(): Promise<void> {
    if (this.#waiting() <= SHORT) return
    this.#copying ??= this.#copyAside()
    await this.#copying
  }

  /** Answers after the next commit: whether the log is empty now. It is not where somebody reads in it just then. */
  truncateAtCommit(): Promise<boolean> {
    return new Promise((answer) => {
      this.#truncating = answer
    })
  }

  /** To be called after every commit. */
  committed(): void {
    this.#truncating?.(this.#truncate())
    this.#truncating = undefined
    if (this.#copying) return
    try {
      this.#copyIfLong()
    } catch {
      // The disk is full, say. What is in the log is as safe as what is copied.
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
    // What could not be copied is tried again when as much has been added.
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

  /** Whether what is left is to be copied here. */
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
    // Where there can be no thread it is copied here, as long as that takes.
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

/** False where `truncate` fails, also because another program is in the way: to wait for it would hold every writer up. */
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
