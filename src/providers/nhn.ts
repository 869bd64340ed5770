/**
 * NHN Cloud, a Korean carrier with two products: SMS (and LMS) and KakaoTalk Bizmessage (AlimTalk), each with its own
 * host, app key and codes. Both use the lane for verification codes; there is none for LMS, which goes as plain MMS
 * without a picture. Their webhooks show a fixed signature: what they say is asked for before it counts.
 */
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
  parseJson,
  parseReports,
  type SendVerdict,
  verdictOfStatus,
  withoutCode,
} from './answer'
import type { CarrierDependencies, CarrierType } from './type'

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
const key = z.string().regex(/^[\x21-\x7e]+$/, 'must be a key as the console shows it')

const nhnConfig = z
  .strictObject({
    sms: z
      .strictObject({
        appKey: key,
        secretKey: key,
        /** A number that is registered with NHN as a sender. */
        from: z.string().regex(/^\+?[0-9-]{8,16}$/, 'must be a phone number'),
        /** An LMS must have a title. */
        lmsTitle: z.string().min(1).max(20).default('인증번호'),
        // *.cloud.toast.com was switched off on 2026-09-01.
        apiBase: httpUrl.default('https://sms.api.nhncloudservice.com'),
      })
      .optional(),
    alimtalk: z
      .strictObject({
        appKey: key,
        secretKey: key,
        /** Of the Kakao channel. */
        senderKey: key,
        apiBase: httpUrl.default('https://kakaotalk-bizmessage.api.nhncloudservice.com'),
      })
      .optional(),
    /** What a report must show to be heard: the signature of the webhook at NHN. */
    reportSecret: z.string().min(16),
  })
  .refine(({ sms, alimtalk }) => sms ?? alimtalk, { path: ['sms'], error: 'configure sms, alimtalk or both' })

type NhnConfig = z.infer<typeof nhnConfig>

/** An AlimTalk is settled within seconds, and a fallback waits for that; nothing waits for the report of an SMS. */
const FIRST_ASK_MS = { alimtalk: 5 * SECOND_MS, sms: 30 * SECOND_MS }
const ASK_AGAIN_MIN_MS = 5 * SECOND_MS
const ASK_AGAIN_MAX_MS = 30 * MINUTE_MS

type Codes = ReadonlyMap<string, readonly [SendVerdict, string]>

