/** A message on its way: what is stored of it, and what a carrier gets. */

import type { Issue } from '../codes/issue'
import type { SendOutcome } from '../delivery/delivery'
import type { Leg, MessageType } from '../shared/value'

/** What delivery needs to know and nothing else may hold: number and text, rendered once at admission. */
export interface RenderedMessage {
  /** E.164. */
  to: string
  text: string
  /** What the SMS says that takes over from a failed AlimTalk, where it is not the same; that one's text is Kakao's. */
  fallbackText?: string | undefined
  code: string
  from: string | undefined
  messageType: MessageType
  /** Missing in a row of an earlier version. */
  templateId?: string | undefined
  templateCode: string
  variables: Readonly<Record<string, string>>
  /** The language of the SMS, or the one asked for where the template does not say its own; missing: nobody said any. */
  locale?: string | undefined
  scenario: number | undefined
}

/** One message as a carrier gets it. A channel that renders texts of its own makes them from code, template and locale. */
export interface OutboundMessage {
  messageId: string
  channel: Leg
  /** E.164. */
  to: string
  text: string
  code: string
  from?: string | undefined
  /** `sms` channel only. */
  messageType?: MessageType | undefined
  templateId?: string | undefined
  /** The carrier's code of the template. */
  templateCode?: string | undefined
  /** With `code` among them. */
  variables?: Record<string, string> | undefined
  /** A language tag such as `ko` or `zh-TW`. */
  locale?: string | undefined
  /** An SMS that takes over from a failed AlimTalk. */
  isFallback: boolean
  /** When the code expires, Unix milliseconds: sending later is useless. */
  expiresAt: number
  /** How long this leg is waited for before the next one begins. */
  waitSec?: number | undefined
  /** W3C `traceparent`, for a carrier whose settings say so. */
  trace?: string | undefined
  /** Test mode: what the simulator must play. */
  scenario?: number | undefined
}

/** The message of the leg an issue is on. */
export function messageOf(issue: Issue, rendered: RenderedMessage): OutboundMessage {
  const isSms = issue.leg === 'sms'
  const isFallback = issue.leg !== issue.channel
  return {
    messageId: issue.messageId,
    channel: issue.leg,
    to: rendered.to,
    text: (isFallback ? rendered.fallbackText : undefined) ?? rendered.text,
    code: rendered.code,
    from: rendered.from,
    messageType: isSms ? rendered.messageType : undefined,
    templateId: rendered.templateId,
    templateCode: rendered.templateCode,
    variables: { ...rendered.variables, code: rendered.code },
    locale: rendered.locale,
    isFallback,
    expiresAt: issue.expiresAt,
    waitSec: issue.legs?.[0]?.waitSec,
    scenario: rendered.scenario,
  }
}

const NO_DIGITS = /\D+/g

/** An id that quotes number or code is not kept; the carrier's reports are then recognised by our own id alone. */
export function withoutSecrets(outcome: SendOutcome, { to, code }: RenderedMessage): SendOutcome {
  if (outcome.kind !== 'accepted' || outcome.carrierMessageId === undefined) return outcome
  const id = outcome.carrierMessageId
  // WhatsApp encodes the number into its ids.
  const decoded = id.split('.').map((part) => Buffer.from(part, 'base64').toString('latin1'))
  const isQuoting = [id, ...decoded].some((text) => {
    const digits = text.replace(NO_DIGITS, '')
    return digits.includes(code) || digits.includes(to.slice(1).slice(-8))
  })
  return isQuoting ? { ...outcome, carrierMessageId: undefined } : outcome
}
