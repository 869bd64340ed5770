/**
 * Writes the log to a pipe or a socket. Bun buffers without bound there, so this bounds the buffer. A slow reader delays nothing;
 * lost lines are counted and logged afterwards.
 */
import type { FileSink } from 'bun'

/** Above the first bound debug and info lines are dropped, above the second all lines. */
const MAX_WAITING_CHARS = 16_000_000
const MAX_WAITING_CHARS_URGENT = 17_000_000
/** One write fills a pipe. */
const WRITE_CHARS = 65_536
/** How long a process that ends waits for the reader. */
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

  /** `lines` are complete lines. */
  write(lines: string): void {
    if (this.#kept + lines.length <= MAX_WAITING_CHARS) this.#keep(lines)
    else for (const line of lines.split(/(?<=\n)/)) this.#keepUrgent(line)
    if (!this.#isPassing) this.#passed = this.#pass()
  }

  /** Resolves when all lines are read, or after the timeout. */
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

  /** The first write happens synchronously, since a process that exits has no time for more. */
  async #pass(): Promise<void> {
    this.#isPassing = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      // A write fails where the reader has ended; nobody misses the lines.
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