/** Negative: answers of the SMS API. Others: what the carriers made of the message. */
export const NHN_SMS_CODES: Codes = new Map([
  ['4', ['elsewhere', 'NHN found a field of our request invalid']],
  ['-1000', ['elsewhere', 'the SMS app key is not valid']],
  ['-1001', ['elsewhere', 'NHN does not know the SMS app key']],
  ['-1002', ['elsewhere', 'the SMS service of this app key was closed']],
  ['-1003', ['elsewhere', 'the member does not belong to the NHN project']],
  ['-1004', ['unfit', 'NHN does not allow requests from this IP address']],
  ['-1005', ['elsewhere', 'NHN found a parameter of our request invalid']],
  ['-1006', ['elsewhere', 'NHN does not know the message type']],
  ['-1007', ['elsewhere', 'the NHN member is not valid']],
  ['-1008', ['unfit', 'the NHN project is blocked']],
  ['-2000', ['elsewhere', 'a date of our request is malformed']],
  ['-2001', ['elsewhere', 'our request named no recipient']],
  ['-2014', ['elsewhere', 'the title or the text is empty']],
  ['-2015', ['elsewhere', 'the title or the text is too long']],
  ['-2018', ['never', 'the recipient is empty']],
  ['-2019', ['never', 'the recipient is no valid number']],
  ['-2021', ['ambiguous', 'NHN could not queue the message; it may be out']],
  ['-2022', ['elsewhere', 'the sending time lies in the past']],
  ['-2023', ['elsewhere', 'the text has characters an SMS cannot carry, such as emoji']],
  ['-2024', ['elsewhere', 'NHN sends no LMS to other countries']],
  ['-2044', ['elsewhere', 'NHN does not send to this country']],
  ['-2045', ['elsewhere', 'sending to other countries is switched off in the NHN console']],
  ['-2046', ['elsewhere', 'this country is blocked in the NHN console']],
  ['-2047', ['elsewhere', 'the limit for messages to other countries is used up']],
  ['-2048', ['elsewhere', 'the text is too long for another country']],
  ['-2312', ['elsewhere', 'sender number not registered with NHN']],
  ['-2313', ['elsewhere', 'NHN has blocked the sender number']],
  ['-6001', ['never', 'the recipient has opted out of messages (080 service)']],
  ['-8000', ['elsewhere', 'the text lacks a word such as 인증, 비밀번호 or verify; change the template']],
  ['-9995', ['elsewhere', 'NHN no longer has this API version']],
  ['-9996', ['elsewhere', 'NHN does not take the content type of our request']],
  ['-9997', ['elsewhere', 'NHN could not read our request']],
  ['-9998', ['elsewhere', 'NHN has no such API; check apiBase']],
  ['-9999', ['ambiguous', 'NHN had an unexpected error; the message may be out']],
  ['1001', ['later', 'the carrier was busy']],
  ['1002', ['never', 'the recipient is no valid number']],
  ['1003', ['elsewhere', 'the sender number has the wrong format']],
  ['1019', ['later', 'the message was too old when the carrier came to it']],
  ['2000', ['later', 'the carrier could not deliver the message in time']],
  ['2001', ['later', 'the mobile network could not deliver the message']],
  ['2002', ['later', 'the mobile network could not reach the phone']],
  ['2003', ['later', 'the phone was off']],
  ['2004', ['later', 'too many messages are waiting for the phone']],
  ['2005', ['later', 'the phone was out of coverage']],
  ['2006', ['elsewhere', 'the carrier has deleted the message']],
  ['2007', ['later', 'the phone had a passing problem']],
  ['3000', ['elsewhere', 'the carrier cannot send the message']],
  ['3001', ['never', 'nobody has this number']],
  ['3002', ['never', 'the recipient failed the adult check of the carrier']],
  ['3003', ['never', 'the recipient is no valid number, or nobody has it']],
  ['3004', ['never', 'the service of this phone is suspended']],
  ['3005', ['later', 'the phone was in a call']],
  ['3006', ['never', 'the phone rejects the message']],
  ['3007', ['never', 'the phone cannot receive such a message']],
  ['3008', ['later', 'the phone had some other problem']],
  ['3009', ['elsewhere', 'the carrier found the message malformed']],
  ['3010', ['never', 'the phone cannot receive LMS']],
  ['3011', ['later', 'the carrier had a server error']],
  ['3012', ['never', 'the carrier takes the message for spam']],
  ['3013', ['elsewhere', 'the carrier refused the service']],
  ['3014', ['elsewhere', 'the carrier did not deliver the message, for a reason it does not tell']],
  ['3015', ['elsewhere', 'the carrier has no route to this number']],
  ['3016', ['elsewhere', 'the attached file is too large']],
  ['3017', ['elsewhere', 'the carriers take the sender number for a forged one; check its format']],
  ['3018', ['elsewhere', 'the sender number is protected against use by companies']],
  ['3019', ['elsewhere', 'sender number not registered with the carrier, or blocked by KISA']],
  ['E911', ['elsewhere', 'the attached file has no extension']],
  ['E913', ['elsewhere', 'the attached file is empty']],
  ['E915', ['ambiguous', 'the carrier had this message already']],
  ['E919', ['elsewhere', 'the carrier does not repeat the message at this hour']],
  ['E999', ['elsewhere', 'the carrier did not deliver the message, for a reason it does not tell']],
])

