/** Makes a carrier of its description and an operator's settings; see `description.ts`. */
import { isSameSecret } from '../domain/access/api-key'
import type { AwaitedReport } from '../domain/delivery/attempt'
import type { CarrierConfig } from '../domain/delivery/carrier'
import type { DeliveryReport, SendOutcome } from '../domain/delivery/delivery'
import type { OutboundMessage } from '../domain/message/rendered-message'
import { invalid } from '../domain/shared/error'
import { MINUTE_MS, SECOND_MS } from '../domain/shared/value'
import type { CallDocument, Carrier, ReportCallback, ReportedMessage } from '../ports/carrier'
import type { TransportResult } from '../ports/network'
import { outcomeOfSilence, parseBody, parseJson, textOf, verdictOfStatus } from './answer'
import {
  type AnswerCondition,
  type CallDocuments,
  type CarrierDescription,
  type CodeMeaning,
  carrierDescription,
  type DescriptionFile,
  hasReportSecret,
  type Reports,
  type RequestTemplate,
  type ResultQuery,
  type ResultRule,
  type SendApi,
  type StatusWords,
  settingsSchema,
} from './description'
import { LOOKUP_TIMEOUT_MS, LookupMemory } from './number-lookup'
import { type Pattern, patternOf } from './pattern'
import { itemsAt, readBody, showsSecret } from './report-body'
import { rawReportSignature, signatureCheck } from './report-signature'
import { AccessTokens } from './signers/oauth2'
import { type Signer, signerOf } from './signers/sign'
import {
  byTag,
  type Filled,
  filled,
  firstOf,
  formFrom,
  headerFrom,
  jsonFrom,
  messageScope,
  momentScope,
  objectScope,
  senderByCountry,
  urlFrom,
  type ValueScope,
  valueAt,
  valueFrom,
  wholeFrom,
} from './template'
import type { CarrierDependencies, CarrierType } from './type'

/** Throws where the description is malformed. */
export function describedType(file: DescriptionFile): CarrierType {
  return typeFrom(carrierDescription.parse(file))
}

export function typeFrom(description: CarrierDescription): CarrierType {
  const config = settingsSchema(description)
  return {
    config,
    channels: description.channels,
    reportsBySecret: hasReportSecret(description.reports),
    description,
    create: (carrier, dependencies) => {
      const settings = config.parse(carrier.config) as Record<string, unknown>
      return describedCarrier(description, { carrier, settings, reports: reportsAtAll(description) }, dependencies)
    },
    explain: (code) => explain(description, code),
  }
}

const reportsAtAll = ({ reports, send }: CarrierDescription) =>
  reports !== undefined || Object.values(send).some(({ query }) => query !== undefined)

/** The parts of a description that the engine reads. The `http` type makes one of its settings. */
export type Described = Pick<
  CarrierDescription,
  | 'auth'
  | 'lookup'
  | 'languages'
  | 'phrases'
  | 'keyPrompts'
  | 'codePattern'
  | 'names'
  | 'unreadable'
  | 'codes'
  | 'reasons'
  | 'result'
  | 'calls'
> & {
  /** `isOwn`: the operator has said where the carrier sends nothing but reports. */
  reports?: (Reports & { isOwn?: boolean }) | undefined
  send: Record<string, Omit<SendApi, 'request'> & { request: RequestTemplate }>
}

interface Configured {
  carrier: Pick<CarrierConfig, 'name'>
  settings: Record<string, unknown>
  /** Whether it ever tells what became of a message. */
  reports: boolean
}

