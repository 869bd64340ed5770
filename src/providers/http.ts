/**
 * Any carrier with an HTTP API. With only a URL it POSTs
 * `{messageId, channel, to, text, from?, messageType?, templateCode?, variables?}` as JSON
 * and takes a 2xx with a JSON `id` or `messageId` as accepted. Everything else is configuration: method, address,
 * headers and body from templates, where the answer has its id and code, what codes mean, and how reports are written.
 */
import { z } from 'zod'
import { isSameSecret } from '../domain/access/api-key'
import type { CarrierConfig } from '../domain/delivery/carrier'
import type { SendOutcome } from '../domain/delivery/delivery'
import type { OutboundMessage } from '../domain/message/rendered-message'
import { LEGS } from '../domain/shared/value'
import type { Carrier, ReportCallback, ReportedMessage } from '../ports/carrier'
import type { TransportResult } from '../ports/network'
import { outcomeOfSilence, parseJson, parseReports, type SendVerdict, textOf, verdictOfStatus } from './answer'
import { type Filled, formFrom, headerFrom, jsonFrom, unknownPlaceholder, urlFrom, valueAt } from './http-template'
import { reportSignature, signatureCheck } from './report-signature'
import type { CarrierDependencies, CarrierType } from './type'

/** What a code of the carrier means for the message; see `SendOutcome` and `Refusal`. */
const meaning = z.enum(['accepted', 'later', 'elsewhere', 'unfit', 'never', 'ambiguous'])

const path = z.string().regex(/^[^.\s]+(\.[^.\s]+)*$/, 'must be a dotted path such as data.id')

const httpConfig = z
  .strictObject({
    method: z.enum(['POST', 'GET']).default('POST'),
    /** Where messages go; may hold placeholders. */
    url: z.string().refine((url) => /^https?:\/\//.test(url) && URL.canParse(url), 'must be an http(s) URL'),
    /** Sent with every message, for example an API key of the carrier; may hold placeholders. */
    headers: z
      .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), z.string().regex(/^[\x20-\x7e]*$/))
      .default({}),
    /** The JSON body, with placeholders in its strings. Omitted: the message as it is. */
    body: z.json().optional(),
    /** A form instead of a JSON body. */
    form: z.record(z.string(), z.string()).optional(),
    /** Where a JSON answer says its message id. */
    idPath: path.optional(),
    /** Where a JSON answer says its result code. */
    codePath: path.default('code'),
    /** What codes mean, also `HTTP_<status>`; goes before what the status alone would mean. */
    codes: z
      .record(z.string(), z.strictObject({ means: meaning, explanation: z.string().max(200).optional() }))
      .default({}),
    /**
     * The carrier is set up to call the report URL. Then a message is charged when it reports, or after a day;
     * otherwise its acceptance ends the processing. Reports that do come are heard in either case.
     */
    reports: z.boolean().default(false),
    /** How a report says what it says. */
    report: z
      .strictObject({
        /** Where the reports are, through every list on the way; omitted: the body is one, or a list. */
        itemsPath: path.optional(),
        idPath: path.optional(),
        statusPath: path.default('status'),
        codePath: path.default('code'),
        /** How reports are signed; omitted: they show `reportSecret`. */
        signature: reportSignature.optional(),
        /** Words of the carrier for a delivery and for a failure; any other says nothing yet. */
        delivered: z.array(z.string()).default(['delivered']),
        failed: z.array(z.string()).default(['failed']),
      })
      .prefault({}),
    /** What a report must show to be believed, unless it is signed. */
    reportSecret: z.string().min(16),
  })
  .superRefine(({ url, headers, body, form, method }, context) => {
    const wrong = unknownPlaceholder([url, headers, body, form])
    if (wrong !== undefined)
      context.addIssue({ code: 'custom', path: ['url'], message: `no such placeholder: {{${wrong}}}` })
    if (body !== undefined && form !== undefined)
      context.addIssue({ code: 'custom', path: ['form'], message: 'not together with body' })
    if (method === 'GET' && (body !== undefined || form !== undefined)) {
      context.addIssue({ code: 'custom', path: ['method'], message: 'GET has no body; put placeholders into the url' })
    }
  })

