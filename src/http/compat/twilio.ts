/**
 * Twilio Verify v2 for clients that know nothing else: a thin layer over issue and verify. The account is an app, a service is a
 * purpose, and a verification is an issue. https://www.twilio.com/docs/verify/api
 */
import { issueInput } from '../../../contract/issue'
import { ACCESS, type OperationAccess } from '../../../contract/scope'
import { isSameSecret } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import { isIP } from '../../domain/access/network'
import type { Recipient } from '../../domain/phone/phone'
import { invalid, notFound, Refusal, unauthorized } from '../../domain/shared/error'
import { refusalOf } from '../../domain/shared/validation'
import type { Leg, Owner } from '../../domain/shared/value'
import type { Issue } from '../../domain/verification/issue'
import { shownIssue } from '../../domain/verification/issue'
import { firstIssueOf } from '../../domain/verification/kept-code'
import { closeIssue } from '../../usecases/close-issue'
import { issueCode } from '../../usecases/issue-code'
import { readIssue } from '../../usecases/read-history'
import { rulesOf } from '../../usecases/shared/mode'
import { verifyCode } from '../../usecases/verify-code'
import { type ApiAnswer, type ApiDependencies, createPerformer, isOverloaded, OVERLOADED } from '../api'
import type { AuthenticatedCaller, RequestContext } from '../authenticate'
import { readText } from '../json'
import {
  accountSid,
  channelDisabled,
  checkBody,
  errorAnswer,
  issueIdOf,
  noSuchResource,
  notSupported,
  serviceBody,
  serviceSid,
  statusOf,
  TWILIO_PREFIX,
  type TwilioVerification,
  unexpectedAnswer,
  type Verified,
  verificationBody,
} from './twilio-answer'

export interface TwilioDependencies extends ApiDependencies {
  publicUrl: string | undefined
}

/** `ignored`: parameters that have been named in the log. */
type NotingDependencies = TwilioDependencies & { ignored: Set<string> }

export type TwilioApi = (
  request: Request,
  url: URL,
  from: Pick<RequestContext, 'clientIp' | 'origin'>,
) => Promise<ApiAnswer>

/** Twilio's codes live ten minutes and take five checks. */
const EXPIRES_IN_SEC = 600
const MAX_ATTEMPTS = 5

const MAX_FORM_CHARACTERS = 16 * 1024

/** An authenticated request for a service of the key's app. */
interface Call {
  caller: AuthenticatedCaller
  app: App
  purpose: string
  form: URLSearchParams
  /** The last part of the path: a SID or a number. */
  id: string
  base: string
}

interface TwilioOperation {
  route: string
  access: OperationAccess
  perform: (deps: TwilioDependencies, call: Call) => Promise<{ status: number; body: object }>
}

const OPERATIONS: Readonly<Record<string, TwilioOperation>> = {
  'GET ': { route: 'service', access: ACCESS.status, perform: service },
  'POST Verifications': { route: 'create', access: ACCESS.issue, perform: create },
  'GET Verifications/': { route: 'fetch', access: ACCESS.status, perform: fetchOne },
  'POST Verifications/': { route: 'update', access: ACCESS.verify, perform: update },
  'POST VerificationCheck': { route: 'check', access: ACCESS.verify, perform: check },
}

const PATH = /^v2\/Services\/([^/]+)(?:\/(Verifications\/?|VerificationCheck)([^/]*))?$/

