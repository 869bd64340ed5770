/**
 * Twilio Programmable Messaging: SMS to most countries. Reports come to StatusCallback, signed with the auth token;
 * where one is lost, or no public URL is configured, the message is asked for.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { AwaitedReport } from '../domain/delivery/attempt'
import type { CarrierConfig } from '../domain/delivery/carrier'
import type { DeliveryReport, SendOutcome } from '../domain/delivery/delivery'
import type { OutboundMessage } from '../domain/message/rendered-message'
import { MINUTE_MS, SECOND_MS } from '../domain/shared/value'
import type { Carrier, ReportCallback, ReportedMessage } from '../ports/carrier'
import type { TransportResult } from '../ports/network'
import { outcomeOfSilence, parseObject, type SendVerdict, verdictOfStatus } from './answer'
import type { CarrierDependencies, CarrierType } from './type'

const twilioConfig = z.strictObject({
  accountSid: z.string().regex(/^AC[0-9a-fA-F]{32}$/, 'must be an account SID: AC and 32 hex digits'),
  /** Also what Twilio signs its reports with, so an API key does not do. */
  authToken: z.string().regex(/^[\x21-\x7e]+$/, 'must be the auth token of the account'),
  /** A number in E.164, a short code, an alphanumeric sender, or the SID of a messaging service. */
  from: z.string().min(1),
  apiBase: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).default('https://api.twilio.com'),
  /** Former releases stored one; Twilio's reports are believed by their signature instead. */
  reportSecret: z.string().optional(),
})

type TwilioConfig = z.infer<typeof twilioConfig>

/** Twilio refuses a validity outside of this. */
const VALIDITY_MIN_SECONDS = 1
const VALIDITY_MAX_SECONDS = 36_000

/** A callback normally comes within seconds; without one it is time to ask. */
const ASK_AFTER_LOST_CALLBACK_MS = MINUTE_MS
const ASK_WITHOUT_CALLBACK_MS = 10 * SECOND_MS

