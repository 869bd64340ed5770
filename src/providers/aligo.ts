/**
 * Aligo, a Korean carrier with two APIs: SMS and LMS on one host, AlimTalk on another. It calls nobody back; what
 * became of a message is asked for. The fallback from AlimTalk to SMS is ours, so its own is always off.
 */
import { z } from 'zod'
import type { AwaitedReport } from '../domain/delivery/attempt'
import type { CarrierConfig } from '../domain/delivery/carrier'
import type { DeliveryReport, SendOutcome } from '../domain/delivery/delivery'
import type { OutboundMessage } from '../domain/message/rendered-message'
import { MINUTE_MS, SECOND_MS } from '../domain/shared/value'
import type { Carrier } from '../ports/carrier'
import type { TransportResult } from '../ports/network'
import { outcomeOfSilence, parseObject, type SendVerdict, textOf, verdictOfStatus } from './answer'
import type { CarrierDependencies, CarrierType } from './type'

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })

const aligoConfig = z.strictObject({
  apiKey: z.string().min(1),
  userId: z.string().min(1),
  /** Of the Kakao channel; AlimTalk only. */
  senderKey: z.string().min(1).optional(),
  /** A number that is registered with Aligo as a sender. */
  from: z.string().regex(/^\+?[0-9-]{8,16}$/, 'must be a Korean phone number'),
  apiBase: httpUrl.default('https://apis.aligo.in'),
  kakaoApiBase: httpUrl.default('https://kakaoapi.aligo.in'),
  /** Former releases stored one; Aligo sends no reports. */
  reportSecret: z.string().optional(),
})

type AligoConfig = z.infer<typeof aligoConfig>

/** Aligo tells within seconds whether Kakao took an AlimTalk, and a fallback waits for that. */
const REPORT_AFTER_MS = 5 * SECOND_MS

/** Aligo wants one; the recipient does not see it. */
const ALIMTALK_SUBJECT = '인증번호'

/** One of the two APIs. Its name marks ids and codes, so that a message is asked for where it was sent. */
interface AligoApi {
  name: 'sms' | 'at'
  base: string
  sendPath: string
  queryPath: string
  /** How the credentials are called there. */
  credentials: Record<string, string>
  /** Undefined where the account is not set up for it. */
  form(message: OutboundMessage, sender: string, receiver: string): Record<string, string> | undefined
  /** Where the answer has them. */
  resultIn(answer: AligoAnswer): ApiResult
  accepts: string
  errors: ErrorTable
  /** What became of a message, undefined while that is not decided. */
  fateOf(item: AligoAnswer): DeliveryReport | undefined
}

type AligoAnswer = Record<string, unknown>
type ErrorTable = Readonly<Record<string, readonly [SendVerdict, string]>>

interface ApiResult {
  code: string | undefined
  id: string | undefined
  succeeded: string | undefined
  failed: string | undefined
}

function create({ name, config }: CarrierConfig, dependencies: CarrierDependencies): Carrier {
  const settings = aligoConfig.parse(config)
  const { transport, clock, timeoutMs } = dependencies
  const apis = { sms: smsApi(settings), at: alimtalkApi(settings) }

  const post = ({ base }: AligoApi, path: string, fields: Record<string, string>) =>
    transport.request({
      method: 'POST',
      url: `${base.replace(/\/+$/, '')}${path}`,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
      timeoutMs,
    })

  return {
    name,
    reports: true,
    async send(message) {
      const receiver = nationalNumber(message.to)
      if (receiver === undefined) return { kind: 'refused', retry: 'elsewhere', code: NOT_KOREAN }
      const api = message.channel === 'alimtalk' ? apis.at : apis.sms
      const form = api.form(message, senderNumber(message.from ?? settings.from), receiver)
      if (!form) return { kind: 'refused', retry: 'elsewhere', code: NOT_SET_UP }
      return outcomeOf(api, await post(api, api.sendPath, { ...api.credentials, ...form }))
    },
    async query(awaited) {
      const askAgainMs = askAgainAfterMs(awaited, clock.now())
      const [, apiName, mid] = /^(sms|at):(\d+)$/.exec(awaited.carrierMessageId ?? '') ?? []
      if (apiName === undefined || mid === undefined) return { askAgainMs }
      const api = apiName === 'at' ? apis.at : apis.sms
      return fateIn(api, await post(api, api.queryPath, { ...api.credentials, mid })) ?? { askAgainMs }
    },
  }
}

