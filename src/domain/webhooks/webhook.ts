/**
 * Webhook endpoints: subscriptions, filters, meaning of answers, retries and disabling. Specification: "Events",
 * delivery and retry; decisions: "Webhooks".
 */
import { HOOK_EVENT_TYPES, type HookEventType } from '../../../contract/constants'
import { invalid } from '../shared/error'
import { DAY_MS, HOUR_MS, isLeg, LEGS, type Leg, MINUTE_MS, type Owner, SECOND_MS } from '../shared/value'
import { assertHookTemplate } from './payload-template'
import { assertHookUrl } from './target-address'

export interface HookFilters {
  method?: readonly string[]
  type?: readonly string[]
  metadata?: Readonly<Record<string, readonly string[]>>
}

/** A secret of an endpoint; during a rotation the older one stays valid for a while. */
export interface HookSecret {
  secret: string
  /** Unix milliseconds; undefined: the newest. */
  validUntil?: number
}

export interface Endpoint extends Owner {
  readonly endpointId: string
  readonly url: string
  readonly events: readonly HookEventType[]
  readonly filters: HookFilters
  /** Sent with every request; may hold credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** Payload template; undefined: the body is the event itself. */
  readonly template: string | undefined
  /** Newest first. */
  readonly secrets: readonly [HookSecret, ...HookSecret[]]
  readonly disabledAt: number | undefined
  readonly disabledReason: string | undefined
  /** First failure in a row, Unix milliseconds. */
  readonly failingSince: number | undefined
  /** When the receiver's certificate expires, Unix milliseconds; 0: it is refused; undefined: unknown. */
  readonly certificateUntil?: number | undefined
  readonly createdAt: number
}

export type DeliveryState = 'pending' | 'delivered' | 'failed'

/** Delivery of one event to one endpoint. */
export interface HookDelivery extends Owner {
  readonly deliveryId: string
  readonly endpointId: string
  readonly eventId: string
  readonly issueId: string | undefined
  readonly status: DeliveryState
  /** Attempts in all. */
  readonly attempts: number
  /** Attempts since it was queued or replayed. */
  readonly tries: number
  readonly createdAt: number
}

export interface HookAttempt {
  readonly deliveryId: string
  /** Number of the attempt, from 1. */
  readonly number: number
  readonly calledAt: number
  readonly answeredAt: number
  /** Undefined where there was no answer. */
  readonly status: number | undefined
  /** Why there was no answer, or why the answer does not count. */
  readonly error: string | undefined
  /** The first KiB of the answer. */
  readonly answer: string | undefined
}

/** The fields of an event that filters compare. */
export interface EventSubject {
  type: HookEventType
  method: Leg
  purpose: string
  metadata: Readonly<Record<string, string>>
}

export function isSubscribed(
  { events, filters, disabledAt }: Endpoint,
  { type, method, purpose, metadata }: EventSubject,
) {
  const fits = (allowed: readonly string[] | undefined, value: string | undefined) =>
    allowed === undefined || (value !== undefined && allowed.includes(value))
  return (
    disabledAt === undefined &&
    events.includes(type) &&
    fits(filters.method, method) &&
    fits(filters.type, purpose) &&
    Object.entries(filters.metadata ?? {}).every(([key, allowed]) =>
      fits(allowed, Object.hasOwn(metadata, key) ? metadata[key] : undefined),
    )
  )
}

/** Answer to an attempt. */
export interface HookAnswered {
  /** Undefined where there was no answer. */
  status: number | undefined
  /** `Retry-After` of the receiver, milliseconds. */
  retryAfterMs: number | undefined
}

export type Judgement = 'delivered' | 'again' | 'final' | 'gone'

/** 2xx is success; 408, 429, 5xx, a redirect that leads nowhere and no answer are tried again; other 4xx are final. */
export function judge({ status }: HookAnswered): Judgement {
  if (status === undefined) return 'again'
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 410) return 'gone'
  return status < 400 || status === 408 || status === 429 || status >= 500 ? 'again' : 'final'
}

const RETRY_AFTER_MS = [5 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS]
const LONGEST_RETRY_AFTER_MS = DAY_MS

/** Delay before the next try: the specification's, or longer where `Retry-After` asks; undefined after the last try. */
export function webhookRetryMs(tries: number, askedMs: number | undefined): number | undefined {
  const plannedMs = RETRY_AFTER_MS[tries - 1]
  return plannedMs && Math.max(plannedMs, Math.min(askedMs ?? 0, LONGEST_RETRY_AFTER_MS))
}

/** Reads `Retry-After` (seconds or a date) as milliseconds. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS
  // One of the three forms of dates in RFC 9110, 5.6.7, names no zone.
  const at = Date.parse(/^\w{3} /.test(header) ? `${header} GMT` : header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

export const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status)
/** Redirects that are followed; each target is checked like the first. */
export const MAX_HOPS = 3

const DISABLED_AFTER_MS = 5 * DAY_MS

/** The endpoint after an attempt. */
export function afterAttempt(endpoint: Endpoint, judgement: Judgement, now: number): Endpoint {
  if (judgement === 'delivered') return { ...endpoint, failingSince: undefined }
  if (judgement === 'gone') return disable(endpoint, 'The receiver answered 410 Gone', now)
  const failingSince = endpoint.failingSince ?? now
  return now - failingSince >= DISABLED_AFTER_MS
    ? disable({ ...endpoint, failingSince }, 'Nothing but failures for 5 days', now)
    : { ...endpoint, failingSince }
}

