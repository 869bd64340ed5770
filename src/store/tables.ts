/** The tables of both stores, each column once; tests hold them against the migrations. Times are Unix milliseconds. */
import type { HookEventType } from '../../contract/constants'
import type { Scope } from '../../contract/scope'
import type { FailureCount } from '../abuse/rules/failure-budget'
import type { Protection } from '../abuse/rules/protection'
import type { Rule } from '../abuse/rules/rule'
import type { AdminScope } from '../domain/access/admin-token'
import type { Allowance } from '../domain/access/api-key'
import type { CallerKind, KeyKind, KeyLimits } from '../domain/access/caller'
import type { Role } from '../domain/access/operator'
import type { DeliveryReport, Retry, SendOutcome } from '../domain/delivery/delivery'
import type { DeliveryPlan, PlannedLeg } from '../domain/delivery/plan'
import type { BegunCall, DeliveryStatus } from '../domain/message/message'
import type { Texts } from '../domain/message/rendered-message'
import type { DltIds, TemplateVariable, Translation } from '../domain/message/template'
import type { JobKind } from '../domain/operations/job'
import type {
  NoticeChannel,
  NoticeFacts,
  NoticeKind,
  NoticeMessageState,
  NoticePhase,
} from '../domain/operations/notice'
import type { Origin, VerificationStatus } from '../domain/shared/addressed'
import type { Channel, Leg, Mode } from '../domain/shared/value'
import type { ReviewNumber } from '../domain/verification/review-number'
import type { BillingStatus, EntryType } from '../domain/wallet/wallet'
import type { DeliveryState, HookFilters } from '../domain/webhooks/webhook'

/** `dialect.ts` maps these to the column types of each database. */
export type ColumnKind = 'text' | 'integer' | 'bigint' | 'boolean' | 'uuid' | 'bytes' | 'json' | 'origin'

/** A column; `Data` is its type in the domain. */
export interface ColumnField<Data = unknown, IsNull extends boolean = boolean> {
  kind: ColumnKind
  /** The column name, where it is not the property in snake case. */
  name?: string
  isNull: IsNull
  /** Never set; carries `Data` for the compiler. */
  data?: Data
}

/** JSON as text, for the custom types of Drizzle. */
export const JSON_CODEC = {
  dataType: () => 'text',
  toDriver: (value: unknown) => JSON.stringify(value),
  fromDriver: (text: string | null) => JSON.parse(text as string),
}

export type TableFields = Readonly<Record<string, ColumnField>>

/** `key` lists the properties of the primary key. */
export interface Table<Name extends string = string, F extends TableFields = TableFields> {
  name: Name
  key: readonly string[]
  fields: F
}

const table = <Name extends string, F extends TableFields>(
  name: Name,
  key: ReadonlyArray<keyof F & string>,
  fields: F,
): Table<Name, F> => ({ name, key, fields })

const field = <Data>(kind: ColumnKind): ColumnField<Data, false> => ({ kind, isNull: false })

export const optional = <Data>(of: ColumnField<Data, false>): ColumnField<Data, true> => ({ ...of, isNull: true })

const named = <F extends ColumnField>(name: string, of: F): F => ({ ...of, name })

const json = <Data>() => field<Data>('json')
/** A text column with a fixed set of values. */
const word = <Data extends string>() => field<Data>('text')

export const text = field<string>('text')
/** 32 bits. */
const integer = field<number>('integer')
const bigint = field<number>('bigint')
const boolean = field<boolean>('boolean')
const uuid = field<string>('uuid')
const bytes = field<Uint8Array>('bytes')
const mode = word<Mode>()
const leg = word<Leg>()

/** The column name of a property. */
export const nameOf = (property: string, { name }: ColumnField) =>
  name ?? property.replace(/[A-Z]/g, (rendered) => `_${rendered.toLowerCase()}`)

/** Makes the columns of a table from their names and fields. */
export const columnsOf = <Column>(
  { fields }: { fields: TableFields },
  make: (name: string, field: ColumnField) => Column,
) =>
  Object.fromEntries(
    Object.entries(fields).map(([property, field]) => [property, make(nameOf(property, field), field)]),
  )

export const organizations = table('organizations', ['organizationId'], {
  organizationId: text,
  name: text,
  createdAt: bigint,
})

export const apps = table('apps', ['appId'], {
  appId: text,
  organizationId: text,
  name: text,
  createdAt: bigint,
  removedAt: optional(bigint),
  region: optional(text),
  protection: json<Protection>(),
  texts: optional(json<Partial<Texts>>()),
  provesMetadata: boolean,
  retentionDays: optional(integer),
  plans: optional(json<DeliveryPlan[]>()),
  reviewNumbers: optional(json<ReviewNumber[]>()),
  twilioPurposes: optional(json<string[]>()),
})

