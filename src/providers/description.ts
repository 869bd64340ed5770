/**
 * A carrier as data: its address, how a request is signed and written, what its answers and reports mean. Nothing in it is code,
 * so that an operator can bring one as a JSON file. `src/providers/described.ts` makes a carrier of it.
 */
import { z } from 'zod'
import { LEGS } from '../domain/shared/value'
import { withEngineSettings } from './engine-settings'
import { isLinear } from './pattern'
import { rawReportSignature } from './report-signature'
import { isMessageName, MOMENT_NAMES, unknownPlaceholder } from './template'

/** The meaning of a carrier's code for the message; see `SendOutcome` and `Refusal`. `absent`: `never`, and the phone is not on this channel. `stopped`: its owner takes no messages there (STOP). */
export const meaning = z.enum(['accepted', 'later', 'elsewhere', 'unfit', 'never', 'absent', 'stopped', 'ambiguous'])
export type CodeMeaning = z.infer<typeof meaning>

export const path = z.string().regex(/^[^.\s]+(\.[^.\s]+)*$/, 'must be a dotted path such as data.id')
/** A path, or a template of several. */
const idTemplate = z.string().refine((text) => text.includes('{{') || path.safeParse(text).success, {
  error: 'must be a dotted path such as data.id, or a template of paths',
})
const ids = z.union([idTemplate, z.array(idTemplate)])
const paths = z.union([path, z.array(path)]).transform((given) => (typeof given === 'string' ? [given] : given))
/** It matches texts of carriers and callers. */
export const regex = z
  .string()
  .refine(
    isLinear,
    'must be a regular expression without lookaround, backreferences and large repetitions, which may take for ever',
  )
export const headers = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header'),
  z.string().regex(/^[\x20-\x7e]*$/, 'must be ASCII on one line'),
)

function isRegex(text: string): boolean {
  try {
    return Boolean(new RegExp(text))
  } catch {
    return false
  }
}

/** A setting of the operator's: the form of the console, the help of the command line and its check are made from it. */
const plainField = z.strictObject({
  title: z.string(),
  help: z.string().optional(),
  secret: z.boolean().default(false),
  optional: z.boolean().default(false),
  default: z.string().optional(),
  pattern: z.string().refine(isRegex, 'must be a regular expression').optional(),
  /** The message for a value that does not match. */
  says: z.string().optional(),
  /** An http(s) URL. */
  url: z.boolean().default(false),
  /** A text of several lines, such as a key as PEM. */
  multiline: z.boolean().optional(),
})

/** Settings that belong together, as of one product of the carrier; all or none of them are there. */
const fieldGroup = z.strictObject({ title: z.string(), fields: z.record(z.string(), plainField) })

export type SettingField = z.infer<typeof plainField>
export type SettingGroup = z.infer<typeof fieldGroup>

/** A condition on an answer or a report: the value at the path is one of these, matches, or exists. */
const condition = z.strictObject({
  path,
  is: z.union([z.string(), z.array(z.string())]).optional(),
  matches: regex.optional(),
})
export type AnswerCondition = z.infer<typeof condition>

/** `if`: the path has a code only where all of these are so. */
const codePath = z.strictObject({ path, if: z.array(condition) })
const codePaths = z
  .union([path, z.array(z.union([path, codePath]))])
  .transform((given) => (typeof given === 'string' ? [given] : given))
  .transform((all) => all.map((one) => (typeof one === 'string' ? { path: one, if: [] } : one)))

/** A word of the carrier. Its spaces do not count. */
const words = z.strictObject({ is: z.array(z.string()).default([]), matches: regex.optional() })
const wordsOrList = z.union([words, z.array(z.string()).transform((is) => ({ is, matches: undefined }))])
export type StatusWords = z.infer<typeof words>

