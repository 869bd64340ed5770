/** Events of issue changes and their bodies. Specification: "Events"; decisions: "Webhooks". */
import type { HookEventType } from '../../../contract/constants'
import type { EventType, OtpEventOf } from '../../../contract/event'
import type { Issue, Origin } from '../codes/issue'
import { CODE } from '../delivery/delivery'
import { numbers } from '../phone/phone'
import { shownMetadata } from '../relays/relay'
import { CURRENCY, type Owner } from '../shared/value'

/** Event types of the change between two states of an issue, in order. */
export function eventsOf(before: Issue, after: Issue): HookEventType[] {
  const events = otpEventsOf(before, after)
  if (after.keyKind !== 'relay') return events
  // The platform that made the code tells its fate. Our events tell the fate of the message.
  return events.flatMap((type) => MESSAGE_EVENTS[type] ?? [])
}

const MESSAGE_EVENTS: Partial<Record<EventType, HookEventType>> = {
  'otp.sent': 'message.sent',
  'otp.delivered': 'message.delivered',
  'otp.failed': 'message.failed',
}

function otpEventsOf(before: Issue, after: Issue): EventType[] {
  const events: EventType[] = []
  if (wasAccepted(before, after)) events.push('otp.sent')
  if (after.deliveryStatus !== before.deliveryStatus) {
    if (after.deliveryStatus === 'delivered') events.push('otp.delivered')
    if (after.deliveryStatus === 'failed') events.push('otp.failed')
  }
  if (after.verificationStatus !== before.verificationStatus) {
    if (after.verificationStatus === 'verified') events.push('otp.verified')
    if (after.verificationStatus === 'expired') events.push('otp.expired')
    if (after.verificationStatus === 'max_attempts') events.push('otp.max_attempts')
  }
  return events
}

/** A carrier accepted the message of a leg. */
const wasAccepted = (before: Issue, after: Issue) =>
  before.messageId === after.messageId &&
  before.sendPending &&
  !after.sendPending &&
  !after.providerOutcomeAmbiguous &&
  after.deliveryStatus === 'sent'

/** Facts beside the issue; times are Unix milliseconds. */
export interface EventContext {
  eventId: string
  now: number
  /** Number, E.164; undefined where it is erased already. */
  to: string | undefined
  /** The carrier that accepted the message. */
  carrier: string | undefined
}

const iso = (at: number) => new Date(at).toISOString()

/** The body of an event. It contains no full number and no code. */
export function eventOf<T extends HookEventType>(
  type: T,
  issue: Issue,
  context: EventContext,
): T extends EventType ? OtpEventOf<T> : object {
  const { eventId: id, now } = context
  // A relayed message has the fields of an issue's.
  const payload = PAYLOADS[type.replace('message.', 'otp.') as EventType]
  const data = payload({ ...issue, metadata: shownMetadata(issue) }, context)
  return { id, type, created: Math.floor(now / 1_000), data } as never
}

const base = ({ issueId, purpose, leg }: Issue) => ({ id: issueId, method: leg, type: purpose.trim() })

const guesses = (issue: Issue) => ({
  attempts: issue.attemptsUsed,
  max_attempts: issue.maxAttempts,
  metadata: issue.metadata ?? {},
})

const PAYLOADS: { [T in EventType]: (issue: Issue, context: EventContext) => OtpEventOf<T>['data'] } = {
  'otp.sent': (issue, { now, to }) => ({
    ...base(issue),
    to: to === undefined ? UNKNOWN_NUMBER : maskNumber(to),
    status: 'sent',
    sent_at: iso(now),
  }),
  'otp.delivered': (issue, { now, carrier }) => ({
    ...base(issue),
    status: 'delivered',
    delivered_at: iso(now),
    carrier: carrier ?? 'unknown',
    country: issue.country ?? 'ZZ',
    cost: { amount: issue.price, currency: CURRENCY },
    metadata: issue.metadata ?? {},
  }),
  'otp.failed': ({ issueId, providerOutcomeCode: code = 'UNKNOWN' }, { now }) => ({
    id: issueId,
    status: 'failed',
    failed_at: iso(now),
    error: { code, message: OWN_FAILURES.get(code) ?? 'The carrier refused the message or could not deliver it' },
  }),
  'otp.verified': (issue, { now }) => ({
    ...base(issue),
    status: 'verified',
    verified_at: iso(issue.verifiedAt ?? now),
    attempts: issue.attemptsUsed + 1,
    metadata: issue.metadata ?? {},
  }),
  'otp.expired': (issue) => ({
    ...base(issue),
    status: 'expired',
    expired_at: iso(issue.expiresAt),
    ...guesses(issue),
  }),
  'otp.max_attempts': (issue, { now }) => ({
    ...base(issue),
    status: 'max_attempts',
    max_attempts_at: iso(now),
    ...guesses(issue),
  }),
}

/** Messages for the service's own outcome codes. Carriers' codes are for operators. */
const OWN_FAILURES: ReadonlyMap<string, string> = new Map([
  [CODE.noRoute, 'No carrier is configured for this message'],
  [CODE.unhealthy, 'No carrier could take the message'],
  [CODE.noLetter, 'The message was erased before it could be sent'],
  [CODE.noLongerActive, 'The code was used or replaced before the message could be sent'],
  [CODE.expiredUnsent, 'The code expired before the message could be sent'],
])

const UNKNOWN_NUMBER = '+0****'
const SHOWN_DIGITS = 4

/** `+821012345678` as `+82******5678`: country code and the last digits, so that people recognise their own. */
export function maskNumber(e164: string): string {
  const digits = e164.replace(/\D/g, '')
  const country = numbers().parsePhoneNumberFromString(e164)?.countryCallingCode ?? digits.slice(0, 1)
  const national = digits.slice(country.length)
  const shown = national.length > 2 * SHOWN_DIGITS - 1 ? national.slice(-SHOWN_DIGITS) : ''
  return `+${country}${'*'.repeat(Math.max(1, national.length - shown.length))}${shown}`
}

/** A stored event, whose body is delivered to endpoints. */
export interface StoredEvent extends Owner {
  /** Origin of the issue. */
  origin: Origin | undefined
  readonly eventId: string
  readonly type: HookEventType
  /** Undefined for a test event. */
  readonly issueId: string | undefined
  /** JSON; see `contract/event.ts`. */
  readonly body: string
  readonly createdAt: number
}
