/**
 * The log where somebody has to read it, a pipe or a socket. Bun writes to those without waiting for room; so whoever does
 * not read holds nobody up, and is told afterwards how much was lost.
 */
import type { FileSink } from 'bun'

/** Characters that wait for a reader; warnings and errors have room beyond that, and what comes after is lost. */
const MAX_WAITING_CHARS = 16_000_000
const MAX_WAITING_CHARS_URGENT = 17_000_000
/** Written together, as much as a pipe takes. */
const WRITE_CHARS = 65_536
/** For the reader of a process that ends. */
const FLUSH_WITHIN_MS = 1_000

const ROUTINE = /^\{"level":"(?:debug|info)"/

export class LogPipe {
  readonly #sink: Pick<FileSink, 'write' | 'flush'>
  readonly #onLost: (lines: number) => void
  readonly #waiting: string[] = []
  #kept = 0
  #lost = 0
  #isPassing = false
  #passed: Promise<void> = Promise.resolve()

  constructor(sink: Pick<FileSink, 'write' | 'flush'>, tellLost: (lines: number) => void) {
    this.#sink = sink
    this.#onLost = tellLost
  }

  /** Whole lines. */
  write(lines: string): void {
    if (this.#kept + lines.length <= MAX_WAITING_CHARS) this.#keep(lines)
    else for (const line of lines.split(/(?<=\n)/)) this.#keepUrgent(line)
    if (!this.#isPassing) this.#passed = this.#pass()
  }

  /** What waits is read, or its reader has had his time. */
  async end(): Promise<void> {
    await Promise.race([this.#passed, new Promise((resolve) => setTimeout(resolve, FLUSH_WITHIN_MS))])
  }

  #keepUrgent(line: string): void {
    const most = ROUTINE.test(line) ? MAX_WAITING_CHARS : MAX_WAITING_CHARS_URGENT
    if (this.#kept + line.length <= most) this.#keep(line)
    else this.#lost++
  }

  #keep(lines: string): void {
    this.#kept += lines.length
    const last = this.#waiting.at(-1)
    if (last !== undefined && last.length + lines.length <= WRITE_CHARS)
      this.#waiting[this.#waiting.length - 1] = last + lines
    else this.#waiting.push(lines)
  }

  /** Up to its first wait it is done when it answers, which is what a process that ends has. */
  async #pass(): Promise<void> {
    this.#isPassing = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      // One whose reader has ended fails, now or later, and is nobody's loss.
      try {
        const written = [this.#sink.write(next), this.#sink.flush()]
        if (written.some((bytes) => typeof bytes !== 'number')) await Promise.allSettled(written)
      } catch {}
      this.#kept -= next.length
      if (this.#lost > 0 && this.#kept < MAX_WAITING_CHARS / 2) this.#tellOfLoss()
    }
    this.#isPassing = false
  }

  #tellOfLoss(): void {
    const lines = this.#lost
    this.#lost = 0
    this.#onLost(lines)
  }
}