type HttpConfig = z.infer<typeof httpConfig>

function create({ name, config: stored }: CarrierConfig, dependencies: CarrierDependencies): Carrier {
  const { transport, timeoutMs, clock } = dependencies
  const config = httpConfig.parse(stored)
  const { method } = config
  const url = urlFrom(config.url)
  const headers = headersFrom(config)
  const body = bodyFrom(config)
  const { signature } = config.report
  const isSigned = signature && signatureCheck(signature)
  return {
    name,
    reports: config.reports,
    async send(message) {
      const now = clock.now()
      const filled = { url: url(message, now), headers: headers(message, now), body: body?.(message, now) }
      return outcomeOf(config, await transport.request({ method, ...filled, timeoutMs }))
    },
    async readReports(callback) {
      const isBelieved = isSigned ? await isSigned(callback, clock.now()) : showsSecret(callback, config.reportSecret)
      return isBelieved ? reportsIn(config.report, callback) : undefined
    },
  }
}

function headersFrom(config: HttpConfig): Filled<Record<string, string>> {
  const type = typeOf(config)
  const ours = { ...(type !== undefined && { 'content-type': type }), accept: 'application/json' }
  const own = Object.entries(config.headers).map(([header, template]) => [header, headerFrom(template)] as const)
  return (message, now) => {
    // A carrier that knows the header can drop a duplicate that the network made.
    const headers: Record<string, string> = { ...ours, 'idempotency-key': message.messageId }
    for (const [header, fill] of own) {
      const value = fill(message, now)
      // A trace that there is not has no header.
      if (value !== '' || header.toLowerCase() !== 'traceparent') headers[header] = value
    }
    return headers
  }
}

function typeOf({ method, form }: HttpConfig): string | undefined {
  if (method === 'GET') return undefined
  return form ? 'application/x-www-form-urlencoded' : 'application/json'
}

function bodyFrom({ method, body, form }: HttpConfig): Filled<string> | undefined {
  if (method === 'GET') return undefined
  if (form) return formFrom(form)
  const json = body === undefined ? plain : jsonFrom(body)
  return (message, now) => JSON.stringify(json(message, now))
}

const plain = ({ messageId, channel, to, text, from, messageType, templateCode, variables }: OutboundMessage) => ({
  messageId,
  channel,
  to,
  text,
  from,
  messageType,
  // Of an AlimTalk; an SMS is its text.
  ...(channel === 'alimtalk' && { templateCode, variables }),
})

function outcomeOf(config: HttpConfig, result: TransportResult): SendOutcome {
  if (result.kind !== 'answered') return outcomeOfSilence(result)
  const { status } = result
  const answer = parseJson(result.body)
  const ofStatus = `HTTP_${status}`
  const code = textOf(valueAt(answer, config.codePath)) ?? ofStatus
  const isSuccess = status >= 200 && status < 300
  const means =
    meaningOf(config, code) ?? meaningOf(config, ofStatus) ?? (isSuccess ? 'accepted' : meaningOfStatus(status))
  if (means === 'ambiguous') return { kind: 'ambiguous', code }
  if (means !== 'accepted') return { kind: 'refused', retry: means, code }
  const id = idIn(config, answer)
  return id === undefined || id.length > 256
    ? { kind: 'ambiguous', code: `${ofStatus}_WITHOUT_ID` }
    : { kind: 'accepted', carrierMessageId: id }
}

const meaningOf = ({ codes }: HttpConfig, code: string) => (Object.hasOwn(codes, code) ? codes[code]?.means : undefined)

/** A status that is no success. Without a code of the carrier's, its other 4xx are about the message. */
function meaningOfStatus(status: number): SendVerdict {
  const verdict = verdictOfStatus(status)
  return verdict === 'elsewhere' && status !== 403 ? 'never' : verdict
}

