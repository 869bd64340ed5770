/** The tables of `migrations/postgres`, in Drizzle's words; a test holds the two against each other. */
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { EventType } from '../../../contract/event'
import type { Scope } from '../../../contract/scope'
import type { Retry, SendOutcome } from '../../domain/delivery'
import type { Failures } from '../../domain/failure-budget'
import type { DeliveryStatus, VerificationStatus } from '../../domain/issue'
import type { JobKind } from '../../domain/job'
import type { Allowance, KeyKind, KeyLimits } from '../../domain/key'
import type { Protection } from '../../domain/protection'
import type { Role } from '../../domain/role'
import type { Rule } from '../../domain/rule'
import type { TemplateVariable, Translation } from '../../domain/template'
import type { Texts } from '../../domain/texts'
import { type Channel, isUuid, type Leg, type Mode } from '../../domain/value'
import type { BillingStatus, EntryType } from '../../domain/wallet'
import type { DeliveryState, HookFilters } from '../../domain/webhook'

/** What is no UUID is nobody's id, and no defect of whoever looks for it. */
const uuid = customType<{ data: string; driverData: string | null }>({
  dataType: () => 'uuid',
  toDriver: (value: string | null) => (value !== null && isUuid(value) ? value : null),
})

/** JSON text that may be NULL. */
const json = customType<{ data: unknown; driverData: string | null }>({
  dataType: () => 'text',
  toDriver: (value) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (value) => JSON.parse(value as string),
})

/** As it comes it is a piece of a larger buffer. */
const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: (value) => new Uint8Array(value),
})

/** Comes as text. */
const big = (name: string) => bigint(name, { mode: 'number' })

const mode = () => text('mode').$type<Mode>().notNull()
const leg = () => text('leg').$type<Leg>().notNull()

export const organizations = pgTable('organizations', {
  organizationId: text('organization_id').primaryKey(),
  name: text('name').notNull(),
  createdAt: big('created_at').notNull(),
})

export const apps = pgTable('apps', {
  appId: text('app_id').primaryKey(),
  organizationId: text('organization_id').notNull(),
  name: text('name').notNull(),
  createdAt: big('created_at').notNull(),
  removedAt: big('removed_at'),
  region: text('region'),
  protection: json('protection').$type<Protection>().notNull(),
  texts: json('texts').$type<Partial<Texts>>(),
  provesMetadata: boolean('proves_metadata').notNull(),
  retentionDays: integer('retention_days'),
})

export const challenges = pgTable('challenges', {
  appId: text('app_id').primaryKey(),
  settings: bytes('settings').notNull(),
})

export const apiKeys = pgTable('api_keys', {
  keyId: text('key_id').primaryKey(),
  appId: text('app_id').notNull(),
  kind: text('kind').$type<KeyKind>().notNull(),
  mode: mode(),
  hash: bytes('hash').notNull(),
  prefix: text('prefix').notNull(),
  lastFour: text('last_four').notNull(),
  scopes: json('scopes').$type<Scope[]>().notNull(),
  allowedOrigins: json('allowed_origins').$type<string[]>().notNull(),
  allowedCidrs: json('allowed_cidrs').$type<string[]>().notNull(),
  limits: json('limits').$type<KeyLimits>().notNull(),
  expiresAt: big('expires_at'),
  revokedAt: big('revoked_at'),
  allows: json('allows').$type<Allowance[]>().notNull(),
  createdAt: big('created_at').notNull(),
  lastUsedAt: big('last_used_at'),
})

export const templates = pgTable(
  'templates',
  {
    appId: text('app_id').notNull(),
    templateId: text('template_id').notNull(),
    version: integer('version').notNull(),
    name: text('name').notNull(),
    channelSupport: json('channel_support').$type<Channel[]>().notNull(),
    body: text('body').notNull(),
    variables: json('variables').$type<Record<string, TemplateVariable>>().notNull(),
    providerTemplateCode: text('provider_template_code').notNull(),
    createdAt: big('created_at').notNull(),
    locale: text('locale'),
    bodies: json('bodies').$type<Record<string, Translation>>(),
  },
  (table) => [primaryKey({ columns: [table.appId, table.templateId, table.version] })],
)

export const carriers = pgTable('providers', {
  name: text('name').primaryKey(),
  type: text('type').notNull(),
  channels: json('channels').$type<Channel[]>().notNull(),
  config: bytes('config').notNull(),
  createdAt: big('created_at').notNull(),
  concurrency: integer('concurrency'),
  changedAt: big('changed_at').notNull(),
  timeoutMs: integer('timeout_ms'),
})

export const carrierHealth = pgTable('provider_health', {
  carrier: text('provider').primaryKey(),
  isHealthy: boolean('is_healthy').notNull(),
  since: big('since').notNull(),
  code: text('code'),
  retryAt: big('retry_at'),
})

