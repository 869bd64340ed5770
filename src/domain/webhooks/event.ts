/** Events of changes and their bodies. Specification: "Events"; decisions: "Webhooks". */
import type { HookEventType } from '../../../contract/constants'
import type { EventType, OtpEventOf } from '../../../contract/event'
import { CODE } from '../delivery/delivery'
import type { Message } from '../message/message'
import { numbers } from '../phone/phone'
import type { Origin } from '../shared/addressed'
import { CURRENCY, type Owner } from '../shared/value'
import type { Verification } from '../verification/verification'
import { hasCode, hasMessage, legOf, type Stored } from '../verification/verification'

/** Event types of the change between two states, in order. The message of an issue tells its fate as `otp.*`. */
export function eventsOf(before: Stored, after: Stored): HookEventType[] {
  const messages = hasMessage(before) && hasMessage(after) ? messageEventsOf(before, after) : []
  if (!hasCode(before) || !hasCode(after)) return messages.map((type): HookEventType => `message.${type}`)
  return [...messages, ...codeEventsOf(before, after)].map((type): HookEventType => `otp.${type}`)
}

function messageEventsOf(before: Message, after: Message): MessageEvent[] {
  const events: MessageEvent[] = []
  if (wasAccepted(before, after)) events.push('sent')
  if (after.deliveryStatus !== before.deliveryStatus) {
    if (after.deliveryStatus === 'delivered') events.push('delivered')
    if (after.deliveryStatus === 'failed') events.push('failed')
  }
  return events
}

const CODE_EVENTS = ['verified', 'expired', 'max_attempts'] as const

const codeEventsOf = (before: Verification, { verificationStatus: status }: Verification) =>
  status === before.verificationStatus ? [] : CODE_EVENTS.filter((type) => type === status)

/** A carrier accepted the message of a leg. */
const wasAccepted = (before: Message, after: Message) =>
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
  stored: Stored,
  context: EventContext,
): T extends EventType ? OtpEventOf<T> : object {
  const { eventId: id, now } = context
  const [, name = ''] = type.split('.')
  const data = isMessageEvent(name)
    ? MESSAGE_DATA[name](stored as Message, context)
    : CODE_DATA[name as (typeof CODE_EVENTS)[number]](stored as Verification, context)
  return { id, type, created: Math.floor(now / 1_000), data } as never
}

type MessageEvent = 'sent' | 'delivered' | 'failed'
const isMessageEvent = (name: string): name is MessageEvent => name in MESSAGE_DATA

const base = (stored: Stored) => ({ id: stored.issueId, method: legOf(stored), type: stored.purpose })

const guesses = (verification: Verification) => ({
  attempts: verification.attemptsUsed,
  max_attempts: verification.maxAttempts,
  metadata: verification.metadata ?? {},
})

const MESSAGE_DATA: {
  [T in MessageEvent]: (message: Message, context: EventContext) => OtpEventOf<`otp.${T}`>['data']
} = {
  sent: (message, { now, to }) => ({
    ...base(message),
    to: to === undefined ? UNKNOWN_NUMBER : maskNumber(to),
    status: 'sent',
    sent_at: iso(now),
  }),
  delivered: (message, { now, carrier }) => ({
    ...base(message),
    status: 'delivered',
    delivered_at: iso(now),
    carrier: carrier ?? 'unknown',
    country: message.country ?? 'ZZ',
    cost: { amount: message.price, currency: CURRENCY },
    metadata: message.metadata ?? {},
  }),
  failed: ({ issueId, providerOutcomeCode: code = 'UNKNOWN' }, { now }) => ({
    id: issueId,
    status: 'failed',
    failed_at: iso(now),
    error: { code, message: OWN_FAILURES.get(code) ?? 'The carrier refused the message or could not deliver it' },
  }),
}

const CODE_DATA: {
  [T in (typeof CODE_EVENTS)[number]]: (
    verification: Verification,
    context: EventContext,
  ) => OtpEventOf<`otp.${T}`>['data']
} = {
  verified: (verification, { now }) => ({
    ...base(verification),
    status: 'verified',
    verified_at: iso(verification.verifiedAt ?? now),
    attempts: verification.attemptsUsed + 1,
    metadata: verification.metadata ?? {},
  }),
  expired: (verification) => ({
    ...base(verification),
    status: 'expired',
    expired_at: iso(verification.expiresAt),
    ...guesses(verification),
  }),
  max_attempts: (verification, { now }) => ({
    ...base(verification),
    status: 'max_attempts',
    max_attempts_at: iso(now),
    ...guesses(verification),
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
