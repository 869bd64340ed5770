/**
 * Reads stored issues as samples, and replays them in the order in which they reach each age. So an issue may be judged
 * before an earlier one is late.
 */
import type { IssueTrafficRow } from '../../ports/store/traffic'
import { AGE_MS, type AgeBucket, type IssueSample } from '../rules/wish'

/** Issues made from `from` on and before `to`, Unix milliseconds. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

interface AgeQueue<Issue> extends TimeSpan {
  readonly age: AgeBucket
  /** Issues that have not reached the age, oldest first. */
  waiting: Issue[]
  /** Index of the next one in `waiting`. */
  next: number
}

export class AgeScheduler<Issue extends Pick<IssueSample, 'createdAt'>> {
  readonly #queues: ReadonlyArray<AgeQueue<Issue>>

  constructor(
    ages: readonly AgeBucket[],
    spanOf: (age: AgeBucket) => TimeSpan,
    private readonly onAge: (issue: Issue, age: AgeBucket) => void,
  ) {
    this.#queues = ages.map((age) => ({ age, ...spanOf(age), waiting: [], next: 0 }))
  }

  add(issue: Issue): void {
    const { createdAt } = issue
    this.#runUntil(createdAt)
    for (const { from, to, waiting } of this.#queues) if (createdAt >= from && createdAt < to) waiting.push(issue)
  }

  /** Runs what is left: no more issues follow. */
  finish(): void {
    this.#runUntil(Number.POSITIVE_INFINITY)
  }

  #runUntil(at: number): void {
    for (let soonest = this.#soonest(); dueOf(soonest) < at; soonest = this.#soonest()) {
      const issue = soonest?.waiting[soonest.next++]
      if (!soonest || !issue) return
      this.onAge(issue, soonest.age)
      this.#compact(soonest)
    }
  }

  #soonest(): AgeQueue<Issue> | undefined {
    let soonest: AgeQueue<Issue> | undefined
    for (const ages of this.#queues) if (dueOf(ages) < dueOf(soonest)) soonest = ages
    return soonest
  }

  /** Drops issues that have run, once they are more than half of the queue. */
  #compact(ages: AgeQueue<Issue>): void {
    if (2 * ages.next <= ages.waiting.length) return
    ages.waiting = ages.waiting.slice(ages.next)
    ages.next = 0
  }
}

/** When the next issue of the queue reaches its age. */
function dueOf(ages: AgeQueue<Pick<IssueSample, 'createdAt'>> | undefined): number {
  const issue = ages?.waiting[ages.next]
  return ages && issue ? issue.createdAt + AGE_MS[ages.age] : Number.POSITIVE_INFINITY
}

const placesOf = ({ prefixHash, networkHash }: IssueTrafficRow): Pick<IssueSample, 'prefix' | 'network'> => ({
  prefix: prefixHash?.toHex(),
  network: networkHash?.toHex(),
})

/** The hashes of a request are known as text already; converting them again for each issue is slow. */
export const sampleOf = (issue: IssueTrafficRow, { prefix, network } = placesOf(issue)): IssueSample => ({
  issueId: issue.issueId,
  kind: issue.keyKind,
  country: issue.country ?? '',
  prefix,
  network,
  phone: issue.phoneHash.slice(0, 6).reduce((sum, byte) => sum * 256 + byte, 0),
  createdAt: issue.createdAt,
  verifiedAt: issue.verifiedAt,
  isReplaced: issue.verificationStatus === 'replaced',
  // Nobody tells whether the code of another platform is typed.
  isEvidence:
    issue.verificationStatus !== undefined && (issue.deliveryStatus === 'delivered' || issue.deliveryStatus === 'sent'),
  price: issue.price,
  messages: issue.messages ?? 1,
})
