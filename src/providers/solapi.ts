/**
 * SOLAPI, a Korean carrier: SMS, LMS and AlimTalk through one API. The fallback from AlimTalk to SMS is ours, so its
 * own is always off. Its webhook shows a fixed secret and proves little: what it says is asked for before it counts.
 */
import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { isSameSecret } from '../domain/access/api-key'
import type { AwaitedReport } from '../domain/delivery/attempt'
import type { CarrierConfig } from '../domain/delivery/carrier'
import type { DeliveryReport, SendOutcome } from '../domain/delivery/delivery'
import type { OutboundMessage } from '../domain/message/rendered-message'
import { numbers } from '../domain/phone/numbers'
import { MINUTE_MS, SECOND_MS } from '../domain/shared/value'
import type { Carrier, ReportCallback, ReportedMessage } from '../ports/carrier'
import type { TransportResult } from '../ports/network'
import {
  domesticDigits,
  outcomeOfSilence,
  parseObject,
  parseReports,
  type SendVerdict,
  verdictOfStatus,
  withoutCode,
} from './answer'
import type { CarrierDependencies, CarrierType } from './type'

const solapiConfig = z.strictObject({
  apiKey: z.string().regex(/^[0-9A-Za-z]+$/, 'must be the API key of the account'),
  apiSecret: z.string().min(1),
  /** A number that is registered with SOLAPI as a sender. */
  from: z.string().regex(/^\+?[0-9-]{8,16}$/, 'must be a phone number'),
  /** Of the Kakao channel; AlimTalk only. */
  pfId: z.string().min(1).optional(),
  apiBase: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).default('https://api.solapi.com'),
  /** What a report must show to be heard: the secret of the webhook at SOLAPI. */
  reportSecret: z.string().min(16),
})

type SolapiConfig = z.infer<typeof solapiConfig>

/** An AlimTalk is settled within seconds, and a fallback waits for that; nothing waits for the report of an SMS. */
const FIRST_ASK_MS = { alimtalk: 5 * SECOND_MS, sms: 30 * SECOND_MS }
const ASK_AGAIN_MIN_MS = 5 * SECOND_MS
const ASK_AGAIN_MAX_MS = 30 * MINUTE_MS

const SALT_BYTES = 16

function create({ name, config }: CarrierConfig, dependencies: CarrierDependencies): Carrier {
  const settings = solapiConfig.parse(config)
  const { transport, clock, timeoutMs } = dependencies
  const messagesUrl = `${settings.apiBase.replace(/\/+$/, '')}/messages/v4`
  const headers = () => ({ authorization: authorizationOf(settings, dependencies), accept: 'application/json' })
  return {
    name,
    reports: true,
    async send(message) {
      const recipient = recipientOf(message.to)
      if (!recipient) return { kind: 'refused', retry: 'never', code: 'NOT_E164' }
      if (message.channel === 'alimtalk' && settings.pfId === undefined) {
        return { kind: 'refused', retry: 'elsewhere', code: 'NO_PF_ID' }
      }
      const result = await transport.request({
        method: 'POST',
        url: `${messagesUrl}/send`,
        headers: { ...headers(), 'content-type': 'application/json' },
        body: JSON.stringify({ message: bodyOf(message, recipient, settings) }),
        timeoutMs,
      })
      return outcomeOf(result, FIRST_ASK_MS[message.channel === 'alimtalk' ? 'alimtalk' : 'sms'])
    },
    async query(awaited) {
      const askAgainMs = askAgainMsOf(awaited, clock.now())
      const id = awaited.carrierMessageId
      if (id === undefined) return { askAgainMs }
      const url = `${messagesUrl}/list?messageId=${encodeURIComponent(id)}`
      const result = await transport.request({ method: 'GET', url, headers: headers(), timeoutMs })
      return reportFrom(result, id) ?? { askAgainMs }
    },
    readReports: (callback) => (isAuthentic(callback, settings.reportSecret) ? reportsIn(callback.text) : undefined),
  }
}

