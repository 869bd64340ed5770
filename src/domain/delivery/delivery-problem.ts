/** What may go wrong with a message that is charged all the same; an operator may give its credit back. */

import type { Issue } from '../codes/issue'
import { CODE } from './delivery'

/**
 * `ambiguous`: nobody knows whether it left. `interrupted`: of these, where our process ended in between. `untyped`: it went
 * out, and nobody has verified it.
 */
export const DELIVERY_PROBLEMS = ['ambiguous', 'interrupted', 'failed', 'untyped'] as const
export type DeliveryProblem = (typeof DELIVERY_PROBLEMS)[number]

export function hasProblem(issue: Issue, problem: DeliveryProblem): boolean {
  switch (problem) {
    case 'untyped':
      return issue.verificationStatus !== 'verified' && issue.deliveryStatus !== 'failed'
    case 'failed':
      return issue.deliveryStatus === 'failed'
    case 'ambiguous':
      return issue.providerOutcomeAmbiguous
    case 'interrupted':
      return issue.providerOutcomeAmbiguous && issue.providerOutcomeCode === CODE.interrupted
  }
}