function create({ name, config }: CarrierConfig, dependencies: CarrierDependencies): Carrier {
  const settings = twilioConfig.parse(config)
  const { transport, clock, timeoutMs, reportUrl } = dependencies
  const messagesUrl = `${settings.apiBase.replace(/\/+$/, '')}/2010-04-01/Accounts/${settings.accountSid}/Messages`
  const authorization = `Basic ${Buffer.from(`${settings.accountSid}:${settings.authToken}`).toString('base64')}`
  return {
    name,
    reports: true,
    async send(message) {
      const result = await transport.request({
        method: 'POST',
        url: `${messagesUrl}.json`,
        headers: { authorization, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: formOf(message, settings, reportUrl, clock.now()).toString(),
        timeoutMs,
      })
      return outcomeOf(result, reportUrl === undefined ? ASK_WITHOUT_CALLBACK_MS : ASK_AFTER_LOST_CALLBACK_MS)
    },
    async query(awaited) {
      const askAgainMs = askAgainAfterMs(awaited, clock.now())
      if (!isMessageSid(awaited.carrierMessageId)) return { askAgainMs }
      const result = await transport.request({
        method: 'GET',
        url: `${messagesUrl}/${awaited.carrierMessageId}.json`,
        headers: { authorization, accept: 'application/json' },
        timeoutMs,
      })
      return (result.kind === 'answered' && result.status === 200 && fateIn(result.body)) || { askAgainMs }
    },
    readReports: (callback) => (isAuthentic(callback, settings.authToken) ? reportsIn(callback.text) : undefined),
  }
}

function formOf(
  message: OutboundMessage,
  { from: configured }: TwilioConfig,
  reportUrl: string | undefined,
  now: number,
): URLSearchParams {
  const from = message.from ?? configured
  const secondsLeft = Math.floor((message.expiresAt - now) / SECOND_MS)
  return new URLSearchParams({
    To: message.to,
    [/^MG[0-9a-fA-F]{32}$/.test(from) ? 'MessagingServiceSid' : 'From']: from,
    Body: message.text,
    ...(reportUrl !== undefined && { StatusCallback: reportUrl }),
    // What is still queued when the code expires need not be sent.
    ValidityPeriod: String(Math.min(Math.max(secondsLeft, VALIDITY_MIN_SECONDS), VALIDITY_MAX_SECONDS)),
  })
}

/** Often while somebody waits for the code, seldom later. */
function askAgainAfterMs({ answeredAt }: AwaitedReport, now: number): number {
  const age = now - answeredAt
  if (age < 2 * MINUTE_MS) return 15 * SECOND_MS
  return age < 15 * MINUTE_MS ? MINUTE_MS : 15 * MINUTE_MS
}

function outcomeOf(result: TransportResult, reportAfterMs: number): SendOutcome {
  if (result.kind !== 'answered') return outcomeOfSilence(result)
  const { status } = result
  const answer = parseObject(result.body)
  if (status >= 200 && status < 300) {
    return isMessageSid(answer.sid)
      ? { kind: 'accepted', carrierMessageId: answer.sid, reportAfterMs }
      : { kind: 'ambiguous', code: `HTTP_${status}_WITHOUT_ID` }
  }
  const code = errorCodeOf(answer.code)
  return refusalOf(SEND_ERRORS[code ?? '']?.[0] ?? verdictOfStatus(status), code ?? `HTTP_${status}`)
}

const refusalOf = (retry: SendVerdict, code: string): SendOutcome =>
  retry === 'ambiguous' ? { kind: 'ambiguous', code } : { kind: 'refused', retry, code }

/** Answers to a send. Documentation: twilio.com/docs/api/errors. */
const SEND_ERRORS: Readonly<Record<string, readonly [SendVerdict, string]>> = {
  // The account.
  '10001': ['unfit', 'the Twilio account is not active; check its balance and its standing'],
  '10002': ['elsewhere', 'a Twilio trial account cannot do this; upgrade the account'],
  '20003': ['unfit', 'Twilio refused our credentials; check account SID and auth token'],
  '20005': ['unfit', 'the Twilio account is not active; check its balance and its standing'],
  '20006': ['elsewhere', 'the Twilio account may not do this'],
  '20008': ['unfit', 'test credentials of Twilio cannot do this; configure the live ones'],
  '20403': ['elsewhere', 'the Twilio account may not do this'],
  '20404': ['unfit', 'Twilio knows no such account; check account SID and API base'],
  '21408': ['elsewhere', 'sending to this country is not enabled; see the geo permissions of the Twilio account'],
  '21607': ['elsewhere', 'a Twilio trial account sends only from its trial number'],
  '21608': ['elsewhere', 'a Twilio trial account sends only to verified numbers; upgrade the account'],
  '60728': ['unfit', 'the Twilio account has used up its messages of this hour; ask for a higher limit'],
  '63038': ['unfit', 'the Twilio account has used up its messages of the day; ask for a higher limit'],
  // The sender.
  '21212': ['elsewhere', 'the sender is not valid at Twilio; check `from`'],
  '21266': ['never', 'the recipient is the sender itself'],
  '21267': ['elsewhere', 'a Twilio trial account cannot use an alphanumeric sender'],
  '21601': ['elsewhere', 'the sender is not an SMS number of the Twilio account'],
  '21603': ['elsewhere', 'the sender is missing; set `from`'],
  '21606': ['elsewhere', 'the sender cannot send SMS to this destination, or is not of this Twilio account'],
  '21612': ['elsewhere', 'Twilio has no route from this sender to this number; see its SMS guidelines of the country'],
  '21616': ['elsewhere', 'the sender matches several numbers of the Twilio account; give it in E.164'],
  '21659': ['elsewhere', 'the sender is not a Twilio number, or a short code of another country'],
  '21660': ['elsewhere', 'the sender belongs to another Twilio account than the credentials'],
  '21661': ['elsewhere', 'the sender cannot send SMS'],
  '21701': ['elsewhere', 'the messaging service does not exist in the Twilio account'],
  '21703': ['elsewhere', 'the messaging service has no sender for this destination'],
  '21704': ['elsewhere', 'the messaging service has no senders; add one in the Twilio console'],
  '21705': ['elsewhere', 'the messaging service SID is not valid'],
  // How we are set up.
  '21609': ['elsewhere', 'Twilio cannot call our report URL; check PUBLIC_URL'],
  '21624': ['elsewhere', 'Twilio refused the validity period of the message'],
  '90007': ['elsewhere', 'Twilio refused the validity period of the message'],
  '90014': ['elsewhere', 'Twilio refused the validity period of the message'],
  // The recipient and the text.
  '21211': ['never', 'the number is not valid'],
  '21265': ['never', 'the number is a short code, which cannot receive SMS'],
  '21602': ['never', 'the message has no text'],
  '21604': ['never', 'the message has no recipient'],
  '21605': ['never', 'the text is too long'],
  '21610': ['never', 'the recipient has replied STOP to this sender; only START from their phone lifts it'],
  '21614': ['never', 'the number is not a mobile number'],
  '21617': ['never', 'the text is too long: Twilio takes 1,600 characters'],
  '21619': ['never', 'the message has no text'],
  '21635': ['never', 'the number is a landline'],
  // Surely not taken, for now.
  '14107': ['later', 'too many messages between this sender and this number in a short time'],
  '20429': ['later', 'too many requests to Twilio at a time'],
  '21611': ['later', 'the queue of this sender is full; add senders or send more slowly'],
  '21730': ['later', 'Twilio is under maintenance'],
  '63017': ['later', 'the Twilio account sends too many messages a second'],
  // Who knows.
  '20500': ['ambiguous', 'Twilio failed while it had the message; it may be out'],
  '20503': ['ambiguous', 'Twilio was unavailable while it had the message; it may be out'],
  '20504': ['ambiguous', 'Twilio ran out of time while it had the message; it may be out'],
}

/** Why a message that was taken has failed. */
const DELIVERY_ERRORS: Readonly<Record<string, string>> = {
  '30001': 'the queue of the sender overflowed; add senders or send more slowly',
  '30002': 'the Twilio account was suspended before the message left; check its balance and its standing',
  '30003': 'the phone was unreachable: switched off, out of coverage, or not taking SMS',
  '30004': 'the message was blocked by the recipient or their carrier',
  '30005': 'the number is unknown or no longer in service',
  '30006': 'the number is a landline, or of a carrier that cannot be reached from this sender',
  '30007': 'the carrier filtered the message as unwanted; review text and sender registration',
  '30008': 'the carrier gave no reason',
  '30010': 'the price of the message is above the limit set for it',
  '30011': 'the network of the recipient does not take such messages',
  '30017': 'the network of the recipient is congested',
  '30018': 'the destination takes messages from registered senders only; register the sender',
  '30019': 'the message is larger than the carrier takes',
  '30021': 'Twilio failed inside; ask its support if this goes on',
  '30022': 'the US campaign sends faster than the carriers allow',
  '30023': 'the US brand has used up its messages of the day',
  '30024': 'the sender is not provisioned for the carrier of the recipient',
  '30032': 'the toll-free number is not verified with the carriers',
  '30034': 'the US number is not registered for A2P 10DLC',
  '30035': 'the US number is still being registered',
  '30036': 'the code expired before the message left the queue',
  '30040': 'the destination takes messages from registered senders only; register the sender',
  '30410': 'the carrier did not answer Twilio in time',
  '30450': 'the text is not allowed at the destination',
  '30453': 'Twilio blocked the number on suspicion of SMS pumping',
  '30454': 'the Twilio account has reached its spending limit',
  '30500': 'Twilio failed inside; ask its support if this goes on',
}

const MESSAGE_SID = /^(SM|MM)[0-9a-fA-F]{32}$/

const isMessageSid = (value: unknown): value is string => typeof value === 'string' && MESSAGE_SID.test(value)

/** A code of Twilio has at most five digits; whatever else stands there is none. */
function errorCodeOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && /^[1-9]\d{2,4}$/.test(text) ? text : undefined
}

