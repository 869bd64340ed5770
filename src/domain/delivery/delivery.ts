/**
 * The state machine of delivery. Specification: "Delivery status"; decisions: "Delivery (live)", "Credit".
 *
 *   queued ──accepted──▶ sent ──report──▶ delivered | failed
 *     │  └──ambiguous──▶ sent, providerOutcomeAmbiguous; never sent again by itself
 *     └──every attempt definitely refused, or no longer worth sending──▶ failed
 *
 * A leg that is refused, reported failed or not delivered within its wait goes on as the next one; only the whole can
 * be `failed`. After an ambiguous outcome only its own report of failure goes on: that is the answer that was missing. A message that was taken and not reported failed stays open: its report counts, whichever leg the issue
 * is on.
 */

import type { Message } from '../message/message'
import { DAY_MS, type Leg, SECOND_MS } from '../shared/value'
import type { Settlement } from '../wallet/wallet'
import type { PlannedLeg } from './plan'

/** Retry class of a refusal: later, with another carrier only, or never. */
export type Retry = 'later' | 'elsewhere' | 'never'

/**
 * Meaning of a carrier's refusal. `unfit`: the account is refused (credentials, balance), so every message is;
 * `unreached`: no connection could be made. Both are retried like `later`.
 */
export type SendRefusal = Retry | 'unfit' | 'unreached'

/**
 * Outcome of one send. `code` is the carrier's, at most 128 characters, without personal data. `said`: the words beside it,
 * as the carrier wrote them. `reportAfterMs`: milliseconds.
 */
export type SendOutcome =
  | { kind: 'accepted'; carrierMessageId: string | undefined; code?: string; reportAfterMs?: number }
  | { kind: 'refused'; retry: SendRefusal; code: string; said?: string | undefined; absence?: Absence }
  | { kind: 'ambiguous'; code: string; said?: string | undefined }

/** A carrier's later report on an accepted or ambiguous message. */
export interface DeliveryReport {
  status: 'delivered' | 'failed'
  code?: string
  said?: string | undefined
  absence?: Absence
}

/** Why a channel does not reach a phone: it is not there, such as one without WhatsApp, or its owner has opted out (STOP). */
export type Absence = 'absent' | 'stopped'

/** How long the next codes of the phone leave the channel out. */
export const ABSENT_MS: Readonly<Record<Absence, number>> = { absent: DAY_MS, stopped: 30 * DAY_MS }

/** Longest wait for a report after acceptance; then processing finishes with the last known state. */
export const REPORT_DEADLINE_MS = 24 * 60 * 60_000

const OUTCOME_CODE_MAX = 128

/** Outcome codes of the service itself. */
export const CODE = {
  noRoute: 'NO_PROVIDER',
  unhealthy: 'PROVIDERS_UNHEALTHY',
  noLetter: 'MESSAGE_ERASED',
  noLongerActive: 'CODE_NO_LONGER_ACTIVE',
  expiredUnsent: 'EXPIRED_UNSENT',
  interrupted: 'INTERRUPTED',
} as const

const REDACTED = 'REDACTED'

const DIGIT_NAMES = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const DIGIT_NAME = new RegExp(DIGIT_NAMES.join('|'), 'gi')

/** All digits of a text in order, spelled-out ones included. */
const digitsIn = (text: string) =>
  text.replace(DIGIT_NAME, (name) => String(DIGIT_NAMES.indexOf(name.toLowerCase()))).replace(/[^0-9]/g, '')

/**
 * A carrier's code as it may be stored and shown. A text that is no code, or has six digits or more, may quote the
 * message and is redacted.
 */
export function presentableCode(code: string): string {
  return /^[\x20-\x7e]+$/.test(code) && digitsIn(code).length < 6 ? code.slice(0, OUTCOME_CODE_MAX) : REDACTED
}

const WORDS_MAX = 200
/** As many spelled-out digits may be a code. */
const SPELLED_DIGITS = 4

/**
 * Words of a carrier as they may be stored and shown: they may quote the number or the message, so no digit is kept. Undefined where they
 * spell digits out.
 */
export function presentableWords(said: string): string | undefined {
  if ((said.match(DIGIT_NAME)?.length ?? 0) >= SPELLED_DIGITS) return undefined
  const words = said.replace(/[\p{C}\s]+/gu, ' ').trim()
  return words.replace(/\p{N}/gu, '#').slice(0, WORDS_MAX) || undefined
}

/** Equal characters in a row that count as a quote of the text. */
const QUOTED_CHARACTERS = 12

const isQuoting = (said: string, text: string): boolean =>
  Array.from({ length: Math.max(1, said.length - QUOTED_CHARACTERS + 1) }, (_, at) =>
    said.slice(at, at + QUOTED_CHARACTERS),
  ).some((part) => part.length === QUOTED_CHARACTERS && text.includes(part))