export function createTwilio(given: TwilioDependencies): TwilioApi {
  const deps = { ...given, ignored: new Set<string>() }
  const perform = createPerformer(deps)

  return async (request, url, { clientIp, origin }) => {
    const path = url.pathname.slice(TWILIO_PREFIX.length)
    const [isKnown, service = '', resource = '', id = ''] = PATH.exec(path) ?? []
    const operation = isKnown && (resource.endsWith('/') || id === '') && OPERATIONS[`${request.method} ${resource}`]
    const route = operation ? `twilio ${operation.route}` : 'twilio'
    const refused = (refusal: Refusal) => ({
      ...errorAnswer(refusal, operation ? `/Services/${service}/${resource}` : ''),
      retryAfterMs: refusal.detail.retryAfterMs,
      refusal,
      route,
    })
    if (isOverloaded(deps)) return refused(OVERLOADED)
    if (!operation) return refused(noSuchResource(unknownIn(path)))
    const { user, headers } = credentials(request.headers)
    const context = { headers, search: url.search, clientIp, origin }
    const access = { ...operation.access, publicKey: false }
    const { key, answer, refusal } = await perform(context, access, async (caller) => {
      const { appId } = caller.key
      if (!isSameSecret(user, accountSid(appId))) throw unauthorized()
      const app = await deps.node.directory.app(appId)
      const purpose = app?.twilioPurposes?.find((known) => serviceSid(appId, known) === service)
      if (!app || purpose === undefined) throw notFound('service')
      const form = request.method === 'POST' ? await readForm(request) : new URLSearchParams()
      const base = `${deps.publicUrl ?? url.origin}${TWILIO_PREFIX}`
      for (const name of new Set(form.keys())) noteIgnored(deps, appId, name)
      return operation.perform(deps, { caller, app, purpose, form, id: decoded(id), base })
    })
    if (answer) return { ...answer, key, route }
    return refusal ? { ...refused(refusal), key } : { ...unexpectedAnswer(), key, route }
  }
}

/** The resource of a path that is none here, in Twilio's words; a SID or a number is not repeated. */
const unknownIn = (path: string) =>
  path.split('/').findLast((part) => /^[A-Z][A-Za-z]{2,30}$/.test(part)) ?? 'of this path'

const READ_PARAMETERS = ['To', 'Channel', 'Locale', 'DeviceIp', 'RateLimits', 'Code', 'VerificationSid', 'Status']
const PARAMETER_NAME = /^[A-Z][A-Za-z]{1,40}$/

/** Once for each app and name that Twilio might have: whoever relies on it must find out. */
function noteIgnored({ log, ignored }: NotingDependencies, appId: string, name: string): void {
  if (READ_PARAMETERS.includes(name) || !PARAMETER_NAME.test(name) || ignored.size >= MOST_NOTED) return
  const one = `${appId} ${name}`
  if (ignored.has(one)) return
  ignored.add(one)
  log.warn({ appId, parameter: name }, 'a parameter of Twilio is ignored')
}

const MOST_NOTED = 1_000

/** A secret key without its underscores: the SDK for Go sends letters and digits only. */
const PLAIN_KEY = /^sk(test)?([0-9A-Za-z]{49})$/

const BASIC = /^Basic +([A-Za-z0-9+/]+=*) *$/i

/** User and password, the latter as a key of ours. Wrong headers make a key that does not exist. */
function credentials(given: Headers): { user: string; headers: Headers } {
  const text = Buffer.from(BASIC.exec(given.get('authorization') ?? '')?.[1] ?? '', 'base64').toString('latin1')
  const [user = '', ...password] = text.split(':')
  const headers = new Headers(given)
  const key = password.join(':').replace(PLAIN_KEY, (_, test, body) => `sk_${test ? 'test_' : ''}${body}`)
  headers.set('authorization', `Bearer ${encodeURIComponent(key)}`)
  return { user, headers }
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return ''
  }
}

async function readForm(request: Request): Promise<URLSearchParams> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw invalid('Content-Type', 'unsupported_media_type', 'must be application/x-www-form-urlencoded')
  const text = await readText(request)
  if (text.length > MAX_FORM_CHARACTERS)
    throw invalid('body', 'too_long', 'is larger than 16 KiB', { max: MAX_FORM_CHARACTERS })
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) throw invalid('body', 'invalid_format', 'is not a form')
  return new URLSearchParams(text)
}

/** A parameter, trimmed; undefined where it is missing or blank. */
function parameter(form: URLSearchParams, name: string): string | undefined {
  const values = form.getAll(name)
  if (values.length > 1) throw invalid(name, 'duplicate_field', 'is given twice')
  return values[0]?.trim() || undefined
}

function required(form: URLSearchParams, name: string): string {
  const value = parameter(form, name)
  if (value === undefined) throw invalid(name, 'required', 'is missing')
  return value
}