export const routes = pgTable(
  'routes',
  {
    channel: text('channel').$type<Channel>().notNull(),
    country: text('country').notNull(),
    appId: text('app_id').notNull(),
    carriers: json('providers').$type<string[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.channel, table.country, table.appId] })],
)

export const wallets = pgTable('wallets', {
  appId: text('app_id').primaryKey(),
  balance: big('balance').notNull(),
  reserved: big('reserved').notNull(),
  overdraftLimit: big('overdraft_limit').notNull(),
  entries: big('entries').notNull(),
  alertBelow: big('alert_below'),
  updatedAt: big('updated_at').notNull(),
})

export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    appId: text('app_id').notNull(),
    createdAt: big('created_at').notNull(),
    seq: big('seq').notNull(),
    entryType: text('entry_type').$type<EntryType>().notNull(),
    amountDelta: big('amount_delta').notNull(),
    balanceAfter: big('balance_after').notNull(),
    issueId: uuid('issue_id'),
    reference: text('reference'),
  },
  (table) => [primaryKey({ columns: [table.appId, table.createdAt, table.seq] })],
)

export const issues = pgTable(
  'issues',
  {
    appId: text('app_id').notNull(),
    mode: mode(),
    issueId: uuid('issue_id').notNull(),
    messageId: uuid('message_id').notNull(),
    purpose: text('purpose').notNull(),
    templateId: text('template_id').notNull(),
    channel: text('channel').$type<Channel>().notNull(),
    keyKind: text('key_kind').$type<KeyKind>().notNull(),
    smsFallback: boolean('sms_fallback').notNull(),
    phoneHash: bytes('phone_hash').notNull(),
    codeHash: bytes('code_hash').notNull(),
    country: text('country'),
    metadata: json('metadata').$type<Record<string, string>>(),
    createdAt: big('created_at').notNull(),
    expiresAt: big('expires_at').notNull(),
    promisedExpiresAt: big('promised_expires_at'),
    maxAttempts: integer('max_attempts').notNull(),
    verificationStatus: text('verification_status').$type<VerificationStatus>().notNull(),
    attemptsUsed: integer('attempts_used').notNull(),
    verifiedAt: big('verified_at'),
    deliveryStatus: text('delivery_status').$type<DeliveryStatus>().notNull(),
    leg: leg(),
    sendPending: boolean('send_pending').notNull(),
    providerOutcomeAmbiguous: boolean('outcome_ambiguous').notNull(),
    providerOutcomeCode: text('outcome_code'),
    billingStatus: text('billing_status').$type<BillingStatus>().notNull(),
    price: big('price').notNull(),
    debitedAmount: big('debited_amount').notNull(),
    updatedAt: big('updated_at').notNull(),
    prefixHash: bytes('prefix_hash'),
    networkHash: bytes('network_hash'),
    origin: text('origin'),
    erasedAt: big('erased_at'),
  },
  (table) => [
    primaryKey({ columns: [table.appId, table.mode, table.issueId] }),
    uniqueIndex('issues_live').on(table.appId, table.mode, table.phoneHash, table.purpose),
    index('issues_due').on(table.expiresAt),
  ],
)

export const erasedIssues = pgTable('erased_issues', {
  appId: text('app_id').notNull(),
  mode: mode(),
  issueId: uuid('issue_id').primaryKey(),
  isGone: boolean('gone').notNull(),
})

export const erasures = pgTable(
  'erasures',
  {
    phoneHash: bytes('phone_hash').notNull(),
    appId: text('app_id').notNull(),
    erasedAt: big('erased_at').notNull(),
    doneAt: big('done_at'),
  },
  (table) => [primaryKey({ columns: [table.phoneHash, table.appId] })],
)

export const trafficHours = pgTable(
  'traffic_hours',
  {
    appId: text('app_id').notNull(),
    kind: text('key_kind').$type<KeyKind>().notNull(),
    country: text('country').notNull(),
    hour: big('hour').notNull(),
    sent: big('sent').notNull(),
    credits: big('credits').notNull(),
    verified: big('verified').notNull(),
    unverified: big('unverified').notNull(),
  },
  (table) => [primaryKey({ columns: [table.appId, table.hour, table.kind, table.country] })],
)

export const trafficSnapshots = pgTable('traffic_snapshots', {
  appId: text('app_id').primaryKey(),
  madeAt: big('made_at').notNull(),
  sealed: bytes('sealed').notNull(),
})