const smsApi = ({ apiBase, apiKey, userId }: AligoConfig): AligoApi => ({
  name: 'sms',
  base: apiBase,
  sendPath: '/send/',
  queryPath: '/sms_list/',
  credentials: { key: apiKey, user_id: userId },
  form: ({ text, messageType }, sender, receiver) => ({ sender, receiver, msg: text, msg_type: messageType ?? 'SMS' }),
  resultIn: (answer) => ({
    code: textOf(answer.result_code),
    id: textOf(answer.msg_id),
    succeeded: textOf(answer.success_cnt),
    failed: textOf(answer.error_cnt),
  }),
  accepts: '1',
  errors: SMS_ERRORS,
  fateOf: smsFate,
})

const alimtalkApi = ({ kakaoApiBase, apiKey, userId, senderKey }: AligoConfig): AligoApi => ({
  name: 'at',
  base: kakaoApiBase,
  sendPath: '/akv10/alimtalk/send/',
  queryPath: '/akv10/history/detail/',
  credentials: { apikey: apiKey, userid: userId },
  form: ({ text, templateCode }, sender, receiver) =>
    senderKey === undefined || templateCode === undefined
      ? undefined
      : {
          senderkey: senderKey,
          tpl_code: templateCode,
          sender,
          receiver_1: receiver,
          subject_1: ALIMTALK_SUBJECT,
          message_1: text,
          failover: 'N',
        },
  resultIn: (answer) => {
    const info = objectOf(answer.info)
    return {
      code: textOf(answer.code),
      id: textOf(info.mid),
      succeeded: textOf(info.scnt),
      failed: textOf(info.fcnt),
    }
  },
  accepts: '0',
  errors: ALIMTALK_ERRORS,
  fateOf: alimtalkFate,
})

/** `+82 10…` as `010…`; undefined for a number of another country. */
function nationalNumber(e164: string): string | undefined {
  const [, rest] = /^\+82([1-9]\d{7,9})$/.exec(e164) ?? []
  return rest === undefined ? undefined : `0${rest}`
}

/** A sender is written as people write it, and may be one without an area code (`1588-…`). */
const senderNumber = (number: string) => number.replace(/^\+82/, '0').replace(/\D/g, '')

/** Often while somebody waits for the code, seldom later. */
function askAgainAfterMs({ answeredAt }: AwaitedReport, now: number): number {
  const age = now - answeredAt
  if (age < MINUTE_MS) return 5 * SECOND_MS
  return age < 10 * MINUTE_MS ? 30 * SECOND_MS : 10 * MINUTE_MS
}

function outcomeOf(api: AligoApi, result: TransportResult): SendOutcome {
  if (result.kind !== 'answered') return outcomeOfSilence(result)
  const answered = api.resultIn(parseObject(result.body))
  const isOk = result.status >= 200 && result.status < 300
  if (isOk && answered.code === api.accepts) return acceptanceOf(api, result.status, answered)
  return rejectionOf(api, result.status, answered.code)
}

function acceptanceOf(api: AligoApi, status: number, { id, succeeded, failed }: ApiResult): SendOutcome {
  // The request was fine, but its one recipient was turned down.
  if (succeeded === '0' && failed === '1') {
    return { kind: 'refused', retry: 'elsewhere', code: `${api.name}:${RECIPIENT_REFUSED}` }
  }
  return id !== undefined && /^\d{1,20}$/.test(id)
    ? { kind: 'accepted', carrierMessageId: `${api.name}:${id}`, reportAfterMs: REPORT_AFTER_MS }
    : { kind: 'ambiguous', code: `HTTP_${status}_WITHOUT_ID` }
}

function rejectionOf(api: AligoApi, status: number, resultCode: string | undefined): SendOutcome {
  const isCode = resultCode !== undefined && resultCode !== api.accepts && /^-?\d{1,5}$/.test(resultCode)
  const known = isCode && Object.hasOwn(api.errors, resultCode) ? api.errors[resultCode]?.[0] : undefined
  const retry = known ?? (isCode && status < 300 ? byUnknownCode(api, resultCode) : verdictOfStatus(status))
  const code = isCode ? `${api.name}:${resultCode}` : `HTTP_${status}`
  return retry === 'ambiguous' ? { kind: 'ambiguous', code } : { kind: 'refused', retry, code }
}