/** The result of a message in a report or in the answer to a query. */
const result = z.strictObject({
  status: path.optional(),
  code: paths.optional(),
  /** Put before each code, where reports and answers have numbers of their own. */
  codePrefix: z.string().optional(),
  delivered: wordsOrList.optional(),
  failed: wordsOrList.optional(),
  /** StatusWords for what is not decided yet, whatever the code says. */
  open: wordsOrList.optional(),
  /** Codes that say delivered. */
  deliveredCodes: z.array(z.string()).optional(),
  /** A code of `codes` or `reasons` says that it failed, unless it is ambiguous there. */
  failsByCode: z.boolean().optional(),
  /** The code of a failure that has none; `{{status}}` is the word, beside the paths of the report. */
  failedCode: z.string().optional(),
})
export type ResultRule = z.infer<typeof result>

const request = z.strictObject({
  method: z.enum(['POST', 'GET', 'PUT', 'PATCH']).default('POST'),
  /** The field with the address of the API. */
  base: z.string().default('apiBase'),
  path: z.string().regex(/^\//, 'begins with /: without it the rest would become part of the host'),
  headers: headers.default({}),
  /** The JSON body, with placeholders in its strings. */
  json: z.json().optional(),
  /** A form instead of JSON. */
  form: z.record(z.string(), z.string()).optional(),
  /** XML instead of JSON; values are escaped. */
  xml: z.string().optional(),
  contentType: z.string().optional(),
})

export interface RequestTemplate extends z.infer<typeof request> {
  /** Fields without a value are sent empty instead of left out. */
  keepsEmpty?: boolean
  keepsEmptyHeaders?: boolean
}

const query = z.strictObject({
  request,
  /** All of these have to be so; otherwise the answer decides nothing. */
  if: z.array(condition).default([]),
  /** Path of the messages in the answer, through every list on the way; `*` stands for every value of an object. */
  items: path.optional(),
  /** Path of the carrier's id in an item, for answers with several items. */
  idPath: path.optional(),
  result: result.optional(),
  /** How long after the answer it is asked first; without a report URL, sooner where the second says so. */
  firstAfterSec: z.number().positive(),
  firstAfterSecWithoutReports: z.number().positive().optional(),
  /** `[age, seconds]`: up to that age it is asked each so many seconds. Omitted: each half of its age, 5 s to 30 min. */
  everySec: z.array(z.tuple([z.number().positive().nullable(), z.number().positive()])).optional(),
})
export type ResultQuery = z.infer<typeof query>

const whenConditions = z.array(z.strictObject({ value: z.string(), matches: regex.optional() })).default([])

/** One way to send. */
const api = z.strictObject({
  /** The channel; omitted: the name of this entry. */
  channel: z.string().optional(),
  /** Only for messages of this type. */
  messageType: z.enum(['SMS', 'LMS']).optional(),
  /** Only for messages of which all of these are so; otherwise the next entry of the channel is used. */
  when: whenConditions,
  /** Values that must exist before anything is sent. Without one, the send is refused with its code of `codes`. */
  needs: z.array(z.strictObject({ value: z.string(), matches: regex.optional(), code: z.string() })).default([]),
  request,
  /** A 2xx is taken where all of these are so; omitted: every 2xx. A code that `codes` lists goes before. */
  accepted: z.array(condition).optional(),
  /** A 2xx that is taken as a whole, and yet refuses its one recipient with that code. */
  refusedIf: z.array(z.strictObject({ all: z.array(condition), code: z.string() })).default([]),
  /** Reads an answer that is no JSON, such as XML: its named groups are the fields of the answer. */
  answerPattern: regex.optional(),
  /** A path, or a template of paths such as `at:{{requestId}}:{{seq}}`; the first that has a value. */
  id: ids,
  /** The pattern of an id. Its named groups are `{{id.<name>}}` of a query, and it says which entry of `send` it is of. */
  idPattern: regex.default('^[\\x21-\\x7e]{1,256}$'),
  /** Paths of the code in an answer; the first one with a value counts. */
  codePath: codePaths.default([]),
  /** Values at `codePath` that are no codes, such as 0 for success. */
  noCode: z.array(z.string()).default([]),
  /** Put before each code, where codes of two products would be mixed up. */
  codePrefix: z.string().default(''),
  /** Codes that `codes` does not list. */
  unlisted: z.array(z.strictObject({ code: regex, means: meaning, only2xx: z.boolean().default(false) })).default([]),
  result: result.optional(),
  query: query.optional(),
  /** Takes a message back: its answer is read as that to a send, but needs no id. */
  revoke: z.strictObject({ request }).optional(),
})
export type SendApi = z.infer<typeof api>

const reportKind = z.strictObject({
  /** The entry of `send` that the report is about. */
  api: z.string().optional(),
  if: z.array(condition).default([]),
  /** The carrier's id, as in `send`. */
  id: ids.optional(),
  result: result.optional(),
})

const reports = z.strictObject({
  /** Signed: how. Its strings may have placeholders of settings. */
  signature: z.json().optional(),
  /** Signed only where the operator has given this setting; otherwise the report secret is shown. */
  signedIf: z.string().optional(),
  /** Not signed, but it shows the report secret of the operator: in this header, as it is or hashed; else as a bearer token or `?token=`. */
  secretHeader: z.strictObject({ name: z.string(), orHashed: z.enum(['sha1', 'sha256']).optional() }).optional(),
  /** A form, also where the carrier does not call it one. Otherwise JSON, a form or the query of the address, as it comes. */
  isForm: z.boolean().default(false),
  /** Path of the reports, through every list on the way. Omitted: the body is one report, or a list of them. */
  items: path.optional(),
  /** Conditions on the whole body. Otherwise nothing is reported. */
  if: z.array(condition).default([]),
  /** Path of the message id that we sent along. */
  ownId: path.optional(),
  kinds: z.array(reportKind).default([{ if: [] }]),
  /** The text that the carrier wants as the answer; otherwise it repeats its reports. */
  answer: z.string().min(1).max(200).optional(),
  /** A handshake of the carrier: where these are so, the address that is there is called, if it matches. */
  confirm: z.strictObject({ if: z.array(condition).min(1), url: path, matches: regex }).optional(),
  /** The carrier tries the report URL by a GET first: what its query has to say, and which parameter is answered as it is. */
  challenge: z.strictObject({ if: z.record(z.string(), z.string()), answer: z.string() }).optional(),
  /** A report proves little: the carrier is asked before it counts. */
  mustAsk: z.boolean().default(false),
})
export type Reports = z.infer<typeof reports>

/** The carrier fetches what it says in a call from `{{answerUrl}}`, and tells there who has answered or that a key was pressed. */
const calls = z.strictObject({
  contentType: z.string(),
  /** The first whose conditions hold: `if` on what the carrier tells, `when` on settings. A text, or JSON. */
  documents: z
    .array(z.strictObject({ if: z.array(condition).default([]), when: whenConditions, document: z.json() }))
    .min(1),
})
export type CallDocuments = z.infer<typeof calls>

const text = z.string()
const auth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('basic'), user: text, password: text }),
  z.strictObject({ type: z.literal('bearer'), token: text }),
  z.strictObject({ type: z.literal('header'), name: text, value: text }),
  /** A token of client credentials (RFC 6749, 4.4) as the bearer. */
  z.strictObject({
    type: z.literal('oauth2'),
    tokenUrl: text,
    clientId: text,
    clientSecret: text,
    scope: text.default(''),
    /** Whether the credentials are in the header, as the standard prefers, or in the form. */
    credentials: z.enum(['header', 'body']).default('header'),
  }),
  z.strictObject({
    type: z.literal('hmac'),
    algorithm: z.enum(['sha1', 'sha256', 'sha512']).default('sha256'),
    encoding: z.enum(['hex', 'base64', 'base64url']).default('hex'),
    secret: text,
    /** The text that is signed; beside settings it knows `{{body}}`, `{{method}}`, `{{path}}`, `{{bodyHash}}`, `{{isoDate}}`, `{{salt}}` … */
    signed: text,
    header: text,
    /** The header's value with `{{signature}}` in it. */
    value: text.default('{{signature}}'),
    /** Further headers that the signature is about. */
    headers: headers.default({}),
  }),
  /** A token of these claims as the bearer. */
  z.strictObject({
    type: z.literal('jwt'),
    algorithm: z.enum(['RS256', 'HS256']),
    key: text,
    claims: z.record(z.string(), z.json()),
  }),
  z.strictObject({
    type: z.literal('sigv4'),
    service: text,
    region: text,
    accessKeyId: text,
    secretAccessKey: text,
    sessionToken: text.default(''),
  }),
  /** Alibaba Cloud; the action and its version are headers of the request. */
  z.strictObject({ type: z.literal('acs3'), accessKeyId: text, accessKeySecret: text }),
  /** Tencent Cloud, likewise. */
  z.strictObject({ type: z.literal('tc3'), service: text, secretId: text, secretKey: text }),
])
export type RequestAuth = z.infer<typeof auth>

