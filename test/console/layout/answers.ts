/** What the console's procedures answer in the states that pages are looked at in: nothing yet, and plenty of it. */

import type { InferContractRouterOutputs } from '@orpc/contract'
import { NEW_CAPS } from '../../../src/abuse/rules/cap'
import { RULES } from '../../../src/abuse/rules/rule'
import type { ConsoleContract } from '../../../src/console/contract'
import type { Refused } from '../../../src/console/web/i18n/refusals'
import { permissionsOf, type Role } from '../../../src/domain/access/operator'
import { TEST_STEPS } from '../../../src/usecases/test-provider'
import { StubFailure } from '../support'

type Outputs = InferContractRouterOutputs<ConsoleContract>
export type Procedure = { [Group in keyof Outputs]: `${Group}/${keyof Outputs[Group] & string}` }[keyof Outputs]
type OutputOf<Path extends Procedure> = Path extends `${infer Group extends keyof Outputs}/${infer Name}`
  ? Name extends keyof Outputs[Group]
    ? Outputs[Group][Name]
    : never
  : never
/** By path, as the contract has it. */
export type Answers = { readonly [Path in Procedure]?: OutputOf<Path> | StubFailure }

const NOW = Date.now()
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const REQUEST_ID = '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e99'
export const refusal = (status: number, code: string, message: string, data?: Refused) =>
  new StubFailure(status, code, message, REQUEST_ID, data)

/** As long as names, links and numbers become. */
const LONG_NAME = '세종특별자치시 평생교육 통합예약 서비스 (production, second attempt)'
const LONG_URL = `https://gateway.internal.a-rather-long-company-name.example.com/webhooks/otp/v1/incoming/${'a1b2c3'.repeat(8)}?tenant=shop`
const HASH = 'd0c1b2a3f4e5d6c7b8a9'.repeat(3).slice(0, 64)
const MILLIONS = 987_654_321

const issueId = (number: number) => `0199f2a4-7c1e-7a53-9d36-${String(number).padStart(12, '0')}`
export const ISSUE = issueId(0)
export const ENDPOINT = '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e01'
/** Its pattern is from before patterns had to be quick. */
export const SLOW_TEMPLATE = 'welcome'
/** Of a link that makes an account. */
export const TOKEN = 'rZ8s1vWq-0123456789-abcdefghij'

const signedIn = (role: Role, hasTotp = false, appIds?: string[]): Answers['session/current'] => ({
  needsSetup: false,
  organization: 'Example',
  version: '0.1.0',
  operator: {
    operatorId: 'o1',
    email: 'kim.young-hee.longest@department.example.com',
    name: '김영희 Kim Young-hee',
    role,
    ...(appIds && { appIds }),
    hasTotp,
    createdAt: NOW - 30 * DAY,
    permissions: [...permissionsOf(role)],
  },
})

export const SIGNED_OUT: Answers = {
  'session/current': { needsSetup: false, organization: 'Example', version: '0.1.0' },
}
export const NEEDS_SETUP: Answers = {
  'session/current': { needsSetup: true, organization: 'Example', version: '0.1.0' },
}
export const INVITED: Answers = {
  ...SIGNED_OUT,
  'session/invitation': { role: 'developer', invitedBy: '김영희 Kim Young-hee', expiresAt: NOW + 3 * DAY },
}
export const asViewer: Answers = { 'session/current': signedIn('viewer') }
/** Support of one app only. */
export const ofOneApp: Answers = { 'session/current': signedIn('support', false, ['a1']) }
export const withTotp: Answers = { 'session/current': signedIn('owner', true) }

export const NO_APP: Answers = {
  'session/current': signedIn('owner'),
  'apps/list': { apps: [], defaultRegion: 'KR', liveRetentionDays: 180 },
  'apps/regions': { regions: ['AT', 'AU', 'BD', 'DE', 'GB', 'GS', 'KR', 'US'] },
  'apps/challenge': {},
  'carriers/list': { providers: [] },
  'carriers/routes': { routes: [] },
}

const COUNTS = { issued: 0, sent: 0, delivered: 0, failed: 0, verified: 0, spent: 0, messages: 0 }

type Protection = OutputOf<'apps/list'>['apps'][number]['protection']
const PROTECTION: Protection = {
  ...{
    numberTypes: 'block',
    countries: 'block',
    capping: 'block',
    conversion: 'block',
    tolerance: 1,
    failures: 'block',
  },
  ...{ open: [], secretTo: [], closed: [], caps: [...NEW_CAPS], lockMs: DAY },
  resendMs: { sk: 0, pk: 30_000 },
  trusted: { networks: [], countries: [], phones: 0 },
}
/** As much as there may be. */
const STRICT: Protection = {
  ...{
    numberTypes: 'watch',
    countries: 'watch',
    capping: 'off',
    conversion: 'watch',
    tolerance: 2,
    failures: 'watch',
    lockMs: null,
  },
  open: ['JP', 'US', 'GB', 'GS', 'VN', 'TH', 'ID'],
  secretTo: ['JP', 'US', 'GB', 'GS', 'VN', 'TH', 'ID', 'KR'],
  closed: ['AZ', 'CF'],
  caps: (['app', 'country', 'prefix'] as const).flatMap((per) => [
    { kind: 'pk' as const, per, of: 'messages' as const, every: 'hour' as const, max: MILLIONS },
    { kind: 'sk' as const, per, of: 'credits' as const, every: 'day' as const, max: MILLIONS },
  ]),
  resendMs: { sk: 3_600_000, pk: 3_600_000 },
  trusted: {
    networks: ['203.0.113.0/24', '2001:db8:85a3:1234:5678:8a2e:370:7334/128'],
    countries: ['GS', 'KR'],
    phones: 200,
  },
}

const NOBODY = { failures_paused: 0, failures_locked: 0, failures_seldom: 0 }
const AGAINST = {
  ...{ refused: 0, refusedCredits: 0, watched: 0, watchedCredits: 0 },
  ...{ sent: 0, verified: 0, unverified: 0, untypedCredits: 0 },
}

const hoursOf = <T extends object>(of: (hour: number) => T) =>
  Array.from({ length: 24 }, (_, hour) => ({ at: NOW - (NOW % HOUR) - (23 - hour) * HOUR, ...of(hour) }))

const PLAIN_TEXTS = { localeByCountry: false }
const AUTOFILL = { webOtpDomain: 'sign-in.shopping.example.co.kr', androidHash: 'FA+9qCX9VSu', localeByCountry: true }

/** An app, and nothing in it. */
const TWILIO: OutputOf<'apps/twilio'> = {
  baseUrl: 'https://otp.example.com/compat/twilio',
  accountSid: `AC${'0f'.repeat(16)}`,
  services: ['signup', 'change-of-phone-number'].map((purpose, number) => ({
    purpose,
    serviceSid: `VA${`${number}c`.repeat(16)}`,
  })),
}

