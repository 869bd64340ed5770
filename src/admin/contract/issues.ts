/** Issues without numbers or codes: request, attempts and result. */
import { z } from 'zod'
import { isTimeZone } from '../../domain/shared/time-zone'
import { act, at, channel, eventType, leg, mode, ofApp, ofAppAndMode, pageInput, pageOf } from './base'

const verificationStatus = z.enum(['issued', 'verified', 'expired', 'max_attempts', 'replaced'])
const deliveryStatus = z.enum(['queued', 'sent', 'delivered', 'failed'])

export const issueRow = z.object({
  issueId: z.string(),
  mode,
  /** The purpose of a code, or the name of the relay that sent a message alone. */
  purpose: z.string(),
  /** It carries no code of ours. */
  isMessageAlone: z.boolean(),
  channel,
  /** The current leg. */
  leg,
  country: z.string().optional(),
  overallStatus: z.string(),
  /** Missing of a message alone. */
  verificationStatus: verificationStatus.optional(),
  deliveryStatus,
  isAmbiguous: z.boolean(),
  outcomeCode: z.string().optional(),
  billingStatus: z.string(),
  price: z.int(),
  attemptsUsed: z.int().optional(),
  maxAttempts: z.int().optional(),
  createdAt: at,
  expiresAt: at,
})

const webhookOfIssue = z.object({
  deliveryId: z.string(),
  eventId: z.string(),
  endpointId: z.string(),
  type: eventType,
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int(),
  lastStatus: z.int().optional(),
  lastError: z.string().optional(),
  createdAt: at,
  nextAttemptAt: at.optional(),
})

export const story = issueRow.extend({
  appId: z.string(),
  templateId: z.string(),
  metadata: z.record(z.string(), z.string()),
  verifiedAt: at.optional(),
  /** When each wrong code was checked. */
  wrongAt: z.array(at),
  updatedAt: at,
  attempts: z.array(
    z.object({
      number: z.int(),
      leg,
      provider: z.string(),
      calledAt: at,
      answeredAt: at.optional(),
      latencyMs: z.int().optional(),
      outcome: z.enum(['accepted', 'refused', 'ambiguous']).optional(),
      code: z.string().optional(),
      /** Explanation of the error code. */
      explanation: z.string().optional(),
      /** The carrier's own words, without digits. */
      said: z.string().optional(),
      /** As sent, with the code and what callers fill in masked. */
      text: z.string().optional(),
      report: z.enum(['delivered', 'failed']).optional(),
      reportedAt: at.optional(),
    }),
  ),
  ledger: z.array(z.object({ entryType: z.string(), amountDelta: z.int(), balanceAfter: z.int(), createdAt: at })),
  webhooks: z.array(webhookOfIssue),
})

/** One hour of each day, as the clocks of a time zone show it. */
const hourOfDay = z.object({
  hour: z.int().min(0).max(23),
  timeZone: z.string().max(64).refine(isTimeZone, 'must be an IANA time zone'),
})

/** Something that is found may be of any app. */
const foundIn = { appId: z.string(), appName: z.string() }

export const issues = {
  list: act(
    'GET /apps/{appId}/issues',
    'List issues, newest first. `search` is an issue id or the beginning of a purpose.',
    'look',
  )
    .input(
      ofAppAndMode.extend({
        ...pageInput.shape,
        search: z.string().max(200).optional(),
        status: z.enum([...verificationStatus.options, 'unverified']).optional(),
        delivery: deliveryStatus.optional(),
        channel: channel.optional(),
        leg: leg.optional(),
        country: z.string().length(2).optional(),
        /** The name of a carrier that was called. */
        carrier: z.string().min(1).max(128).optional(),
        outcomeCode: z.string().min(1).max(128).optional(),
        from: at.optional(),
        to: at.optional(),
        hourOfDay: hourOfDay.optional(),
        isOldestFirst: z.boolean().optional(),
      }),
    )
    .output(pageOf(issueRow)),
  find: act(
    'POST /issues/find',
    'Find issues and keys. By whatever is at hand: a phone number (live issues, newest first; the look-up is in the audit log), an issue id, a carrier’s id of a message, a value of the metadata, a key. Each may find something. A phone number needs `find`.',
    'look',
    'apps',
  )
    .input(z.object({ text: z.string().trim().min(1).max(256) }))
    .output(
      z.object({
        issues: z.array(issueRow.extend(foundIn)),
        keys: z.array(z.object({ ...foundIn, keyId: z.string(), mode, shown: z.string() })),
      }),
    ),
  story: act(
    'GET /issues/{issueId}',
    'Show an issue with all that happened to it. An issue of any app and mode.',
    'look',
  )
    .input(z.object({ issueId: z.string() }))
    .output(story),
}

/** Scenario of the magic number. */
const scenario = z.object({ scenario: z.int(), phoneNumber: z.string() })

export const inbox = {
  list: act(
    'GET /apps/{appId}/inbox',
    'List test issues. Test issues and codes of test relays of the last seven days; magic numbers with the code that verifies them.',
    'look',
  )
    .input(ofApp.extend(pageInput.shape))
    .output(
      pageOf(
        issueRow.extend({
          ...scenario.partial().shape,
          /** Missing if no code verifies. Of a relayed one: the code of its platform. */
          code: z.string().optional(),
        }),
      ),
    ),
  tryIt: act('POST /apps/{appId}/inbox', 'Issue a test code. Issues a test code, as an app would.', 'try')
    .input(ofApp.extend({ phoneNumber: z.string(), purpose: z.string().min(1).max(64), channel: channel.optional() }))
    .output(z.object({ issueId: z.string(), expiresAt: at })),
  verify: act('POST /apps/{appId}/inbox/{issueId}/verify', 'Verify a test code.', 'try')
    .input(ofApp.extend({ issueId: z.string(), code: z.string().max(20) }))
    .output(
      z.object({ verified: z.boolean(), reasonCode: z.string().optional(), attemptsRemaining: z.int(), expiresAt: at }),
    ),
}