/** The phone of a number with `+`, as Twilio demands it. */
function recipientOf({ modes }: TwilioDependencies, { key }: AuthenticatedCaller, to: string): Recipient {
  if (!to.startsWith('+') || to.length > 32)
    throw invalid('phoneNumber', 'invalid_phone_number', 'not in E.164 format, such as +14155552671')
  return rulesOf(modes, key).recipient(to, key.region)
}

/** Twilio's channels: undefined goes by the app's plan, another value by that leg alone. */
const LEG_OF_CHANNEL = new Map<string, Leg | undefined>([
  ['sms', undefined],
  ['auto', undefined],
  ['call', 'voice'],
  ['whatsapp', 'whatsapp'],
])
const OTHER_CHANNELS = ['email', 'sna', 'rcs', 'silent']

/** Without these a client would take an answer for more than it is. */
const REFUSED_PARAMETERS = ['CustomCode', 'Amount', 'Payee']

async function service(_: TwilioDependencies, { app, purpose, base }: Call) {
  return { status: 200, body: serviceBody(app, purpose, base) }
}

async function create(deps: TwilioDependencies, call: Call) {
  const { caller, purpose, form, base } = call
  const { key, origin } = caller
  const recipient = recipientOf(deps, caller, required(form, 'To'))
  const legs = await legsOf(deps, caller, recipient, required(form, 'Channel'))
  for (const name of REFUSED_PARAMETERS) if (parameter(form, name) !== undefined) throw notSupported(name)
  const fields = issueInput.safeParse({
    phoneNumber: recipient.to,
    purpose,
    channel: 'sms',
    expiresInSec: EXPIRES_IN_SEC,
    maxAttempts: MAX_ATTEMPTS,
    locale: parameter(form, 'Locale'),
  })
  if (!fields.success) throw refusalOf(fields.error.issues, {})
  const { issueId } = await issueCode(deps, key, {
    ...fields.data,
    idempotencyKey: deps.random.uuid(deps.clock.now()),
    legs,
    keepsCode: true,
    address: addressOf(form) ?? caller.endUser,
    origin,
  })
  const verification = await verificationOf(deps, key, await readIssue(deps, key, issueId))
  return { status: 201, body: verificationBody(verification, subjectOf(call, recipient.to), 'pending', base) }
}

async function legsOf(
  { modes }: TwilioDependencies,
  { key }: AuthenticatedCaller,
  { country }: Recipient,
  channel: string,
) {
  if (OTHER_CHANNELS.includes(channel)) throw channelDisabled()
  if (!LEG_OF_CHANNEL.has(channel))
    throw invalid('Channel', 'not_a_choice', 'is not known', { choices: [...LEG_OF_CHANNEL.keys()] })
  const leg = LEG_OF_CHANNEL.get(channel)
  if (leg === undefined) return undefined
  const router = await rulesOf(modes, key).router()
  if (router({ appId: key.appId, country, channel: leg }).length === 0) throw channelDisabled()
  return [{ channel: leg }]
}

/** The end user's address: `DeviceIp`, or the value of the rate limit that Twilio's guides call `end_user_ip_address`. */
function addressOf(form: URLSearchParams): string | undefined {
  const address = parameter(form, 'DeviceIp') ?? rateLimitsOf(form).end_user_ip_address
  if (address === undefined) return undefined
  if (typeof address !== 'string' || isIP(address) === 0)
    throw invalid('DeviceIp', 'invalid_format', 'must be one IPv4 or IPv6 address')
  return address
}

function rateLimitsOf(form: URLSearchParams): Record<string, unknown> {
  try {
    return Object(JSON.parse(parameter(form, 'RateLimits') ?? '{}'))
  } catch {
    throw invalid('RateLimits', 'invalid_json', 'is not JSON')
  }
}

const subjectOf = ({ caller, purpose }: Call, to: string | null): Verified => ({ appId: caller.key.appId, purpose, to })