/** Negative: answers of the Bizmessage API. Others: what Kakao made of the message. */
export const NHN_ALIMTALK_CODES: Codes = new Map([
  ['4', ['elsewhere', 'NHN found a field of our request invalid']],
  ['-1000', ['elsewhere', 'the AlimTalk app key is not valid']],
  ['-1001', ['elsewhere', 'the AlimTalk secret key is not valid']],
  ['-1002', ['elsewhere', 'the SMS app key of the fallback is not valid']],
  ['-1003', ['elsewhere', 'the sender number of the fallback is not valid']],
  ['-1005', ['ambiguous', 'the message was sent twice within ten minutes; the first one counts']],
  ['-1006', ['elsewhere', 'the Kakao sender profile has no sender key']],
  ['-1017', ['elsewhere', 'the daily limit of the Kakao channel is used up']],
  ['-1020', ['elsewhere', 'the Kakao sender profile is not valid']],
  ['-1027', ['elsewhere', 'Kakao has blocked the sender profile']],
  ['-1028', ['elsewhere', 'a template variable is too long for a new Kakao channel: 14 characters at most']],
  ['-2000', ['elsewhere', 'a field of our request is too long']],
  ['-2001', ['elsewhere', 'a field of our request is empty']],
  ['-2002', ['elsewhere', 'a field of our request is missing']],
  ['-2003', ['elsewhere', 'a field of our request is too small']],
  ['-2004', ['elsewhere', 'a field of our request has the wrong length']],
  ['-2005', ['elsewhere', 'a field of our request is too large']],
  ['-2017', ['elsewhere', 'NHN does not know the sender key']],
  ['-2018', ['elsewhere', 'a button of the AlimTalk template is not valid']],
  ['-2502', ['elsewhere', 'a fallback was asked for that is not set up']],
  ['-2504', ['elsewhere', 'a quick reply of the AlimTalk template is not valid']],
  ['-2999', ['elsewhere', 'NHN refused the recipient']],
  ['-3000', ['elsewhere', 'the AlimTalk template has a web link button without a link']],
  ['-3002', ['elsewhere', 'NHN could not read our request']],
  ['-3003', ['elsewhere', 'the AlimTalk template does not exist']],
  ['-3004', ['elsewhere', 'the variables do not fit the AlimTalk template']],
  ['-3005', ['elsewhere', 'the AlimTalk template is not approved']],
  ['-3010', ['elsewhere', 'the message differs from the AlimTalk template']],
  ['-3011', ['elsewhere', 'the AlimTalk template has no such button']],
  ['-3303', ['elsewhere', 'a field of our request is missing']],
  ['-3304', ['elsewhere', 'a field of our request is out of range']],
  ['-3324', ['elsewhere', 'a variable of the AlimTalk template is not valid']],
  ['-4000', ['elsewhere', 'NHN found a parameter of our request invalid']],
  ['-4004', ['elsewhere', 'NHN does not know the AlimTalk app key']],
  ['-4005', ['elsewhere', 'the AlimTalk service of this app key was closed']],
  ['-5000', ['never', 'the recipient is no valid number']],
  ['-5001', ['elsewhere', 'our request named no recipient']],
  ['-7000', ['ambiguous', 'NHN could not reach Kakao; the message may be out']],
  ['-8006', ['elsewhere', 'the AlimTalk template lacks a word such as 인증, 비밀번호 or verify']],
  ['-9995', ['elsewhere', 'NHN no longer has this API version']],
  ['-9996', ['elsewhere', 'NHN does not take the content type of our request']],
  ['-9998', ['elsewhere', 'NHN has no such API; check apiBase']],
  ['-9999', ['ambiguous', 'NHN had an unexpected error; the message may be out']],
  ['1001', ['elsewhere', 'Kakao could not read the request']],
  ['1002', ['elsewhere', 'Kakao does not know NHN as a partner; contact NHN']],
  ['1003', ['elsewhere', 'the Kakao sender key is not valid']],
  ['1004', ['elsewhere', 'Kakao missed a field of the request']],
  ['1006', ['elsewhere', 'the Kakao sender profile was deleted']],
  ['1007', ['elsewhere', 'the Kakao sender profile is blocked']],
  ['1011', ['elsewhere', 'Kakao finds no contract; contact NHN']],
  ['1012', ['never', 'Kakao found the user key malformed']],
  ['1013', ['elsewhere', 'the Kakao app link is not valid']],
  ['1014', ['elsewhere', 'the business number of the Kakao channel is not valid']],
  ['1015', ['never', 'Kakao found the user id invalid']],
  ['1016', ['elsewhere', 'the business number does not match the Kakao channel']],
  ['1020', ['never', 'the recipient is no valid number']],
  ['1021', ['elsewhere', 'the Kakao channel is blocked']],
  ['1022', ['elsewhere', 'the Kakao channel is closed']],
  ['1023', ['elsewhere', 'the Kakao channel was deleted']],
  ['1024', ['elsewhere', 'the Kakao channel is about to be deleted']],
  ['1025', ['elsewhere', 'the Kakao channel is under a sanction']],
  ['1027', ['elsewhere', 'the Kakao channel may not send messages for now']],
  ['1028', ['elsewhere', 'the Kakao channel may not use this target']],
  ['1030', ['elsewhere', 'Kakao found a parameter invalid']],
  ['1033', ['elsewhere', 'the message type does not fit the template']],
  ['2001', ['elsewhere', 'Kakao could not send the message, for a reason it does not tell']],
  ['2003', ['elsewhere', 'the recipient has not added the Kakao channel on the test server']],
  ['2005', ['elsewhere', 'Kakao could not read an image']],
  ['3000', ['elsewhere', 'Kakao had an unexpected error']],
  ['3005', ['ambiguous', 'sent, but Kakao has no receipt; it can still arrive within three days']],
  ['3006', ['elsewhere', 'Kakao had an internal error and did not send the message']],
  ['3008', ['never', 'the recipient is no valid number']],
  ['3010', ['elsewhere', 'Kakao had an unexpected error']],
  ['3011', ['elsewhere', 'Kakao has no such message']],
  ['3012', ['ambiguous', 'the connection to Kakao failed; the message may be out']],
  ['3013', ['elsewhere', 'the message is empty']],
  ['3014', ['elsewhere', 'the message is too long']],
  ['3015', ['elsewhere', 'Kakao does not find the AlimTalk template']],
  ['3016', ['elsewhere', 'the message differs from the AlimTalk template; check its variables']],
  ['3018', ['never', 'KakaoTalk cannot reach the recipient: inactive for a week, another SIM, or under a sanction']],
  ['3019', ['never', 'the recipient does not use KakaoTalk']],
  ['3020', ['never', 'the recipient blocks AlimTalk']],
  ['3021', ['never', 'the KakaoTalk of the recipient is too old']],
  ['3022', ['elsewhere', 'Kakao does not deliver this kind of message at this hour']],
  ['3023', ['elsewhere', 'Kakao found the message malformed']],
  ['3024', ['elsewhere', 'Kakao could not send an image of the message']],
  ['3025', ['elsewhere', 'a variable of the AlimTalk template is too long']],
  ['3026', ['elsewhere', 'the extra data of a button is too long']],
  ['3027', ['elsewhere', 'the buttons differ from the AlimTalk template']],
  ['3028', ['elsewhere', 'the highlighted title differs from the AlimTalk template']],
  ['3029', ['elsewhere', 'the highlighted title is too long']],
  ['3030', ['elsewhere', 'the message type differs from the AlimTalk template']],
  ['3031', ['elsewhere', 'the header differs from the AlimTalk template']],
  ['3032', ['elsewhere', 'the header is too long']],
  ['3033', ['elsewhere', 'the item highlight differs from the AlimTalk template']],
  ['3034', ['elsewhere', 'the title of the item highlight is too long']],
  ['3035', ['elsewhere', 'the description of the item highlight is too long']],
  ['3036', ['elsewhere', 'the item list differs from the AlimTalk template']],
  ['3037', ['elsewhere', 'a description of the item list is too long']],
  ['3038', ['elsewhere', 'the item summary differs from the AlimTalk template']],
  ['3039', ['elsewhere', 'the description of the item summary is too long']],
  ['3040', ['elsewhere', 'the item summary has characters that are not allowed']],
  ['3042', ['elsewhere', 'the main link differs from the AlimTalk template']],
  ['4000', ['ambiguous', 'Kakao does not find the result of the message']],
  ['4001', ['ambiguous', 'Kakao does not know what became of the message']],
  ['4100', ['elsewhere', 'Kakao found the request id invalid']],
  ['4101', ['elsewhere', 'Kakao found the request date invalid']],
  ['4102', ['elsewhere', 'Kakao found the template request invalid']],
  ['4103', ['elsewhere', 'Kakao does not know NHN as a partner; contact NHN']],
  ['4104', ['elsewhere', 'Kakao finds no valid sender profile']],
  ['4110', ['elsewhere', 'the message type is not valid']],
  ['4120', ['elsewhere', 'Kakao could not build the message']],
  ['4121', ['never', 'Kakao found the recipient invalid']],
  ['4122', ['ambiguous', 'Kakao could not look up the result of the message']],
  ['4130', ['elsewhere', 'Kakao found the request id invalid']],
  ['4131', ['ambiguous', 'Kakao had this message already']],
  ['4132', ['elsewhere', 'the variables do not fit the AlimTalk template']],
  ['4133', ['elsewhere', 'the AlimTalk template is suspended']],
  ['4134', ['elsewhere', 'the AlimTalk template was changed']],
  ['4137', ['elsewhere', 'Kakao refused the message']],
  ['4139', ['elsewhere', 'Kakao refused the message']],
  ['4140', ['elsewhere', 'Kakao refused the message']],
  ['4141', ['elsewhere', 'Kakao refused the message']],
  ['4142', ['elsewhere', 'Kakao refused the message']],
  ['4143', ['elsewhere', 'the request was too old when Kakao came to it']],
  ['4144', ['elsewhere', 'the message is larger than 30 KB']],
  ['4156', ['elsewhere', 'the message limit of the Kakao channel is used up']],
  ['4161', ['ambiguous', 'Kakao is still working on the message']],
  ['9998', ['ambiguous', 'Kakao has a failure of its own; the message may be out']],
  ['9999', ['ambiguous', 'Kakao has a failure of its own; the message may be out']],
])