export function describedCarrier(
  description: Described,
  { carrier: { name }, settings, reports }: Configured,
  dependencies: CarrierDependencies,
): Carrier {
  const { transport, clock, random, vault, log, timeoutMs, reportUrl } = dependencies
  const secret = textOr(settings.reportSecret)
  const reportUrlWithToken = reportUrl && `${reportUrl}?token=${encodeURIComponent(secret)}`
  const ownSettings = firstOf(objectScope(settings), objectScope({ reportUrl, reportUrlWithToken }))
  const signer = signerOf(description.auth)
  const phraseOf = byTag(description.phrases)
  const keyPromptOf = byTag(description.keyPrompts)
  const languageOf = byTag(description.languages, textOr(settings.languages))
  const senderOf = senderByCountry(settings.senders)
  const apis = Object.entries(description.send).map(([name, api]) =>
    compiled(name, api, description, { settings, signer }),
  )

  const ask = ({ method, build }: CompiledRequest, scope: ValueScope, longestMs = timeoutMs) =>
    transport.request({
      method,
      ...build(firstOf(scope, ownSettings, momentScope({ now: clock.now(), random }))),
      timeoutMs: Math.min(timeoutMs, longestMs),
    })
  const tokens = description.auth.type === 'oauth2' && new AccessTokens(description.auth, ownSettings, dependencies)
  const call: typeof ask = async (request, scope, longestMs) => {
    if (!tokens) return ask(request, scope, longestMs)
    const askWith = async (accessToken: string | TransportResult) =>
      typeof accessToken === 'string'
        ? ask(request, firstOf(objectScope({ accessToken }), scope), longestMs)
        : accessToken
    const token = await tokens.current()
    const result = await askWith(token)
    if (typeof token !== 'string' || result.kind !== 'answered' || result.status !== 401) return result
    // A token may be revoked before its time. What is refused with 401 was not taken.
    tokens.forget(token)
    return askWith(await tokens.current())
  }
  const lookUp = numberLookup(description, { settings, call, dependencies })

  /** The report URL with what is to be said, sealed for this carrier: nobody else may hear it, and nobody after the code has expired. */
  const answerUrlOf = (said: SaidInCall) =>
    description.calls &&
    reportUrl &&
    `${reportUrl}?answer=${Buffer.from(vault.seal(callRow(name), JSON.stringify(said))).toString('base64url')}`

  const carrier: Carrier = {
    name,
    reports,
    async send(message) {
      const fact = lookUp && (await lookUp(message))
      if (fact !== undefined) return refusalOf('absent', `LOOKUP_${fact.toUpperCase()}`)
      const ofMessage = messageScope(message, clock.now())
      const { locale, expiresAt } = message
      const byLanguage = {
        language: languageOf(locale),
        phrase: filled(phraseOf(locale) ?? '')(ofMessage),
        keyPrompt: keyPromptOf(locale),
      }
      const answerUrl = answerUrlOf({ ...byLanguage, expiresAt })
      const scope = firstOf(ofMessage, objectScope({ ...byLanguage, answerUrl, from: senderOf(message.to) }))
      const api = apis.find(({ serves }) => serves(message, firstOf(scope, ownSettings)))
      if (!api) return refusalOf('elsewhere', NOT_SERVED)
      const missing = api.missing(firstOf(scope, ownSettings))
      if (missing !== undefined) return refusalOf(verdictOf(description, missing) ?? 'elsewhere', missing)
      if (!api.request) return refusalOf('elsewhere', NOT_SERVED)
      const outcome = api.outcomeOf(await call(api.request, scope))
      return outcome.kind === 'accepted' && api.query
        ? { ...outcome, reportAfterMs: firstAskMs(api.query, reportUrl) }
        : outcome
    },
  }
  if (apis.some(({ query }) => query))
    carrier.query = async (awaited) => {
      const id = awaited.carrierMessageId
      const api = apis.find(({ owns, query }) => query && id !== undefined && owns(id))
      const askAgainMs = askAgainAfterMs((api ?? apis.find(({ query }) => query))?.query, awaited, clock.now())
      if (!api?.ask || id === undefined) return { askAgainMs }
      return api.reportIn(await call(api.ask, idScope(api, id)), id) ?? { askAgainMs }
    }
  if (apis.some(({ revoke }) => revoke))
    carrier.revoke = async (id) => {
      const api = apis.find(({ revoke, owns }) => revoke && owns(id))
      if (!api?.revoke) return
      const outcome = api.revokedBy(await call(api.revoke, idScope(api, id)))
      if (outcome.kind !== 'accepted')
        log.warn({ carrier: name, code: outcome.code }, 'a message could not be taken back')
    }
  if (description.reports) {
    const isAuthentic = authenticityCheck(description.reports, { settings, ownSettings, clock })
    carrier.readReports = reportReader(description, description.reports, { isAuthentic, dependencies })
    carrier.reportAnswer = description.reports.answer
    if (description.calls) {
      const documentFor = callAnswerer(description.calls, { isForm: description.reports.isForm, ownSettings })
      carrier.answerCall = async (callback) => {
        if (!(await isAuthentic(callback))) return undefined
        const said = openedCall(vault, name, callback.query.get('answer') ?? '')
        return said && clock.now() < said.expiresAt ? documentFor(callback, said) : undefined
      }
    }
  }
  const challenge = description.reports?.challenge
  if (challenge) carrier.answerChallenge = challengeReader(challenge, ownSettings)
  return carrier
}

