/** Issues that come in the order of their making are looked at in the order in which they come of age, at each of some ages. */
import { type AgeBucket, type IssueSample, STAGES } from '../rules/traffic-counter'

export interface Sighted extends IssueSample {
  readonly issueId: string
}

/** When those were made that are looked at: from then on, and before that. Unix milliseconds. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

interface Ages<Issue> extends TimeSpan {
  readonly stage: AgeBucket
  /** Those that have not come to that age. */
  waiting: Issue[]
  /** The first of them. */
  next: number
}

export class AgeScheduler<Issue extends Pick<IssueSample, 'createdAt'>> {
  readonly #ages: ReadonlyArray<Ages<Issue>>

  constructor(
    stages: readonly AgeBucket[],
    spanOf: (stage: AgeBucket) => TimeSpan,
    private readonly look: (issue: Issue, stage: AgeBucket) => void,
  ) {
    this.#ages = stages.map((stage) => ({ stage, ...spanOf(stage), waiting: [], next: 0 }))
  }

  add(issue: Issue): void {
    const { createdAt } = issue
    this.#lookUntil(createdAt)
    for (const { from, to, waiting } of this.#ages) if (createdAt >= from && createdAt < to) waiting.push(issue)
  }

  /** There are no more. */
  end(): void {
    this.#lookUntil(Number.POSITIVE_INFINITY)
  }

  #lookUntil(at: number): void {
    for (let soonest = this.#soonest(); dueOf(soonest) < at; soonest = this.#soonest()) {
      const issue = soonest?.waiting[soonest.next++]
      if (!soonest || !issue) return
      this.look(issue, soonest.stage)
      this.#forget(soonest)
    }
  }

  #soonest(): Ages<Issue> | undefined {
    let soonest: Ages<Issue> | undefined
    for (const ages of this.#ages) if (dueOf(ages) < dueOf(soonest)) soonest = ages
    return soonest
  }

  /** What was looked at is kept no longer than what waits. */
  #forget(ages: Ages<Issue>): void {
    if (2 * ages.next <= ages.waiting.length) return
    ages.waiting = ages.waiting.slice(ages.next)
    ages.next = 0
  }
}

/** When the next one comes to that age. */
function dueOf(ages: Ages<Pick<IssueSample, 'createdAt'>> | undefined): number {
  const issue = ages?.waiting[ages.next]
  return ages && issue ? issue.createdAt + STAGES[ages.stage] : Number.POSITIVE_INFINITY
}