/** The three APIs. The name marks an id, so that a message is asked for where it was sent. */
type ApiName = 'sms' | 'mms' | 'at'

/** Codes mean one thing for SMS and another for AlimTalk, so ours say whose they are. */
type Family = 'SMS' | 'AT'
const CODES: Readonly<Record<Family, Codes>> = { SMS: NHN_SMS_CODES, AT: NHN_ALIMTALK_CODES }
const familyOf = (api: ApiName): Family => (api === 'at' ? 'AT' : 'SMS')

interface NhnApi {
  name: ApiName
  url: string
  headers: Record<string, string>
}

/** Undefined where that product is not configured. */
function apiOf(name: ApiName, { sms, alimtalk }: NhnConfig): NhnApi | undefined {
  const product = name === 'at' ? alimtalk : sms
  if (!product) return undefined
  const base = product.apiBase.replace(/\/+$/, '')
  const appKey = encodeURIComponent(product.appKey)
  const urls = {
    sms: `${base}/sms/v3.0/appKeys/${appKey}/sender/auth/sms`,
    mms: `${base}/sms/v3.0/appKeys/${appKey}/sender/mms`,
    at: `${base}/alimtalk/v2.3/appkeys/${appKey}/auth/messages`,
  }
  return { name, url: urls[name], headers: { 'x-secret-key': product.secretKey, accept: 'application/json' } }
}

