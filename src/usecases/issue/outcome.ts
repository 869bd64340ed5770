/** The outcome of a request for a code, for the owner's report of rules and for telemetry. */
import { type RuleHit, refusalOf } from '../../abuse/rules/assess'
import { isProvable, type RuleMatch } from '../../abuse/rules/rule'
import type { Issue } from '../../domain/codes/issue'
import type { Issued, IssueRequest } from '../../domain/codes/issue-request'
import { Refusal } from '../../domain/shared/error'
import type { IssueDecided } from '../../ports/telemetry'
import type { ResolvedIssue } from './request'

/** What the service itself refuses is counted for the owner beside what rules refuse. */
export function findLimit(refusal: unknown, price: number): RuleHit | undefined {
  if (!(refusal instanceof Refusal)) return undefined
  const { retryAfterMs: waitMs } = refusal.detail
  if (refusal.kind === 'limited') return { rule: 'limit', waitMs, isRefused: true, price }
  return refusal.kind === 'no_credit' ? { rule: 'no_credit', waitMs, isRefused: true, price } : undefined
}

/** What has come of it, whichever way it ended. */
export interface IssueOutcome {
  /** The issue that this request has made. */
  made: Issue | undefined
  /** What a rule found against it. */
  finding: RuleHit | undefined
  answer: Issued | undefined
  refusal: Refusal | undefined
}

/** The event that telemetry gets. */
export function decisionOf(
  { owner: { appId, mode }, keyKind, recipient: { country }, request: { channel } }: ResolvedIssue,
  { origin }: IssueRequest,
  { made, finding, answer, refusal }: IssueOutcome,
  ms: number,
): IssueDecided {
  const outcome = answer ? (made ? 'issued' : 'replayed') : refusal ? 'refused' : 'failed'
  const issueId = answer?.issueId
  return { origin, appId, mode, keyKind, channel, country, issueId, outcome, refusal, rule: finding?.rule, ms }
}

/** The first rule that refuses is what it is refused for, else the first that would is noted. Throws `invalid`, `forbidden` or `limited`. */
export function weigh(outcome: IssueOutcome, found: RuleMatch | undefined, price: number): void {
  if (!found) return
  if (found.isRefused || !outcome.finding) outcome.finding = { ...found, price }
  if (found.isRefused) throw refusalOf(found)
}

/** A proof of a human outweighs the rule: the code is sent, and the report still has the rule. */
export const outweighed = (finding: RuleHit): RuleHit =>
  isProvable(finding.rule) ? { ...finding, isRefused: false } : finding