export const decisions = pgTable(
  'decisions',
  {
    appId: text('app_id').notNull(),
    minute: big('minute').notNull(),
    kind: text('key_kind').$type<KeyKind>().notNull(),
    country: text('country').notNull(),
    rule: text('rule').$type<Rule>().notNull(),
    isRefused: boolean('refused').notNull(),
    prefixHash: bytes('prefix_hash').notNull(),
    networkHash: bytes('network_hash').notNull(),
    times: big('times').notNull(),
    credits: big('credits').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.appId,
        table.minute,
        table.kind,
        table.country,
        table.rule,
        table.isRefused,
        table.prefixHash,
        table.networkHash,
      ],
    }),
    index('decisions_old').on(table.minute),
  ],
)

export const incidents = pgTable(
  'incidents',
  {
    incidentId: uuid('incident_id').primaryKey(),
    appId: text('app_id').notNull(),
    kind: text('key_kind').$type<KeyKind>().notNull(),
    country: text('country').notNull(),
    since: big('since').notNull(),
    lastAt: big('last_at').notNull(),
    endedAt: big('ended_at'),
    isBlocked: boolean('blocked').notNull(),
    refused: big('refused').notNull(),
    rules: json('rules').$type<Rule[]>().notNull(),
    pausedUntil: big('paused_until'),
    pauses: integer('pauses').notNull(),
    cost: big('cost').notNull(),
    tellAt: big('tell_at'),
    tells: integer('tells').notNull(),
    refunded: big('refunded'),
  },
  (table) => [
    uniqueIndex('incidents_open').on(table.appId, table.kind, table.country),
    index('incidents_to_tell').on(table.tellAt),
    index('incidents_by_app').on(table.appId, table.since),
  ],
)

export const clockSteps = pgTable('clock_steps', {
  noticedAt: big('noticed_at').notNull(),
  setBackMs: big('set_back_ms').notNull(),
  noticedBy: text('noticed_by').notNull(),
})

export const failures = pgTable(
  'failures',
  {
    appId: text('app_id').notNull(),
    keyKind: text('key_kind').$type<KeyKind>().notNull(),
    phoneHash: bytes('phone_hash').notNull(),
    state: json('state').$type<Failures>().notNull(),
    lastAt: big('last_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.appId, table.keyKind, table.phoneHash] }),
    index('failures_old').on(table.lastAt),
    index('failures_held').on(table.appId, table.lastAt),
  ],
)

export const claims = pgTable('claims', {
  claimId: big('claim_id').primaryKey(),
  appId: text('app_id').notNull(),
  mode: mode(),
  keyHash: bytes('key_hash').notNull(),
  fingerprint: bytes('fingerprint').notNull(),
  issueId: uuid('issue_id').notNull(),
  createdAt: big('created_at').notNull(),
})

export const outbox = pgTable('outbox', {
  issueId: uuid('issue_id').primaryKey(),
  sealed: bytes('sealed').notNull(),
  expiresAt: big('expires_at').notNull(),
})

export const attempts = pgTable(
  'attempts',
  {
    appId: text('app_id').notNull(),
    mode: mode(),
    issueId: uuid('issue_id').notNull(),
    number: integer('number').notNull(),
    leg: leg(),
    carrier: text('provider').notNull(),
    messageId: uuid('message_id').notNull(),
    calledAt: big('called_at').notNull(),
    answeredAt: big('answered_at'),
    outcome: text('outcome').$type<SendOutcome['kind']>(),
    retry: text('retry').$type<Retry>(),
    code: text('code'),
    carrierMessageId: text('provider_message_id'),
  },
  (table) => [primaryKey({ columns: [table.appId, table.mode, table.issueId, table.number] })],
)

export const awaitedReports = pgTable('awaited_reports', {
  messageId: uuid('message_id').primaryKey(),
  carrier: text('provider').notNull(),
  carrierMessageId: text('provider_message_id'),
  appId: text('app_id').notNull(),
  mode: mode(),
  issueId: uuid('issue_id').notNull(),
  leg: leg(),
  answeredAt: big('answered_at').notNull(),
})

export const jobs = pgTable(
  'jobs',
  {
    jobId: big('job_id').primaryKey(),
    kind: text('kind').$type<JobKind>().notNull(),
    appId: text('app_id').notNull(),
    mode: mode(),
    subjectId: uuid('subject_id').notNull(),
    runAt: big('run_at').notNull(),
    attempt: integer('attempt').notNull(),
    queue: text('queue').notNull(),
    leased: boolean('leased').notNull(),
    leasedBy: text('leased_by'),
  },
  (table) => [
    index('jobs_due').on(table.kind, table.queue, table.runAt),
    uniqueIndex('jobs_by_subject').on(table.subjectId, table.kind),
  ],
)

export const webhookEndpoints = pgTable('webhook_endpoints', {
  endpointId: text('endpoint_id').primaryKey(),
  appId: text('app_id').notNull(),
  mode: mode(),
  url: text('url').notNull(),
  events: json('events').$type<EventType[]>().notNull(),
  filters: json('filters').$type<HookFilters>().notNull(),
  headers: bytes('headers').notNull(),
  template: text('template'),
  secrets: bytes('secrets').notNull(),
  disabledAt: big('disabled_at'),
  disabledReason: text('disabled_reason'),
  failingSince: big('failing_since'),
  createdAt: big('created_at').notNull(),
})

export const webhookEvents = pgTable('webhook_events', {
  eventId: uuid('event_id').primaryKey(),
  appId: text('app_id').notNull(),
  mode: mode(),
  type: text('type').$type<EventType>().notNull(),
  issueId: uuid('issue_id'),
  body: bytes('body').notNull(),
  createdAt: big('created_at').notNull(),
  origin: text('origin'),
})

export const webhookDeliveries = pgTable('webhook_deliveries', {
  seq: big('seq').primaryKey(),
  deliveryId: uuid('delivery_id').notNull(),
  endpointId: text('endpoint_id').notNull(),
  eventId: uuid('event_id').notNull(),
  issueId: uuid('issue_id'),
  status: text('status').$type<DeliveryState>().notNull(),
  attempts: integer('attempts').notNull(),
  tries: integer('tries').notNull(),
  createdAt: big('created_at').notNull(),
})

export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    deliveryId: uuid('delivery_id').notNull(),
    number: integer('number').notNull(),
    calledAt: big('called_at').notNull(),
    answeredAt: big('answered_at').notNull(),
    status: integer('status'),
    error: text('error'),
    answer: bytes('answer'),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
)