function create({ name, config }: CarrierConfig, dependencies: CarrierDependencies): Carrier {
  const settings = nhnConfig.parse(config)
  const { transport, clock, timeoutMs } = dependencies
  return {
    name,
    reports: true,
    async send(message) {
      const api = apiOf(apiNameOf(message), settings)
      if (!api) return { kind: 'refused', retry: 'elsewhere', code: `NO_${message.channel.toUpperCase()}_CONFIG` }
      const recipient = recipientOf(message.to)
      if (!recipient) return { kind: 'refused', retry: 'never', code: 'NOT_E164' }
      if (api.name === 'at' && recipient.countryCode !== KOREA) {
        return { kind: 'refused', retry: 'elsewhere', code: 'ALIMTALK_ABROAD' }
      }
      const result = await transport.request({
        method: 'POST',
        url: api.url,
        headers: {
          ...api.headers,
          'content-type': 'application/json;charset=UTF-8',
          ...(api.name === 'at' && { 'x-nc-api-idempotency-key': message.messageId }),
        },
        body: JSON.stringify(bodyOf(api.name, message, recipient, settings)),
        timeoutMs,
      })
      return outcomeOf(result, api.name, FIRST_ASK_MS[message.channel === 'alimtalk' ? 'alimtalk' : 'sms'])
    },
    async query(awaited) {
      const askAgainMs = askAgainMsOf(awaited, clock.now())
      const id = parseId(awaited.carrierMessageId)
      const api = id && apiOf(id.api, settings)
      if (!api) return { askAgainMs }
      const url = `${api.url}/${id.requestId}${api.name === 'at' ? '/' : '?recipientSeq='}${id.recipientSeq}`
      const result = await transport.request({ method: 'GET', url, headers: api.headers, timeoutMs })
      return reportFrom(result, api.name) ?? { askAgainMs }
    },
    readReports: (callback) => (isAuthentic(callback, settings.reportSecret) ? reportsIn(callback.text) : undefined),
  }
}