const idIn = ({ idPath }: Pick<HttpConfig, 'idPath'>, answer: unknown) =>
  idPath === undefined
    ? (textOf(valueAt(answer, 'id')) ?? textOf(valueAt(answer, 'messageId')))
    : textOf(valueAt(answer, idPath))

/** The secret as a bearer token, or as `token` in the URL for carriers that can call nothing but a URL. */
function showsSecret({ headers, query }: ReportCallback, secret: string): boolean {
  const isInHeader = isSameSecret(headers.get('authorization')?.replace(/^Bearer /i, '') ?? '', secret)
  // Whatever a proxy or the carrier says beside it.
  return isSameSecret(query.get('token') ?? '', secret) || isInHeader
}

/** What is no report, or says nothing yet, is passed over. */
function reportsIn(map: HttpConfig['report'], callback: ReportCallback): ReportedMessage[] {
  return itemsAt(saidIn(callback), map.itemsPath).flatMap((item): ReportedMessage[] => {
    const messageId = idIn(map, item)
    const said = textOf(valueAt(item, map.statusPath)) ?? ''
    const status = map.delivered.includes(said) ? 'delivered' : map.failed.includes(said) ? 'failed' : undefined
    if (messageId === undefined || status === undefined) return []
    return [{ messageId, status, code: textOf(valueAt(item, map.codePath)) }]
  })
}

/** The body as JSON or as a form; where there is none, the query. JSON counts also where it is called a form. Throws `invalid`. */
function saidIn({ headers, query, text }: ReportCallback): unknown {
  if (text === '') return formsIn(query)
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers.get('content-type') ?? '')
  return isForm && !/^\s*[[{]/.test(text) ? formsIn(new URLSearchParams(text)) : parseReports(text)
}

/** The fields of a form. A name that comes again begins the next report. */
function formsIn(fields: URLSearchParams): Array<Record<string, string>> {
  let last = new Map<string, string>()
  const forms = [last]
  for (const [name, value] of fields) {
    if (last.has(name)) {
      last = new Map()
      forms.push(last)
    }
    last.set(name, value)
  }
  return forms.map((form) => Object.fromEntries(form))
}

/** Every item that a dotted path leads to, through each list on its way. A field of a form may hold JSON. */
function itemsAt(body: unknown, itemsPath: string | undefined): unknown[] {
  let found = [body]
  for (const step of itemsPath?.split('.') ?? []) {
    const isIndex = /^\d+$/.test(step)
    found = (isIndex ? found : found.flatMap(listOf)).map((item) => jsonIn(valueAt(item, step)))
  }
  return found.flatMap(listOf)
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])
const jsonIn = (value: unknown) => (typeof value === 'string' ? parseJson(value) : value)

const EXPLANATIONS: ReadonlyArray<[RegExp, string]> = [
  [/^NOT_SENT_/, 'no connection to the carrier; check its URL, DNS and certificate'],
  [/^NO_ANSWER_/, 'the carrier did not answer in time, or broke off; the message may be out'],
  [/^HTTP_2\d\d_WITHOUT_ID$/, 'the carrier answered without a message id; check its send endpoint and idPath'],
  [/^HTTP_40[13]$/, 'the carrier refused our credentials'],
  [/^HTTP_402$/, 'the account at the carrier has no balance'],
  [/^HTTP_429$/, 'the carrier asks for fewer messages at a time'],
  [/^HTTP_5\d\d$/, 'the carrier failed while it had the message; it may be out'],
  [/^HTTP_[34]\d\d$/, 'the carrier refused the message'],
]

export const http: CarrierType = {
  config: httpConfig,
  channels: LEGS,
  reportsBySecret: true,
  create,
  explain: (code, config) =>
    httpConfig.safeParse(config).data?.codes[code]?.explanation ??
    EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1],
}