export const EMPTY: Answers = {
  'notices/open': { notices: [] },
  'notices/list': { rows: [] },
  'notices/ways': { ways: [] },
  ...NO_APP,
  'apps/list': {
    apps: [
      {
        appId: 'a1',
        organizationId: 'org_1',
        name: 'Shop',
        protection: PROTECTION,
        texts: PLAIN_TEXTS,
        provesMetadata: false,
        createdAt: NOW - MINUTE,
      },
    ],
    defaultRegion: 'KR',
    liveRetentionDays: 180,
  },
  'issues/list': { rows: [] },
  'issues/find': { issues: [], keys: [] },
  'issues/story': refusal(404, 'NOT_FOUND', 'No such thing'),
  'inbox/list': { rows: [] },
  'usage/report': { total: { ...COUNTS, cost: [], unpriced: 0 }, rows: [] },
  'prices/list': { prices: [] },
  'tokens/list': { tokens: [] },
  'overview/show': {
    ...{ total: COUNTS, before: COUNTS, series: [], incidents: [], carriers: [], failures: [] },
    apps: [
      {
        ...{ appId: 'a1', issued: 0, delivered: 0, failed: 0, verified: 0, refused: 0, available: 0 },
        ...{ spentPerDay: 0 },
      },
    ],
    refused: { total: 0, before: 0, series: [], rules: [], unusual: [] },
    ...{ endpoints: [], openKeys: [] },
  },
  'protection/incidents': { rows: [] },
  'protection/state': {
    ...{ blocks: [], reopened: [], held: { sk: NOBODY, pk: NOBODY, areAll: true } },
  },
  'protection/lately': { keys: { sk: 0, pk: 0, relay: 0 }, codes: [], areAll: true },
  'protection/sentTo': { days: 90, typed: ['KR'], untyped: [] },
  'protection/phone': { phoneNumber: '+821012345678', standings: [{ kind: 'sk' }, { kind: 'pk' }] },
  'protection/show': {
    total: AGAINST,
    series: hoursOf(() => AGAINST),
    ...{ rules: [], countries: [], prefixes: [], networks: [] },
  },
  'keys/list': { keys: [] },
  'relays/list': { relays: [] },
  'relays/messages': { rows: [] },
  'apps/twilio': { ...TWILIO, services: [] },
  'apps/reviewNumbers': { reviewNumbers: [] },
  'templates/list': { templates: [] },
  'templates/preview': {},
  'webhooks/list': { endpoints: [] },
  'webhooks/events': { rows: [] },
  'webhooks/request': {
    request: {
      url: `https://${'hooks.'.repeat(8)}example.com/watchword`,
      headers: [{ name: 'webhook-signature', value: `v1,${'a1b2c3d4'.repeat(6)}` }, { name: 'Authorization' }],
      body: JSON.stringify({ id: issueId(77), type: 'otp.sent', data: { id: ISSUE, to: '+82******5678' } }),
      sentAt: NOW - MINUTE,
    },
  },
  'webhooks/preview': { previews: [] },
  'wallet/show': { balance: 0, reserved: 0, available: 0, overdraftLimit: 0, currency: 'CREDIT' },
  'wallet/ledger': { rows: [] },
  'operators/list': { operators: [], invitations: [] },
  'operators/sessions': { sessions: [] },
  'session/list': { sessions: [] },
  'audit/list': { rows: [] },
  'system/show': {
    version: '0.1.0',
    startedAt: NOW - MINUTE,
    command: 'npx --yes bun@1.4.5 src/main.ts',
    databaseBytes: 220_000,
    nodes: [],
    checks: { database: true, dispatcher: true },
    backups: [],
    queue: [],
  },
}

type IssueRow = OutputOf<'issues/list'>['rows'][number]

const issue = (number: number, more: Partial<IssueRow> = {}): IssueRow => ({
  issueId: issueId(number),
  mode: 'test',
  purpose: 'signup',
  isMessageAlone: false,
  channel: 'sms',
  leg: 'sms',
  country: 'KR',
  overallStatus: 'verified',
  verificationStatus: 'verified',
  deliveryStatus: 'delivered',
  isAmbiguous: false,
  billingStatus: 'debited',
  price: 12,
  attemptsUsed: 1,
  maxAttempts: 5,
  createdAt: NOW - number * 7 * MINUTE,
  expiresAt: NOW - number * 7 * MINUTE + 3 * MINUTE,
  ...more,
})

const ISSUES: IssueRow[] = [
  issue(1),
  issue(2, { verificationStatus: 'issued', deliveryStatus: 'queued', attemptsUsed: 0, overallStatus: 'in_progress' }),
  issue(3, { purpose: 'password-reset-of-a-business-account-with-approval', channel: 'alimtalk' }),
  issue(4, { verificationStatus: 'expired', deliveryStatus: 'sent', isAmbiguous: true, country: 'GB' }),
  issue(5, { verificationStatus: 'max_attempts', attemptsUsed: 5, price: MILLIONS }),
  issue(6, { verificationStatus: 'replaced', deliveryStatus: 'failed', outcomeCode: 'UNREACHABLE' }),
]