const apiNameOf = ({ channel, messageType }: OutboundMessage): ApiName => {
  if (channel === 'alimtalk') return 'at'
  return messageType === 'LMS' ? 'mms' : 'sms'
}

/** The grouping key comes back with every report, also with one that overtakes the answer to this request. */
function bodyOf(api: ApiName, message: OutboundMessage, recipient: NhnRecipient, { sms, alimtalk }: NhnConfig) {
  const recipientGroupingKey = message.messageId
  if (api === 'at') {
    return {
      senderKey: alimtalk?.senderKey,
      templateCode: message.templateCode,
      recipientList: [
        {
          recipientNo: recipient.recipientNo,
          templateParameter: message.variables ?? {},
          // The fallback to SMS is ours.
          resendParameter: { isResend: false },
          recipientGroupingKey,
        },
      ],
    }
  }
  return {
    ...(api === 'mms' && { title: sms?.lmsTitle }),
    body: message.text,
    sendNo: domesticDigits(message.from ?? sms?.from ?? ''),
    recipientList: [{ ...recipient, recipientGroupingKey }],
  }
}

interface NhnRecipient {
  recipientNo: string
  countryCode: string
}

const KOREA = '82'

/** Korean numbers as they are dialled in Korea, others without the country code, which goes into a field of its own. */
function recipientOf(e164: string): NhnRecipient | undefined {
  const parsed = numbers().parsePhoneNumberFromString(e164)
  if (!parsed) return undefined
  const countryCode: string = parsed.countryCallingCode
  return { recipientNo: `${countryCode === KOREA ? '0' : ''}${parsed.nationalNumber}`, countryCode }
}

const resultCode = z.union([z.number(), z.string()]).transform(String).optional().catch(undefined)
const sendResult = z.object({ resultCode, recipientSeq: z.number().int().optional().catch(undefined) })
const sent = z.object({
  requestId: z.string().optional().catch(undefined),
  // SMS has one name for the list, AlimTalk the other.
  sendResultList: z.array(sendResult).optional().catch(undefined),
  sendResults: z.array(sendResult).optional().catch(undefined),
})
const header = z.object({ isSuccessful: z.boolean(), resultCode })
const sendAnswer = z.object({
  header,
  body: z.object({ data: sent }).optional().catch(undefined),
  message: sent.optional().catch(undefined),
})

function outcomeOf(result: TransportResult, api: ApiName, reportAfterMs: number): SendOutcome {
  if (result.kind !== 'answered') return outcomeOfSilence(result)
  const answer = sendAnswer.safeParse(parseJson(result.body)).data
  if (!answer) return withoutCode(result.status)
  const data = api === 'at' ? answer.message : answer.body?.data
  const recipient = (api === 'at' ? data?.sendResults : data?.sendResultList)?.[0]
  const isTaken = result.status < 300 && answer.header.isSuccessful && answer.header.resultCode === '0'
  if (isTaken && recipient?.resultCode === '0') {
    const carrierMessageId = idOf(api, data?.requestId, recipient.recipientSeq)
    return carrierMessageId === undefined
      ? { kind: 'ambiguous', code: `HTTP_${result.status}_WITHOUT_ID` }
      : { kind: 'accepted', carrierMessageId, reportAfterMs }
  }
  const refused = [recipient?.resultCode, answer.header.isSuccessful ? undefined : answer.header.resultCode]
  // The recipient's own code tells more than that of the request as a whole.
  return outcomeOfCode(
    result.status,
    api,
    refused.find((code) => code !== undefined && code !== '0'),
  )
}

