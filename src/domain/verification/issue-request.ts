/** Requests for a code: defaults, fingerprint, message and issue. Specification: `POST /issue`; decisions: "Idempotency". */

import type { ApiKey } from '../access/api-key'
import { assertAllowedContent } from '../access/browser-key'
import type { PlannedLeg } from '../delivery/plan'
import type { RenderedMessage } from '../message/rendered-message'
import { localeFor, type Texts, withAutofill } from '../message/rendered-message'
import {
  approvedIn,
  composed,
  DEFAULT_TEMPLATE_ID,
  inLanguage,
  messageTypeFor,
  render,
  type Template,
} from '../message/template'
import type { Recipient } from '../phone/phone'
import type { Addressed, Origin } from '../shared/addressed'
import { invalid } from '../shared/error'
import type { Channel, MessageType } from '../shared/value'
import type { Verification } from './verification'

/**
 * A validated request; texts are trimmed. `cost` is not billed but is part of the fingerprint; the fields behind
 * `maxAttempts` are not.
 */
export interface IssueRequest {
  phoneNumber: string
  purpose: string
  idempotencyKey: string
  channel?: Channel | undefined
  templateId?: string | undefined
  templateVariables?: Record<string, string> | undefined
  from?: string | undefined
  messageType?: MessageType | undefined
  smsFallback?: boolean | undefined
  cost?: number | undefined
  metadata?: Record<string, string> | undefined
  expiresInSec: number
  maxAttempts: number
  /** Language tag of the message. Not in the fingerprint: a page that was translated meanwhile makes the same request. */
  locale?: string | undefined
  /** False: the message has no autofill line for browsers. */
  webOtp?: false | undefined
  /** Address of the end user, from the browser or named by a server; undefined where unknown. */
  address?: string | undefined
  /** The channels by which the code goes, instead of the app's plan. No field of `/v1`, and not in the fingerprint. */
  legs?: readonly PlannedLeg[] | undefined
  /** Token of a challenge. */
  challenge?: string | undefined
  /** Ids of the request, for log and traces. */
  origin?: Origin | undefined
}

/** A request with every default filled in, so that spelling out a default is the same request. */
export interface ResolvedRequest {
  /** Canonical identity of the phone. */
  phone: string
  purpose: string
  channel: Channel
  templateId: string
  templateVariables: Readonly<Record<string, string>>
  from: string | undefined
  /** Undefined differs from a type: the type is known only once the text is rendered. */
  messageType: MessageType | undefined
  smsFallback: boolean
  cost: number | undefined
  metadata: Readonly<Record<string, string>>
  expiresInSec: number
  maxAttempts: number
}

/** Fills in every default. */
export const resolveRequest = (
  request: IssueRequest,
  { identity }: Pick<Recipient, 'identity'>,
  defaultChannel: Channel,
): ResolvedRequest => ({
  phone: identity,
  purpose: request.purpose,
  channel: request.channel ?? defaultChannel,
  templateId: request.templateId ?? DEFAULT_TEMPLATE_ID,
  templateVariables: Object.fromEntries(
    Object.entries(request.templateVariables ?? {}).map(([name, value]) => [name, composed(value)]),
  ),
  from: request.from || undefined,
  messageType: request.messageType,
  smsFallback: request.smsFallback ?? true,
  cost: request.cost,
  metadata: request.metadata ?? {},
  expiresInSec: request.expiresInSec,
  maxAttempts: request.maxAttempts,
})

/**
 * Canonical text of a request: two requests with one idempotency key are the same where these are equal. Specification:
 * `POST /issue` rules 3 and 4; decisions: "Idempotency".
 */
export function fingerprintText(request: ResolvedRequest): string {
  const { phone, purpose, channel, templateId, templateVariables, from, messageType, smsFallback, cost, metadata } =
    request
  return JSON.stringify([
    phone,
    purpose,
    channel,
    templateId,
    inOrder(templateVariables),
    from ?? null,
    messageType ?? null,
    // The fallback matters on AlimTalk only, and only where it is off.
    channel === 'alimtalk' && !smsFallback,
    cost ?? null,
    inOrder(metadata),
    request.expiresInSec,
    request.maxAttempts,
  ])
}

const inOrder = (map: Readonly<Record<string, string>>) => Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))

/** Settings of the text: those of the app, and those of the request. */
interface Wording extends Pick<IssueRequest, 'locale' | 'webOtp'> {
  texts: Texts
}

interface MessageInput {
  /** A text of another platform, which takes the place of the template. */
  text?: string | undefined
  template: Template | undefined
  wording: Wording
  code: string
  /** Undefined: no key limits what may be sent. */
  key: Pick<ApiKey, 'kind' | 'mode' | 'allows'> | undefined
  /** Whether it may go out as an SMS, whose length has limits. */
  maySms: boolean
}

/** Renders the message. Throws `invalid`, or `forbidden` for content that the key may not send. */
export function compose(
  request: ResolvedRequest,
  { to, country, scenario }: Pick<Recipient, 'to' | 'country' | 'scenario'>,
  { text: given, template, wording: { texts, locale, webOtp }, code, key, maySms }: MessageInput,
): RenderedMessage {
  const { channel, templateId, templateVariables: variables } = request
  if (!template) throw invalid('templateId', 'unknown_template', `no such template: ${templateId}`)
  if (!template.channelSupport.includes(channel))
    throw invalid('templateId', 'channel_not_supported', `${templateId} does not support ${channel}`, { channel })
  if (key) assertAllowedContent(key, request, template)
  const tag = localeFor(texts, locale, country)
  const autofill = webOtp === false ? { ...texts, webOtpDomain: undefined } : texts
  const translated = inLanguage(template, tag)
  const sms =
    (given === undefined ? undefined : composed(given)) ??
    withAutofill(render(translated, variables, code), autofill, code)
  const approved = approvedIn(template, tag)
  const text = channel === 'sms' ? sms : render(approved, variables, code)
  return {
    to,
    text,
    fallbackText: text === sms ? undefined : sms,
    code,
    from: request.from,
    messageType: maySms ? messageTypeFor(sms, request.messageType) : (request.messageType ?? 'SMS'),
    templateId,
    templateCode: approved.providerTemplateCode,
    // Other countries know no such ids, and their carriers may refuse them.
    dlt: country === 'IN' ? translated.dlt : undefined,
    variables,
    locale: translated.locale ?? tag,
    scenario,
  }
}

/** A verification that begins, with all that it is given: of an issue, its message. */
export const newVerification = <A extends Addressed>(
  given: A,
  code: Pick<Verification, 'codeHash' | 'maxAttempts'>,
): A & Verification => ({
  ...given,
  ...code,
  promisedExpiresAt: undefined,
  verificationStatus: 'issued',
  attemptsUsed: 0,
  verifiedAt: undefined,
  wrongAt: undefined,
})

/** Response of `POST /issue`; times are Unix milliseconds. */
export interface Issued {
  issueId: string
  expiresAt: number
  attemptsRemaining: number
  queuedAt: number
  /** When the next code for the phone and purpose may be issued. */
  resendAvailableAt: number
}

/** The first response and every replay of it, also after verification or expiry. */
export const issued = (
  issue: Pick<Verification, 'issueId' | 'promisedExpiresAt' | 'expiresAt' | 'maxAttempts' | 'createdAt'>,
  resendAvailableAt: number,
): Issued => ({
  issueId: issue.issueId,
  expiresAt: issue.promisedExpiresAt ?? issue.expiresAt,
  attemptsRemaining: issue.maxAttempts,
  queuedAt: issue.createdAt,
  resendAvailableAt,
})
