/** The issues of a service in memory, each as it is at the time of whoever looks. */
import { effectiveStatus, type Issue, markExpired, type VerificationStatus } from '../../../src/domain/issue'
import { type Next, sent } from './message'

/** An issue, and what is known of it besides. */
export interface Kept {
  issue: Issue
  /** What verifies it. */
  code: string
  /** Of the phone and purpose. */
  subject: string
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
  readonly #liveBySubject = new Map<string, Kept>()

  constructor(private readonly newId: () => string) {}

  /** Its message goes out. */
  add(
    issue: Issue,
    { code, subject, scenario }: Pick<Kept, 'code' | 'subject'> & { scenario: number | undefined },
  ): void {
    const next = sent(issue, scenario, issue.createdAt, this.newId)
    const kept: Kept = { issue, code, subject, next }
    this.#byId.set(issue.issueId, kept)
    this.#liveBySubject.set(subject, kept)
  }

  find(issueId: string, now: number): Kept | undefined {
    const kept = this.#byId.get(issueId)
    return kept && upTo(kept, now)
  }

  /** That a new one would replace. */
  live(subject: string, now: number): Kept | undefined {
    const kept = this.#liveBySubject.get(subject)
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