/** NHN says by a code that it refused; one that is not listed is a refusal too, but for a failure of NHN itself. */
function outcomeOfCode(status: number, api: ApiName, given: string | undefined): SendOutcome {
  const code = given === undefined ? undefined : codeOf(api, given)
  if (given === undefined || code === undefined) return withoutCode(status)
  const unlisted = status < 300 ? 'elsewhere' : verdictOfStatus(status)
  const verdict = CODES[familyOf(api)].get(given)?.[0] ?? unlisted
  return verdict === 'ambiguous' ? { kind: 'ambiguous', code } : { kind: 'refused', retry: verdict, code }
}

/** What is no code of theirs may quote the message, and is not passed on. */
const codeOf = (api: ApiName, given: string): string | undefined =>
  /^(-?\d{1,5}|E\d{3})$/.test(given) ? `${familyOf(api)}_${given}` : undefined

const ID_PATTERN = /^(?<api>sms|mms|at):(?<requestId>[0-9A-Za-z_-]{1,64}):(?<recipientSeq>\d{1,9})$/

function idOf(api: ApiName, requestId: string | undefined, recipientSeq: number | undefined): string | undefined {
  const id = `${api}:${requestId}:${recipientSeq}`
  return requestId !== undefined && ID_PATTERN.test(id) ? id : undefined
}

function parseId(id: string | undefined): { api: ApiName; requestId: string; recipientSeq: string } | undefined {
  const found = ID_PATTERN.exec(id ?? '')?.groups
  return (
    found && { api: found.api as ApiName, requestId: found.requestId ?? '', recipientSeq: found.recipientSeq ?? '' }
  )
}

const DELIVERED = '1000'

const status = z.union([z.number(), z.string()]).transform(String).optional().catch(undefined)
const found = z.object({ resultCode, msgStatus: status, messageStatus: status })
const queryAnswer = z.object({
  header: z.object({ isSuccessful: z.literal(true) }),
  body: z.object({ data: found }).optional().catch(undefined),
  message: found.optional().catch(undefined),
})

/** SMS: requested, in progress. */
const SMS_PENDING = new Set(['1', '2'])
/** Over without a code of the carrier. SMS: failed, cancelled; AlimTalk in words. */
const ENDED = new Set(['0', '4', 'FAILED', 'CANCEL'])

/** Undefined while it is not decided, or could not be read. */
function reportFrom(result: TransportResult, api: ApiName): DeliveryReport | undefined {
  if (result.kind !== 'answered' || result.status !== 200) return undefined
  const answer = queryAnswer.safeParse(parseJson(result.body)).data
  const message = api === 'at' ? answer?.message : answer?.body?.data
  const state = api === 'at' ? message?.messageStatus : message?.msgStatus
  if (api !== 'at' && (state === undefined || SMS_PENDING.has(state))) return undefined
  const hasEnded = state !== undefined && ENDED.has(state)
  if (message?.resultCode) return reportOf(api, message.resultCode, hasEnded)
  return hasEnded ? { status: 'failed', code: `${familyOf(api)}_ENDED_${state}` } : undefined
}

/** Undefined for codes that leave it open: such a message is never reported failed. A new code is one until it has ended. */
function reportOf(api: ApiName, given: string, hasEnded = false): DeliveryReport | undefined {
  const code = codeOf(api, given)
  if (given === DELIVERED) return { status: 'delivered', code }
  const verdict = CODES[familyOf(api)].get(given)?.[0] ?? (hasEnded ? 'elsewhere' : 'ambiguous')
  return verdict === 'ambiguous' ? undefined : { status: 'failed', code }
}