/**
 * Aligo documents any negative code (SMS), and any but 0 (AlimTalk), as a rejection, and explains it in Korean prose
 * only. Whatever it was, another carrier may try.
 */
const byUnknownCode = ({ name }: AligoApi, resultCode: string): SendVerdict =>
  name === 'at' || resultCode.startsWith('-') ? 'elsewhere' : 'ambiguous'

const NOT_KOREAN = 'NOT_KOREAN'
const NOT_SET_UP = 'NO_SENDER_KEY_OR_TEMPLATE'
const RECIPIENT_REFUSED = 'RECIPIENT_REFUSED'

/** `result_code` of /send/. Aligo publishes -101 and -201; of the others, what its customers have seen. */
const SMS_ERRORS: ErrorTable = {
  '-101': ['unfit', 'Aligo refused our credentials; check API key, user id, and that our IP is registered there'],
  '-102': ['elsewhere', 'Aligo refused a setting; check that the sender number is registered there'],
  '-103': ['elsewhere', 'Aligo refused a setting; check sender number and text'],
  '-104': ['unfit', 'Aligo refused our credentials; check API key and user id'],
  '-105': ['elsewhere', 'the sender number is not registered with Aligo'],
  '-201': ['unfit', 'the account at Aligo has no messages left; recharge it'],
  '-301': ['elsewhere', 'Aligo refused the request; check that our IP and the sender number are registered there'],
  '-302': ['elsewhere', 'the sender number is not registered with Aligo'],
  '-401': ['elsewhere', 'Aligo refused the request as a repetition'],
  '-501': ['ambiguous', 'Aligo failed while it had the message; it may be out'],
  '-804': ['elsewhere', 'Aligo took the request for a cancellation; check the API base'],
  [RECIPIENT_REFUSED]: ['elsewhere', 'Aligo turned the recipient down; the number may be wrong or blocked'],
}

/** `code` of /akv10/alimtalk/send/. -99 is for whatever is wrong with account or request. */
const ALIMTALK_ERRORS: ErrorTable = {
  '-99': [
    'elsewhere',
    'Aligo refused the request; check balance, API key, user id, and that our IP is registered there',
  ],
  '-101': ['unfit', 'Aligo refused our credentials; check API key, user id, and that our IP is registered there'],
  '-102': ['unfit', 'Aligo refused our credentials; check the user id'],
  '-103': ['elsewhere', 'Aligo does not know the sender key; check the Kakao channel'],
  '-104': ['elsewhere', 'Aligo does not know the template; check its code and that Kakao has approved it'],
  '-105': ['elsewhere', 'the sender number is not registered with Aligo'],
  '-201': ['unfit', 'the account at Aligo has no messages left; recharge it'],
  '-301': ['elsewhere', 'Aligo refused the number'],
  '501': ['unfit', 'Aligo refused our credentials; check API key and user id'],
  '509': ['elsewhere', 'Aligo refused the Kakao channel or the template in its present state'],
  '510': ['elsewhere', 'the template is not approved by Kakao'],
  '520': ['elsewhere', 'the Kakao channel is blocked or deleted'],
  [RECIPIENT_REFUSED]: ['elsewhere', 'Aligo turned the recipient down; the number may be wrong or blocked'],
}

/** `rslt` of an AlimTalk that failed. What is not listed, or says that nobody knows (5, 6, o), decides nothing. */
const ALIMTALK_FAILURES: Readonly<Record<string, string>> = {
  '1': 'the sender key is not valid; check the Kakao channel',
  '2': 'the phone is not connected to KakaoTalk',
  '8': 'Kakao cannot deliver to this user now',
  '9': 'the recipient has not used KakaoTalk lately',
  a: 'the account at Aligo has no messages left; recharge it',
  b: 'the account at Aligo may not send this',
  c: 'Kakao took the message for a repetition',
  d: 'Kakao took the number for a repetition',
  e: 'the carrier failed inside',
  f: 'the message has a wrong format; compare it with the template',
  k: 'the message does not exist at Kakao',
  p: 'the message was blocked as a repetition',
  q: 'the message was blocked as a repetition',
  t: 'the message has no text',
  A: 'the recipient does not use KakaoTalk',
  B: 'the recipient has blocked AlimTalk',
  C: 'Kakao took the message for a repetition',
  D: 'Kakao blocked a second message within five seconds',
  E: 'the KakaoTalk of the recipient is too old',
  F: 'Kakao gave no reason',
  G: 'Kakao could not send',
  H: 'Kakao failed inside',
  I: 'the number is not valid',
  J: 'the number is a 050 relay number, which gets no AlimTalk',
  L: 'the text is too long for an AlimTalk',
  M: 'Kakao does not know the template; check its code',
  U: 'the text does not match the approved template',
  V: 'Kakao could not compare the text with the template',
}