/** A live message that went by two carriers, was verified at the second try, charged, and told of. */
export const STORY: OutputOf<'issues/story'> = {
  ...issue(0, { mode: 'live', channel: 'alimtalk', attemptsUsed: 2, createdAt: NOW - HOUR }),
  appId: 'a1',
  templateId: 'otp_default_kr',
  metadata: { campaign: 'autumn-2025', userId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77', note: LONG_URL.slice(8) },
  verifiedAt: NOW - HOUR + 14_000,
  wrongAt: [NOW - HOUR + 8_000, NOW - HOUR + 11_000],
  updatedAt: NOW - HOUR + 15_000,
  attempts: [
    {
      number: 1,
      leg: 'alimtalk',
      provider: 'kakao-business-messaging-primary',
      calledAt: NOW - HOUR + 20,
      answeredAt: NOW - HOUR + 1_400,
      latencyMs: 1_380,
      outcome: 'refused',
      code: 'K_3016_TEMPLATE_MISMATCH',
      explanation: 'The text does not match the approved template. Compare the template with the one Kakao approved.',
      said: '메시지가 승인된 템플릿과 다릅니다 (NoMatchedTemplateException: ####)',
      text: '[#{shop}] 인증번호는 [••••••]입니다. 타인에게 알려주지 마세요.',
    },
    {
      number: 2,
      leg: 'sms',
      provider: 'main',
      calledAt: NOW - HOUR + 1_500,
      answeredAt: NOW - HOUR + 1_800,
      latencyMs: 300,
      outcome: 'accepted',
      text: '[#{shop}] 인증번호는 [••••••]입니다. 타인에게 알려주지 마세요.\n@shop.example.com #••••••',
      report: 'delivered',
      reportedAt: NOW - HOUR + 4_000,
    },
  ],
  ledger: [{ entryType: 'debit', amountDelta: -12, balanceAfter: MILLIONS, createdAt: NOW - HOUR + 1_900 }],
  webhooks: [
    {
      deliveryId: 'd1',
      eventId: 'e1',
      endpointId: ENDPOINT,
      type: 'otp.verified',
      status: 'failed',
      attempts: 3,
      lastStatus: 500,
      lastError: 'The server answered 500 Internal Server Error',
      createdAt: NOW - HOUR + 14_100,
    },
  ],
}

/** A test code on its way, and verified. */
export const TRIED: OutputOf<'issues/story'> = {
  ...STORY,
  ...issue(0, { verificationStatus: 'issued', deliveryStatus: 'delivered', attemptsUsed: 0, createdAt: NOW }),
  wrongAt: [],
  metadata: {},
  ledger: [],
  webhooks: [],
}

type Relay = OutputOf<'relays/list'>['relays'][number]

const relay = (number: number, more: Partial<Relay> = {}): Relay => ({
  relayId: `rly_${number}k2m9x0c7q1z`,
  appId: 'a1',
  name: 'login',
  source: 'supabase',
  mode: 'test',
  url: `https://otp.a-rather-long-company-name.example.com/relay/supabase/rly_${number}k2m9x0c7q1z`,
  isReady: true,
  createdAt: NOW - 3 * DAY,
  ...more,
})

const RELAYS: Relay[] = [
  relay(4),
  relay(5, {
    name: 'identity-platform-of-a-business-with-approval',
    source: 'zitadel',
    isReady: false,
    templateId: 'password_reset_business_kr_2025_autumn',
    legs: [{ channel: 'whatsapp', waitSec: 8 }, { channel: 'telegram', waitSec: 120 }, { channel: 'voice' }],
  }),
  relay(6, { mode: 'live' }),
]

export const CREATED_RELAY = { ...relay(7), secret: `v1,whsec_${'a1b2c3d4'.repeat(5)}` }

/** A relayed message, whose code is another platform's. */
export const RELAYED: OutputOf<'issues/story'> = {
  ...STORY,
  isMessageAlone: true,
  purpose: 'identity-platform-of-a-business-with-approval',
  channel: 'sms',
  leg: 'voice',
  metadata: { source: 'zitadel', type: 'session.otp.sms.challenged' },
  webhooks: STORY.webhooks.map((hook) => ({ ...hook, type: 'message.delivered' })),
}

type Endpoint = OutputOf<'webhooks/list'>['endpoints'][number]

const endpoint = (endpointId: string, more: Partial<Endpoint> = {}): Endpoint => ({
  endpointId,
  appId: 'a1',
  mode: 'test',
  url: 'https://shop.example.com/hooks',
  events: ['otp.sent', 'otp.verified'],
  filters: {},
  template: '',
  headers: [],
  enabled: true,
  createdAt: NOW - 3 * DAY,
  ...more,
})

const hook = (
  number: number,
  more: Partial<OutputOf<'webhooks/events'>['rows'][number]> = {},
): OutputOf<'webhooks/events'>['rows'][number] => ({
  deliveryId: `d${number}`,
  eventId: issueId(900 + number),
  issueId: issueId(number),
  type: 'otp.max_attempts',
  tries: 1,
  status: 'delivered',
  attempts: 1,
  createdAt: NOW - number * HOUR,
  lastAttemptAt: NOW - number * HOUR,
  lastStatus: 200,
  ...more,
})

const series = hoursOf((hour) => ({
  issued: 400_000 + hour * 9_000,
  sent: 399_000 + hour * 8_900,
  messages: 400_000 + hour * 8_950,
  delivered: 390_000 + hour * 8_000,
  failed: 10_000 + hour * 100,
  verified: 350_000 + hour * 7_500,
  spent: 4_800_000,
  p50Ms: 240,
  p95Ms: 1_900,
}))
const TOTAL = {
  ...{ issued: 12_345_678, sent: 12_340_000, delivered: 12_000_000, failed: 345_678, verified: 11_222_333 },
  ...{ spent: MILLIONS, messages: 12_400_000 },
}

const COST = {
  cost: [
    { currency: 'KRW', amount: '122166000.5' },
    { currency: 'USD', amount: '1234.567891' },
  ],
  unpriced: 4_321,
}
/** A day of the month of `NOW`. */
const dayNumber = (number: number) => new Date(NOW).toISOString().slice(0, 8) + String(number + 1).padStart(2, '0')

type Price = OutputOf<'prices/list'>['prices'][number]
const price = (priceId: string, carrier: string, country: string, channel: Price['channel']) => ({
  ...{ priceId, carrier, country, channel, validFrom: '2025-01-01' },
})

type Incident = OutputOf<'protection/incidents'>['rows'][number]

const incident = (number: number, more: Partial<Incident> = {}): Incident => ({
  ...{ incidentId: issueId(500 + number), appId: 'a1', kind: 'pk', country: 'GS', isBlocked: true },
  ...{ since: NOW - number * DAY - HOUR, lastAt: NOW - number * DAY, refused: 1_234_567, cost: MILLIONS },
  rules: ['cap', 'country_unverified', 'network_unverified', 'prefix_unverified'],
  ...more,
})

const INCIDENTS = [
  incident(0, {
    evidence: { place: 'prefix_unverified', digits: '+821012345', wishes: 412_345, lost: 390_123, usually: 22_345 },
  }),
  incident(1, { kind: 'sk', country: 'VN', rules: ['cap'], refunded: MILLIONS }),
  incident(2, { country: 'KR', isBlocked: false, rules: ['country_unverified'], cost: 0 }),
]

const ATTACKED = {
  ...{ refused: 1_234_567, refusedCredits: 12_345_678, watched: 345_678, watchedCredits: 1_234_567 },
  ...{ sent: 12_345_678, verified: 9_876_543, unverified: 1_234_567, untypedCredits: 12_345_678 },
}
const PREFIX = 'd0c1b2a3f4e5d6c7b8a9d0c1b2a3f4e5'

/** Everything, with names as long, numbers as big and states as bad as they come. */
/** One of each kind of field. */
const SESSIONS: OutputOf<'session/list'>['sessions'] = [
  { sessionId: 's1', createdAt: NOW - HOUR, lastSeenAt: NOW, browser: 'Chrome', system: 'macOS', isThis: true },
  {
    sessionId: 's2',
    createdAt: NOW - 2 * DAY,
    lastSeenAt: NOW - HOUR,
    browser: 'Safari',
    system: 'iPhone',
    isThis: false,
  },
  { sessionId: 's3', createdAt: NOW - 3 * DAY, lastSeenAt: NOW - 2 * HOUR, browser: '', system: '', isThis: false },
]

const NHN_SETTINGS: OutputOf<'carriers/types'>['types'][number]['settings'] = [
  { name: 'privateUrl', title: 'Address', url: true, default: 'https://sms.api.nhncloudservice.com' },
  { name: 'privateKey', title: 'Private key', help: 'Of the application, as PEM.', secret: true, multiline: true },
  {
    name: 'reports',
    title: 'The carrier sends delivery reports',
    help: 'A message is charged when its report arrives.',
    kind: 'flag',
  },
  { name: 'sms.appKey', group: 'SMS', title: 'App key', secret: true },
  { name: 'sms.from', group: 'SMS', title: 'Sender', help: 'A number that is registered with NHN as a sender.' },
  {
    name: 'alimtalk.senderKey',
    group: 'AlimTalk',
    title: 'Sender key of the Kakao channel',
    secret: true,
    optional: true,
  },
]

type ShownNotice = OutputOf<'notices/open'>['notices'][number]
const notice = (number: number, more: Pick<ShownNotice, 'kind' | 'facts'> & Partial<ShownNotice>): ShownNotice => ({
  noticeId: issueId(300 + number),
  isUrgent: false,
  since: NOW - number * HOUR,
  told: [],
  ...more,
})
const NOTICES: ShownNotice[] = [
  notice(1, {
    ...{
      kind: 'carrier_down',
      facts: { carrier: 'a-rather-long-name-of-a-carrier-in-seoul', code: 'HTTP_401' },
      isUrgent: true,
    },
    told: [
      { way: 'duty', phase: 'began', status: 'sent' },
      { way: 'chat', phase: 'began', status: 'failed', error: 'HTTP 404' },
    ],
  }),
  notice(2, { kind: 'low_credit', appId: 'app_1', facts: { app: LONG_NAME, available: MILLIONS, days: 2 } }),
  notice(3, { kind: 'attack', appId: 'app_1', facts: { app: 'shop', country: 'LV' }, isUrgent: true }),
  notice(5, { kind: 'deliveries_failing', appId: 'app_1', facts: { app: 'shop', percent: 42, usual: 3 } }),
  notice(8, {
    ...{ kind: 'endpoint_disabled', appId: 'app_1', endedAt: NOW - HOUR },
    facts: { app: 'shop', host: 'hooks.example.com', reason: 'The receiver answered 410 Gone' },
    told: [
      { way: 'duty', phase: 'began', status: 'sent' },
      { way: 'duty', phase: 'ended', status: 'pending' },
    ],
  }),
  notice(30, { kind: 'backup_overdue', facts: { newest: '2026-11-20' }, endedAt: NOW - 20 * HOUR }),
  notice(50, {
    ...{ kind: 'webhook_certificate', appId: 'app_1', endedAt: NOW - 40 * HOUR },
    facts: { app: 'shop', host: 'hooks.example.com', until: '2026-12-01' },
  }),
]
export const WEBHOOK_WAY = {
  ...{ wayId: 'way_1', name: 'pager', channel: 'webhook' as const, target: LONG_URL, createdAt: NOW - DAY },
}

export const FULL: Answers = {
  ...EMPTY,
  'notices/open': { notices: NOTICES.filter(({ endedAt }) => endedAt === undefined) },
  'notices/list': { rows: NOTICES, next: 'cursor' },
  'notices/ways': {
    ways: [
      WEBHOOK_WAY,
      {
        ...{ wayId: 'way_2', name: 'duty', channel: 'mail', createdAt: NOW - DAY },
        target: 'on-duty-around-the-clock@department.example.com (smtp.example.com)',
      },
      { wayId: 'way_3', name: 'chat', channel: 'slack', target: 'https://hooks.slack.com', createdAt: NOW - DAY },
    ],
  },
  'notices/addWay': { ...WEBHOOK_WAY, secret: `whsec_${'a1b2c3d4'.repeat(5)}` },
  'notices/testWay': { error: 'HTTP 404' },
  'apps/list': {
    apps: [
      {
        appId: 'a1',
        organizationId: 'org_1',
        name: LONG_NAME,
        region: 'GS',
        protection: STRICT,
        texts: AUTOFILL,
        provesMetadata: true,
        plans: [
          {
            channel: 'sms',
            legs: [{ channel: 'whatsapp', waitSec: 8 }, { channel: 'sms', waitSec: 30 }, { channel: 'voice' }],
          },
          {
            channel: 'alimtalk',
            country: 'GS',
            legs: [
              { channel: 'alimtalk' },
              { channel: 'telegram', waitSec: 600 },
              { channel: 'sms', waitSec: 1 },
              { channel: 'voice' },
            ],
          },
        ],
        createdAt: NOW - 300 * DAY,
      },
      {
        appId: 'a2',
        organizationId: 'org_1',
        name: 'Clinic',
        protection: PROTECTION,
        texts: PLAIN_TEXTS,
        provesMetadata: false,
        createdAt: NOW - 2 * DAY,
      },
    ],
    defaultRegion: 'KR',
    liveRetentionDays: 180,
  },
  'apps/challenge': {
    challenge: { vendor: 'recaptcha', siteKey: '6Le-wvkSAAAAAPBMRTvw0Q4Muexq9bi0DJwx_mJ-'.repeat(3), onOutage: 'pass' },
  },
  'issues/list': { rows: ISSUES, next: 'cursor' },
  'issues/find': {
    issues: ISSUES.map((issue) => ({ ...issue, appId: 'a1', appName: LONG_NAME })),
    keys: [{ appId: 'a1', appName: LONG_NAME, keyId: 'key_1', mode: 'live', shown: 'sk_Ab12…wxyz' }],
  },
  'issues/story': STORY,
  'inbox/list': {
    rows: [
      issue(0, {
        isMessageAlone: true,
        purpose: 'identity-platform-of-a-business-with-approval',
        verificationStatus: 'issued',
      }),
      ...ISSUES,
    ].map((row, scenario) =>
      row.isMessageAlone
        ? { ...row, code: 'VBX53M' }
        : {
            ...row,
            scenario,
            phoneNumber: `+82100000000${scenario}`,
            ...(scenario !== 3 && { code: '000000' }),
          },
    ),
    next: 'cursor',
  },
  'inbox/tryIt': { issueId: ISSUE, expiresAt: NOW + 3 * MINUTE },
  'inbox/verify': { verified: true, attemptsRemaining: 4, expiresAt: NOW + 3 * MINUTE },
  'usage/report': {
    total: { ...TOTAL, ...COST },
    rows: ['AT', 'DE', 'GB', 'GS', 'KR', 'US', ''].flatMap((country, place) =>
      ['main', 'a-carrier-with-a-long-name-of-its-own', ''].map((carrier, row) => ({
        ...{ app: place === 0 ? 'app_removed' : 'a1', country, carrier },
        day: dayNumber(3 * place + row),
        ...{ issued: 900_000 - 40_000 * (3 * place + row), sent: 850_000 - 40_000 * (3 * place + row) },
        ...{
          delivered: 800_000 - 38_000 * (3 * place + row),
          failed: 20_000,
          verified: 700_000 - 33_000 * (3 * place + row),
        },
        ...{ spent: 850_000, messages: 860_000, ...COST },
      })),
    ),
    next: 'cursor',
  },
  'prices/list': {
    prices: [
      { ...price('prc_1', 'main', 'KR', 'sms'), currency: 'KRW', amount: '9.9' },
      {
        ...price('prc_2', 'a-carrier-with-a-long-name-of-its-own', 'GS', 'whatsapp'),
        currency: 'USD',
        amount: '0.007912',
      },
      { ...price('prc_3', '', '', ''), currency: 'EUR', amount: '10000' },
    ],
  },
  'tokens/list': {
    tokens: [
      {
        ...{
          tokenId: 'adm_1',
          name: 'deploy',
          scopes: ['apps:write', 'carriers:write', 'keys:read'],
          allowedCidrs: [],
        },
        ...{ createdBy: 'cli', createdAt: NOW - DAY },
      },
      {
        ...{ tokenId: 'adm_2', name: LONG_NAME, scopes: ['usage:read'], appIds: ['a1'], allowedCidrs: ['10.0.0.0/8'] },
        ...{ expiresAt: NOW + 90 * DAY, createdBy: 'cli', createdAt: NOW - 9 * DAY },
      },
    ],
  },
  'tokens/create': {
    ...{
      tokenId: 'adm_3',
      name: 'watch',
      scopes: ['carriers:read'],
      allowedCidrs: [],
      createdBy: 'o1',
      createdAt: NOW,
    },
    token: 'adm_oZUe99nGVOGnUIFytrwUtZ8-ecDqukAr3K5xVTbUfFY',
  },
  'overview/show': {
    total: { ...TOTAL, p50Ms: 240, p95Ms: 12_345 },
    before: { ...TOTAL, issued: 11_345_678, failed: 123_456, spent: MILLIONS / 3, p50Ms: 220 },
    series,
    refused: {
      ...{ total: MILLIONS, before: 12_345, series: series.map((_, hour) => hour * 1_000) },
      rules: RULES.map((rule, index) => ({
        rule,
        refused: Math.floor(MILLIONS / 2 ** (index + 1)),
        before: index * 1_234,
      })),
      unusual: [{ appId: 'a1', lately: MILLIONS, usual: 12_345 }],
    },
    incidents: INCIDENTS,
    carriers: [
      {
        ...{
          name: 'kakao-business-messaging-primary',
          state: 'unhealthy',
          since: NOW - HOUR,
          code: 'CONNECTION_REFUSED',
        },
        explanation: 'Nothing listens there. Look at the URL of the carrier, and whether a firewall lets it through.',
        ...{ recent: { accepted: 1_234_567, refused: 12_345, ambiguous: 678 }, p50Ms: 240, p95Ms: 12_345 },
      },
      { name: 'main', state: 'healthy', recent: { accepted: 0, refused: 12, ambiguous: 0 } },
      { name: 'meta', state: 'healthy', recent: { accepted: 0, refused: 0, ambiguous: 0 } },
    ],
    apps: ['a1', 'a2'].map((appId, index) => ({
      ...{ appId, issued: MILLIONS, delivered: MILLIONS, failed: 345_678, verified: MILLIONS, refused: MILLIONS },
      ...{ available: 1_234, alertBelow: 5_000, spentPerDay: 1_000.5, daysLeft: index + 0.4 },
    })),
    failures: [1, 2, 3, 4, 5].map((number) => ({
      ...{ appId: 'a1', issueId: issueId(number), purpose: 'password-reset-of-a-business-account-with-approval' },
      ...{ country: 'GS', createdAt: NOW - number * MINUTE, carrier: 'kakao-business-messaging-primary' },
      ...{ code: 'TEMPLATE_NOT_FOUND', explanation: 'Nothing listens there. Look at the URL of the carrier.' },
    })),
    endpoints: [endpoint(ENDPOINT, { url: LONG_URL, failingSince: NOW - DAY })],
    openKeys: [{ appId: 'a1', keyId: 'k1', shown: 'pk_live_…a7b8', allows: ['from', 'text'] }],
  },
  'protection/lately': {
    keys: { sk: 12, pk: 3, relay: 1 },
    codes: ['GS', 'VN', 'KR'].flatMap((country) => [
      { kind: 'sk' as const, country, sent: MILLIONS, refused: MILLIONS },
      { kind: 'pk' as const, country, sent: 1, refused: 0 },
    ]),
    areAll: false,
  },
  'protection/incidents': {
    rows: [...INCIDENTS, incident(3, { endedAt: NOW - 2 * DAY }), incident(4, { endedAt: NOW - 3 * DAY, country: '' })],
    next: 'cursor',
  },
  'protection/state': {
    held: {
      ...{ sk: NOBODY, pk: { failures_paused: 912, failures_locked: 87, failures_seldom: 1 }, areAll: false },
    },
    blocks: [
      { country: 'VN', until: NOW + DAY },
      { country: 'GS', prefix: PREFIX, until: NOW + HOUR },
      { country: 'KR', prefix: HASH.slice(0, 32), digits: '+821012345', until: NOW + MINUTE },
    ],
    reopened: [
      { kind: 'pk', country: 'GS', until: NOW + DAY },
      { kind: 'sk', country: '', until: NOW + HOUR },
    ],
  },
  'protection/sentTo': { days: 90, typed: ['KR', 'JP', 'GS', 'US', 'VN'], untyped: ['CF', 'AZ', 'GB'] },
  'protection/phone': {
    phoneNumber: '+821012345678',
    standings: [
      { kind: 'sk', rule: 'failures_seldom', until: NOW + 3 * DAY },
      { kind: 'pk', rule: 'failures_locked', until: NOW + DAY },
    ],
  },
  'protection/show': {
    total: ATTACKED,
    series: hoursOf((hour) => ({ ...ATTACKED, refused: 400_000 + hour * 9_000, verified: 350_000 + hour * 7_500 })),
    rules: RULES.map((rule, n) => ({ ...ATTACKED, refused: ATTACKED.refused >> n, rule })),
    countries: [
      { ...ATTACKED, country: 'GS' },
      { ...ATTACKED, country: 'VN' },
      { ...AGAINST, country: 'KR', sent: 12_345_678, verified: 12_345_678 },
      { ...AGAINST, country: '', watched: 1 },
    ],
    prefixes: [
      { ...ATTACKED, country: 'GS', prefix: PREFIX },
      { ...ATTACKED, country: 'KR', prefix: HASH.slice(0, 32), digits: '+821012345' },
      { ...AGAINST, country: 'CF', prefix: HASH.slice(1, 33), refused: 1 },
    ],
    networks: [
      { ...ATTACKED, network: 'd0c1b2a3' },
      { ...AGAINST, network: 'f4e5d6c7', refused: 1 },
    ],
  },
  'keys/list': {
    keys: [
      {
        keyId: 'k1',
        name: 'Shop backend',
        creator: { name: '김영희 Kim Young-hee', isCommandLine: false, isMine: true },
        kind: 'sk',
        mode: 'test',
        shown: 'sk_test_…a1b2',
        scopes: ['*'],
        allowedOrigins: [],
        allowedCidrs: [],
        limits: {},
        allows: [],
        isOpen: false,
        state: 'active',
        createdAt: NOW - 2 * DAY,
        lastUsedAt: NOW - MINUTE,
      },
      {
        keyId: 'k2',
        name: 'Checkout page of the shop, which is a rather long name',
        creator: { name: 'Lee', isCommandLine: false, isMine: false },
        kind: 'pk',
        mode: 'test',
        shown: 'pk_test_…c3d4',
        scopes: ['otp:issue', 'otp:verify'],
        allowedOrigins: ['https://www.a-rather-long-company-name.example.com', 'https://shop.example.com:8443'],
        allowedCidrs: [],
        limits: { issuesPerMin: 100, verifiesPerMin: 1_000, issuesPerMinPerIp: 5 },
        allows: [],
        isOpen: false,
        state: 'active',
        createdAt: NOW - 20 * DAY,
        expiresAt: NOW + 70 * DAY,
      },
      {
        keyId: 'k3',
        creator: { isCommandLine: true, isMine: false },
        kind: 'sk',
        mode: 'test',
        shown: 'sk_test_…e5f6',
        scopes: ['otp:issue', 'otp:status', 'wallet:read'],
        allowedOrigins: [],
        allowedCidrs: ['203.0.113.0/24', '2001:db8:85a3:1234:5678:8a2e:370:7334/128'],
        limits: {},
        allows: [],
        isOpen: false,
        state: 'revoked',
        createdAt: NOW - 100 * DAY,
        revokedAt: NOW - 10 * DAY,
      },
      {
        keyId: 'k4',
        creator: { isCommandLine: false, isMine: false },
        kind: 'pk',
        mode: 'live',
        shown: 'pk_live_…a7b8',
        scopes: ['otp:issue', 'otp:verify'],
        allowedOrigins: ['https://www.a-rather-long-company-name.example.com'],
        allowedCidrs: [],
        limits: {},
        allows: ['from', 'text'],
        isOpen: true,
        state: 'active',
        createdAt: NOW - 200 * DAY,
        lastUsedAt: NOW - HOUR,
      },
    ],
  },
  'relays/list': { relays: RELAYS },
  'apps/twilio': TWILIO,
  'apps/addTwilioPurpose': TWILIO,
  'relays/create': CREATED_RELAY,
  'relays/changeSecret': { ...relay(4), secret: `v1,whsec_${'a1b2c3d4'.repeat(5)}` },
  'relays/test': { issueId: ISSUE },
  'relays/messages': {
    rows: ISSUES.map((row, number) => ({
      ...row,
      isMessageAlone: true,
      purpose: RELAYS[number % 2]?.name ?? '',
      leg: (['sms', 'whatsapp', 'telegram', 'voice', 'alimtalk'] as const)[number % 5] ?? 'sms',
      occasion: number % 3 === 0 ? undefined : 'session.otp.sms.challenged',
    })),
    next: 'cursor',
  },
  'apps/reviewNumbers': {
    reviewNumbers: [
      { name: 'App Store', code: '028417', dailyMax: 20, createdAt: NOW - DAY, endsAt: NOW + 29 * DAY },
      {
        name: 'Google Play, pre-launch report and closed testing',
        code: '930112',
        dailyMax: 100,
        createdAt: NOW - DAY,
        endsAt: NOW + HOUR,
      },
    ],
  },
  'apps/addReviewNumber': { name: 'Galaxy', code: '512233', dailyMax: 20, createdAt: NOW, endsAt: NOW + 30 * DAY },
  'keys/create': {
    ...{
      keyId: 'k9',
      key: `sk_test_${'a1b2c3d4'.repeat(4)}`,
      kind: 'sk',
      mode: 'test',
      scopes: ['*'],
      allowedOrigins: [],
    },
  },
  'templates/list': {
    templates: [
      {
        templateId: 'otp_default_kr',
        name: '인증번호 (한국어)',
        body: '인증번호는 [#{code}]입니다. 타인에게 알려주지 마세요.',
        channelSupport: ['sms', 'alimtalk'],
        variables: {},
        providerTemplateCode: 'otp_default_kr',
        locale: 'ko',
        bodies: {
          en: { body: 'Your verification code is #{code}. Do not share it.' },
          ja: { body: '認証コードは #{code} です。誰にも教えないでください。' },
        },
        isBuiltIn: true,
        isDefault: true,
      },
      {
        templateId: 'password_reset_business_kr_2025_autumn',
        name: '비밀번호 재설정 (기업 회원, 승인 필요)',
        body: '[#{service}] #{name}님, 비밀번호 재설정 인증번호는 [#{code}]입니다. 본인이 요청하지 않았다면 고객센터로 연락하세요. https://help.example.com/password-reset',
        channelSupport: ['sms'],
        variables: {
          service: { required: true, pattern: '[A-Za-z가-힣 ]{1,20}', description: '서비스 이름' },
          name: { required: false },
        },
        providerTemplateCode: 'PW_RESET_2025_AUTUMN',
        bodies: {},
        isBuiltIn: false,
        isDefault: false,
      },
      {
        templateId: SLOW_TEMPLATE,
        name: 'Welcome',
        body: '#{shop}, #{city}: #{code}',
        channelSupport: ['sms'],
        variables: { shop: { required: true, pattern: '(?!.*https?:)(a+)+b|.{1,20}' }, city: { required: true } },
        providerTemplateCode: SLOW_TEMPLATE,
        bodies: {},
        isBuiltIn: false,
        isDefault: false,
      },
    ],
  },
  'templates/preview': {
    text: '[쇼핑몰] 김영희님, 비밀번호 재설정 인증번호는 [123456]입니다. 본인이 요청하지 않았다면 고객센터로 연락하세요. https://help.example.com/password-reset',
    bytes: 143,
    messageType: 'LMS',
    segments: 3,
    encoding: 'UCS-2',
    alimtalk:
      '[쇼핑몰] 김영희님, 비밀번호 재설정 인증번호는 [123456]입니다. 본인이 요청하지 않았다면 고객센터로 연락하세요.',
    prices: { sms: 3, alimtalk: 1 },
  },
  'templates/versions': {
    versions: [3, 2, 1].map((version) => ({
      ...{ version, savedAt: NOW - (4 - version) * DAY, savedBy: version === 2 ? 'cli' : 'o1' },
      template: {
        ...{ templateId: 'welcome', name: 'Welcome', channelSupport: ['sms'], providerTemplateCode: 'welcome' },
        body:
          version === 3 ? '[쇼핑몰] 인증번호는 [#{code}]입니다.' : `[쇼핑몰] #{name}님, 인증번호 #{code} (${version})`,
        variables: { name: { required: version < 3 } },
        bodies: { en: { body: version === 1 ? 'Code #{code}' : 'Your code is #{code}' } },
      },
    })),
  },
  'webhooks/list': {
    endpoints: [
      endpoint(ENDPOINT, {
        url: LONG_URL,
        events: ['otp.sent', 'otp.delivered', 'otp.failed', 'otp.verified', 'otp.expired', 'otp.max_attempts'],
        filters: { method: ['sms'], type: ['signup', 'password-reset'], metadata: { campaign: ['autumn-2025', 'b'] } },
        headers: ['X-Gateway-Token', 'X-Tenant'],
        template: '{"id": "{{id}}", "text": "{{type}} of {{data.to}}"}',
        failingSince: NOW - 5 * HOUR,
        previousSecretValidUntil: NOW + 20 * HOUR,
      }),
      endpoint('e2', { enabled: false, disabledReason: 'It failed for three days.' }),
      endpoint('e3', {
        url: 'http://10.0.0.1/hooks',
        warning: { param: 'url', reason: 'target_not_allowed', about: { address: '10.0.0.1' } },
      }),
      endpoint('e4', { mode: 'live' }),
    ],
  },
  'webhooks/events': {
    rows: [
      hook(1, { status: 'pending', lastStatus: 503, attempts: 2, nextAttemptAt: NOW + 5 * MINUTE }),
      hook(2, { status: 'failed', attempts: 12, lastError: `The name of ${new URL(LONG_URL).host} is not known` }),
      hook(3),
    ],
    next: 'cursor',
  },
  'webhooks/attempts': {
    attempts: [
      { number: 1, calledAt: NOW - HOUR, latencyMs: 5_000, error: 'No answer within five seconds' },
      { number: 2, calledAt: NOW - MINUTE, latencyMs: 120, status: 503, answer: `{"error":"${'busy '.repeat(30)}"}` },
    ],
  },
  'webhooks/preview': {
    previews: [{ type: 'otp.sent', body: `{"id":"${ISSUE}","text":"otp.sent of +8210****5678"}` }],
  },
  'webhooks/rotate': { secret: `whsec_${'a1b2c3d4'.repeat(5)}`, previousValidUntil: NOW + DAY },
  'webhooks/test': { eventId: issueId(77) },
  'wallet/show': {
    balance: MILLIONS,
    reserved: 12_345_678,
    available: 1_234,
    overdraftLimit: 100_000_000,
    alertBelow: 50_000_000,
    currency: 'CREDIT',
  },
  'wallet/ledger': {
    rows: [
      { seq: 4, entryType: 'refund', amountDelta: 12, balanceAfter: MILLIONS, issueId: ISSUE, createdAt: NOW - HOUR },
      {
        seq: 3,
        entryType: 'debit',
        amountDelta: -12,
        balanceAfter: MILLIONS,
        issueId: ISSUE,
        createdAt: NOW - 2 * HOUR,
      },
      {
        seq: 2,
        entryType: 'clawback',
        amountDelta: -1_000_000,
        balanceAfter: MILLIONS,
        reference: 'invoice-2025-11-000123-cancelled-by-customer-after-audit',
        createdAt: NOW - DAY,
      },
      { seq: 1, entryType: 'credit', amountDelta: MILLIONS, balanceAfter: MILLIONS, createdAt: NOW - 3 * DAY },
    ],
    next: 'cursor',
  },
  'carriers/list': {
    providers: [
      {
        name: 'kakao-business-messaging-primary',
        type: 'http',
        channels: ['sms', 'alimtalk'],
        concurrency: 1_000,
        timeoutMs: 10_000,
        inFlight: 1_000,
        waiting: 1_234_567,
        reportedAt: NOW - DAY,
        unreported: 123_456,
        refusedReports: [
          { reason: 'unauthorized', times: 123_456 },
          { reason: 'unmatched', times: 1_234 },
        ],
        state: 'unhealthy',
        since: NOW - HOUR,
        code: 'CONNECTION_REFUSED',
        explanation: 'Nothing listens there. Look at the URL of the carrier, and whether a firewall lets it through.',
        retryAt: NOW + MINUTE,
        recent: { accepted: 1_234_567, refused: 12_345, ambiguous: 678 },
      },
      {
        name: 'main',
        type: 'smpp',
        channels: ['sms'],
        concurrency: 10,
        timeoutMs: 5_000,
        inFlight: 0,
        waiting: 0,
        unreported: 1_234,
        refusedReports: [],
        state: 'healthy',
        recent: { accepted: 0, refused: 0, ambiguous: 0 },
      },
      {
        name: 'meta',
        type: 'whatsapp',
        channels: ['whatsapp'],
        concurrency: 10,
        timeoutMs: 5_000,
        inFlight: 0,
        waiting: 0,
        unreported: 0,
        refusedReports: [],
        state: 'paused',
        since: NOW - HOUR,
        recent: { accepted: 0, refused: 0, ambiguous: 0 },
      },
    ],
  },
  'carriers/routes': {
    routes: [
      { channel: 'sms', providers: ['main', 'kakao-business-messaging-primary'] },
      { channel: 'sms', country: 'GB', appId: 'a1', providers: ['main'] },
    ],
  },
  'carriers/types': {
    types: [
      {
        type: 'http',
        title: 'any HTTP API',
        channels: ['sms', 'alimtalk', 'whatsapp', 'telegram', 'voice'],
        documentation: 'docs/carriers.md',
        settings: [],
      },
      {
        type: 'nhn',
        title: 'NHN',
        channels: ['sms', 'alimtalk'],
        documentation: 'https://docs.nhncloud.com',
        settings: NHN_SETTINGS,
      },
      {
        type: 'clickatell',
        title: 'Clickatell',
        channels: ['sms'],
        documentation: 'https://guides.clickatell.com',
        settings: [],
      },
    ],
  },
  'carriers/add': {
    reportUrl: 'https://verification.department.example.com/provider-reports/kakao-business-messaging-primary',
    reportSecret: 'A2M7bDnbPmQmdtb_Zv5DpCoF8loC841a',
    isVerifyToken: false,
  },
  'carriers/settings': {
    type: {
      type: 'nhn',
      title: 'NHN',
      channels: ['sms', 'alimtalk'],
      documentation: 'https://docs.nhncloud.com',
      settings: NHN_SETTINGS,
    },
    channels: ['sms'],
    settings: { 'sms.from': '0212345678', privateUrl: 'https://sms.api.nhncloudservice.com/a/very/long/address' },
    secrets: ['sms.appKey', 'privateKey'],
  },
  'carriers/whatsappTemplate': {
    template: 'otp_code',
    languages: [
      { language: 'en_US', status: 'APPROVED' },
      { language: 'ko', status: 'PENDING' },
      {
        language: 'zh_TW',
        status: 'REJECTED',
        reason: 'The template has words that an authentication template may not have.',
      },
    ],
  },
  'carriers/test': {
    kind: 'refused',
    latencyMs: 1_234,
    code: 'INVALID_SENDER_NUMBER_NOT_REGISTERED',
    explanation: 'The sender’s number is not registered with the carrier. Register it there, then try again.',
    steps: TEST_STEPS.map((name) => ({ name, state: name === 'message' ? 'failed' : 'done' })),
    reports: true,
  },
  'carriers/explain': {
    ...{ country: 'KR', isPlanned: true, refusals: ['country_closed', 'no_credit'] },
    legs: [
      {
        ...{ channel: 'whatsapp', waitSec: 8, isAbsent: true },
        carriers: [{ name: 'meta', state: 'paused', since: NOW - HOUR }],
      },
      {
        ...{ channel: 'sms', isAbsent: false, route: { country: 'KR', appId: 'a1' } },
        carriers: [
          {
            ...{ name: 'kakao-business-messaging-primary', state: 'unhealthy', since: NOW - HOUR },
            ...{ code: 'CONNECTION_REFUSED', explanation: 'Nothing listens there.' },
          },
          { name: 'main', state: 'next' },
          { name: 'backup', state: 'unheeded' },
        ],
      },
      { channel: 'voice', isAbsent: false, carriers: [] },
    ],
  },
  'carriers/rotate': {
    ...{ kind: 'refused', latencyMs: 321, code: 'HTTP_401', isRotated: false, reports: true },
    explanation: 'the carrier refuses the credentials',
    steps: TEST_STEPS.map((name, at) => ({
      name,
      state: (['done', 'failed', 'not_reached'] as const)[at < 4 ? 0 : at - 3] ?? 'done',
    })),
  },
  'carriers/answers': {
    ...{ accepted: 1_234_567, refused: 12_345, ambiguous: 678, p50Ms: 123, p95Ms: 1_234 },
    failures: [
      {
        outcome: 'refused',
        code: 'INVALID_SENDER_NUMBER_NOT_REGISTERED',
        explanation: 'The sender’s number is not registered with the carrier. Register it there, then try again.',
        said: '발신번호 사전등록제에 등록되지 않은 번호입니다 (SenderNumberNotRegistered)',
        calls: 12_000,
      },
      { outcome: 'ambiguous', code: 'NO_ANSWER_TimeoutError', calls: 678 },
      { outcome: 'refused', code: '40012', said: 'Quota of the account is used up', calls: 345 },
    ],
  },
  'operators/list': {
    operators: [
      {
        operatorId: 'o1',
        email: 'kim.young-hee.longest@department.example.com',
        name: '김영희 Kim Young-hee',
        role: 'owner',
        hasTotp: true,
        createdAt: NOW - 30 * DAY,
        lastSeenAt: NOW,
      },
      { operatorId: 'o2', email: 'bob@example.com', name: 'Bob', role: 'developer', hasTotp: false, createdAt: NOW },
      {
        operatorId: 'o3',
        email: 'sue@example.com',
        name: 'Sue',
        role: 'support',
        appIds: ['a1', 'a2'],
        hasTotp: true,
        createdAt: NOW - 9 * DAY,
        lastSeenAt: NOW - 3 * HOUR,
      },
    ],
    invitations: [
      { invitationId: 'i1', role: 'viewer', invitedBy: '김영희 Kim Young-hee', expiresAt: NOW + 2 * DAY },
      {
        invitationId: 'i2',
        role: 'finance',
        appIds: ['a1'],
        note: 'lee.finance@department.example.com',
        invitedBy: 'cli',
        expiresAt: NOW + DAY,
      },
    ],
  },
  'operators/sessions': { sessions: SESSIONS.slice(1) },
  'session/list': { sessions: SESSIONS },
  'operators/invite': { url: `https://otp.example.com/console/invitation#${TOKEN}`, expiresAt: NOW + 3 * DAY },
  'audit/list': {
    rows: [
      {
        seq: 1_234_567,
        at: NOW - MINUTE,
        actor: 'operator:kim.young-hee.longest@department.example.com',
        action: 'webhook.update',
        target: `webhook:${ENDPOINT}`,
        detail: { url: LONG_URL, events: ['otp.sent', 'otp.verified'], enabled: true },
        ip: '2001:db8:85a3:1234:5678:8a2e:370:7334',
        hash: HASH,
      },
      { seq: 2, at: NOW - DAY, actor: 'cli', action: 'provider.set', target: 'provider:main', detail: {}, hash: HASH },
    ],
    next: 'cursor',
  },
  'audit/end': {
    lost: [
      { where: 'database', problem: 'gone' },
      { where: 'file', problem: 'cut_off', seq: 1_234_567 },
    ],
  },
  'audit/verify': { isIntact: true, entries: 1_234_567, head: HASH, lost: [] },
  'privacy/read': { phoneNumber: '+821012345678' },
  'privacy/export': { head: {}, issues: [] },
  'privacy/erase': { erased: { issues: 1_234_567, counted: 12_345, events: 4_938_268 } },
  'system/show': {
    version: '0.1.0',
    startedAt: NOW - 200 * DAY,
    command: 'npx --yes bun@1.4.5 src/main.ts',
    databaseBytes: 123_456_789_012,
    publicUrl: 'https://otp.a-rather-long-company-name.example.com',
    nodes: (['working', 'leaving', 'silent', 'replaced'] as const).map((state, n) => ({
      ...{ id: `b485e69d145b6cb${n}`, name: `watchword-production-eu-central-1${n}.internal:1234567`, state },
      ...{ version: '0.1.0', startedAt: NOW - 200 * DAY, seenAt: NOW - n * MINUTE, lagMs: n * 123_456 },
    })),
    pool: { size: 500, busy: 499, waiting: 123_456 },
    checks: { database: true, dispatcher: false },
    backups: [{ name: 'watchword-2025-11-01T02-00-00.db', bytes: 12_345_678_901, at: NOW - DAY }],
    ...{ backupFailedAt: NOW - 3 * MINUTE, nextBackupAt: NOW + DAY },
    queue: [
      { kind: 'deliver', waiting: 1_234_567, due: 123_456, oldestDueMs: 3_600_000 },
      { kind: 'await-report', waiting: 12, due: 0, oldestDueMs: 0 },
    ],
  },
  'session/totpBegin': {
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Example:kim.young-hee.longest%40department.example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Example',
  },
}

/** An app on the way of the first steps: what has been done so far. */
export function onTheWay(...done: readonly ('tried' | 'key' | 'carrier' | 'credit' | 'webhook')[]): Answers {
  const has = (step: (typeof done)[number]) => done.includes(step)
  return {
    ...EMPTY,
    ...(has('tried') && { 'issues/list': { rows: [issue(1)] } }),
    ...(has('key') && { 'keys/list': FULL['keys/list'] }),
    ...(has('carrier') && { 'carriers/list': FULL['carriers/list'] }),
    ...(has('credit') && { 'wallet/show': FULL['wallet/show'] }),
    ...(has('webhook') && { 'webhooks/list': FULL['webhooks/list'] }),
  }
}

/** Every procedure but those that the frame itself needs fails. */
export function failing(failure: StubFailure): Answers {
  const { 'session/current': session, 'apps/list': apps, ...others } = FULL
  const failed = Object.fromEntries(Object.keys(others).map((path) => [path, failure]))
  return { 'session/current': session, 'apps/list': apps, ...failed }
}

/** Only the frame is answered; the rest keeps one waiting. */
export const LOADING: Answers = { 'session/current': FULL['session/current'], 'apps/list': EMPTY['apps/list'] }

export const FORBIDDEN = refusal(403, 'FORBIDDEN', 'Your role does not allow this')
export const BROKEN = refusal(500, 'INTERNAL_SERVER_ERROR', 'Internal server error')
export const AT_REST = refusal(503, 'SERVICE_UNAVAILABLE', 'The service cannot do this at the moment')