export const challenges = table('challenges', ['appId'], {
  appId: text,
  settings: bytes,
})

export const relays = table('relays', ['relayId'], {
  relayId: text,
  appId: text,
  settings: bytes,
})

export const apiKeys = table('api_keys', ['keyId'], {
  keyId: text,
  appId: text,
  kind: word<KeyKind>(),
  mode,
  hash: bytes,
  prefix: text,
  lastFour: text,
  scopes: json<Scope[]>(),
  allowedOrigins: json<string[]>(),
  allowedCidrs: json<string[]>(),
  limits: json<KeyLimits>(),
  expiresAt: optional(bigint),
  revokedAt: optional(bigint),
  allows: json<Allowance[]>(),
  createdAt: bigint,
  lastUsedAt: optional(bigint),
  name: optional(text),
  createdBy: text,
})

export const templates = table('templates', ['appId', 'templateId', 'version'], {
  appId: text,
  templateId: text,
  version: integer,
  name: text,
  channelSupport: json<Channel[]>(),
  body: text,
  variables: json<Record<string, TemplateVariable>>(),
  providerTemplateCode: text,
  createdAt: bigint,
  locale: optional(text),
  bodies: optional(json<Record<string, Translation>>()),
  dlt: optional(json<DltIds>()),
  savedBy: text,
})

export const carriers = table('providers', ['name'], {
  name: text,
  type: text,
  channels: json<Leg[]>(),
  config: bytes,
  createdAt: bigint,
  concurrency: optional(integer),
  changedAt: bigint,
  timeoutMs: optional(integer),
  pausedAt: optional(bigint),
})

export const carrierHealth = table('provider_health', ['carrier'], {
  carrier: named('provider', text),
  isHealthy: boolean,
  since: bigint,
  code: optional(text),
  retryAt: optional(bigint),
})

export const routes = table('routes', ['channel', 'country', 'appId'], {
  channel: leg,
  country: text,
  appId: text,
  carriers: named('providers', json<string[]>()),
})

export const wallets = table('wallets', ['appId'], {
  appId: text,
  balance: bigint,
  reserved: bigint,
  overdraftLimit: bigint,
  entries: bigint,
  alertBelow: optional(bigint),
  updatedAt: bigint,
})

export const ledgerEntries = table('ledger_entries', ['appId', 'createdAt', 'seq'], {
  appId: text,
  createdAt: bigint,
  seq: bigint,
  entryType: word<EntryType>(),
  amountDelta: bigint,
  balanceAfter: bigint,
  issueId: optional(uuid),
  reference: optional(text),
})

export const issues = table('issues', ['appId', 'mode', 'issueId'], {
  appId: text,
  mode,
  issueId: uuid,
  messageId: uuid,
  purpose: text,
  templateId: text,
  channel: word<Channel>(),
  keyKind: word<CallerKind>(),
  smsFallback: optional(boolean),
  phoneHash: bytes,
  codeHash: optional(bytes),
  country: optional(text),
  metadata: optional(json<Record<string, string>>()),
  createdAt: bigint,
  expiresAt: bigint,
  promisedExpiresAt: optional(bigint),
  maxAttempts: optional(integer),
  verificationStatus: optional(word<VerificationStatus>()),
  attemptsUsed: optional(integer),
  verifiedAt: optional(bigint),
  deliveryStatus: optional(word<DeliveryStatus>()),
  leg: optional(leg),
  sendPending: optional(boolean),
  providerOutcomeAmbiguous: named('outcome_ambiguous', optional(boolean)),
  providerOutcomeCode: named('outcome_code', optional(text)),
  billingStatus: optional(word<BillingStatus>()),
  price: optional(bigint),
  debitedAmount: optional(bigint),
  updatedAt: bigint,
  prefixHash: optional(bytes),
  networkHash: optional(bytes),
  origin: optional(field<Origin>('origin')),
  legs: optional(json<PlannedLeg[]>()),
  wrongAt: optional(json<readonly number[]>()),
  erasedAt: optional(bigint),
  /** The idempotency key, until it is forgotten. */
  keyHash: optional(bytes),
  fingerprint: optional(bytes),
  begunAt: optional(bigint),
  begunCall: optional(json<BegunCall>()),
  sealedCode: optional(text),
})

export const erasedIssues = table('erased_issues', ['issueId'], {
  appId: text,
  mode,
  issueId: uuid,
  isGone: named('gone', boolean),
  keyHash: optional(bytes),
  fingerprint: optional(bytes),
})

export const erasures = table('erasures', ['phoneHash', 'appId'], {
  phoneHash: bytes,
  appId: text,
  erasedAt: bigint,
  doneAt: optional(bigint),
})

export const absentPhones = table('absent_phones', ['phoneHash', 'channel'], {
  channel: leg,
  phoneHash: bytes,
  until: bigint,
})