interface LookupSettings {
  settings: Record<string, unknown>
  call(request: CompiledRequest, scope: ValueScope, longestMs: number): Promise<TransportResult>
  dependencies: CarrierDependencies
}

/** Answers the fact for which a message is not sent. Undefined where the operator wants no question. */
function numberLookup(
  { lookup, auth }: Described,
  { settings, call, dependencies: { clock, random } }: LookupSettings,
): ((message: OutboundMessage) => Promise<string | undefined>) | undefined {
  const wanted = textOr(settings.lookup).split(',')
  const facts = wanted.flatMap((name) => Object.entries(lookup?.facts ?? {}).filter(([fact]) => fact === name.trim()))
  const request = lookup && compiledRequest(lookup.request, settings, signerOf(lookup.auth ?? auth))
  if (!lookup || !request || facts.length === 0) return undefined
  const memory = new LookupMemory(clock, random)
  return async (message) => {
    const { channel, isFallback, to } = message
    // The phone of a fallback has just been tried by another channel.
    if (isFallback || !lookup.channels.includes(channel)) return undefined
    return memory.factOf(to, async () => {
      const result = await call(request, messageScope(message, clock.now()), LOOKUP_TIMEOUT_MS)
      const answer = result.kind === 'answered' && result.status === 200 ? parseBody(result.body) : undefined
      if (answer === undefined) return undefined
      return { fact: facts.find(([, conditions]) => conditions.some(holds(answer)))?.[0] }
    })
  }
}

const firstAskMs = (
  { firstAfterSec, firstAfterSecWithoutReports = firstAfterSec }: ResultQuery,
  reportUrl: string | undefined,
) => (reportUrl === undefined ? firstAfterSecWithoutReports : firstAfterSec) * SECOND_MS

/** The operator has not configured what this channel needs. */
const NOT_SERVED = 'CHANNEL_NOT_CONFIGURED'

const ASK_AGAIN_MIN_MS = 5 * SECOND_MS
const ASK_AGAIN_MAX_MS = 30 * MINUTE_MS

/** Often while a message is young, as a fallback may wait for the answer, and ever more seldom. */
function askAgainAfterMs(query: ResultQuery | undefined, { answeredAt }: AwaitedReport, now: number): number {
  const age = now - answeredAt
  const step = query?.everySec?.find(([untilSec]) => untilSec === null || age < untilSec * SECOND_MS)
  return step ? step[1] * SECOND_MS : Math.min(Math.max(Math.round(age / 2), ASK_AGAIN_MIN_MS), ASK_AGAIN_MAX_MS)
}

/** The carrier's id as `{{id}}`, and the named groups of its pattern. */
function idScope({ idPattern }: CompiledApi, id: string): ValueScope {
  const groups = objectScope({ id: idPattern.exec(id)?.groups })
  return (path) => (path === 'id' ? id : groups(path))
}

interface CompiledRequest {
  method: RequestTemplate['method']
  build(scope: ValueScope): { url: string; headers: Record<string, string>; body: string | undefined }
}

interface CompiledApi {
  serves(message: OutboundMessage, scope: ValueScope): boolean
  owns(id: string): boolean
  idPattern: Pattern
  /** The code of what is missing for a message. */
  missing(scope: ValueScope): string | undefined
  request: CompiledRequest | undefined
  outcomeOf(result: TransportResult): SendOutcome
  query: ResultQuery | undefined
  ask: CompiledRequest | undefined
  reportIn(result: TransportResult, id: string): DeliveryReport | undefined
  revoke: CompiledRequest | undefined
  revokedBy(result: TransportResult): SendOutcome
}

