/** Answers for clients of Twilio Verify v2: SIDs, verifications and errors. https://www.twilio.com/docs/verify/api */
import { hash } from 'node:crypto'
import type { App } from '../../domain/access/app'
import { Refusal, type RefusalDetail, type RefusalKind } from '../../domain/shared/error'
import type { Leg } from '../../domain/shared/value'
import type { Issue } from '../../domain/verification/issue'
import { effectiveStatus } from '../../domain/verification/verification'

export const TWILIO_PREFIX = '/compat/twilio/'

/** A hash needs no storage, and names neither the app nor the purpose. */
const sid = (prefix: string, ...parts: readonly string[]) =>
  prefix + hash('sha256', JSON.stringify([prefix, ...parts]), 'hex').slice(0, 32)

export const accountSid = (appId: string): string => sid('AC', appId)
export const serviceSid = (appId: string, purpose: string): string => sid('VA', appId, purpose)

/** Settings of a client of Twilio Verify that uses this server instead of Twilio. */
export const twilioSettings = ({ appId, twilioPurposes = [] }: App, origin: string) => ({
  baseUrl: origin + TWILIO_PREFIX.slice(0, -1),
  accountSid: accountSid(appId),
  services: twilioPurposes.map((purpose) => ({ purpose, serviceSid: serviceSid(appId, purpose) })),
})

const sidOfUuid = (prefix: string, uuid: string) => prefix + uuid.replaceAll('-', '')

/** The id of the issue that a verification's SID stands for. */
export function issueIdOf(verificationSid: string): string | undefined {
  const parts = /^VE(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/.exec(verificationSid)
  return parts?.slice(1).join('-').toLowerCase()
}

type TwilioChannel = 'sms' | 'call' | 'whatsapp'
type TwilioStatus = 'pending' | 'approved' | 'canceled' | 'max_attempts_reached'

/** Channels of Twilio that stand for a leg of ours. The others go by the app's own plan. */
const CHANNEL_OF_LEG: Partial<Record<Leg, TwilioChannel>> = { voice: 'call', whatsapp: 'whatsapp' }
const channelOf = ({ leg }: Issue): TwilioChannel => CHANNEL_OF_LEG[leg] ?? 'sms'

/** Undefined where Twilio has deleted a verification: after it was approved, and once it has expired. */
export function statusOf(issue: Issue, now: number): TwilioStatus | undefined {
  if (now >= issue.expiresAt) return undefined
  switch (effectiveStatus(issue, now)) {
    case 'issued':
      return 'pending'
    case 'replaced':
      return 'canceled'
    case 'max_attempts':
      return 'max_attempts_reached'
    default:
      return undefined
  }
}

/** A verification: the issue that carries its code now, and the first one, whose id its SID is. */
export interface TwilioVerification {
  issue: Issue
  first: Pick<Issue, 'issueId' | 'createdAt'>
}

/** The subject of an answer. `to` is null where the request does not name the number: only its hash is stored. */
export interface Verified {
  appId: string
  purpose: string
  to: string | null
}

const moment = (at: number) => new Date(at).toISOString().replace(/\.\d+/, '')

const common = ({ issue, first }: TwilioVerification, { appId, purpose, to }: Verified, status: TwilioStatus) => ({
  sid: sidOfUuid('VE', first.issueId),
  service_sid: serviceSid(appId, purpose),
  account_sid: accountSid(appId),
  to,
  channel: channelOf(issue),
  status,
  valid: status === 'approved',
  amount: null,
  payee: null,
  date_created: moment(first.createdAt),
  date_updated: moment(issue.updatedAt),
})

/** `base`: the address under which the client calls, up to the version. */
export function verificationBody(
  verification: TwilioVerification,
  subject: Verified,
  status: TwilioStatus,
  base: string,
) {
  const { issue } = verification
  const body = common(verification, subject, status)
  const attempt = {
    time: moment(issue.createdAt),
    channel: body.channel === 'whatsapp' ? body.channel : body.channel.toUpperCase(),
    attempt_sid: sidOfUuid('VL', issue.messageId),
  }
  return {
    ...body,
    lookup: { carrier: null },
    send_code_attempts: [attempt],
    sna: null,
    url: `${base}v2/Services/${body.service_sid}/Verifications/${body.sid}`,
  }
}

/** A service, as far as there is one here: settings of Twilio's that have no counterpart are as if they were off. */
export function serviceBody({ appId, createdAt }: App, purpose: string, base: string) {
  const id = serviceSid(appId, purpose)
  const url = `${base}v2/Services/${id}`
  return {
    ...{ sid: id, account_sid: accountSid(appId), friendly_name: purpose, code_length: 6 },
    ...{ lookup_enabled: false, psd2_enabled: false, skip_sms_to_landlines: false, dtmf_input_required: true },
    ...{ tts_name: null, do_not_share_warning_enabled: false, custom_code_enabled: false },
    ...{ verify_event_subscription_enabled: false, default_template_sid: null },
    ...{ push: null, totp: null, whatsapp: null, passkeys: null },
    ...{ date_created: moment(createdAt), date_updated: moment(createdAt), url },
    links: { verifications: `${url}/Verifications`, verification_checks: `${url}/VerificationCheck` },
  }
}

export const checkBody = (verification: TwilioVerification, subject: Verified, status: TwilioStatus) => ({
  ...common(verification, subject, status),
  sna_attempts_error_codes: [],
})

/** A refusal with a code of Twilio's own. */
class TwilioRefusal extends Refusal {
  constructor(
    readonly twilioCode: number,
    kind: RefusalKind,
    message: string,
    detail?: RefusalDetail,
  ) {
    super(kind, message, detail)
  }
}

export const notSupported = (parameter: string) =>
  new TwilioRefusal(60204, 'forbidden', `Service does not support this feature: ${parameter}`)
export const noSuchResource = (resource: string) =>
  new TwilioRefusal(
    20404,
    'not_found',
    `This server does not have the resource ${resource}, but Verifications, VerificationCheck and a service`,
  )
export const channelDisabled = () => new TwilioRefusal(60223, 'invalid', 'Delivery channel disabled')

const STATUS: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  unauthorized: 401,
  no_credit: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  limited: 429,
  unavailable: 503,
}