function alimtalkFate({ rslt }: AligoAnswer): DeliveryReport | undefined {
  const result = textOf(rslt)
  if (result === '0') return { status: 'delivered' }
  if (result === undefined || !Object.hasOwn(ALIMTALK_FAILURES, result)) return undefined
  return { status: 'failed', code: `rslt:${result}` }
}

/** `sms_state` is Korean prose; what is neither of these words is still on its way. */
const SMS_DELIVERED = new Set(['성공', '발송성공', '전송성공', '발송완료', '전송완료'])
const SMS_FAILED = /실패|거부|없음|불가|결번|초과|만료|취소|오류|에러|제한|차단|전원꺼짐|통신장애|반송/
const SMS_FAILURE = 'sms:FAILED'

function smsFate({ sms_state }: AligoAnswer): DeliveryReport | undefined {
  const state = textOf(sms_state)?.replace(/\s/g, '') ?? ''
  if (SMS_DELIVERED.has(state)) return { status: 'delivered' }
  return SMS_FAILED.test(state) ? { status: 'failed', code: SMS_FAILURE } : undefined
}

/** A query is about one message to one recipient: the only item of the list. */
function fateIn(api: AligoApi, result: TransportResult): DeliveryReport | undefined {
  if (result.kind !== 'answered' || result.status !== 200) return undefined
  const answer = parseObject(result.body)
  if (api.resultIn(answer).code !== api.accepts || !Array.isArray(answer.list)) return undefined
  return api.fateOf(objectOf(answer.list[0]))
}

const objectOf = (value: unknown): AligoAnswer =>
  typeof value === 'object' && value !== null ? (value as AligoAnswer) : {}

const EXPLANATIONS: ReadonlyArray<[RegExp, string]> = [
  [/^NOT_KOREAN$/, 'Aligo sends to Korean numbers only; add a provider for other countries'],
  [/^NO_SENDER_KEY_OR_TEMPLATE$/, 'AlimTalk needs `senderKey` of the Kakao channel and a template code'],
  [/^NOT_SENT_/, 'no connection to Aligo; check network, DNS and the API base'],
  [/^NO_ANSWER_/, 'Aligo did not answer in time, or broke off; the message may be out'],
  [/^HTTP_2\d\d_WITHOUT_ID$/, 'Aligo answered without a message id; the message may be out'],
  [/^HTTP_2\d\d$/, 'Aligo answered what cannot be read; the message may be out'],
  [/^HTTP_40[13]$/, 'Aligo refused our credentials, or our IP is not registered there'],
  [/^HTTP_429$/, 'too many requests to Aligo at a time'],
  [/^HTTP_(408|5\d\d)$/, 'Aligo failed while it had the message; it may be out'],
  [/^HTTP_[34]\d\d$/, 'Aligo refused the message; check the API base'],
  [/^sms:FAILED$/, 'the carrier could not deliver the message; the delivery list of Aligo says why'],
  [/^(sms|at):-?\d{1,5}$/, 'Aligo refused the message with a code it does not publish; see its sending history'],
]

const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sms: explanationsOf(SMS_ERRORS),
  at: explanationsOf(ALIMTALK_ERRORS),
  rslt: ALIMTALK_FAILURES,
}

function explanationsOf(errors: ErrorTable): Record<string, string> {
  return Object.fromEntries(Object.entries(errors).map(([code, [, explanation]]) => [code, explanation]))
}

function explain(code: string): string | undefined {
  const [, table, key] = /^(sms|at|rslt):(.+)$/.exec(code) ?? []
  const known = TABLES[table ?? '']
  if (known && key !== undefined && Object.hasOwn(known, key)) return known[key]
  return EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1]
}

export const aligo: CarrierType = {
  config: aligoConfig,
  channels: ['sms', 'alimtalk'],
  reportsBySecret: false,
  create,
  explain,
}