/** A question about a number before its first message. Nothing is sent where a fact holds that the operator names in the setting `lookup`. */
const numberLookup = z.strictObject({
  request,
  /** The authentication of look-ups, if it differs from `auth`. */
  auth: auth.optional(),
  channels: z.array(z.enum(LEGS)).min(1),
  /** By their names, such as `landline`: conditions on the answer, of which one suffices. */
  facts: z.record(z.string().regex(/^[a-z]{1,32}$/, 'must be lower-case letters'), z.array(condition).min(1)),
})

/** Addresses for reports. The second one has the report secret, for carriers that sign nothing. */
const REPORT_NAMES: ReadonlySet<string> = new Set(['reportUrl', 'reportUrlWithToken'])

/** The words of a call, as they stand in the sealed query of `{{answerUrl}}`. */
const CALL_NAMES: ReadonlySet<string> = new Set(['language', 'phrase', 'keyPrompt', 'answerUrl'])

/** A setting of such a name counts where the message has none. */
const MAY_BE_DEFAULT: ReadonlySet<string> = new Set(['from', 'templateId', 'templateCode', 'locale'])

const codeName = z.string().regex(/^[\x21-\x7e]{1,64}$/, 'must be 1 to 64 visible ASCII characters')
const why = z.string().min(1).max(200)

