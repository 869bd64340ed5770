/** The issue projection and its list. Specification: `GET /issues`, `GET /issues/{issueId}`. */
import { z } from 'zod'
import { attempts, deliveryStatus, overallStatus, verificationStatus } from './issue'
import { listQuery, nextCursor } from './page'
import { channel, currency, ISSUE_ID, issueId, mode, timestamp } from './value'

export const billingStatus = z
  .enum(['reserved', 'debit_pending', 'debited', 'release_pending', 'released'])
  .meta({ description: 'Where the credit reserved at admission stands.', examples: ['debited'] })

/** One issue without phone number, code, provider payload, idempotency key or metadata. */
export const issueProjection = z.object({
  issueId,
  purpose: z.string(),
  templateId: z.string(),
  channel,
  verificationStatus,
  deliveryStatus,
  overallStatus,
  billingStatus,
  debitedAmount: z
    .int()
    .nonnegative()
    .meta({ description: 'Credits debited so far.', examples: [1] }),
  currency,
  expiresAt: timestamp.optional(),
  verifiedAt: timestamp.optional(),
  ...attempts,
  createdAt: timestamp,
  updatedAt: timestamp,
  mode,
})

export const listIssuesInput = listQuery({
  verificationStatus: verificationStatus.optional().meta({
    description:
      'Filters by effective status: `issued` matches only unexpired issues, `expired` also those past expiry.',
  }),
})

export const listIssuesOutput = z.object({
  items: z.array(issueProjection).meta({ description: 'Newest first; ties by id.' }),
  nextCursor: nextCursor.optional(),
  mode,
})

export const getIssueInput = z.strictObject({
  issueId: z.guid('must be a UUID').meta(ISSUE_ID),
})
