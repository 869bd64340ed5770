/**
 * Live and test, side by side. A mode swaps what is around the rules (numbers, codes, prices, limits, carriers),
 * never the rules themselves: both run through the same use cases. Specification: "Test-mode behavior".
 */

import { type Protection, protectionOf, UNPROTECTED } from '../../abuse/rules/protection'
import type { KnownKey } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import type { Caller } from '../../domain/access/caller'
import {
  type LimitedAs,
  type LimitRule,
  type LimitsConfig,
  phoneLimits,
  requestLimits,
  testIssueLimits,
  testRequestLimits,
} from '../../domain/access/rate-limits'
import { type PlannedLeg, plannedLegs } from '../../domain/delivery/plan'
import { liveRecipient, type Numbering, type Recipient, testRecipient } from '../../domain/phone/phone'
import type { Channel, Mode } from '../../domain/shared/value'
import type { IssueRequest } from '../../domain/verification/issue-request'
import type { ReviewNumber } from '../../domain/verification/review-number'
import {
  assertTestAdmits,
  TEST_PRICES,
  testChannel,
  testCode,
  testFallsBack,
  testLifetimeMs,
} from '../../domain/verification/test-scenario'
import type { PriceList } from '../../domain/wallet/wallet'
import type { CarrierEndpoint, Router } from '../../ports/carrier'
import type { Traffic } from '../../ports/traffic'
import type { Random } from '../../ports/vault'

/** `legs`: those of the request, instead of the app's plan. */
type AskedLegs = Parameters<typeof plannedLegs>[1] & Pick<IssueRequest, 'legs'>

export interface ModeRules {
  /** The recipient of a number, which is read in a region or the server's own. Throws `invalid` for numbers of the other mode. */
  recipient(phoneNumber: string, region: string | undefined): Recipient
  defaultChannel(recipient: Recipient): Channel
  /** Whether an AlimTalk that fails goes on as SMS. */
  fallsBack(recipient: Recipient, requested: boolean): boolean
  /** The legs of a new issue, where its app has a delivery plan for it. Test mode plays its scenarios on the channel's own legs. */
  legs(app: App | undefined, asked: AskedLegs): readonly PlannedLeg[] | undefined
  /** The settings against abuse of an app. Test mode has none. */
  protection(app: App | undefined): Protection
  /** Counts where codes go. Test codes are not counted. */
  watched(traffic: Traffic): Pick<Traffic, 'acquire'>
  /** Where an app is at home: its region, or the server's own. */
  home(region: string | undefined): string
  /** Throws where the recipient's scenario is a refusal. */
  assertAdmits(recipient: Recipient, now: number): void
  /** The code of a new live issue is `derived`, where one is given, or random. */
  newCode(recipient: Recipient, derived?: string): string
  lifetimeMs(recipient: Recipient, requestedSec: number): number
  prices: PriceList
  /** No message is sent. */
  isSilent?: true
  /** The limits that every request of this kind counts against. A replay counts, too. */
  requestLimits(key: Caller & Pick<KnownKey, 'browserKeys'>, kind: LimitedAs, clientIp: string): LimitRule[]
  /** The limits that only a new issue counts against. */
  issueLimits(caller: Caller, phoneHash: Uint8Array): LimitRule[]
  router(): Promise<Router>
}

export interface Modes {
  live: ModeRules
  test: ModeRules
  /** Live rules for a review number: a fixed code, free, and no message. */
  review(number: Pick<ReviewNumber, 'dailyMax'>, code: string): ModeRules
}

interface ModeDependencies {
  random: Random
  limits: LimitsConfig
  numbering: Numbering
  prices: PriceList
  liveRouter: () => Promise<Router>
  simulator: CarrierEndpoint
}

export function createModes(dependencies: ModeDependencies): Modes {
  const { limits } = dependencies
  return {
    live: liveMode(dependencies),
    test: testMode(dependencies),
    review: ({ dailyMax: issuesPerPhoneDay }, code) => ({
      ...liveMode({ ...dependencies, limits: { ...limits, issuesPerPhoneDay } }),
      newCode: () => code,
      isSilent: true,
      legs: () => undefined,
      watched: () => UNWATCHED,
      prices: TEST_PRICES,
      router: async () => () => [],
    }),
  }
}

function liveMode({ random, limits, numbering, prices, liveRouter }: ModeDependencies): ModeRules {
  return {
    recipient: (phoneNumber, region) =>
      liveRecipient(phoneNumber, region === undefined ? numbering : { ...numbering, region }),
    defaultChannel: () => 'sms',
    fallsBack: (_, requested) => requested,
    legs: (app, asked) => asked.legs ?? (app?.plans && plannedLegs(app.plans, asked)),
    protection: protectionOf,
    watched: (traffic) => traffic,
    home: (region = numbering.region) => region,
    assertAdmits() {},
    newCode: (_, derived) => derived ?? random.below(1_000_000).toString().padStart(6, '0'),
    lifetimeMs: (_, requestedSec) => requestedSec * 1_000,
    prices,
    requestLimits: (key, kind, clientIp) => requestLimits(limits, key, kind, clientIp),
    issueLimits: ({ appId, kind }, phoneHash) => phoneLimits(limits, { appId, kind, phoneHash }),
    router: liveRouter,
  }
}

/** Nothing is ever against a test code. */
const UNWATCHED: Pick<Traffic, 'acquire'> = {
  acquire: async () => ({ isRefused: () => false, assess: () => undefined, recordHit() {}, release() {} }),
}

function testMode({ limits, numbering, simulator }: ModeDependencies): ModeRules {
  return {
    recipient: (phoneNumber, region = numbering.region) => testRecipient(phoneNumber, { region }),
    defaultChannel: testChannel,
    fallsBack: testFallsBack,
    legs: () => undefined,
    protection: () => UNPROTECTED,
    watched: () => UNWATCHED,
    home: (region = numbering.region) => region,
    assertAdmits: assertTestAdmits,
    newCode: testCode,
    lifetimeMs: testLifetimeMs,
    prices: TEST_PRICES,
    requestLimits: (key, kind) => testRequestLimits(limits, key, kind),
    issueLimits: (key) => testIssueLimits(limits, key),
    router: async () => () => [simulator],
  }
}

/** Which set of rules a piece of stored data belongs to. */
export const rulesOf = (modes: Modes, { mode }: { mode: Mode }): ModeRules => modes[mode]