function compiled(
  name: string,
  api: Described['send'][string],
  description: Described,
  { settings, signer }: { settings: Record<string, unknown>; signer: Signer },
): CompiledApi {
  const { channel = name, messageType, query, revoke } = api
  const idPattern = patternOf(api.idPattern, 's')
  const needs = api.needs.map(({ code, ...needed }) => ({ isThere: valueTest(needed), code }))
  const conditions = api.when.map(valueTest)
  return {
    idPattern,
    serves: (message, scope) =>
      message.channel === channel &&
      (messageType === undefined || message.messageType === messageType) &&
      conditions.every((holds) => holds(scope)),
    owns: (id) => idPattern.test(id),
    missing: (scope) => needs.find(({ isThere }) => !isThere(scope))?.code,
    request: compiledRequest(api.request, settings, signer),
    outcomeOf: outcomeReader(description, api, idPattern),
    query,
    ask: query && compiledRequest(query.request, settings, signer),
    reportIn: queryReader(description, api),
    revoke: revoke && compiledRequest(revoke.request, settings, signer),
    revokedBy: outcomeReader(description, { ...api, id: [] }, idPattern),
  }
}

/** Whether a value is there, and matches. */
function valueTest({ value, matches }: SendApi['when'][number]): (scope: ValueScope) => boolean {
  const pattern = matches === undefined ? undefined : patternOf(matches)
  const found = valueFrom(value)
  return (scope) => {
    const there = found(scope)
    return there !== undefined && pattern?.test(String(there)) !== false
  }
}

/** Undefined where the operator has not configured its address. */
function compiledRequest(
  template: RequestTemplate,
  settings: Record<string, unknown>,
  signer: Signer,
): CompiledRequest | undefined {
  const { method, base, keepsEmpty = false, keepsEmptyHeaders = keepsEmpty } = template
  const given = base === '' ? '' : valueAt(settings, base)
  if (typeof given !== 'string') return undefined
  const address = filled(given)(objectScope(settings)).replace(/\/+$/, '')
  const url = urlFrom(template.path)
  const body = bodyFrom(template, keepsEmpty)
  const own = Object.entries(template.headers).map(([header, text]) => [header, headerFrom(text)] as const)
  const ours = {
    accept: 'application/json',
    ...(body && {
      'content-type':
        template.contentType ?? (template.form ? FORM : template.xml ? 'application/xml' : 'application/json'),
    }),
  }
  return {
    method,
    build(scope) {
      const written = body?.(scope)
      const withBody: ValueScope = (name) => (name === 'body' ? written : scope(name))
      const headers: Record<string, string> = { ...ours }
      for (const [header, fill] of own) {
        const value = fill(withBody)
        // A trace that there is not has no header.
        if (value !== '' || (keepsEmptyHeaders && !/^trace(parent|state)$/i.test(header))) headers[header] = value
      }
      const unsigned = { method, url: address + url(scope), headers, body: written }
      return { ...unsigned, headers: { ...headers, ...signer(unsigned, scope) } }
    },
  }
}

const FORM = 'application/x-www-form-urlencoded'
const textOr = (value: unknown) => (typeof value === 'string' ? value : '')

