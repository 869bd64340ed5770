/** The tables of `migrations/sqlite`, in Drizzle's words; a test holds the two against each other. */
import { customType, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
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
import type { Channel, Leg, Mode } from '../../domain/value'
import type { BillingStatus, EntryType } from '../../domain/wallet'
import type { DeliveryState, HookFilters } from '../../domain/webhook'
import { uuidBytes, uuidText } from '../ids'

/** UUID text in the domain, 16 bytes in the database. Drizzle hands NULL to `toDriver` of a placeholder too. */
const uuid = customType<{ data: string; driverData: Uint8Array | null }>({
  dataType: () => 'blob',
  toDriver: (value: string | null) => (value === null ? null : uuidBytes(value)),
  fromDriver: (value) => uuidText(value as Uint8Array),
})

/** JSON text that may be NULL. */
const json = customType<{ data: unknown; driverData: string | null }>({
  dataType: () => 'text',
  toDriver: (value) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (value) => JSON.parse(value as string),
})

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'blob' })

const mode = () => text('mode').$type<Mode>().notNull()
const leg = () => text('leg').$type<Leg>().notNull()

export const organizations = sqliteTable('organizations', {
  organizationId: text('organization_id').primaryKey(),
  name: text('name').notNull(),
  createdAt: integer('created_at').notNull(),
})

export const apps = sqliteTable('apps', {
  appId: text('app_id').primaryKey(),
  organizationId: text('organization_id').notNull(),
  name: text('name').notNull(),
  createdAt: integer('created_at').notNull(),
  removedAt: integer('removed_at'),
  region: text('region'),
  protection: json('protection').$type<Protection>().notNull(),
  texts: json('texts').$type<Partial<Texts>>(),
  provesMetadata: integer('proves_metadata', { mode: 'boolean' }).notNull(),
  retentionDays: integer('retention_days'),
})

export const challenges = sqliteTable('challenges', {
  appId: text('app_id').primaryKey(),
  settings: bytes('settings').notNull(),
})

export const apiKeys = sqliteTable('api_keys', {
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
  expiresAt: integer('expires_at'),
  revokedAt: integer('revoked_at'),
  allows: json('allows').$type<Allowance[]>().notNull(),
  createdAt: integer('created_at').notNull(),
  lastUsedAt: integer('last_used_at'),
})

export const templates = sqliteTable(
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
    createdAt: integer('created_at').notNull(),
    locale: text('locale'),
    bodies: json('bodies').$type<Record<string, Translation>>(),
  },
  (table) => [primaryKey({ columns: [table.appId, table.templateId, table.version] })],
)

export const carriers = sqliteTable('providers', {
  name: text('name').primaryKey(),
  type: text('type').notNull(),
  channels: json('channels').$type<Channel[]>().notNull(),
  config: bytes('config').notNull(),
  createdAt: integer('created_at').notNull(),
  concurrency: integer('concurrency'),
  changedAt: integer('changed_at').notNull(),
  timeoutMs: integer('timeout_ms'),
})

export const carrierHealth = sqliteTable('provider_health', {
  carrier: text('provider').primaryKey(),
  isHealthy: integer('is_healthy', { mode: 'boolean' }).notNull(),
  since: integer('since').notNull(),
  code: text('code'),
  retryAt: integer('retry_at'),
})

export const routes = sqliteTable(
  'routes',
  {
    channel: text('channel').$type<Channel>().notNull(),
    country: text('country').notNull(),
    appId: text('app_id').notNull(),
    carriers: json('providers').$type<string[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.channel, table.country, table.appId] })],
)

export const wallets = sqliteTable('wallets', {
  appId: text('app_id').primaryKey(),
  balance: integer('balance').notNull(),
  reserved: integer('reserved').notNull(),
  overdraftLimit: integer('overdraft_limit').notNull(),
  entries: integer('entries').notNull(),
  alertBelow: integer('alert_below'),
  updatedAt: integer('updated_at').notNull(),
})

export const ledgerEntries = sqliteTable(
  'ledger_entries',
  {
    appId: text('app_id').notNull(),
    createdAt: integer('created_at').notNull(),
    seq: integer('seq').notNull(),
    entryType: text('entry_type').$type<EntryType>().notNull(),
    amountDelta: integer('amount_delta').notNull(),
    balanceAfter: integer('balance_after').notNull(),
    issueId: uuid('issue_id'),
    reference: text('reference'),
  },
  (table) => [primaryKey({ columns: [table.appId, table.createdAt, table.seq] })],
)

