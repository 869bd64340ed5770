/** One issue as the server tells it, and what follows from it. */
import type { client } from '../../api'

export type Story = Awaited<ReturnType<typeof client.issues.story>>

/** A request to a carrier is in flight. */
export const isAtCarrier = ({ attempts }: Pick<Story, 'attempts'>) => {
  const last = attempts.at(-1)
  return last !== undefined && last.outcome === undefined
}

/** The charge is final, so no report will follow. */
export const isReportOver = ({ deliveryStatus, billingStatus }: Pick<Story, 'deliveryStatus' | 'billingStatus'>) =>
  deliveryStatus === 'sent' && (billingStatus === 'debited' || billingStatus === 'debit_pending')

/** The attempt whose report has decided the delivery. */
export const reportOf = ({ attempts, deliveryStatus }: Story) =>
  attempts.find(({ report }) => report === deliveryStatus)

/** End of the delivery: the report that says so, or the last refusal. */
export function reportedAt(story: Story): number | undefined {
  const last = story.attempts.at(-1)
  return reportOf(story)?.reportedAt ?? (last?.outcome === 'refused' ? last.answeredAt : undefined)
}