/** The verification that a request names, in the order of how exactly it does. Throws `not_found`. */
async function find(
  deps: TwilioDependencies,
  { caller, purpose }: Call,
  by: { sid: string | undefined; to: string | undefined },
): Promise<TwilioVerification & { to: string | null }> {
  const { key } = caller
  const recipient = by.to === undefined ? undefined : recipientOf(deps, caller, by.to)
  const phoneHash = recipient && deps.vault.phoneHash(recipient.identity)
  const issueId = by.sid === undefined ? undefined : (issueIdOf(by.sid) ?? '')
  const { issues } = deps.store.read
  const named =
    issueId !== undefined
      ? await readIssue(deps, key, issueId)
      : phoneHash && (await issues.newest(key, phoneHash, purpose))
  if (named?.purpose !== purpose) throw notFound('verification')
  if (phoneHash && Buffer.compare(named.phoneHash, phoneHash) !== 0) throw notFound('verification')
  return { ...(await verificationOf(deps, key, named)), to: recipient?.to ?? null }
}

/** The verification of any of its issues: each sending of the code is one. */
async function verificationOf(
  { store: { read } }: TwilioDependencies,
  owner: Owner,
  named: Issue,
): Promise<TwilioVerification> {
  const firstIssueId = firstIssueOf(named)
  if (firstIssueId === undefined) return { issue: named, first: named }
  const newest = await read.issues.newest(owner, named.phoneHash, named.purpose)
  const issue = newest && firstIssueOf(newest) === firstIssueId ? newest : named
  const first = firstIssueId === issue.issueId ? issue : await read.issues.find(owner, firstIssueId)
  return { issue, first: first ?? issue }
}

/** The verification of a path, by its SID or by the number. */
const findByPath = (deps: TwilioDependencies, call: Call) =>
  find(deps, call, call.id.startsWith('VE') ? { sid: call.id, to: undefined } : { sid: undefined, to: call.id })

async function fetchOne(deps: TwilioDependencies, call: Call) {
  const { to, ...verification } = await findByPath(deps, call)
  const status = statusOf(verification.issue, deps.clock.now())
  if (!status) throw notFound('verification')
  return { status: 200, body: verificationBody(verification, subjectOf(call, to), status, call.base) }
}

async function update(deps: TwilioDependencies, call: Call) {
  const wanted = required(call.form, 'Status')
  if (wanted !== 'approved' && wanted !== 'canceled')
    throw invalid('Status', 'not_a_choice', 'is not known', { choices: ['approved', 'canceled'] })
  const { to, issue, first } = await findByPath(deps, call)
  const closed = { first, issue: shownIssue(await closeIssue(deps, call.caller.key, issue.issueId, wanted)) }
  return { status: 200, body: verificationBody(closed, subjectOf(call, to), wanted, call.base) }
}

async function check(deps: TwilioDependencies, call: Call) {
  const { caller, form } = call
  const code = required(form, 'Code')
  if (!/^[0-9A-Za-z]{4,10}$/.test(code)) throw invalid('Code', 'invalid_format', 'is not 4 to 10 characters long')
  const [sid, to] = [parameter(form, 'VerificationSid'), parameter(form, 'To')]
  if (sid === undefined && to === undefined) throw invalid('To', 'required', 'is missing')
  const { issue, first, to: number } = await find(deps, call, { sid, to })
  const now = deps.clock.now()
  const status = statusOf(issue, now)
  if (status === 'max_attempts_reached') {
    const detail = { limit: 'failures', policy: 'platform', retryAfterMs: issue.expiresAt - now } as const
    throw new Refusal('limited', 'Max check attempts reached', detail)
  }
  if (status !== 'pending') throw notFound('verification')
  const { issueId } = issue
  const { verified, reasonCode, verifiedAt } = await verifyCode(deps, caller.key, {
    issueId,
    code,
    origin: caller.origin,
  })
  // The answer to the last wrong code is that of the others; the check after it is refused.
  if (!verified && reasonCode !== 'MISMATCH' && reasonCode !== 'MAX_ATTEMPTS') throw notFound('verification')
  const checked = { first, issue: { ...issue, updatedAt: verifiedAt ?? now } }
  return { status: 200, body: checkBody(checked, subjectOf(call, number), verified ? 'approved' : 'pending') }
}
