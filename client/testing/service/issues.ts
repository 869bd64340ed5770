/** The issues of a service in memory, each as it is at the time of whoever looks. */
import { effectiveStatus, type Issue, markExpired, type VerificationStatus } from '../../../src/domain/codes/issue'
import { type Next, sent } from './message'

/** An issue, and what is known of it besides. */
export interface Kept {
  issue: Issue
  /** What verifies it. */
  code: string
  /** Whose it is: what makes two spellings of a number one phone. */
  phone: string
  next: Next | undefined
}

interface Range {
  status?: VerificationStatus | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
  before?: string | undefined
}

export class Issues {
  /** In the order of their making. */
  readonly #byId = new Map<string, Kept>()
  /** The last one of a phone and purpose. */
  readonly #live = new Map<string, Kept>()

  constructor(private readonly newId: () => string) {}

  /** Its message goes out. */
  add(issue: Issue, { code, phone, scenario }: Pick<Kept, 'code' | 'phone'> & { scenario: number | undefined }): void {
    const next = sent(issue, scenario, issue.createdAt, this.newId)
    const kept: Kept = { issue, code, phone, next }
    this.#byId.set(issue.issueId, kept)
    this.#live.set(subjectOf(phone, issue.purpose), kept)
  }

  find(issueId: string, now: number): Kept | undefined {
    const kept = this.#byId.get(issueId)
    return kept && upTo(kept, now)
  }

  /** That a new one would replace. */
  live(phone: string, purpose: string, now: number): Kept | undefined {
    const kept = this.#live.get(subjectOf(phone, purpose))
    return kept && upTo(kept, now).issue.verificationStatus === 'issued' ? kept : undefined
  }

  /** Newest first; behind one of them where a page ended with it. */
  list({ status, createdFrom = 0, createdTo = Number.POSITIVE_INFINITY, before }: Range, now: number): Issue[] {
    return [...this.#byId.values()]
      .map((kept) => upTo(kept, now).issue)
      .filter(({ createdAt }) => createdAt >= createdFrom && createdAt < createdTo)
      .filter((issue) => status === undefined || effectiveStatus(issue, now) === status)
      .filter(({ issueId }) => before === undefined || issueId < before)
      .reverse()
  }
}

const subjectOf = (phone: string, purpose: string) => JSON.stringify([phone, purpose])

/** All that has happened to it by itself until now, one after the other. */
function upTo(kept: Kept, now: number): Kept {
  for (;;) {
    const { issue, next } = kept
    const expiresAt = issue.verificationStatus === 'issued' ? issue.expiresAt : Number.POSITIVE_INFINITY
    if (next && next.at <= now && next.at <= expiresAt) Object.assign(kept, next.happen(issue))
    else if (expiresAt <= now) kept.issue = markExpired(issue, expiresAt)
    else return kept
  }
}