/** Equal digits in a row that count as a quote; fewer may be chance. */
const QUOTED_DIGITS = 4

/** Redacts an outcome code that quotes digits of the number or the text, spelled out or not, and drops words that quote the text. */
export function withoutQuotes(answered: SendOutcome, { to, text }: { to: string; text: string }): SendOutcome {
  const quotes = answered.kind !== 'accepted' && answered.said !== undefined && isQuoting(answered.said, text)
  const outcome: SendOutcome = quotes ? { ...answered, said: undefined } : answered
  if (outcome.code === undefined) return outcome
  const secrets = [to.replace(/[^0-9]/g, ''), ...(text.match(/[0-9]+/g) ?? [])]
  const digits = digitsIn(outcome.code)
  for (let at = 0; at + QUOTED_DIGITS <= digits.length; at++) {
    const run = digits.slice(at, at + QUOTED_DIGITS)
    if (secrets.some((secret) => secret.includes(run))) return { ...outcome, code: REDACTED }
  }
  return outcome
}

/**
 * Whether the message is still worth sending: one with a live code only while that can be verified. A simulated delivery plays its
 * scenario to the end, whatever verify did meanwhile ("delivery and verification outcomes are independent").
 */
const isWanted = ({ mode, verificationStatus: status, erasedAt }: Message) =>
  erasedAt === undefined && (status === undefined || (mode === 'live' ? status === 'issued' : status !== 'expired'))

export const isWorthSending = (message: Message, now: number) => isWanted(message) && now < message.expiresAt

/** Whether number and text may still be needed; when not, the sealed outbox row is erased. */
export const maySendAgain = (message: Message) => isWanted(message) && (message.sendPending || canFallBack(message))

/** The leg that an issue is on, and the legs that may follow. */
export const legsOf = ({
  legs,
  leg,
  channel,
  smsFallback,
}: Pick<Message, 'legs' | 'leg' | 'channel' | 'smsFallback'>): readonly PlannedLeg[] =>
  legs ?? (leg === 'alimtalk' && channel === 'alimtalk' && smsFallback ? ALIMTALK_THEN_SMS : [{ channel: leg }])

const ALIMTALK_THEN_SMS: readonly PlannedLeg[] = [{ channel: 'alimtalk' }, { channel: 'sms' }]

export const canFallBack = (message: Message) => legsOf(message).length > 1 && !isFinal(message)

export const isFinal = (message: Message) =>
  message.deliveryStatus === 'delivered' || message.deliveryStatus === 'failed'

/** A changed message and its next step. */
export interface Step<M extends Message = Message> {
  message: M
  /** Send (again) after this wait; 0: at once. */
  sendAfterMs?: number
  /** A report may still come; ask for it, or give up on it, after this wait. */
  awaitReportMs?: number
  /** Send processing is over: charge, or give the credit back. */
  finish?: Settlement
  /** The next leg starts after this wait, unless the message is delivered by then. */
  nextLegAfterMs?: number
  /** The message may still be delivered, although the next leg starts: its report is awaited. */
  staysOpen?: boolean
}

/** A message of an earlier leg whose report is still awaited. */
export interface OpenMessage {
  readonly leg: Leg
  readonly messageId: string
}

/** Facts about an answered attempt. */
interface Answered {
  /** Wait before the next try, `undefined` when the leg is exhausted: see `route.ts`. */
  retryAfterMs: number | undefined
  /** Whether the carrier ever reports what became of a message; if not, its answer ends the processing. */
  reports: boolean
  now: number
  open?: OpenMessage | undefined
}

/** The next step after an answered attempt. */
export function afterSend<M extends Message>(
  message: M,
  outcome: SendOutcome,
  { retryAfterMs, reports, now, open }: Answered,
): Step<M> {
  switch (outcome.kind) {
    case 'accepted': {
      const step = awaitReport(sentAs(message, false, outcome.code, now), reports, outcome.reportAfterMs)
      const { waitSec } = legsOf(message)[0] ?? {}
      return waitSec === undefined ? step : { ...step, nextLegAfterMs: waitSec * SECOND_MS }
    }
    case 'ambiguous':
      return awaitReport(sentAs(message, true, outcome.code, now), reports)
    case 'refused':
      if (outcome.retry !== 'never' && retryAfterMs !== undefined && isWorthSending(message, now)) {
        return { message: withCode(message, outcome.code, now), sendAfterMs: retryAfterMs }
      }
      return afterLegFailed(withCode(message, outcome.code, now), now, open)
  }
}

/**
 * The steps after a report; `delivered` and `failed` are final, so later reports change nothing. A report that
 * overtakes the carrier's answer first marks the message as accepted.
 */
