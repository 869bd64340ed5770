/**
 * Live and test, side by side. A mode swaps what is around the rules (numbers, codes, prices, limits, providers),
 * never the rules themselves: both run through the same use cases. Specification: "Test-mode behavior".
 */
import type { OperationAccess } from '../contract/scope'
import type { LimitsConfig } from './config'
import { Refusal, type RefusalKind, unavailable } from './domain/error'
import type { ApiKey, KeyKind } from './domain/key'
import type { LimitRule } from './domain/limit'
import { liveRecipient, type Numbering, type Recipient, testRecipient } from './domain/phone'
import { type Channel, DAY_MS, MINUTE_MS, type Mode, nextMidnightUtc } from './domain/value'
import type { PriceList } from './domain/wallet'
import type { Carrier, Random, Router } from './ports'
import { scenarioOf } from './providers/simulator'

type LimitedAs = OperationAccess['limitedAs']

export interface ModeRules {
  /** Whom a number stands for, read in a region or the server's own; throws `invalid` for numbers of the other mode. */
  recipient(phoneNumber: string, region: string | undefined): Recipient
  defaultChannel(recipient: Recipient): Channel
  /** Whether an AlimTalk that fails goes on as SMS. */
  fallsBack(recipient: Recipient, requested: boolean): boolean
  /** Throws where the recipient's scenario is a refusal. */
  assertAdmits(recipient: Recipient, now: number): void
  newCode(recipient: Recipient): string
  lifetimeMs(recipient: Recipient, requestedSec: number): number
  prices: PriceList
  /** What every request of this kind counts against; a replay counts, too. */
  requestLimits(key: ApiKey, kind: LimitedAs, clientIp: string): LimitRule[]
  /** What only a new issue counts against. */
  issueLimits(key: ApiKey, phoneHash: Uint8Array): LimitRule[]
  router(): Promise<Router>
}

export interface Modes {
  live: ModeRules
  test: ModeRules
}

interface ModeDependencies {
  random: Random
  limits: LimitsConfig
  numbering: Numbering
  prices: PriceList
  liveRouter: () => Promise<Router>
  simulator: Carrier
}

export function createModes(dependencies: ModeDependencies): Modes {
  return { live: liveMode(dependencies), test: testMode(dependencies) }
}

/** Of a phone: each kind of key has an allowance of its own, so that a leaked browser key does not use up the backend's. */
export interface PhoneOfApp {
  appId: string
  kind: KeyKind
  phoneHash: Uint8Array
}

const phoneSubject = ({ appId, kind, phoneHash }: PhoneOfApp) =>
  `${appId}:${kind}:${Buffer.from(phoneHash).toString('latin1')}`

/** Per-phone windows of live issues; also what is rebuilt from the issues at start. */
export const phoneLimits = (limits: LimitsConfig, phone: PhoneOfApp): LimitRule[] => [
  platform('perPhone', phoneSubject(phone), limits.issuesPerPhone10Min, 10 * MINUTE_MS),
  platform('perPhone', phoneSubject(phone), limits.issuesPerPhoneDay, DAY_MS),
]

/** Daily budgets of new test issues; also what is rebuilt from the issues at start. */
export const testBudgets = (limits: LimitsConfig, organizationId: string): LimitRule[] => [
  platform('perOrgDaily', organizationId, limits.testIssuesPerOrgDay, 'utc-day'),
  platform('testModeDaily', 'platform', limits.testIssuesPerDay, 'utc-day'),
]

/** Of these nobody would need to wait, however many there are. */
const CHEAP: readonly RefusalKind[] = ['invalid', 'unauthorized', 'no_credit', 'forbidden', 'conflict']

/** What a refusal counts against: the address where the key is unknown, else key and address, so that others behind it go free. */
export function refusalLimit(
  { refusalsPerMin }: LimitsConfig,
  kind: RefusalKind,
  key: ApiKey | undefined,
  clientIp: string,
): LimitRule | undefined {
  if (!CHEAP.includes(kind)) return undefined
  return key
    ? platform('perKey', `refused:${key.keyId}:${clientIp}`, refusalsPerMin, MINUTE_MS)
    : platform('perIp', `refused:${clientIp}`, refusalsPerMin, MINUTE_MS)
}

const platform = (
  limit: LimitRule['limit'],
  subject: string,
  max: number,
  windowMs: LimitRule['windowMs'],
): LimitRule => ({
  limit,
  policy: 'platform',
  subject,
  max,
  windowMs,
})