export const operators = pgTable('operators', {
  operatorId: text('operator_id').primaryKey(),
  email: text('email').notNull(),
  name: text('name').notNull(),
  role: text('role').$type<Role>().notNull(),
  passwordHash: text('password_hash').notNull(),
  totpSecret: bytes('totp_secret'),
  totpBegun: bytes('totp_begun'),
  createdAt: big('created_at').notNull(),
  lastSeenAt: big('last_seen_at'),
  unlockedAt: big('unlocked_at'),
})

export const operatorAddresses = pgTable(
  'operator_addresses',
  {
    operatorId: text('operator_id').notNull(),
    addressHash: bytes('address_hash').notNull(),
    seenAt: big('seen_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.operatorId, table.addressHash] })],
)

export const operatorSessions = pgTable('operator_sessions', {
  tokenHash: bytes('token_hash').primaryKey(),
  operatorId: text('operator_id').notNull(),
  createdAt: big('created_at').notNull(),
  lastSeenAt: big('last_seen_at').notNull(),
})

export const invitations = pgTable('invitations', {
  tokenHash: bytes('token_hash').primaryKey(),
  role: text('role').$type<Role>().notNull(),
  invitedBy: text('invited_by').notNull(),
  createdAt: big('created_at').notNull(),
  expiresAt: big('expires_at').notNull(),
})

export const auditEntries = pgTable('audit_entries', {
  seq: big('seq').primaryKey(),
  at: big('at').notNull(),
  actor: text('actor').notNull(),
  ip: text('ip'),
  action: text('action').notNull(),
  target: text('target').notNull(),
  detail: json('detail').$type<Record<string, unknown>>().notNull(),
  hash: bytes('hash').notNull(),
})

export const usageHours = pgTable(
  'usage_hours',
  {
    hour: big('hour').notNull(),
    appId: text('app_id').notNull(),
    mode: mode(),
    channel: text('channel').$type<Channel>().notNull(),
    carrier: text('provider').notNull(),
    country: text('country').notNull(),
    purpose: text('purpose').notNull(),
    issued: big('issued').notNull(),
    delivered: big('delivered').notNull(),
    failed: big('failed').notNull(),
    verified: big('verified').notNull(),
    spent: big('spent').notNull(),
    latencies: json('latencies').$type<Record<string, number>>().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.appId, table.mode, table.hour, table.channel, table.carrier, table.country, table.purpose],
    }),
  ],
)

export const facts = pgTable('facts', {
  name: text('name').primaryKey(),
  value: bytes('value').notNull(),
})

export const settingsVersion = pgTable('settings_version', { version: big('version').notNull() })

export const nodes = pgTable('nodes', {
  nodeId: text('node_id').primaryKey(),
  name: text('name').notNull(),
  version: text('version').notNull(),
  startedAt: big('started_at').notNull(),
  seenAt: big('seen_at').notNull(),
  leaving: boolean('leaving').notNull(),
  lagMs: big('lag_ms').notNull(),
})

export const keyRing = pgTable(
  'key_ring',
  {
    name: text('name').notNull(),
    secretId: bytes('secret_id').notNull(),
    sealed: bytes('sealed').notNull(),
    madeAt: big('made_at').notNull(),
    begunAt: big('begun_at'),
  },
  (table) => [primaryKey({ columns: [table.name, table.secretId] })],
)
