/** Searches issues by id, by the beginning of a purpose, by status and time. */
import {
  type DeliveryStatus,
  effectiveStatus,
  type Issue,
  overallStatus,
  type VerificationStatus,
} from '../domain/codes/issue'
import { isUuid, type Owner } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'

export interface IssueSearch {
  after?: string | undefined
  limit: number
  /** An id, or the beginning of a purpose. */
  search?: string | undefined
  /** `relayed`: those of relays, which are found otherwise only by their id. */
  status?: VerificationStatus | 'relayed' | undefined
  delivery?: DeliveryStatus | undefined
  from?: number | undefined
  to?: number | undefined
}

export interface FoundIssues {
  rows: Issue[]
  /** Where to go on; the page may be short of rows though there are more behind it. */
  next?: string
}

const BATCH = 1_000
/** So that a search for what is rare answers soon, and goes on when asked to. */
const LOOKED_AT_MOST = 20_000

export async function searchIssues(
  { store, clock }: { store: Store; clock: Pick<Clock, 'now'> },
  owner: Owner,
  { search = '', status, delivery, from, to, limit, after }: IssueSearch,
): Promise<FoundIssues> {
  const wanted = search.trim()
  if (isUuid(wanted)) {
    const issue = await store.read.issues.find(owner, wanted.toLowerCase())
    return { rows: issue ? [issue] : [] }
  }
  const fits = (issue: Issue) =>
    issue.purpose.startsWith(wanted) && (delivery === undefined || issue.deliveryStatus === delivery)
  const isFiltered = wanted !== '' || delivery !== undefined
  const bounds = {
    ...(status && { status }),
    ...(from !== undefined && { createdFrom: from }),
    ...(to !== undefined && { createdTo: to }),
  }
  const rows: Issue[] = []
  let before = after
  for (let looked = 0; looked < LOOKED_AT_MOST; ) {
    const size = isFiltered ? BATCH : limit + 1
    const batch = await store.lists.issues.page(
      owner,
      { ...bounds, ...(before && { before }), limit: size },
      clock.now(),
    )
    looked += batch.length
    for (const issue of batch) {
      if (!fits(issue)) continue
      if (rows.length === limit) return { rows, next: rows.at(-1)?.issueId ?? '' }
      rows.push(issue)
    }
    if (batch.length < size) return { rows }
    before = batch.at(-1)?.issueId
  }
  return before === undefined ? { rows } : { rows, next: before }
}

/** The row of an issue in a list. It has no number, no code and no text. */
export const rowOf = (issue: Issue, now: number) => ({
  issueId: issue.issueId,
  mode: issue.mode,
  purpose: issue.purpose,
  channel: issue.channel,
  leg: issue.leg,
  country: issue.country,
  overallStatus: overallStatus(issue, now),
  verificationStatus: effectiveStatus(issue, now),
  deliveryStatus: issue.deliveryStatus,
  isAmbiguous: issue.providerOutcomeAmbiguous,
  outcomeCode: issue.providerOutcomeCode,
  billingStatus: issue.billingStatus,
  price: issue.price,
  attemptsUsed: issue.attemptsUsed,
  maxAttempts: issue.maxAttempts,
  createdAt: issue.createdAt,
  expiresAt: issue.expiresAt,
})