export const trafficHours = table('traffic_hours', ['appId', 'hour', 'kind', 'country'], {
  appId: text,
  kind: named('key_kind', word<CallerKind>()),
  country: text,
  hour: bigint,
  sent: bigint,
  credits: bigint,
  verified: bigint,
  unverified: bigint,
})

export const trafficSnapshots = table('traffic_snapshots', ['appId'], {
  appId: text,
  madeAt: bigint,
  sealed: bytes,
})

export const decisions = table(
  'decisions',
  ['appId', 'minute', 'kind', 'country', 'rule', 'isRefused', 'prefixHash', 'networkHash'],
  {
    appId: text,
    minute: bigint,
    kind: named('key_kind', word<CallerKind>()),
    country: text,
    rule: word<Rule>(),
    isRefused: named('refused', boolean),
    prefixHash: bytes,
    networkHash: bytes,
    times: bigint,
    credits: bigint,
  },
)

export const incidents = table('incidents', ['incidentId'], {
  incidentId: uuid,
  appId: text,
  kind: named('key_kind', word<CallerKind>()),
  country: text,
  since: bigint,
  lastAt: bigint,
  endedAt: optional(bigint),
  isBlocked: named('blocked', boolean),
  refused: bigint,
  rules: json<Rule[]>(),
  pausedUntil: optional(bigint),
  pauses: integer,
  cost: bigint,
  /** Unused since notices tell of incidents; the schema of 0.2.0 has them. */
  tellAt: optional(bigint),
  tells: integer,
  refunded: optional(bigint),
})

export const notices = table('notices', ['noticeId'], {
  noticeId: uuid,
  kind: word<NoticeKind>(),
  subject: text,
  appId: optional(text),
  facts: json<NoticeFacts>(),
  since: bigint,
  goneAt: optional(bigint),
  endedAt: optional(bigint),
})

export const noticeWays = table('notice_ways', ['wayId'], {
  wayId: text,
  name: text,
  channel: word<NoticeChannel>(),
  settings: bytes,
  createdAt: bigint,
})

export const noticeMessages = table('notice_messages', ['messageId'], {
  messageId: uuid,
  noticeId: uuid,
  wayId: text,
  phase: word<NoticePhase>(),
  status: word<NoticeMessageState>(),
  tries: integer,
  triedAt: optional(bigint),
  error: optional(text),
})

export const clockSteps = table('clock_steps', [], {
  noticedAt: bigint,
  setBackMs: bigint,
})

export const failures = table('failures', ['appId', 'keyKind', 'phoneHash'], {
  appId: text,
  keyKind: word<CallerKind>(),
  phoneHash: bytes,
  state: json<FailureCount>(),
  lastAt: bigint,
})

export const outbox = table('outbox', ['issueId'], {
  issueId: uuid,
  sealed: bytes,
  expiresAt: bigint,
})

export const attempts = table('attempts', ['appId', 'mode', 'issueId', 'number'], {
  appId: text,
  mode,
  issueId: uuid,
  number: integer,
  leg,
  carrier: named('provider', text),
  messageId: uuid,
  calledAt: bigint,
  answeredAt: optional(bigint),
  outcome: optional(word<SendOutcome['kind']>()),
  retry: optional(word<Retry>()),
  code: optional(text),
  said: optional(text),
  text: optional(text),
  report: optional(word<DeliveryReport['status']>()),
  reportedAt: optional(bigint),
  carrierMessageId: named('provider_message_id', optional(text)),
  awaitedAt: optional(bigint),
})

export const jobs = table('jobs', ['jobId'], {
  jobId: bigint,
  kind: word<JobKind>(),
  appId: text,
  mode,
  subjectId: uuid,
  runAt: bigint,
  attempt: integer,
  queue: text,
  leased: boolean,
  /** The server that holds the lease; '' where there is only one. */
  leasedBy: optional(text),
})

export const webhookEndpoints = table('webhook_endpoints', ['endpointId'], {
  endpointId: text,
  appId: text,
  mode,
  url: text,
  events: json<HookEventType[]>(),
  filters: json<HookFilters>(),
  headers: bytes,
  template: optional(text),
  secrets: bytes,
  disabledAt: optional(bigint),
  disabledReason: optional(text),
  failingSince: optional(bigint),
  createdAt: bigint,
  certificateUntil: optional(bigint),
})

export const webhookEvents = table('webhook_events', ['eventId'], {
  eventId: uuid,
  appId: text,
  mode,
  type: word<HookEventType>(),
  issueId: optional(uuid),
  body: bytes,
  createdAt: bigint,
  origin: optional(field<Origin>('origin')),
})

export const webhookDeliveries = table('webhook_deliveries', ['seq'], {
  seq: bigint,
  deliveryId: uuid,
  endpointId: text,
  eventId: uuid,
  issueId: optional(uuid),
  status: word<DeliveryState>(),
  attempts: integer,
  tries: integer,
  createdAt: bigint,
})