export function afterReport<M extends Message>(
  message: M,
  { leg, messageId }: OpenMessage,
  report: DeliveryReport,
  now: number,
  open?: OpenMessage,
): Step<M>[] {
  const isCurrent = message.messageId === messageId
  // Without a delivery plan only a failed leg is left, and its message is over.
  if (isFinal(message) || !(isCurrent || message.legs)) return []
  if (isCurrent && message.sendPending) {
    const accepted = sentAs(message, false, report.code, now)
    return [{ message: accepted }, ...afterReport(accepted, { leg, messageId }, report, now, open)]
  }
  const reported = withCode(message, report.code, now)
  if (report.status === 'delivered')
    return [finished({ ...reported, leg, messageId, sendPending: false, deliveryStatus: 'delivered' })]
  // A leg that the message has left has failed: its message is no longer open, and nothing else changes.
  return isCurrent ? [afterLegFailed(reported, now, open)] : []
}

/** The step after a leg was not delivered within its wait. Undefined where the issue does not move on, as after an ambiguous outcome. */
export function afterWait<M extends Message>(message: M, now: number): Step<M> | undefined {
  if (message.sendPending || message.providerOutcomeAmbiguous || !canFallBack(message) || !isWorthSending(message, now))
    return undefined
  return { ...onNextLeg(message), staysOpen: true }
}

/** Nothing (more) will be sent: the code expired or was replaced first, or there is no route. */
export const abandon = <M extends Message>(message: M, code: string, now: number, open?: OpenMessage): Step<M> =>
  withoutLeg(withCode(message, code, now), open)

/** The leg is over without a delivery: the next one takes over while the code is alive. */
function afterLegFailed<M extends Message>(message: M, now: number, open: OpenMessage | undefined): Step<M> {
  return canFallBack(message) && isWorthSending(message, now) ? onNextLeg(message) : withoutLeg(message, open)
}

function onNextLeg<M extends Message>(message: M): Step<M> {
  const [, ...following] = legsOf(message)
  const leg = following[0]?.channel ?? message.leg
  const next = { leg, legs: message.legs && following, sendPending: true, providerOutcomeAmbiguous: false }
  return { message: { ...message, ...next }, sendAfterMs: 0 }
}

/** No leg is left: the whole has failed, unless the message of an earlier leg may still be delivered. Then what ended later legs is not its code. */
function withoutLeg<M extends Message>(message: M, open: OpenMessage | undefined): Step<M> {
  if (!open) return failed(message)
  const { leg, messageId } = open
  const sent = { sendPending: false, providerOutcomeAmbiguous: false, providerOutcomeCode: undefined }
  return {
    message: { ...message, leg, messageId, legs: [{ channel: leg }], ...sent },
    awaitReportMs: REPORT_DEADLINE_MS,
  }
}

const failed = <M extends Message>(message: M): Step<M> => ({
  message: { ...message, deliveryStatus: 'failed', sendPending: false, providerOutcomeAmbiguous: false },
  finish: settlementOf(message),
})

const finished = <M extends Message>(message: M): Step<M> => ({
  message: { ...message, providerOutcomeAmbiguous: false },
  finish: 'debit',
})

/** A message that any carrier took, or may have taken, is charged; one that surely never left is not. */
export const settlementOf = (message: Message): Settlement =>
  message.deliveryStatus === 'queued' ? 'release' : 'debit'

const awaitReport = <M extends Message>(
  message: M,
  reports: boolean,
  reportAfterMs: number = REPORT_DEADLINE_MS,
): Step<M> => (reports ? { message, awaitReportMs: reportAfterMs } : { message, finish: 'debit' })

const sentAs = <M extends Message>(message: M, ambiguous: boolean, code: string | undefined, now: number): M => ({
  ...message,
  providerOutcomeCode: shownCode(code),
  updatedAt: now,
  deliveryStatus: 'sent',
  sendPending: false,
  providerOutcomeAmbiguous: ambiguous,
})

const withCode = <M extends Message>(message: M, code: string | undefined, now: number): M => ({
  ...message,
  providerOutcomeCode: shownCode(code),
  updatedAt: now,
})

const shownCode = (code: string | undefined) => (code === undefined ? undefined : presentableCode(code))

/**
 * Problems of charged messages, for which an operator may refund the credit. `ambiguous`: unknown whether it was sent.
 * `interrupted`: ambiguous since our process ended during the send. `untyped`: sent, and never verified.
 */
export const DELIVERY_PROBLEMS = ['ambiguous', 'interrupted', 'failed', 'untyped'] as const
export type DeliveryProblem = (typeof DELIVERY_PROBLEMS)[number]

export function hasProblem(message: Message, problem: DeliveryProblem): boolean {
  switch (problem) {
    case 'untyped':
      return message.verificationStatus !== 'verified' && message.deliveryStatus !== 'failed'
    case 'failed':
      return message.deliveryStatus === 'failed'
    case 'ambiguous':
      return message.providerOutcomeAmbiguous
    case 'interrupted':
      return message.providerOutcomeAmbiguous && message.providerOutcomeCode === CODE.interrupted
  }
}
