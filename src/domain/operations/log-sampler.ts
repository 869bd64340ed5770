/** Samples log lines that would repeat by the thousand: a few per minute and subject, with the number of skipped ones. */
import { MINUTE_MS } from '../shared/value'

const LINES_PER_MINUTE = 10

interface SampledSubject {
  since: number
  lines: number
  skipped: number
}

export class LogSampler {
  readonly #bySubject = new Map<string, SampledSubject>()

  /** Undefined where the line is skipped; else how many were skipped since the last one. */
  next(subject: string, now: number): { unsaid: number } | undefined {
    const said = this.#bySubject.get(subject)
    if (said && now >= said.since && now < said.since + MINUTE_MS) {
      if (said.lines >= LINES_PER_MINUTE) {
        said.skipped++
        return undefined
      }
      said.lines++
      return { unsaid: 0 }
    }
    this.#bySubject.set(subject, { since: now, lines: 1, skipped: 0 })
    return { unsaid: said?.skipped ?? 0 }
  }
}
