/**
 * Any carrier with an HTTP API. With only a URL it POSTs
 * `{messageId, channel, to, text, from?, messageType?, templateCode?, variables?}` as JSON
 * and takes a 2xx with a JSON `id` or `messageId` as accepted. Everything else is configuration: method, address,
 * headers and body from templates, where the answer has its id and code, what codes mean, and how reports are written.
 * The same engine carries it out as a description.
 */
import { z } from 'zod'
import { LEGS } from '../domain/shared/value'
import { type Described, describedCarrier } from './described'
import { headers, meaning, path, type RequestTemplate, regex, unknownInHeaders } from './description'
import { SENDERS, sendersSetting } from './engine-settings'
import { reportSignature } from './report-signature'
import { isMessageName, unknownPlaceholder } from './template'
import type { CarrierType } from './type'

const httpConfig = z
  .strictObject({
    method: z.enum(['POST', 'GET']).default('POST'),
    /** Where messages go; may hold placeholders. */
    url: z.string().refine((url) => /^https?:\/\//.test(url) && URL.canParse(url), 'must be an http(s) URL'),
    /** Sent with every message, for example an API key of the carrier; may hold placeholders. */
    headers: headers.default({}),
    /** The JSON body, with placeholders in its strings. Omitted: the message as it is. */
    body: z.json().optional(),
    /** A form instead of a JSON body. */
    form: z.record(z.string(), z.string()).optional(),
    /** XML instead of a JSON body; values are escaped. */
    xml: z.string().optional(),
    /** `{{from}}` by country, where the request names no sender. */
    senders: sendersSetting,
    /** Where a JSON answer says its message id. */
    idPath: path.optional(),
    /** Reads an answer that is neither JSON nor XML: its named groups are the fields, such as `^OK (?<id>\S+)`. */
    answerPattern: regex.optional(),
    /** Where a JSON answer says its result code. */
    codePath: path.default('code'),
    /** The meaning of codes, also of `HTTP_<status>`. It takes precedence over the meaning of the status. */
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
        /** Path of the reports, through every list on the way. Omitted: the body is one report, or a list of them. */
        itemsPath: path.optional(),
        idPath: path.optional(),
        statusPath: path.default('status'),
        codePath: path.default('code'),
        /** How reports are signed; omitted: they show `reportSecret`. */
        signature: reportSignature.optional(),
        /** StatusWords of the carrier for a delivery and for a failure; any other says nothing yet. */
        delivered: z.array(z.string()).default(['delivered']),
        failed: z.array(z.string()).default(['failed']),
      })
      .prefault({}),
    /** The secret that a report must show, unless it is signed. */
    reportSecret: z.string().min(16),
  })
  .superRefine(({ url, headers, body, form, xml, method }, context) => {
    for (const [name, template] of Object.entries({ url, headers, body, form, xml })) {
      const wrong =
        name === 'headers' ? unknownInHeaders(headers, isMessageName) : unknownPlaceholder(template, isMessageName)
      if (wrong !== undefined)
        context.addIssue({ code: 'custom', path: [name], message: `no such placeholder: {{${wrong}}}` })
    }
    const bodies = [body, form, xml].filter((one) => one !== undefined)
    if (bodies.length > 1) context.addIssue({ code: 'custom', path: ['form'], message: 'one of body, form and xml' })
    if (method === 'GET' && bodies.length > 0) {
      context.addIssue({ code: 'custom', path: ['method'], message: 'GET has no body; put placeholders into the url' })
    }
  })

type HttpConfig = z.infer<typeof httpConfig>

const OF_EVERY_MESSAGE = ['messageId', 'channel', 'to', 'text', 'from', 'messageType']
const OF_TEMPLATE = [...OF_EVERY_MESSAGE, 'templateCode', 'variables']
const plain = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `{{${name}}}`]))

/** Without a code of the carrier's, its other 3xx and 4xx are about the message. */
const ABOUT_MESSAGE = '^(?!HTTP_(?:40[1238]|429))HTTP_[34]\\d\\d$'
const ID_PATHS = ['id', 'messageId']

function descriptionOf(config: HttpConfig): Described {
  const { method, url, form, xml, body, report } = config
  const isPlain = method === 'POST' && !form && xml === undefined && body === undefined
  const requestWith = (fields: readonly string[]): RequestTemplate => ({
    method,
    base: '',
    path: url,
    // A carrier that knows the header can drop a duplicate that the network made.
    headers: { 'idempotency-key': '{{messageId}}', ...config.headers },
    ...(method === 'POST' && (form ? { form } : xml ? { xml } : { json: body ?? plain(fields) })),
    keepsEmpty: !isPlain,
    keepsEmptyHeaders: true,
  })
  const api = {
    when: [],
    needs: [],
    refusedIf: [],
    id: config.idPath ?? ID_PATHS,
    answerPattern: config.answerPattern,
    idPattern: '^.{1,256}$',
    codePath: [{ path: config.codePath, if: [] }],
    noCode: [],
    codePrefix: '',
    unlisted: [{ code: ABOUT_MESSAGE, means: 'never' as const, only2xx: false }],
  }
  const { itemsPath, idPath, statusPath, codePath, signature, delivered, failed } = report
  const words = (is: string[]) => ({ is })
  return {
    auth: { type: 'none' },
    send: Object.fromEntries(
      LEGS.map((leg) => [leg, { ...api, request: requestWith(leg === 'sms' ? OF_EVERY_MESSAGE : OF_TEMPLATE) }]),
    ),
    names: {},
    unreadable: '',
    codes: Object.fromEntries(
      Object.entries(config.codes).map(([code, { means, explanation = '' }]) => [code, [means, explanation]]),
    ),
    reasons: {},
    result: { status: statusPath, code: [codePath], delivered: words(delivered), failed: words(failed) },
    reports: {
      isOwn: true,
      signature,
      isForm: false,
      items: itemsPath,
      if: [],
      kinds: [{ if: [], id: idPath ?? ID_PATHS }],
      mustAsk: false,
    },
  }
}

export const http: CarrierType = {
  config: httpConfig,
  channels: LEGS,
  settings: [
    // It may hold a key of the carrier.
    { name: 'url', title: 'URL', help: 'Receives each message as a POST request.', secret: true, url: true },
    {
      name: 'headers',
      title: 'Headers',
      help: 'Sent with each message, one a line, such as X-Api-Key: secret.',
      secret: true,
      optional: true,
      multiline: true,
      kind: 'headers',
    },
    { name: 'senders', ...SENDERS },
    {
      name: 'reports',
      title: 'The carrier sends delivery reports',
      help: 'A message is charged when its report arrives.',
      kind: 'flag',
    },
  ],
  reportsBySecret: true,
  create(carrier, dependencies) {
    const config = httpConfig.parse(carrier.config)
    const { reports, reportSecret, senders } = config
    const settings = { reportSecret, senders }
    return describedCarrier(descriptionOf(config), { carrier, settings, reports }, dependencies)
  },
  explain: (code, config) =>
    httpConfig.safeParse(config).data?.codes[code]?.explanation ??
    EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1],
}

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