export const webhookAttempts = table('webhook_attempts', ['deliveryId', 'number'], {
  deliveryId: uuid,
  number: integer,
  calledAt: bigint,
  answeredAt: bigint,
  status: optional(integer),
  error: optional(text),
  answer: optional(bytes),
})

export const operators = table('operators', ['operatorId'], {
  operatorId: text,
  email: text,
  name: text,
  role: word<Role>(),
  passwordHash: text,
  totpSecret: optional(bytes),
  totpBegun: optional(bytes),
  createdAt: bigint,
  lastSeenAt: optional(bigint),
  unlockedAt: optional(bigint),
  appIds: optional(json<string[]>()),
})

export const operatorAddresses = table('operator_addresses', ['operatorId', 'addressHash'], {
  operatorId: text,
  addressHash: bytes,
  seenAt: bigint,
})

export const operatorSessions = table('operator_sessions', ['tokenHash'], {
  tokenHash: bytes,
  operatorId: text,
  createdAt: bigint,
  lastSeenAt: bigint,
  browser: text,
  system: text,
})

export const invitations = table('invitations', ['tokenHash'], {
  tokenHash: bytes,
  role: word<Role>(),
  invitedBy: text,
  createdAt: bigint,
  expiresAt: bigint,
  appIds: optional(json<string[]>()),
  note: optional(text),
})

export const auditEntries = table('audit_entries', ['seq'], {
  seq: bigint,
  at: bigint,
  actor: text,
  ip: optional(text),
  action: text,
  target: text,
  detail: json<Record<string, unknown>>(),
  hash: bytes,
})

const usageKey = ['appId', 'mode', 'at', 'channel', 'carrier', 'country', 'purpose'] as const
export const usageIntervals = table('usage_intervals', usageKey, {
  at: bigint,
  appId: text,
  mode,
  channel: leg,
  carrier: named('provider', text),
  country: text,
  purpose: text,
  issued: bigint,
  sent: bigint,
  delivered: bigint,
  failed: bigint,
  verified: bigint,
  spent: bigint,
  messages: bigint,
  latencies: json<number[]>(),
})

export const prices = table('prices', ['priceId'], {
  priceId: text,
  carrier: named('provider', text),
  country: text,
  channel: word<Leg | ''>(),
  currency: text,
  millionths: bigint,
  validFrom: text,
})

export const adminTokens = table('admin_tokens', ['tokenId'], {
  tokenId: text,
  name: text,
  tokenHash: bytes,
  scopes: json<AdminScope[]>(),
  appIds: optional(json<string[]>()),
  allowedCidrs: json<string[]>(),
  expiresAt: optional(bigint),
  createdBy: text,
  createdAt: bigint,
})

export const adminRequests = table('admin_requests', ['requestId'], {
  requestId: text,
  fingerprint: text,
  createdAt: bigint,
  /** Encrypted. */
  answer: optional(bytes),
})

export const facts = table('facts', ['name'], {
  name: text,
  value: bytes,
})

export const keyRing = table('key_ring', ['name', 'secretId'], {
  name: text,
  secretId: bytes,
  sealed: bytes,
  madeAt: bigint,
  begunAt: optional(bigint),
})

/** PostgreSQL only: state that the servers of one database share while they run. */
export const settingsVersion = table('settings_version', [], { version: bigint })

export const nodes = table('nodes', ['nodeId'], {
  nodeId: text,
  name: text,
  version: text,
  startedAt: bigint,
  seenAt: bigint,
  leaving: boolean,
  lagMs: bigint,
  followed: boolean,
  changes: json<Record<string, number>>(),
})

/** SQLite only: the allowed channels, which PostgreSQL checks by a domain. */
export const channels = table('channels', ['channel'], { channel: leg })

/** The named columns of a table, for a SELECT. */
export const columnsIn = <Columns, const Name extends keyof Columns>(columns: Columns, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<Columns, Name>

export const TABLES = {
  organizations,
  apps,
  challenges,
  relays,
  apiKeys,
  templates,
  carriers,
  carrierHealth,
  routes,
  wallets,
  ledgerEntries,
  issues,
  erasedIssues,
  erasures,
  absentPhones,
  trafficHours,
  trafficSnapshots,
  decisions,
  incidents,
  notices,
  noticeWays,
  noticeMessages,
  clockSteps,
  failures,
  outbox,
  attempts,
  jobs,
  webhookEndpoints,
  webhookEvents,
  webhookDeliveries,
  webhookAttempts,
  operators,
  operatorAddresses,
  operatorSessions,
  invitations,
  auditEntries,
  usageIntervals,
  prices,
  adminTokens,
  adminRequests,
  facts,
  keyRing,
  settingsVersion,
  nodes,
  channels,
}
