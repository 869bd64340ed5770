/** The issues of the in-memory service, updated to the time of each read. */

import type { VerificationStatus } from '../../../src/domain/shared/addressed'
import type { Issue } from '../../../src/domain/verification/issue'
import { effectiveStatus, markExpired } from '../../../src/domain/verification/verification'
import { type Next, sent } from './message'

/** An issue with its code and phone. */
export interface Kept {
  issue: Issue
  /** The code. */
  code: string
  /** Canonical identity of the phone. */
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
  /** In order of creation. */
  readonly #byId = new Map<string, Kept>()
  /** The newest issue of a phone and purpose. */
  readonly #live = new Map<string, Kept>()

  constructor(private readonly newId: () => string) {}

  /** Starts its delivery. */
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

  /** The live issue that a new one would replace. */
  live(phone: string, purpose: string, now: number): Kept | undefined {
    const kept = this.#live.get(subjectOf(phone, purpose))
    return kept && upTo(kept, now).issue.verificationStatus === 'issued' ? kept : undefined
  }

  /** Newest first, after the issue where the previous page ended. */
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

/** Applies the delivery steps that are due by now. */
function upTo(kept: Kept, now: number): Kept {
  for (;;) {
    const { issue, next } = kept
    const expiresAt = issue.verificationStatus === 'issued' ? issue.expiresAt : Number.POSITIVE_INFINITY
    if (next && next.at <= now && next.at <= expiresAt) Object.assign(kept, next.happen(issue))
    else if (expiresAt <= now) kept.issue = markExpired(issue, expiresAt)
    else return kept
  }
}