const DELIVERED = new Set(['delivered', 'read'])
const FAILED = new Set(['undelivered', 'failed', 'canceled'])

/** Undefined while Twilio has not decided it. */
function fateOf(status: unknown, errorCode: unknown): DeliveryReport | undefined {
  if (typeof status !== 'string') return undefined
  if (DELIVERED.has(status)) return { status: 'delivered' }
  if (!FAILED.has(status)) return undefined
  return { status: 'failed', code: errorCodeOf(errorCode) ?? status.toUpperCase() }
}

function fateIn(body: string): DeliveryReport | undefined {
  const { status, error_code } = parseObject(body)
  return fateOf(status, error_code)
}

/** Of a signed callback; what is no final status is passed over. */
function reportsIn(text: string): ReportedMessage[] {
  const form = new URLSearchParams(text)
  const messageId = form.get('MessageSid')
  const fate = fateOf(form.get('MessageStatus'), form.get('ErrorCode'))
  return isMessageSid(messageId) && fate ? [{ messageId, ...fate }] : []
}

/** X-Twilio-Signature: HMAC-SHA1 over the URL it called and the fields of its form in order, each once. */
function isAuthentic({ url, headers, text }: ReportCallback, authToken: string): boolean {
  const fields = [...new URLSearchParams(text)]
    .sort(inOrder)
    .filter((field, index, all) => index === 0 || inOrder(field, all[index - 1] ?? field) !== 0)
  const expected = createHmac('sha1', authToken)
    .update(url + fields.flat().join(''))
    .digest()
  const shown = Buffer.from(headers.get('x-twilio-signature') ?? '', 'base64')
  return shown.length === expected.length && timingSafeEqual(shown, expected)
}