/** A signature can be used once, within 15 minutes of its date; the salt makes it differ within one millisecond. */
function authorizationOf({ apiKey, apiSecret }: SolapiConfig, { clock, random }: CarrierDependencies): string {
  const date = new Date(clock.now()).toISOString()
  const salt = Buffer.from(random.bytes(SALT_BYTES)).toString('hex')
  const signature = createHmac('sha256', apiSecret).update(`${date}${salt}`).digest('hex')
  return `HMAC-SHA256 apiKey=${apiKey}, date=${date}, salt=${salt}, signature=${signature}`
}

interface SolapiRecipient {
  to: string
  country: string
}

function bodyOf(message: OutboundMessage, recipient: SolapiRecipient, { from, pfId }: SolapiConfig) {
  const common = {
    ...recipient,
    from: domesticDigits(message.from ?? from),
    customFields: { messageId: message.messageId },
  }
  if (message.channel === 'sms') return { ...common, text: message.text, type: message.messageType ?? 'SMS' }
  // No text: Kakao's registered template is filled in; a text of ours that differs by a space would be refused.
  const variables = kakaoVariables(message.variables)
  const kakaoOptions = { pfId, templateId: message.templateCode, variables, disableSms: true }
  return { ...common, type: 'ATA', kakaoOptions }
}

const kakaoVariables = (variables: OutboundMessage['variables'] = {}) =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [`#{${name}}`, value]))

/** Korean numbers as they are dialled in Korea, others without the country code, which goes into a field of its own. */
function recipientOf(e164: string): SolapiRecipient | undefined {
  const parsed = numbers().parsePhoneNumberFromString(e164)
  if (!parsed) return undefined
  const country: string = parsed.countryCallingCode
  return { to: `${country === '82' ? '0' : ''}${parsed.nationalNumber}`, country }
}

