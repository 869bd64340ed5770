/** The reference: what the specification says of issues, in as few lines as it can be said, without any storage. */

export interface ModelIssue {
  issueId: string
  phone: string
  purpose: string
  expiresAt: number
  maxAttempts: number
  attemptsUsed: number
  status: 'issued' | 'verified' | 'max_attempts' | 'replaced' | 'expired'
  /** The clock has been past the expiry, though it may have gone back since. */
  mayBeExpired: boolean
}

export interface ModelClaim {
  /** The request as it was sent. */
  request: string
  issueId: string
  answer: unknown
}

export class Model {
  readonly issues = new Map<string, ModelIssue>()
  readonly claims = new Map<string, ModelClaim>()

  /** A first answer to a new idempotency key; answers the issues that made way for it. */
  issued(
    key: string,
    request: string,
    issue: Omit<ModelIssue, 'attemptsUsed' | 'status' | 'mayBeExpired'>,
    answer: unknown,
    now: number,
  ): ModelIssue[] {
    const madeWay: ModelIssue[] = []
    for (const other of this.issues.values()) {
      if (other.phone === issue.phone && other.purpose === issue.purpose && other.status === 'issued') {
        other.status = now >= other.expiresAt ? 'expired' : 'replaced'
        madeWay.push(other)
      }
    }
    this.issues.set(issue.issueId, { ...issue, attemptsUsed: 0, status: 'issued', mayBeExpired: false })
    this.claims.set(key, { request, issueId: issue.issueId, answer })
    return madeWay
  }

  /** The clock has reached `now`. */
  passTime(now: number): void {
    for (const issue of this.issues.values()) if (now >= issue.expiresAt) issue.mayBeExpired = true
  }

  /** A code lives no longer because somebody has set the clock back. */
  setBack(byMs: number): void {
    for (const issue of this.issues.values()) if (!issue.mayBeExpired) issue.expiresAt -= byMs
  }

  /** What verify must answer, and what it does to the issue. */
  verify(issueId: string, isRight: boolean, now: number): { verified: boolean; reasonCode?: string } {
    const issue = this.issues.get(issueId)
    if (!issue) return { verified: false, reasonCode: 'NOT_FOUND' }
    if (issue.status === 'replaced') return { verified: false, reasonCode: 'REPLACED' }
    if (issue.status === 'verified') return { verified: false, reasonCode: 'ALREADY_VERIFIED' }
    if (issue.status === 'max_attempts') return { verified: false, reasonCode: 'MAX_ATTEMPTS' }
    if (issue.status === 'expired' || now >= issue.expiresAt) return { verified: false, reasonCode: 'EXPIRED' }
    if (isRight) {
      issue.status = 'verified'
      return { verified: true }
    }
    issue.attemptsUsed++
    if (issue.attemptsUsed < issue.maxAttempts) return { verified: false, reasonCode: 'MISMATCH' }
    issue.status = 'max_attempts'
    return { verified: false, reasonCode: 'MAX_ATTEMPTS' }
  }

  /** Over all its codes, right ones in between or not. */
  wrongCodesAt(phone: string): number {
    return [...this.issues.values()].reduce((sum, issue) => sum + (issue.phone === phone ? issue.attemptsUsed : 0), 0)
  }

  effectiveStatus(issueId: string, now: number): string | undefined {
    const issue = this.issues.get(issueId)
    return issue?.status === 'issued' && now >= issue.expiresAt ? 'expired' : issue?.status
  }
}