type FormField = [string, string]

/** By code unit, as Twilio sorts; a field that comes twice, by its values. */
function inOrder([keyA, valueA]: FormField, [keyB, valueB]: FormField): number {
  const [a, b] = keyA === keyB ? [valueA, valueB] : [keyA, keyB]
  return a < b ? -1 : Number(a > b)
}

const EXPLANATIONS: ReadonlyArray<[RegExp, string]> = [
  [/^NOT_SENT_/, 'no connection to Twilio; check network, DNS and the API base'],
  [/^NO_ANSWER_/, 'Twilio did not answer in time, or broke off; the message may be out'],
  [/^HTTP_2\d\d_WITHOUT_ID$/, 'Twilio answered without a message SID; the message may be out'],
  [/^HTTP_40[13]$/, 'Twilio refused our credentials; check account SID and auth token'],
  [/^HTTP_404$/, 'Twilio knows no such account; check account SID and API base'],
  [/^HTTP_429$/, 'too many requests to Twilio at a time'],
  [/^HTTP_(408|5\d\d)$/, 'Twilio failed while it had the message; it may be out'],
  [/^HTTP_[34]\d\d$/, 'Twilio refused the message'],
  [/^(UNDELIVERED|FAILED)$/, 'the message was not delivered; Twilio gave no reason'],
  [/^CANCELED$/, 'the message was canceled at Twilio'],
  [/^[1-9]\d{2,4}$/, 'see this code in the error dictionary of Twilio'],
]

function explain(code: string): string | undefined {
  const known = Object.hasOwn(SEND_ERRORS, code) ? SEND_ERRORS[code]?.[1] : undefined
  if (known !== undefined) return known
  if (Object.hasOwn(DELIVERY_ERRORS, code)) return DELIVERY_ERRORS[code]
  return EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1]
}

export const twilio: CarrierType = {
  config: twilioConfig,
  channels: ['sms'],
  reportsBySecret: false,
  create,
  explain,
}