/** docs.solapi.com/api-reference/message-status-codes: 1xxx not taken, 2xxx platform, 3xxx carrier or Kakao. */
export const SOLAPI_CODES: ReadonlyMap<string, readonly [SendVerdict, string]> = new Map([
  ['1010', ['elsewhere', 'a required field was missing in our request']],
  ['1011', ['elsewhere', 'a field of our request had the wrong format']],
  ['1013', ['elsewhere', 'an SMS cannot have a subject']],
  ['1014', ['elsewhere', 'the subject is longer than 40 bytes']],
  ['1020', ['unfit', 'SOLAPI does not know the account, or the API key or secret is wrong']],
  ['1021', ['elsewhere', 'SOLAPI has no such message']],
  ['1022', ['elsewhere', 'SOLAPI has no such message group']],
  ['1023', ['elsewhere', 'SOLAPI has no such image']],
  ['1024', ['later', 'SOLAPI had a server error before it took the message']],
  ['1025', ['elsewhere', 'SOLAPI does not know the message type']],
  ['1026', ['never', 'SOLAPI takes the recipient for a duplicate']],
  ['1027', ['elsewhere', 'the text was not UTF-8']],
  ['1028', ['elsewhere', 'the text has characters that cannot be printed']],
  ['1029', ['elsewhere', 'the text has characters outside of EUC-KR']],
  ['1030', ['unfit', 'the SOLAPI account has no balance left']],
  ['1031', ['elsewhere', 'the text is too long: 90 bytes as SMS, 2000 as LMS, 1000 characters as AlimTalk']],
  ['1032', ['elsewhere', 'SOLAPI refused the custom fields of our request']],
  ['1033', ['elsewhere', 'Kakao options were sent with a message that is no AlimTalk']],
  ['1034', ['elsewhere', 'the image does not exist at SOLAPI']],
  ['1041', ['elsewhere', 'the Kakao channel (pfId) is not valid']],
  ['1042', ['elsewhere', 'the AlimTalk template code is not valid']],
  ['1043', ['elsewhere', 'the message differs from the registered AlimTalk template; check its variables']],
  ['1044', ['elsewhere', 'a button of the AlimTalk template is not valid']],
  ['1045', ['elsewhere', 'a button URL of the AlimTalk template is not valid']],
  ['1046', ['elsewhere', 'the AlimTalk template has buttons; use one without']],
  ['1047', ['elsewhere', 'the AlimTalk template has no buttons, yet some were sent']],
  ['1048', ['elsewhere', 'a button URL of the AlimTalk template is too long']],
  ['1049', ['elsewhere', 'a button name of the AlimTalk template is too long']],
  ['1050', ['elsewhere', 'the AlimTalk template has more than five buttons']],
  ['1051', ['elsewhere', 'the Kakao image is not registered']],
  ['1052', ['elsewhere', 'the buttons are not in the order of the AlimTalk template']],
  ['1053', ['elsewhere', 'the button type is not allowed here']],
  ['1058', ['elsewhere', 'SOLAPI has no route to this number']],
  ['1060', ['never', 'the recipient is blocked at SOLAPI']],
  ['1061', ['never', 'the recipient has opted out of messages (080 service)']],
  ['1062', ['elsewhere', 'sender number not registered with SOLAPI']],
  ['1064', ['unfit', 'sending is blocked after a report to KISA; contact SOLAPI']],
  ['2011', ['elsewhere', 'SOLAPI found a field of the message malformed']],
  ['2024', ['ambiguous', 'SOLAPI had a server error after it took the message; it may be out']],
  ['2060', ['never', 'the recipient is blocked at SOLAPI']],
  ['2061', ['never', 'the recipient has opted out of messages (080 service)']],
  ['2062', ['elsewhere', 'sender number not registered with SOLAPI']],
  ['2063', ['unfit', 'the SOLAPI account is blocked']],
  ['2064', ['unfit', 'sending is blocked after a report to KISA; contact SOLAPI']],
  ['2230', ['unfit', 'the SOLAPI account has no balance left']],
  ['2254', ['never', 'SOLAPI takes the message for spam']],
  ['3010', ['never', 'the recipient is no valid number']],
  ['3011', ['elsewhere', 'the carrier found the message malformed']],
  ['3012', ['later', 'the carrier had a server error']],
  ['3013', ['elsewhere', 'the sender number has a format the carriers forbid']],
  ['3014', ['ambiguous', 'the carrier does not know what became of the message']],
  ['3024', ['later', 'the carrier had a server error']],
  ['3031', ['elsewhere', 'the carrier cannot send the message']],
  ['3032', ['never', 'nobody has this number']],
  ['3040', ['later', 'the carrier could not deliver the message in time']],
  ['3041', ['later', 'the phone was busy']],
  ['3042', ['later', 'the phone was out of coverage']],
  ['3043', ['later', 'the phone was off']],
  ['3044', ['later', 'the phone has no room for messages']],
  ['3045', ['never', 'the service of this phone is suspended']],
  ['3046', ['later', 'the phone had some other problem']],
  ['3047', ['never', 'the phone rejects the message']],
  ['3048', ['ambiguous', 'the carrier answered with a code that SOLAPI does not know']],
  ['3050', ['never', 'the phone cannot receive SMS']],
  ['3051', ['later', 'the phone could not be reached']],
  ['3052', ['elsewhere', 'the carrier has deleted the message']],
  ['3053', ['later', 'the queue of the carrier is full']],
  ['3054', ['never', 'the carrier takes the message for spam']],
  ['3055', ['never', 'the recipient is on the do-not-spam list (nospam.or.kr)']],
  ['3056', ['later', 'the mobile network could not deliver the message']],
  ['3057', ['later', 'the mobile network could not reach the phone']],
  ['3058', ['elsewhere', 'the carrier has no route to this number']],
  ['3059', ['elsewhere', 'the carriers take the sender number for a forged one; register it']],
  ['3060', ['never', 'the recipient failed the adult check of the carrier']],
  ['3101', ['elsewhere', 'the Kakao sender profile key is not valid']],
  ['3102', ['never', 'the recipient is no friend of the Kakao channel']],
  ['3103', ['elsewhere', 'the message differs from the registered AlimTalk template; check its variables']],
  ['3104', ['never', 'the recipient does not use KakaoTalk']],
  ['3105', ['elsewhere', 'the AlimTalk template is not registered']],
  ['3106', ['elsewhere', 'the Kakao channel is not valid']],
  ['3107', ['never', 'the recipient blocks AlimTalk, or has not used KakaoTalk for 72 hours']],
  ['3108', ['elsewhere', 'Kakao does not deliver this kind of message at this hour']],
  ['InvalidAPIKey', ['unfit', 'SOLAPI does not know the API key']],
  ['SignatureDoesNotMatch', ['unfit', 'the API secret is wrong']],
  ['RequestTimeTooSkewed', ['unfit', 'the clock of this machine is more than 15 minutes off']],
  // A signature is fresh for every call: seen twice means that the network repeated it, and the first one counted.
  ['DuplicatedSignature', ['ambiguous', 'the request arrived twice; the first one was taken, its answer got lost']],
  ['ValidationError', ['elsewhere', 'SOLAPI found our request malformed']],
  ['NotEnoughBalance', ['unfit', 'the SOLAPI account has no balance left']],
  ['Unauthorized', ['unfit', 'SOLAPI refused our credentials']],
  ['Forbidden', ['unfit', 'the API key may not send messages, or not from this address']],
  ['TooManyRequests', ['later', 'SOLAPI asks for fewer messages at a time']],
])