/** Stored reasons, in English. */
export type DisabledReason =
  | 'The receiver answered 410 Gone'
  | 'Nothing but failures for 5 days'
  | 'Disabled by an operator'
  | 'Being removed'

export const disable = (endpoint: Endpoint, reason: DisabledReason, now: number): Endpoint => ({
  ...endpoint,
  disabledAt: endpoint.disabledAt ?? now,
  disabledReason: endpoint.disabledReason ?? reason,
})

export const enable = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  disabledAt: undefined,
  disabledReason: undefined,
  failingSince: undefined,
})

/** Replaces the secret. The previous one stays valid until `validUntil`; older ones are dropped. */
export function rotateSecret(endpoint: Endpoint, secret: string, validUntil: number): Endpoint {
  const [{ secret: previous }] = endpoint.secrets
  return { ...endpoint, secrets: [{ secret }, { secret: previous, validUntil }] }
}

/** Newest first. */
export const validSecrets = ({ secrets: [newest, ...older] }: Endpoint, now: number): [string, ...string[]] => [
  newest.secret,
  ...older.flatMap(({ secret, validUntil = 0 }) => (now < validUntil ? [secret] : [])),
]

export const MAX_ENDPOINTS = 20
const MAX_HEADERS = 16
const MAX_HEADER_CHARACTERS = 4_096
const MAX_FILTER_VALUES = 50
/** The metadata of an issue has as many keys at most. */
const MAX_METADATA_FILTERS = 32

/** Headers that the service sets itself. */
const RESERVED_HEADER = /^(content-.*|user-agent|cookie|webhook-.*|x-watchword-.*)$/i

/** Throws `invalid` for a wrong endpoint. Target addresses are checked when requests are sent. */
export function assertEndpoint({ url, events, filters, headers, template }: Endpoint): void {
  assertHookUrl(url)
  if (events.length === 0) throw invalid('events', 'required', `at least one of ${HOOK_EVENT_TYPES.join(', ')}`)
  const unknown = events.find((type) => !HOOK_EVENT_TYPES.includes(type))
  if (unknown !== undefined) {
    const problem = `no such event: ${unknown}. Known: ${HOOK_EVENT_TYPES.join(', ')}`
    throw invalid('events', 'not_a_choice', problem, { choices: HOOK_EVENT_TYPES })
  }
  assertFilters(filters)
  assertHeaders(headers)
  if (template !== undefined) assertHookTemplate(template)
}

function assertFilters({ method, type, metadata = {} }: HookFilters): void {
  if (Object.keys(metadata).length > MAX_METADATA_FILTERS)
    throw invalid('filter.metadata', 'too_many', `at most ${MAX_METADATA_FILTERS}`, { max: MAX_METADATA_FILTERS })
  const ofMetadata = Object.entries(metadata).map(([key, values]) => [`metadata.${key}`, values] as const)
  for (const [name, values] of [['method', method] as const, ['type', type] as const, ...ofMetadata]) {
    if (values === undefined) continue
    if (values.length === 0 || values.some((value) => value === ''))
      throw invalid(`filter.${name}`, 'required', 'needs a value, and none that is blank')
    if (values.length > MAX_FILTER_VALUES)
      throw invalid(`filter.${name}`, 'too_many', `at most ${MAX_FILTER_VALUES} values`, { max: MAX_FILTER_VALUES })
  }
  const unknown = method?.find((channel) => !isLeg(channel))
  if (unknown !== undefined)
    throw invalid('filter.method', 'not_a_choice', `must be one of ${LEGS.join(', ')}: ${unknown}`, {
      choices: LEGS,
    })
}

function assertHeaders(headers: Readonly<Record<string, string>>): void {
  const entries = Object.entries(headers)
  if (entries.length > MAX_HEADERS) throw invalid('header', 'too_many', `at most ${MAX_HEADERS}`, { max: MAX_HEADERS })
  if (new Set(entries.map(([name]) => name.toLowerCase())).size < entries.length)
    throw invalid('header', 'duplicate_field', 'each name once')
  if (entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > MAX_HEADER_CHARACTERS) {
    const max = MAX_HEADER_CHARACTERS
    throw invalid('header', 'too_long', `at most ${max} characters in all`, { max })
  }
  for (const [name, value] of entries) {
    if (RESERVED_HEADER.test(name))
      throw invalid('header', 'reserved_header', `${name} is set by the service`, { name })
    if (!isHookHeader(name, value))
      throw invalid('header', 'invalid_header', `not a header that can be sent: ${name}`, { name })
  }
}

/** A delivery with its last attempt, for the console. */
export interface HookReport extends HookDelivery {
  readonly type: HookEventType
  /** HTTP status of the last attempt. */
  readonly lastStatus: number | undefined
  readonly lastError: string | undefined
  readonly lastAttemptAt: number | undefined
  /** When it is retried, Unix milliseconds. */
  readonly nextAttemptAt: number | undefined
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Tab and visible characters of Latin-1. A line break would begin another header. */
const VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/

/** Headers that only the transport may set: they decide about the connection and the framing. */
const TRANSPORT_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export const isHookHeader = (name: string, value: string): boolean =>
  NAME.test(name) && VALUE.test(value) && !TRANSPORT_HEADERS.has(name.toLowerCase())