function liveMode({ random, limits, numbering, prices, liveRouter }: ModeDependencies): ModeRules {
  return {
    recipient: (phoneNumber, region = numbering.region) => liveRecipient(phoneNumber, { ...numbering, region }),
    defaultChannel: () => 'sms',
    fallsBack: (_, requested) => requested,
    assertAdmits() {},
    newCode: () => random.below(1_000_000).toString().padStart(6, '0'),
    lifetimeMs: (_, requestedSec) => requestedSec * 1_000,
    prices,
    requestLimits(key, kind, clientIp) {
      const { issuesPerMin, verifiesPerMin, readsPerMin } = key.limits
      const own = { issue: issuesPerMin, verify: verifiesPerMin, read: readsPerMin, none: undefined }[kind]
      const { pkIssuesPerMin, pkVerifiesPerMin } = limits
      const usual = { issue: pkIssuesPerMin, verify: pkVerifiesPerMin, read: undefined, none: undefined }[kind]
      const rules = [platform('perKey', key.keyId, limits.requestsPerKeyPerMin, MINUTE_MS)]
      const max = own ?? (key.kind === 'pk' ? usual : undefined)
      if (max !== undefined) {
        const policy = own === undefined ? 'platform' : 'key'
        rules.push({ limit: 'perKey', policy, subject: `${kind}:${key.keyId}`, max, windowMs: MINUTE_MS })
      }
      if (kind !== 'issue') return rules
      const ownPerIp = key.limits.issuesPerMinPerIp
      const perIpMax = ownPerIp ?? (key.kind === 'pk' ? limits.pkIssuesPerMinPerIp : undefined)
      if (perIpMax === undefined) return rules
      return [
        ...rules,
        {
          limit: 'perIp',
          policy: ownPerIp === undefined ? 'platform' : 'key',
          subject: `${key.keyId}:${clientIp}`,
          max: perIpMax,
          windowMs: MINUTE_MS,
        },
      ]
    },
    issueLimits: ({ appId, kind }, phoneHash) => phoneLimits(limits, { appId, kind, phoneHash }),
    router: liveRouter,
  }
}

/** The code that verifies every magic number. */
const TEST_CODE = '000000'
/** What a six-digit guess never equals. */
const UNGUESSABLE = 'never'

function testMode({ limits, numbering, simulator }: ModeDependencies): ModeRules {
  const perKeyDaily = (key: ApiKey, kind: LimitedAs) =>
    platform('perKeyDaily', `${kind}:${key.keyId}`, limits.testRequestsPerKeyDay, 'utc-day')
  return {
    recipient: (phoneNumber, region = numbering.region) => testRecipient(phoneNumber, { region }),
    defaultChannel: (recipient) => scenarioOf(recipient).defaultChannel ?? 'sms',
    fallsBack: (recipient, requested) => requested && scenarioOf(recipient).afterAlimtalk !== undefined,
    assertAdmits(recipient, now) {
      switch (scenarioOf(recipient).refuses) {
        case 'perPhone':
          throw new Refusal('limited', 'Test scenario: rate limited', {
            limit: 'perPhone',
            policy: 'platform',
            retryAfterMs: MINUTE_MS,
          })
        case 'credit':
          throw new Refusal('no_credit', 'Test scenario: insufficient credit', { code: 'INSUFFICIENT_CREDIT' })
        case 'trial':
          throw new Refusal('no_credit', 'Test scenario: trial daily limit', {
            code: 'TRIAL_DAILY_LIMIT_EXCEEDED',
            resetAt: nextMidnightUtc(now),
          })
        case 'unavailable':
          throw unavailable('Test scenario: service unavailable', 2_000)
      }
    },
    newCode: (recipient) => (scenarioOf(recipient).refusesEveryCode ? UNGUESSABLE : TEST_CODE),
    lifetimeMs: (recipient, requestedSec) => scenarioOf(recipient).lifetimeMs ?? requestedSec * 1_000,
    prices: { sms: 0, lms: 0, alimtalk: 0 },
    requestLimits(key, kind) {
      if (kind === 'none') return []
      const perMinute = platform('perKey', `${kind}:${key.keyId}`, limits.testRequestsPerKeyMin, MINUTE_MS)
      return kind === 'issue' ? [perMinute] : [perMinute, perKeyDaily(key, kind)]
    },
    issueLimits: (key) => [perKeyDaily(key, 'issue'), ...testBudgets(limits, key.organizationId)],
    router: async () => () => [simulator],
  }
}

/** Which set of rules a piece of stored data belongs to. */
export const rulesOf = (modes: Modes, { mode }: { mode: Mode }): ModeRules => modes[mode]