export const carrierDescription = z
  .strictObject({
    type: z
      .string()
      .regex(
        /^[a-z][a-z0-9-]{0,31}$/,
        'must begin with a lower-case letter, and have only lower-case letters, digits and hyphens',
      ),
    title: z.string().min(1).max(60),
    documentation: z.url({ protocol: /^https?$/ }),
    channels: z.array(z.enum(LEGS)).min(1),
    fields: z.record(z.string(), z.union([fieldGroup, plainField])),
    /** The operator fills in at least one of these groups. */
    oneOf: z.strictObject({ fields: z.array(z.string()), says: z.string() }).optional(),
    auth: auth.default({ type: 'none' }),
    /**
     * The carrier's language codes by language tags: `{{language}}` is that of a message, by its tag, by the language of
     * that alone, or by `*`. What an operator says in a field `languages` (`en=en_GB, *=ko`) goes before.
     */
    languages: z.record(z.string(), z.string()).optional(),
    /** Phrases for calls by language tag, chosen in the same way: `{{phrase}}`. */
    phrases: z.record(z.string(), z.string()).optional(),
    /** Requests to press any key, likewise: `{{keyPrompt}}`. */
    keyPrompts: z.record(z.string(), z.string()).optional(),
    send: z.record(z.string(), api),
    lookup: numberLookup.optional(),
    /** The pattern of a code. Other values may quote the message and are dropped. The first group, if any, is the code. */
    codePattern: regex.optional(),
    /** Names for codes that look like a phone number or a verification code: without a name they are redacted. */
    names: z.record(z.string(), codeName).default({}),
    /** The code of a 2xx that says nothing is `HTTP_<status>` and this. */
    unreadable: z.string().default('_UNREADABLE'),
    /** The meaning of codes, also of `HTTP_<status>`, and an explanation that an operator can act on. */
    codes: z.record(codeName, z.tuple([meaning, why])).default({}),
    /** Why a message that was taken has failed, by codes of reports alone. */
    reasons: z.record(codeName, why).default({}),
    /** The same for codes that are not listed, by patterns; the first that matches. */
    explanations: z.array(z.tuple([regex, why])).default([]),
    result: result.default({}),
    reports: reports.optional(),
    calls: calls.optional(),
  })
  .superRefine((description, context) => {
    const refuse = (at: string[], message: string) => context.addIssue({ code: 'custom', path: at, message })
    const isSetting = (name: string) => fieldAt(description, name) !== undefined || name === 'reportSecret'
    const isKnown = (name: string) =>
      isMessageName(name) ||
      MOMENT_NAMES.has(name) ||
      REPORT_NAMES.has(name) ||
      (name === 'language' && description.languages !== undefined) ||
      (name === 'phrase' && description.phrases !== undefined) ||
      (name === 'keyPrompt' && description.keyPrompts !== undefined) ||
      (name === 'answerUrl' && description.calls !== undefined) ||
      isSetting(name)
    const checkRequest = (at: string[], template: RequestTemplate, knows: (name: string) => boolean) => {
      const { base, headers, ...filled } = template
      const wrong = unknownPlaceholder(filled, knows) ?? unknownInHeaders(headers, knows)
      if (wrong !== undefined) refuse(at, unknownIn(wrong))
      if (!fieldAt(description, base)?.url) refuse([...at, 'base'], `no such field with an address: ${base}`)
      if (template.json !== undefined && template.form !== undefined) refuse([...at, 'form'], 'not together with json')
    }
    for (const [name, { request, query, revoke, needs, channel = name }] of Object.entries(description.send)) {
      if (!description.channels.some((one) => one === channel)) refuse(['send', name], 'is of none of its channels')
      checkRequest(['send', name, 'request'], request, isKnown)
      const isOfQuery = (value: string) =>
        value === 'id' || value.startsWith('id.') || MOMENT_NAMES.has(value) || isSetting(value)
      if (query) checkRequest(['send', name, 'query', 'request'], query.request, isOfQuery)
      if (revoke) checkRequest(['send', name, 'revoke', 'request'], revoke.request, isOfQuery)
      for (const { code } of needs)
        if (!Object.hasOwn(description.codes, code)) refuse(['send', name, 'needs'], `${code} is missing in codes`)
    }
    if (description.lookup) checkRequest(['lookup', 'request'], description.lookup.request, isKnown)
    for (const name of Object.keys(description.fields))
      if (isMessageName(name) && !MAY_BE_DEFAULT.has(name)) refuse(['fields', name], 'is a placeholder of the message')
    for (const name of ['senders', 'lookup'])
      if (Object.hasOwn(description.fields, name)) refuse(['fields', name], 'is a setting that the engine adds')
    for (const channel of description.channels)
      if (!Object.entries(description.send).some(([name, one]) => (one.channel ?? name) === channel))
        refuse(['send'], `nothing sends ${channel}`)
    const wrongPhrase = unknownPlaceholder(description.phrases ?? {}, isMessageName)
    if (wrongPhrase !== undefined) refuse(['phrases'], unknownIn(wrongPhrase))
    const isOfAuth = (name: string) =>
      isSetting(name) || MOMENT_NAMES.has(name) || ['signature', 'body', 'bodyHash', 'method', 'path'].includes(name)
    const wrong = unknownPlaceholder([description.auth, description.lookup?.auth], isOfAuth)
    if (wrong !== undefined) refuse(['auth'], unknownIn(wrong))
    const documents = description.calls?.documents.map(({ when, document }) => [
      when.map(({ value }) => value),
      document,
    ])
    const wrongInCall = unknownPlaceholder(documents, (name) => CALL_NAMES.has(name) || isSetting(name))
    if (wrongInCall !== undefined) refuse(['calls'], unknownIn(wrongInCall))
    const { signature, signedIf } = description.reports ?? {}
    if (description.calls && signature === undefined) refuse(['calls'], 'need reports with a signature')
    if (signedIf !== undefined && (signature === undefined || !isSetting(signedIf)))
      refuse(['reports', 'signedIf'], 'must be a field, and signature says how')
    // A key with a placeholder that nobody fills in would be a key that anybody can read here.
    const { signed, ...keys } = (signature ?? {}) as Record<string, unknown>
    const ofReport = /^(body|sortedForm|url|timestamp|header\..+)$/
    const wrongInSignature =
      unknownPlaceholder(keys, isSetting) ??
      unknownPlaceholder(signed, (name) => isSetting(name) || ofReport.test(name))
    if (wrongInSignature !== undefined) refuse(['reports', 'signature'], unknownIn(wrongInSignature))
    const malformed = signature === undefined ? undefined : rawReportSignature.safeParse(signature).error?.issues[0]
    if (malformed) refuse(['reports', 'signature', ...malformed.path.map(String)], malformed.message)
  })