const DELIVERED = '4000'
/** Taken; further codes of the platform that are no errors (2xxx) do not decide either. */
const isPending = (code: string) => code === '3000' || (code.startsWith('2') && !SOLAPI_CODES.has(code))

function outcomeOf(result: TransportResult, reportAfterMs: number): SendOutcome {
  if (result.kind !== 'answered') return outcomeOfSilence(result)
  const answer = parseObject(result.body)
  const isOk = result.status >= 200 && result.status < 300
  const code = codeOf(isOk ? answer.statusCode : (answer.errorCode ?? answer.statusCode))
  if (code === undefined) return withoutCode(result.status)
  if (isOk && (code === DELIVERED || isPending(code))) {
    const id = answer.messageId
    return typeof id === 'string' && /^[\x21-\x7e]{1,256}$/.test(id)
      ? { kind: 'accepted', carrierMessageId: id, reportAfterMs }
      : { kind: 'ambiguous', code: `HTTP_${result.status}_WITHOUT_ID` }
  }
  const verdict = SOLAPI_CODES.get(code)?.[0] ?? unlisted(code, result.status)
  return verdict === 'ambiguous' ? { kind: 'ambiguous', code } : { kind: 'refused', retry: verdict, code }
}

/** 1xxx is an error before the message was taken; any other code says so only with an HTTP status that does. */
const unlisted = (code: string, status: number): SendVerdict =>
  /^1\d{3}$/.test(code) ? 'elsewhere' : verdictOfStatus(status)

/** What is no four digits or name of an error may quote the message, and is not passed on. */
function codeOf(value: unknown): string | undefined {
  const code = typeof value === 'number' ? String(value) : value
  return typeof code === 'string' && /^(\d{4}|[A-Z][A-Za-z]{2,39})$/.test(code) ? code : undefined
}

/** Undefined while it is not decided, and for codes that leave it open. A new code means what its first digit does. */
function reportOf(statusCode: unknown): DeliveryReport | undefined {
  const code = codeOf(statusCode)
  if (code === undefined || !/^(4000|[123]\d{3})$/.test(code) || isPending(code)) return undefined
  if (code === DELIVERED) return { status: 'delivered', code }
  return SOLAPI_CODES.get(code)?.[0] === 'ambiguous' ? undefined : { status: 'failed', code }
}

