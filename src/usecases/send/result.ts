/** The result of a request, for its caller, the owner's report of rules and telemetry. */
import { type RuleHit, refusalOf } from '../../abuse/rules/assess'
import { isProvable, type RuleMatch } from '../../abuse/rules/rule'
import { Refusal } from '../../domain/shared/error'
import type { Stored } from '../../domain/verification/verification'
import type { IssueDecided } from '../../ports/telemetry'
import type { SendRequest } from './request'

export type SendResult<A> =
  /** `hit`: a rule that would have refused it, were it not only watching. */
  | { readonly kind: 'issued'; readonly answer: A; readonly stored: Stored; readonly hit: RuleHit | undefined }
  | { readonly kind: 'replayed'; readonly answer: A }
  /** `hit`: the rule that refused it, also where a proof of a human was asked for and none came. */
  | { readonly kind: 'refused'; readonly thrown: Refusal; readonly hit: RuleHit | undefined }
  /** An error that the service did not expect. */
  | { readonly kind: 'failed'; readonly thrown: unknown }

export type RefusedRequest = Extract<SendResult<never>, { kind: 'refused' }>

/** Refused by a rule against abuse, which the owner's report counts. */
class RefusedByRule extends Refusal {
  constructor(readonly hit: RuleHit) {
    const { kind, message, detail } = refusalOf(hit)
    super(kind, message, detail)
  }
}

/** Throws a refusal where the rule refuses; answers the hit where it only watches. */
export function refuseOrWatch(match: RuleMatch | undefined, price: number): RuleHit | undefined {
  if (!match) return undefined
  const hit = { ...match, price }
  if (match.isRefused) throw new RefusedByRule(hit)
  return hit
}

/** A proof of a human outweighs the rule: the code is sent, and the report still has the rule. */
export const outweighed = (match: RuleMatch | undefined): RuleMatch | undefined =>
  match && isProvable(match.rule) ? { ...match, isRefused: false } : match

/** Turns what the work returns or throws into one result. */
export async function resultOf<A>(work: () => Promise<SendResult<A>>): Promise<SendResult<A>> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) return { kind: 'failed', thrown }
    return { kind: 'refused', thrown, hit: thrown instanceof RefusedByRule ? thrown.hit : undefined }
  }
}

/** The rule or limit that the owner's report counts for this request. The service's own limits count beside the rules. */
export function reportedHit(result: SendResult<unknown>, price: number): RuleHit | undefined {
  if (result.kind === 'replayed' || result.kind === 'failed') return undefined
  if (result.kind === 'issued' || result.hit) return result.hit
  const { thrown } = result
  const { retryAfterMs: waitMs } = thrown.detail
  if (thrown.kind === 'limited') return { rule: 'limit', waitMs, isRefused: true, price }
  return thrown.kind === 'no_credit' ? { rule: 'no_credit', waitMs, isRefused: true, price } : undefined
}

/** The event that telemetry gets. */
export function decisionOf(
  { caller: { appId, mode, kind: keyKind }, recipient: { country }, channel, origin }: SendRequest,
  result: SendResult<{ issueId: string }>,
  ms: number,
): IssueDecided {
  const issueId = 'answer' in result ? result.answer.issueId : undefined
  const refusal = result.kind === 'refused' ? result.thrown : undefined
  const hit = 'hit' in result ? result.hit : undefined
  return { origin, appId, mode, keyKind, channel, country, issueId, outcome: result.kind, refusal, rule: hit?.rule, ms }
}