export const issues = sqliteTable(
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
    smsFallback: integer('sms_fallback', { mode: 'boolean' }).notNull(),
    phoneHash: bytes('phone_hash').notNull(),
    codeHash: bytes('code_hash').notNull(),
    country: text('country'),
    metadata: json('metadata').$type<Record<string, string>>(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    promisedExpiresAt: integer('promised_expires_at'),
    maxAttempts: integer('max_attempts').notNull(),
    verificationStatus: text('verification_status').$type<VerificationStatus>().notNull(),
    attemptsUsed: integer('attempts_used').notNull(),
    verifiedAt: integer('verified_at'),
    deliveryStatus: text('delivery_status').$type<DeliveryStatus>().notNull(),
    leg: leg(),
    sendPending: integer('send_pending', { mode: 'boolean' }).notNull(),
    providerOutcomeAmbiguous: integer('outcome_ambiguous', { mode: 'boolean' }).notNull(),
    providerOutcomeCode: text('outcome_code'),
    billingStatus: text('billing_status').$type<BillingStatus>().notNull(),
    price: integer('price').notNull(),
    debitedAmount: integer('debited_amount').notNull(),
    updatedAt: integer('updated_at').notNull(),
    prefixHash: bytes('prefix_hash'),
    networkHash: bytes('network_hash'),
    origin: text('origin'),
    erasedAt: integer('erased_at'),
  },
  (table) => [
    primaryKey({ columns: [table.appId, table.mode, table.issueId] }),
    uniqueIndex('issues_live').on(table.appId, table.mode, table.phoneHash, table.purpose),
    index('issues_due').on(table.expiresAt),
  ],
)

export const erasedIssues = sqliteTable('erased_issues', {
  appId: text('app_id').notNull(),
  mode: mode(),
  issueId: uuid('issue_id').primaryKey(),
  isGone: integer('gone', { mode: 'boolean' }).notNull(),
})

export const erasures = sqliteTable(
  'erasures',
  {
    phoneHash: bytes('phone_hash').notNull(),
    appId: text('app_id').notNull(),
    erasedAt: integer('erased_at').notNull(),
    doneAt: integer('done_at'),
  },
  (table) => [primaryKey({ columns: [table.phoneHash, table.appId] })],
)

export const trafficHours = sqliteTable(
  'traffic_hours',
  {
    appId: text('app_id').notNull(),
    kind: text('key_kind').$type<KeyKind>().notNull(),
    country: text('country').notNull(),
    hour: integer('hour').notNull(),
    sent: integer('sent').notNull(),
    credits: integer('credits').notNull(),
    verified: integer('verified').notNull(),
    unverified: integer('unverified').notNull(),
  },
  (table) => [primaryKey({ columns: [table.appId, table.hour, table.kind, table.country] })],
)

export const trafficSnapshots = sqliteTable('traffic_snapshots', {
  appId: text('app_id').primaryKey(),
  madeAt: integer('made_at').notNull(),
  sealed: bytes('sealed').notNull(),
})