/** Headers may be about the body, such as `{{body|md5}}`. */
export const unknownInHeaders = (headers: Record<string, string>, isKnown: (name: string) => boolean) =>
  unknownPlaceholder(headers, (name) => name === 'body' || isKnown(name))

const unknownIn = (wrong: string) => `no such ${wrong.includes('|') ? 'filter' : 'placeholder'}: {{${wrong}}}`

export type CarrierDescription = z.infer<typeof carrierDescription>
/** The description as it is written in a file. */
export type DescriptionFile = z.input<typeof carrierDescription>

/** A field by its name, or by the names of its group and itself: `sms.appKey`. */
function fieldAt(
  { fields }: { fields: Readonly<Record<string, SettingField | SettingGroup>> },
  name: string,
): SettingField | undefined {
  const [first = '', second] = name.split('.')
  const field = Object.hasOwn(fields, first) ? fields[first] : undefined
  if (field === undefined || !('fields' in field)) return second === undefined ? field : undefined
  return second !== undefined && Object.hasOwn(field.fields, second) ? field.fields[second] : undefined
}

/** The check of an operator's settings. */
export function settingsSchema({
  fields,
  oneOf,
  reports,
  lookup,
}: Pick<CarrierDescription, 'fields' | 'oneOf' | 'reports' | 'lookup'>): z.ZodType {
  const shape: Record<string, z.ZodType> = {}
  for (const [name, field] of Object.entries(withEngineSettings({ fields, lookup })))
    shape[name] = 'fields' in field ? groupSchema(field) : fieldSchema(field)
  // Where reports are signed, one of a former release may be stored.
  shape.reportSecret = hasReportSecret(reports) ? z.string().min(16) : z.string().optional()
  // An operator's own description is stored with the settings.
  shape.description = z.unknown().optional()
  const schema = z.strictObject(shape)
  if (!oneOf) return schema
  const hasOne = (settings: Record<string, unknown>) => oneOf.fields.some((name) => settings[name] !== undefined)
  return schema.refine(hasOne, { path: [oneOf.fields[0] ?? ''], error: oneOf.says })
}

export const hasReportSecret = (reports: CarrierDescription['reports']): boolean =>
  reports !== undefined &&
  (reports.signature === undefined || reports.signedIf !== undefined || reports.challenge !== undefined)

const groupSchema = ({ fields }: SettingGroup) =>
  z
    .strictObject(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])))
    .optional()

function fieldSchema({ optional, pattern, says, url, default: given }: SettingField): z.ZodType {
  const text = url
    ? z.url({ protocol: /^https?$/, error: says ?? 'must be an http(s) URL' })
    : pattern === undefined
      ? z.string().min(1)
      : z.string().regex(new RegExp(pattern), says)
  if (given !== undefined) return text.default(given)
  return optional ? text.optional() : text
}