/** Code, status and message of a refusal; `resource` is the path that was asked for, without a number. */
function errorOf(refusal: Refusal, resource: string): readonly [code: number, status: number, message: string] {
  const { kind, detail, message } = refusal
  const status = STATUS[kind]
  if (refusal instanceof TwilioRefusal) return [refusal.twilioCode, status, message]
  const { param = 'body', reason, limit } = detail
  if (reason === 'phone_number_without_texts') return [60205, 403, 'SMS is not supported by landline phone number']
  if (kind === 'invalid' || kind === 'too_large')
    return [60200, status, `Invalid parameter: ${PARAMETERS[param] ?? param}. ${message}`]
  if (kind === 'unauthorized') return [20003, status, 'Authenticate']
  if (kind === 'no_credit') return [20005, status, 'Account not active: the app has no credit left']
  if (kind === 'not_found') return [20404, status, `The requested resource ${resource} was not found`]
  if (reason === 'country_closed') return [60605, status, 'Verification delivery attempt blocked: closed country']
  if (kind === 'forbidden') return [70051, status, `Authorization Failed: ${message}`]
  if (limit === 'abuse') return [60410, 403, 'Verification delivery attempt blocked']
  if (limit === 'failures') return [60202, status, 'Max check attempts reached']
  if (limit === 'perPhone' || limit === 'resend') return [60203, status, 'Max send attempts reached']
  return [20_000 + status, status, message]
}

/** Fields of ours by the names of Twilio's parameters. */
const PARAMETERS: Readonly<Record<string, string>> = { phoneNumber: 'To', locale: 'Locale' }

export function errorAnswer(refusal: Refusal, resource: string) {
  const [code, status, message] = errorOf(refusal, resource)
  return { status, body: errorBody(code, status, message) }
}

/** An unexpected error; its cause is not revealed. */
export const unexpectedAnswer = () => ({ status: 500, body: errorBody(20500, 500, 'Internal Server Error') })

/** Some messages quote the caller's input. */
const LONGEST_MESSAGE = 500

const errorBody = (code: number, status: number, message: string) => ({
  code,
  message: message.slice(0, LONGEST_MESSAGE),
  more_info: `https://www.twilio.com/docs/errors/${code}`,
  status,
})
