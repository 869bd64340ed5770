/** Lines of a log that would come by the thousand: some of each subject are said, and how many were not. */
import { MINUTE_MS } from '../shared/value'

const A_MINUTE = 10

interface SampledSubject {
  since: number
  lines: number
  unsaid: number
}

export class LogSampler {
  readonly #bySubject = new Map<string, SampledSubject>()

  /** Whether to say one more line of the subject; then how many were left out since the last one. */
  next(subject: string, now: number): { unsaid: number } | undefined {
    const said = this.#bySubject.get(subject)
    if (said && now >= said.since && now < said.since + MINUTE_MS) {
      if (said.lines >= A_MINUTE) {
        said.unsaid++
        return undefined
      }
      said.lines++
      return { unsaid: 0 }
    }
    this.#bySubject.set(subject, { since: now, lines: 1, unsaid: 0 })
    return { unsaid: said?.unsaid ?? 0 }
  }
}