export const decisions = sqliteTable(
  'decisions',
  {
    appId: text('app_id').notNull(),
    minute: integer('minute').notNull(),
    kind: text('key_kind').$type<KeyKind>().notNull(),
    country: text('country').notNull(),
    rule: text('rule').$type<Rule>().notNull(),
    isRefused: integer('refused', { mode: 'boolean' }).notNull(),
    prefixHash: bytes('prefix_hash').notNull(),
    networkHash: bytes('network_hash').notNull(),
    times: integer('times').notNull(),
    credits: integer('credits').notNull(),
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

export const incidents = sqliteTable(
  'incidents',
  {
    incidentId: uuid('incident_id').primaryKey(),
    appId: text('app_id').notNull(),
    kind: text('key_kind').$type<KeyKind>().notNull(),
    country: text('country').notNull(),
    since: integer('since').notNull(),
    lastAt: integer('last_at').notNull(),
    endedAt: integer('ended_at'),
    isBlocked: integer('blocked', { mode: 'boolean' }).notNull(),
    refused: integer('refused').notNull(),
    rules: json('rules').$type<Rule[]>().notNull(),
    pausedUntil: integer('paused_until'),
    pauses: integer('pauses').notNull(),
    cost: integer('cost').notNull(),
    tellAt: integer('tell_at'),
    tells: integer('tells').notNull(),
    refunded: integer('refunded'),
  },
  (table) => [
    uniqueIndex('incidents_open').on(table.appId, table.kind, table.country),
    index('incidents_to_tell').on(table.tellAt),
    index('incidents_by_app').on(table.appId, table.since),
  ],
)

export const clockSteps = sqliteTable('clock_steps', {
  noticedAt: integer('noticed_at').notNull(),
  setBackMs: integer('set_back_ms').notNull(),
  noticedBy: text('noticed_by').notNull(),
})

export const failures = sqliteTable(
  'failures',
  {
    appId: text('app_id').notNull(),
    keyKind: text('key_kind').$type<KeyKind>().notNull(),
    phoneHash: bytes('phone_hash').notNull(),
    state: json('state').$type<Failures>().notNull(),
    lastAt: integer('last_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.appId, table.keyKind, table.phoneHash] }),
    index('failures_old').on(table.lastAt),
    index('failures_held').on(table.appId, table.lastAt),
  ],
)

export const claims = sqliteTable('claims', {
  claimId: integer('claim_id').primaryKey(),
  appId: text('app_id').notNull(),
  mode: mode(),
  keyHash: bytes('key_hash').notNull(),
  fingerprint: bytes('fingerprint').notNull(),
  issueId: uuid('issue_id').notNull(),
  createdAt: integer('created_at').notNull(),
})

export const outbox = sqliteTable('outbox', {
  issueId: uuid('issue_id').primaryKey(),
  sealed: bytes('sealed').notNull(),
  expiresAt: integer('expires_at').notNull(),
})

export const attempts = sqliteTable(
  'attempts',
  {
    appId: text('app_id').notNull(),
    mode: mode(),
    issueId: uuid('issue_id').notNull(),
    number: integer('number').notNull(),
    leg: leg(),
    carrier: text('provider').notNull(),
    messageId: uuid('message_id').notNull(),
    calledAt: integer('called_at').notNull(),
    answeredAt: integer('answered_at'),
    outcome: text('outcome').$type<SendOutcome['kind']>(),
    retry: text('retry').$type<Retry>(),
    code: text('code'),
    carrierMessageId: text('provider_message_id'),
  },
  (table) => [primaryKey({ columns: [table.appId, table.mode, table.issueId, table.number] })],
)

export const awaitedReports = sqliteTable('awaited_reports', {
  messageId: uuid('message_id').primaryKey(),
  carrier: text('provider').notNull(),
  carrierMessageId: text('provider_message_id'),
  appId: text('app_id').notNull(),
  mode: mode(),
  issueId: uuid('issue_id').notNull(),
  leg: leg(),
  answeredAt: integer('answered_at').notNull(),
})

export const jobs = sqliteTable(
  'jobs',
  {
    jobId: integer('job_id').primaryKey(),
    kind: text('kind').$type<JobKind>().notNull(),
    appId: text('app_id').notNull(),
    mode: mode(),
    subjectId: uuid('subject_id').notNull(),
    runAt: integer('run_at').notNull(),
    attempt: integer('attempt').notNull(),
    queue: text('queue').notNull(),
    leased: integer('leased', { mode: 'boolean' }).notNull(),
  },
  (table) => [
    index('jobs_due').on(table.kind, table.queue, table.runAt),
    uniqueIndex('jobs_by_subject').on(table.subjectId, table.kind),
  ],
)

export const webhookEndpoints = sqliteTable('webhook_endpoints', {
  endpointId: text('endpoint_id').primaryKey(),
  appId: text('app_id').notNull(),
  mode: mode(),
  url: text('url').notNull(),
  events: json('events').$type<EventType[]>().notNull(),
  filters: json('filters').$type<HookFilters>().notNull(),
  headers: bytes('headers').notNull(),
  template: text('template'),
  secrets: bytes('secrets').notNull(),
  disabledAt: integer('disabled_at'),
  disabledReason: text('disabled_reason'),
  failingSince: integer('failing_since'),
  createdAt: integer('created_at').notNull(),
})

export const webhookEvents = sqliteTable('webhook_events', {
  eventId: uuid('event_id').primaryKey(),
  appId: text('app_id').notNull(),
  mode: mode(),
  type: text('type').$type<EventType>().notNull(),
  issueId: uuid('issue_id'),
  body: bytes('body').notNull(),
  createdAt: integer('created_at').notNull(),
  origin: text('origin'),
})

export const webhookDeliveries = sqliteTable('webhook_deliveries', {
  seq: integer('seq').primaryKey(),
  deliveryId: uuid('delivery_id').notNull(),
  endpointId: text('endpoint_id').notNull(),
  eventId: uuid('event_id').notNull(),
  issueId: uuid('issue_id'),
  status: text('status').$type<DeliveryState>().notNull(),
  attempts: integer('attempts').notNull(),
  tries: integer('tries').notNull(),
  createdAt: integer('created_at').notNull(),
})

export const webhookAttempts = sqliteTable(
  'webhook_attempts',
  {
    deliveryId: uuid('delivery_id').notNull(),
    number: integer('number').notNull(),
    calledAt: integer('called_at').notNull(),
    answeredAt: integer('answered_at').notNull(),
    status: integer('status'),
    error: text('error'),
    answer: bytes('answer'),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
)

export const operators = sqliteTable('operators', {
  operatorId: text('operator_id').primaryKey(),
  email: text('email').notNull(),
  name: text('name').notNull(),
  role: text('role').$type<Role>().notNull(),
  passwordHash: text('password_hash').notNull(),
  totpSecret: bytes('totp_secret'),
  totpBegun: bytes('totp_begun'),
  createdAt: integer('created_at').notNull(),
  lastSeenAt: integer('last_seen_at'),
  unlockedAt: integer('unlocked_at'),
})

export const operatorAddresses = sqliteTable(
  'operator_addresses',
  {
    operatorId: text('operator_id').notNull(),
    addressHash: bytes('address_hash').notNull(),
    seenAt: integer('seen_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.operatorId, table.addressHash] })],
)

export const operatorSessions = sqliteTable('operator_sessions', {
  tokenHash: bytes('token_hash').primaryKey(),
  operatorId: text('operator_id').notNull(),
  createdAt: integer('created_at').notNull(),
  lastSeenAt: integer('last_seen_at').notNull(),
})

export const invitations = sqliteTable('invitations', {
  tokenHash: bytes('token_hash').primaryKey(),
  role: text('role').$type<Role>().notNull(),
  invitedBy: text('invited_by').notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
})

export const auditEntries = sqliteTable('audit_entries', {
  seq: integer('seq').primaryKey(),
  at: integer('at').notNull(),
  actor: text('actor').notNull(),
  ip: text('ip'),
  action: text('action').notNull(),
  target: text('target').notNull(),
  detail: json('detail').$type<Record<string, unknown>>().notNull(),
  hash: bytes('hash').notNull(),
})

export const usageHours = sqliteTable(
  'usage_hours',
  {
    hour: integer('hour').notNull(),
    appId: text('app_id').notNull(),
    mode: mode(),
    channel: text('channel').$type<Channel>().notNull(),
    carrier: text('provider').notNull(),
    country: text('country').notNull(),
    purpose: text('purpose').notNull(),
    issued: integer('issued').notNull(),
    delivered: integer('delivered').notNull(),
    failed: integer('failed').notNull(),
    verified: integer('verified').notNull(),
    spent: integer('spent').notNull(),
    latencies: json('latencies').$type<Record<string, number>>().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.appId, table.mode, table.hour, table.channel, table.carrier, table.country, table.purpose],
    }),
  ],
)

export const facts = sqliteTable('facts', {
  name: text('name').primaryKey(),
  value: bytes('value').notNull(),
})

export const keyRing = sqliteTable(
  'key_ring',
  {
    name: text('name').notNull(),
    secretId: bytes('secret_id').notNull(),
    sealed: bytes('sealed').notNull(),
    madeAt: integer('made_at').notNull(),
    begunAt: integer('begun_at'),
  },
  (table) => [primaryKey({ columns: [table.name, table.secretId] })],
)