/** Often while it is young, as a fallback may wait for the answer, and ever more seldom; an SMS may take 25 hours. */
const askAgainMsOf = ({ answeredAt }: AwaitedReport, now: number) =>
  Math.min(Math.max(Math.round((now - answeredAt) / 2), ASK_AGAIN_MIN_MS), ASK_AGAIN_MAX_MS)

/** The signature that was typed in at NHN; a bearer token or `token` in the URL are there for proxies. */
function isAuthentic({ headers, query }: ReportCallback, secret: string): boolean {
  const bearer = headers.get('authorization')?.replace(/^Bearer /i, '')
  const shown = headers.get('x-toast-webhook-signature') ?? bearer ?? query.get('token') ?? ''
  return isSameSecret(shown, secret)
}

const callbackSchema = z.object({ event: z.string(), hooks: z.array(z.unknown()).default([]) })
const hookSchema = z.object({
  requestId: z.string(),
  recipientSeq: z.coerce.number().int(),
  resultCode,
  recipientGroupingKey: z.string().min(1).optional().catch(undefined),
  /** AlimTalk only. */
  kakaoMessageType: z.string().optional(),
  /** SMS only: AUTH, SMS, LMS or MMS. */
  messageType: z.string().optional(),
})

/** Other events, and what decides nothing, are passed over. */
function reportsIn(text: string): ReportedMessage[] {
  const callback = callbackSchema.safeParse(parseReports(text)).data
  if (callback?.event !== 'MESSAGE_RESULT_UPDATE') return []
  return callback.hooks.flatMap((item) => {
    const hook = hookSchema.safeParse(item).data
    if (!hook?.resultCode) return []
    const api = apiOfHook(hook)
    const report = reportOf(api, hook.resultCode)
    const theirs = idOf(api, hook.requestId, hook.recipientSeq)
    const messageId = hook.recipientGroupingKey ?? theirs
    if (!report || messageId === undefined) return []
    return [
      { messageId, ...(theirs && messageId !== theirs && { carrierMessageId: theirs }), ...report, mustAsk: true },
    ]
  })
}

function apiOfHook({ kakaoMessageType, messageType }: z.infer<typeof hookSchema>): ApiName {
  if (kakaoMessageType !== undefined) return 'at'
  return messageType === 'LMS' || messageType === 'MMS' ? 'mms' : 'sms'
}

function explain(code: string): string | undefined {
  const [, family, given] = /^(SMS|AT)_(.+)$/.exec(code) ?? []
  const listed = given === undefined ? undefined : CODES[family as Family].get(given)?.[1]
  return listed ?? EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1]
}

const EXPLANATIONS: ReadonlyArray<[RegExp, string]> = [
  [/^NOT_E164$/, 'the recipient is no valid number'],
  [/^ALIMTALK_ABROAD$/, 'AlimTalk through NHN goes to Korean numbers only'],
  [/^NO_SMS_CONFIG$/, 'SMS needs the section sms in the configuration'],
  [/^NO_ALIMTALK_CONFIG$/, 'AlimTalk needs the section alimtalk in the configuration'],
  [/^(SMS|AT)_1000$/, 'delivered'],
  [/^(SMS|AT)_ENDED_/, 'NHN ended the message without a code: failed or cancelled'],
  [/^(SMS|AT)_/, 'NHN refused the message with a code that is not listed'],
  [/^NOT_SENT_/, 'no connection to NHN; check apiBase, DNS and certificates'],
  [/^NO_ANSWER_/, 'NHN did not answer in time, or broke off; the message may be out'],
  [/^HTTP_2\d\d_/, 'NHN answered something that could not be read; the message may be out; check apiBase'],
  [/^HTTP_40[13]$/, 'NHN refused our credentials'],
  [/^HTTP_402$/, 'the NHN account has no balance left'],
  [/^HTTP_429$/, 'NHN asks for fewer messages at a time'],
  [/^HTTP_(408|5\d\d)$/, 'NHN failed while it had the message; it may be out'],
  [/^HTTP_[34]\d\d$/, 'NHN refused the request; check apiBase'],
]

export const nhn: CarrierType = {
  config: nhnConfig,
  channels: ['sms', 'alimtalk'],
  reportsBySecret: true,
  create,
  explain,
}