function bodyFrom({ json, form, xml }: RequestTemplate, keepsEmpty: boolean): Filled<string> | undefined {
  if (form) return formFrom(form, keepsEmpty)
  if (xml !== undefined) return filled(xml, (value) => value.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`))
  if (json === undefined) return undefined
  const value = jsonFrom(json, keepsEmpty)
  return (scope) => JSON.stringify(value(scope))
}

/** An answer as an object, whatever it is written in. */
function answerReader({ answerPattern }: Pick<SendApi, 'answerPattern'>): (body: string) => unknown {
  if (answerPattern === undefined) return parseBody
  const pattern = patternOf(answerPattern, 's')
  return (body) => parseJson(body) ?? pattern.exec(body)?.groups ?? parseBody(body)
}

const saidAt = (item: unknown, path: string): string | undefined => textOf(valueAt(item, path))

const holds =
  (item: unknown) =>
  ({ path, is, matches }: AnswerCondition): boolean => {
    const value = valueAt(item, path)
    const said = typeof value === 'boolean' ? String(value) : textOf(value)
    if (said === undefined) return value != null && is === undefined && matches === undefined
    return (is === undefined || [is].flat().includes(said)) && (matches === undefined || patternOf(matches).test(said))
  }

/** The first id that is there, by paths and templates of paths. */
function idReader(ids: SendApi['id']): (item: unknown) => string | undefined {
  const readers = [ids].flat().map((id): ((item: unknown) => string | undefined) => {
    if (!id.includes('{{')) return (item) => saidAt(item, id)
    const whole = wholeFrom(id)
    return (item) => whole(objectScope(item))
  })
  return (item) => {
    for (const read of readers) {
      const id = read(item)
      if (id !== undefined) return id
    }
    return undefined
  }
}

/** The first code that is there and looks like one. */
function codeReader(
  { codePattern, names }: Pick<Described, 'codePattern' | 'names'>,
  { noCode, codePrefix }: Pick<SendApi, 'noCode' | 'codePrefix'>,
): (item: unknown, paths: readonly string[]) => string | undefined {
  const pattern = codePattern === undefined ? undefined : patternOf(codePattern)
  return (item, paths) => {
    for (const path of paths) {
      const code = saidAt(item, path)
      if (code === undefined || noCode.includes(code)) continue
      const name = ownIn(names, code)
      if (name !== undefined) return codePrefix + name
      const match = pattern ? pattern.exec(code) : [code]
      if (match) return codePrefix + (match[1] ?? code)
    }
    return undefined
  }
}

const ownIn = <T>(values: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

const verdictOf = ({ codes }: Described, code: string): CodeMeaning | undefined => ownIn(codes, code)?.[0]

function refusalOf(means: CodeMeaning, code: string): SendOutcome {
  if (means === 'ambiguous' || means === 'accepted') return { kind: 'ambiguous', code }
  return means === 'absent' || means === 'stopped'
    ? { kind: 'refused', retry: 'never', code, absence: means }
    : { kind: 'refused', retry: means, code }
}

function outcomeReader(
  description: Described,
  api: Described['send'][string],
  idPattern: Pattern,
): (result: TransportResult) => SendOutcome {
  const idIn = idReader(api.id)
  const codeIn = codeReader(description, api)
  const answerIn = answerReader(api)
  const unlisted = api.unlisted.map(({ code, ...rest }) => ({ pattern: patternOf(code), ...rest }))
  const acceptanceOf = (answer: unknown, status: number): SendOutcome => {
    const refused = api.refusedIf.find(({ all }) => all.every(holds(answer)))
    if (refused) {
      const code = api.codePrefix + refused.code
      return refusalOf(verdictOf(description, code) ?? 'elsewhere', code)
    }
    const id = idIn(answer)
    if (api.id.length === 0) return { kind: 'accepted', carrierMessageId: undefined }
    return id !== undefined && idPattern.test(id)
      ? { kind: 'accepted', carrierMessageId: id }
      : { kind: 'ambiguous', code: `HTTP_${status}_WITHOUT_ID` }
  }
  return (result) => {
    if (result.kind !== 'answered') return outcomeOfSilence(result)
    const { status } = result
    const answer = answerIn(result.body)
    const isSuccess = status >= 200 && status < 300
    const ofStatus = `HTTP_${status}`
    const codePaths = api.codePath.filter((one) => one.if.every(holds(answer))).map(({ path }) => path)
    const given = codeIn(answer, codePaths)
    const isTaken = isSuccess && api.accepted?.every(holds(answer))
    const byPattern = (code: string) =>
      unlisted.find(({ pattern, only2xx }) => (isSuccess || !only2xx) && pattern.test(code))?.means
    const means =
      (given !== undefined ? verdictOf(description, given) : undefined) ??
      verdictOf(description, ofStatus) ??
      (isTaken ? 'accepted' : undefined) ??
      (given !== undefined ? byPattern(given.slice(api.codePrefix.length)) : undefined) ??
      byPattern(ofStatus) ??
      (isSuccess && api.accepted === undefined ? 'accepted' : verdictOfStatus(status))
    const outcome = (): SendOutcome => {
      if (means === 'accepted' && isSuccess) return acceptanceOf(answer, status)
      const code = given ?? ofStatus + (isSuccess && api.accepted !== undefined ? description.unreadable : '')
      return refusalOf(means === 'accepted' ? verdictOfStatus(status) : means, code)
    }
    const answered = outcome()
    return answered.kind === 'accepted' ? answered : { ...answered, said: wordsIn(answer, OF_ANSWERS) }
  }
}

/** Fields in which carriers write a sentence beside their codes. */
const OF_REPORTS =
  /^(error(message|msg|text|desc|description|info|detail)?|(status|result|failure)(message|msg|text|desc|description|reason)|desc|description|reason|details?)$/
/** In a report, `message` may be the text that was sent. */
const OF_ANSWERS = new RegExp(`^(message|msg|title)$|${OF_REPORTS.source}`)

const DEEPEST = 4
const LONGEST_WORDS = 1_000

/** The first sentence of an answer: a text under a name that stands for one, with a space in it. */
function wordsIn(answer: unknown, names: RegExp, depth = 0): string | undefined {
  if (typeof answer !== 'object' || answer === null || depth > DEEPEST) return undefined
  const entries = Object.entries(answer)
  const sentence = entries.find(
    ([name, value]) =>
      typeof value === 'string' && value.trim().includes(' ') && names.test(name.toLowerCase().replace(/[^a-z]/g, '')),
  )
  if (sentence) return String(sentence[1]).slice(0, LONGEST_WORDS)
  for (const [, value] of entries) {
    const words = wordsIn(value, names, depth + 1)
    if (words !== undefined) return words
  }
  return undefined
}

/** Reads the result from an item; undefined while it is not decided. */
type ReadResult = (item: unknown) => DeliveryReport | undefined

function resultReader(
  description: Described,
  api: Pick<SendApi, 'noCode' | 'codePrefix' | 'result'>,
  more: ResultRule | undefined,
): ReadResult {
  const rule: ResultRule = { ...description.result, ...api.result, ...more }
  const codePrefix = rule.codePrefix ?? api.codePrefix
  const codeIn = codeReader(description, { noCode: api.noCode, codePrefix })
  const [isOpen, isDelivered, isFailed] = [wordTest(rule.open), wordTest(rule.delivered), wordTest(rule.failed)]
  const failedCode = rule.failedCode === undefined ? () => undefined : filled(rule.failedCode)
  return (item) => {
    const status = rule.status === undefined ? undefined : saidAt(item, rule.status)
    const code = codeIn(item, rule.code ?? [])
    if (isOpen(status)) return undefined
    const bare = code?.slice(codePrefix.length)
    if (isDelivered(status) || (bare !== undefined && rule.deliveredCodes?.includes(bare)))
      return { status: 'delivered', code }
    const byCode = rule.failsByCode && code !== undefined ? failureByCode(description, code) : undefined
    if (byCode === 'open') return undefined
    if (byCode !== 'failed' && !isFailed(status)) return undefined
    const means = code === undefined ? undefined : verdictOf(description, code)
    const absence = means === 'absent' || means === 'stopped' ? { absence: means } : undefined
    return {
      status: 'failed',
      code: code ?? failedCode(firstOf(objectScope({ status }), objectScope(item))),
      said: wordsIn(item, OF_REPORTS),
      ...absence,
    }
  }
}

function failureByCode(description: Described, code: string): 'open' | 'failed' | undefined {
  const verdict = verdictOf(description, code)
  if (verdict !== undefined) return verdict === 'ambiguous' || verdict === 'accepted' ? 'open' : 'failed'
  return Object.hasOwn(description.reasons, code) ? 'failed' : undefined
}

function wordTest(words: StatusWords | undefined): (word: string | undefined) => boolean {
  const pattern = words?.matches === undefined ? undefined : patternOf(words.matches)
  return (word) => {
    if (!words || word === undefined) return false
    const bare = word.replace(/\s/g, '')
    return words.is.includes(word) || words.is.includes(bare) || pattern?.test(bare) === true
  }
}

function queryReader(description: Described, api: Described['send'][string]): CompiledApi['reportIn'] {
  const { query } = api
  if (!query) return () => undefined
  const reportOf = resultReader(description, api, query.result)
  const answerIn = answerReader(api)
  return (result, id) => {
    if (result.kind !== 'answered' || result.status !== 200) return undefined
    const answer = answerIn(result.body)
    if (!query.if.every(holds(answer))) return undefined
    const items = itemsAt(answer, query.items)
    const { idPath } = query
    const item = idPath === undefined ? items[0] : items.find((one) => saidAt(one, idPath) === id)
    return reportOf(item)
  }
}

/** Secrets are compared in the same time, whatever was shown. */
function challengeReader(
  { if: conditions, answer }: NonNullable<Reports['challenge']>,
  ownSettings: ValueScope,
): NonNullable<Carrier['answerChallenge']> {
  const expected = Object.entries(conditions).map(([name, value]) => [name, filled(value)(ownSettings)] as const)
  return (query) => {
    const isRight = expected.every(([name, value]) => value !== '' && isSameSecret(query.get(name) ?? '', value))
    return isRight ? (query.get(answer) ?? undefined) : undefined
  }
}

/** The words of a call in the language of its message, until the code expires. */
interface SaidInCall {
  language: string | undefined
  phrase: string
  keyPrompt: string | undefined
  expiresAt: number
}

const callRow = (carrier: string) => `call ${carrier}`

/** Undefined for what was not sealed here, or for another carrier. */
function openedCall(vault: CarrierDependencies['vault'], carrier: string, sealed: string): SaidInCall | undefined {
  try {
    return JSON.parse(vault.open(callRow(carrier), Buffer.from(sealed, 'base64url')))
  } catch {
    return undefined
  }
}

function callAnswerer(
  { contentType, documents }: CallDocuments,
  { isForm, ownSettings }: { isForm: boolean; ownSettings: ValueScope },
): (callback: ReportCallback, said: SaidInCall) => CallDocument | undefined {
  const compiledDocuments = documents
    .filter(({ when }) => when.map(valueTest).every((isSo) => isSo(ownSettings)))
    .map((one) => ({ if: one.if, fill: documentFrom(one.document) }))
  return (callback, said) => {
    const [told] = [readBody(callback, isForm)].flat()
    const chosen = compiledDocuments.find((one) => one.if.every(holds(told)))
    const scope = firstOf(objectScope({ ...said, answerUrl: callback.url }), ownSettings)
    return chosen && { document: chosen.fill(scope), contentType }
  }
}

function documentFrom(template: unknown): Filled<string> {
  if (typeof template === 'string') return filled(template)
  const value = jsonFrom(template, false)
  return (scope) => JSON.stringify(value(scope))
}

type AuthenticityCheck = (callback: ReportCallback) => boolean | Promise<boolean>

function authenticityCheck(
  reports: Reports,
  {
    settings,
    ownSettings,
    clock,
  }: { settings: Record<string, unknown>; ownSettings: ValueScope; clock: CarrierDependencies['clock'] },
): AuthenticityCheck {
  const isUnsigned = reports.signedIf !== undefined && valueAt(settings, reports.signedIf) === undefined
  const isSigned =
    reports.signature === undefined || isUnsigned
      ? undefined
      : signatureCheck(rawReportSignature.parse(jsonFrom(reports.signature, true)(signatureScope(ownSettings))))
  return isSigned
    ? (callback) => isSigned(callback, clock.now())
    : (callback) => showsSecret(callback, textOr(settings.reportSecret), reports.secretHeader)
}

interface ReportSettings {
  isAuthentic: AuthenticityCheck
  dependencies: CarrierDependencies
}

function reportReader(
  description: Described,
  reports: Reports,
  { isAuthentic, dependencies: { transport, timeoutMs } }: ReportSettings,
): NonNullable<Carrier['readReports']> {
  const kinds = reports.kinds.map((kind) => {
    const api = (kind.api === undefined ? undefined : description.send[kind.api]) ?? NO_API
    const idIn = idReader(kind.id ?? [])
    const isId = patternOf(api.idPattern, 's')
    const theirs = (item: unknown) => {
      const id = idIn(item)
      return id !== undefined && isId.test(id) ? id : undefined
    }
    return { ...kind, idIn: theirs, reportOf: resultReader(description, api, kind.result) }
  })
  return (callback) => {
    const read = (isBelieved: boolean) => {
      if (!isBelieved) return undefined
      const url = confirmationUrl(reports, callback)
      if (url === undefined) return reportsIn(reports, kinds, callback)
      return transport.request({ method: 'GET', url, headers: {}, timeoutMs }).then(() => [])
    }
    const isBelieved = isAuthentic(callback)
    return typeof isBelieved === 'boolean' ? read(isBelieved) : isBelieved.then(read)
  }
}

const NO_API = { noCode: [], codePrefix: '', result: undefined, idPattern: '' }

/** Placeholders of what the carrier signs are filled by each report, and stay as they are here. */
const signatureScope =
  (settings: ValueScope): ValueScope =>
  (name) =>
    settings(name) ?? `{{${name}}}`

type ReportKind = Reports['kinds'][number] & { idIn: (item: unknown) => string | undefined; reportOf: ReadResult }

function confirmationUrl({ confirm, isForm }: Reports, callback: ReportCallback): string | undefined {
  if (!confirm) return undefined
  const body = readBody(callback, isForm)
  const url = confirm.if.every(holds(body)) ? saidAt(body, confirm.url) : undefined
  return url !== undefined && patternOf(confirm.matches).test(url) ? url : undefined
}

/** Items that are no report, or decide nothing, are skipped. */
function reportsIn(
  reports: NonNullable<Described['reports']>,
  kinds: readonly ReportKind[],
  callback: ReportCallback,
): ReportedMessage[] {
  const body = readBody(callback, reports.isForm)
  const isMeant = [body].flat().some((one) => reports.if.every(holds(one)))
  if (!isMeant) return []
  const items = itemsAt(body, reports.items)
  let named = 0
  const found = items.flatMap((item): ReportedMessage[] => {
    const kind = kinds.find((one) => one.if.every(holds(item)))
    const report = kind?.reportOf(item)
    const theirs = kind?.idIn(item)
    const ours = reports.ownId === undefined ? undefined : saidAt(item, reports.ownId)
    const messageId = ours ?? theirs
    if (!kind || messageId !== undefined) named++
    if (!report || messageId === undefined) return []
    const carrierMessageId = ours === undefined || theirs === ours ? undefined : theirs
    return [
      {
        messageId,
        ...(carrierMessageId !== undefined && { carrierMessageId }),
        ...report,
        ...(reports.mustAsk && { mustAsk: true }),
      },
    ]
  })
  // Another form than the settings say: answered 200, it would be dropped without a word. Carriers try a URL with nothing, and vendors
  // also tell of other things there, one at a time.
  const saysMore = (item: unknown) => typeof item === 'object' && item !== null && Object.keys(item).length > 0
  const isBulk =
    /^\s*[[{<]/.test(callback.text) && (items.length > 1 || Object.values(Object(body)).some(Array.isArray))
  const isElsewhere = reports.isOwn && items.length > 0 && !items.some((item) => item !== undefined) && saysMore(body)
  const isNameless = (reports.isOwn || isBulk) && items.some(saysMore)
  if (named === 0 && callback.text !== '' && (isNameless || isElsewhere))
    throw invalid('body', 'invalid_format', 'no report in it has the ID of a message')
  return found
}

/** The meaning of a code, in words an operator can act on. */
export function explain(
  {
    title,
    names,
    codes,
    reasons,
    explanations,
  }: Pick<CarrierDescription, 'title' | 'names' | 'codes' | 'reasons' | 'explanations'>,
  code: string,
): string | undefined {
  const listed = ownIn(codes, code)?.[1] ?? ownIn(reasons, code)
  const theirs = Object.keys(names).find((one) => names[one] === code)
  if (listed !== undefined) return theirs === undefined ? listed : `${listed} (${title}: ${theirs})`
  const ofPattern = explanations.find(([pattern]) => patternOf(pattern).test(code))?.[1]
  return ofPattern ?? GENERAL.find(([pattern]) => pattern.test(code))?.[1](title)
}

const GENERAL: ReadonlyArray<[RegExp, (title: string) => string]> = [
  [/^CHANNEL_NOT_CONFIGURED$/, (title) => `${title} is not configured for this channel`],
  [
    /^LOOKUP_/,
    (title) => `${title} says that the number is of a kind that you send nothing to; see the setting lookup`,
  ],
  [/^NOT_E164$/, () => 'the recipient is no valid number'],
  [/^NOT_SENT_/, (title) => `no connection to ${title}; check network, DNS, certificates and the API base`],
  [/^NO_ANSWER_/, (title) => `${title} did not answer in time, or broke off; the message may be out`],
  [/^HTTP_2\d\d_WITHOUT_ID$/, (title) => `${title} answered without a message id; the message may be out`],
  [/^HTTP_2\d\d/, (title) => `${title} answered what cannot be read; the message may be out; check the API base`],
  [/^HTTP_40[13]$/, (title) => `${title} refused our credentials`],
  [/^HTTP_402$/, (title) => `the account at ${title} has no balance left`],
  [/^HTTP_429$/, (title) => `${title} asks for fewer messages at a time`],
  [/^HTTP_(408|5\d\d)$/, (title) => `${title} failed while it had the message; it may be out`],
  [/^HTTP_[34]\d\d$/, (title) => `${title} refused the request; check the API base`],
]
