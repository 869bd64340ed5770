/** What may go wrong with a message that is charged all the same; an operator may give its credit back. */
import { CODE } from './delivery'
import type { Issue } from './issue'

/** `ambiguous`: nobody knows whether it left. `interrupted`: of these, where our process ended in between. */
export const MISHAPS = ['ambiguous', 'interrupted', 'failed'] as const
export type Mishap = (typeof MISHAPS)[number]

export function hasSuffered(issue: Issue, mishap: Mishap): boolean {
  switch (mishap) {
    case 'failed':
      return issue.deliveryStatus === 'failed'
    case 'ambiguous':
      return issue.providerOutcomeAmbiguous
    case 'interrupted':
      return issue.providerOutcomeAmbiguous && issue.providerOutcomeCode === CODE.interrupted
  }
}