function reportFrom(result: TransportResult, id: string): DeliveryReport | undefined {
  if (result.kind !== 'answered' || result.status !== 200) return undefined
  const list = parseObject(result.body).messageList
  if (typeof list !== 'object' || list === null) return undefined
  const message = Object.values(list).find((listed) => listed?.messageId === id)
  return reportOf(message?.statusCode)
}

/** Often while it is young, as a fallback may wait for the answer, and ever more seldom. */
const askAgainMsOf = ({ answeredAt }: AwaitedReport, now: number) =>
  Math.min(Math.max(Math.round((now - answeredAt) / 2), ASK_AGAIN_MIN_MS), ASK_AGAIN_MAX_MS)

/** SOLAPI shows the SHA-1 of the secret of the webhook; a bearer token or `token` in the URL are there for proxies. */
function isAuthentic({ headers, query }: ReportCallback, secret: string): boolean {
  const header = headers.get('x-solapi-secret')
  if (header !== null)
    return isSameSecret(header, secret) || isSameSecret(header, createHash('sha1').update(secret).digest('hex'))
  return isSameSecret(headers.get('authorization')?.replace(/^Bearer /i, '') ?? query.get('token') ?? '', secret)
}

const reportSchema = z.object({
  messageId: z.string().min(1),
  statusCode: z.union([z.string(), z.number()]),
  customFields: z
    .object({ messageId: z.string().min(1) })
    .optional()
    .catch(undefined),
})

/** One report or an array. What is none, or decides nothing, is passed over. */
function reportsIn(text: string): ReportedMessage[] {
  const body = parseReports(text)
  return (Array.isArray(body) ? body : [body]).flatMap((item) => {
    const reported = reportSchema.safeParse(item).data
    const report = reported && reportOf(reported.statusCode)
    if (!report) return []
    const { messageId: theirs, customFields } = reported
    const ids = customFields ? { messageId: customFields.messageId, carrierMessageId: theirs } : { messageId: theirs }
    return [{ ...ids, ...report, mustAsk: true }]
  })
}

const EXPLANATIONS: ReadonlyArray<[RegExp, string]> = [
  [/^NOT_E164$/, 'the recipient is no valid number'],
  [/^NO_PF_ID$/, 'AlimTalk needs the Kakao channel: add pfId to the configuration'],
  [/^4000$/, 'delivered'],
  [/^NOT_SENT_/, 'no connection to SOLAPI; check apiBase, DNS and certificates'],
  [/^NO_ANSWER_/, 'SOLAPI did not answer in time, or broke off; the message may be out'],
  [/^HTTP_2\d\d_/, 'SOLAPI answered something that could not be read; the message may be out; check apiBase'],
  [/^HTTP_40[13]$/, 'SOLAPI refused our credentials'],
  [/^HTTP_402$/, 'the SOLAPI account has no balance left'],
  [/^HTTP_429$/, 'SOLAPI asks for fewer messages at a time'],
  [/^HTTP_(408|5\d\d)$/, 'SOLAPI failed while it had the message; it may be out'],
  [/^HTTP_[34]\d\d$/, 'SOLAPI refused the request; check apiBase'],
  [/^1\d{3}$/, 'SOLAPI did not take the message, with a code that is not listed'],
  [/^[23]\d{3}$/, 'the message failed on its way, with a code that is not listed'],
  [/^[A-Z][A-Za-z]{2,39}$/, 'SOLAPI refused the request with an error that is not listed'],
]

export const solapi: CarrierType = {
  config: solapiConfig,
  channels: ['sms', 'alimtalk'],
  reportsBySecret: true,
  create,
  explain: (code) => SOLAPI_CODES.get(code)?.[1] ?? EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1],
}
