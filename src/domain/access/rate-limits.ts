/** How often something may happen, and the counts in the memory of this process. Specification: "Limits", 429; decisions: "Keys", "Test mode". */
import type { OperationAccess } from '../../../contract/scope'
import { type LimitName, Refusal, type RefusalKind } from '../shared/error'
import { DAY_MS, MINUTE_MS, nextMidnightUtc } from '../shared/value'
import type { ApiKey, KeyKind, KnownKey } from './api-key'
import { networkOf } from './network'

/** At most `max` in any `windowMs`, or per UTC day where `windowMs` is `'utc-day'`. */
export interface LimitRule {
  limit: LimitName
  policy: 'key' | 'platform'
  /** What is counted, for example `issue:<keyId>`. */
  subject: string
  max: number
  windowMs: number | 'utc-day'
  /** Several servers count it together; without it each counts what it sees. */
  isExact?: true
  /** It is counted by the stored issues of this phone. */
  phone?: PhoneOfApp
}

/** What is counted, whatever is allowed of it. */
export type Counter = Pick<LimitRule, 'limit' | 'subject' | 'windowMs'>

export const limited = ({ limit, policy }: Pick<LimitRule, 'limit' | 'policy'>, retryAfterMs: number) =>
  new Refusal('limited', `Limit exceeded: ${limit}`, { limit, policy, retryAfterMs })

/** Counted already; given back when the request is refused after all, because a rejected request does not count. */
export interface Permit {
  /** Whoever is answered after it finds nothing counted: several servers have to be waited for. */
  release(): Promise<void> | void
}

export interface LimitsConfig {
  requestsPerKeyPerMin: number
  pkIssuesPerMin: number
  pkVerifiesPerMin: number
  pkIssuesPerMinPerIp: number
  issuesPerPhone10Min: number
  issuesPerPhoneDay: number
  testIssuesPerDay: number
  refusalsPerMin: number
  testRequestsPerKeyMin: number
  testRequestsPerKeyDay: number
  testIssuesPerOrgDay: number
}

/** Where the operator has set no others. */
export const USUAL_LIMITS = { refusalsPerMin: 600, testIssuesPerDay: 100_000 } satisfies Partial<LimitsConfig>

/** By the specification; test keys cannot have a custom limit. */
export const FIXED_LIMITS = {
  testRequestsPerKeyMin: 120,
  testRequestsPerKeyDay: 5_000,
  testIssuesPerOrgDay: 10_000,
} satisfies Partial<LimitsConfig>

type TestLimits = Pick<LimitsConfig, keyof typeof FIXED_LIMITS | 'testIssuesPerDay'>

export type LimitedAs = OperationAccess['limitedAs']

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

/** What every request of a live key counts against; a replay counts, too. */
export function requestLimits(limits: LimitsConfig, key: KnownKey, kind: LimitedAs, clientIp: string): LimitRule[] {
  const own = ownLimit(key, kind)
  const rules = [platform('perKey', key.keyId, limits.requestsPerKeyPerMin, MINUTE_MS)]
  const max = allowance(limits, key, kind)
  if (max !== undefined) {
    const policy = own === undefined ? 'platform' : 'key'
    rules.push({ limit: 'perKey', policy, subject: `${kind}:${key.keyId}`, max, windowMs: MINUTE_MS })
  }
  const ofApp = key.browserKeys && appLimit(limits, key.appId, key.browserKeys, kind)
  if (ofApp) rules.push(ofApp)
  if (kind === 'issue') rules.push(...addressLimits(limits, key, clientIp))
  return rules
}

const OWN_LIMITS = { issue: 'issuesPerMin', verify: 'verifiesPerMin', read: 'readsPerMin' } as const

const ownLimit = ({ limits }: ApiKey, kind: LimitedAs) => (kind === 'none' ? undefined : limits[OWN_LIMITS[kind]])

/** How many requests of a kind a key may make in a minute, where that is less than of all kinds together. */
function allowance(limits: LimitsConfig, key: ApiKey, kind: LimitedAs): number | undefined {
  const own = ownLimit(key, kind)
  if (own !== undefined || key.kind === 'sk') return own
  if (kind === 'issue') return limits.pkIssuesPerMin
  return kind === 'verify' ? limits.pkVerifiesPerMin : undefined
}

/** All browser keys of an app may together do what the one may that may most: a second one gives nothing. */
function appLimit(
  limits: LimitsConfig,
  appId: string,
  browserKeys: readonly ApiKey[],
  kind: LimitedAs,
): LimitRule | undefined {
  const allowances = browserKeys.map((key) => allowance(limits, key, kind)).filter((max) => max !== undefined)
  if (allowances.length === 0) return undefined
  return platform('perApp', `${kind}:${appId}`, Math.max(...allowances), MINUTE_MS)
}

/** Of browser keys all of an app count together: a second one gives nothing. */
function addressLimits({ pkIssuesPerMinPerIp }: LimitsConfig, key: ApiKey, clientIp: string): LimitRule[] {
  const { issuesPerMinPerIp: own } = key.limits
  if (own === undefined && key.kind === 'sk') return []
  const network = networkOf(clientIp)
  const windowMs = MINUTE_MS
  return [
    ...(own === undefined
      ? []
      : [{ limit: 'perIp' as const, policy: 'key' as const, subject: `${key.keyId}:${network}`, max: own, windowMs }]),
    ...(key.kind === 'pk' ? [platform('perIp', `${key.appId}:${network}`, pkIssuesPerMinPerIp, windowMs)] : []),
  ]
}

const exact = (rule: LimitRule): LimitRule => ({ ...rule, isExact: true })

const perKeyDaily = (limits: TestLimits, key: ApiKey, kind: LimitedAs) =>
  exact(platform('perKeyDaily', `${kind}:${key.keyId}`, limits.testRequestsPerKeyDay, 'utc-day'))

/** The same of a test key. */
export function testRequestLimits(limits: TestLimits, key: ApiKey, kind: LimitedAs): LimitRule[] {
  if (kind === 'none') return []
  const perMinute = exact(platform('perKey', `${kind}:${key.keyId}`, limits.testRequestsPerKeyMin, MINUTE_MS))
  return kind === 'issue' ? [perMinute] : [perMinute, perKeyDaily(limits, key, kind)]
}

/** Of a phone: each kind of key has an allowance of its own, so that a leaked browser key does not use up the backend's. */
export interface PhoneOfApp {
  appId: string
  kind: KeyKind
  phoneHash: Uint8Array
}

const phoneSubject = ({ appId, kind, phoneHash }: PhoneOfApp) => `${appId}:${kind}:${phoneHash.toBase64()}`

/** Per-phone windows of live issues. */
export function phoneLimits(limits: LimitsConfig, phone: PhoneOfApp): LimitRule[] {
  const [shortly, daily] = PHONE_WINDOWS
  const subject = phoneSubject(phone)
  return [
    { limit: 'perPhone', policy: 'platform', subject, max: limits.issuesPerPhone10Min, windowMs: shortly, phone },
    { limit: 'perPhone', policy: 'platform', subject, max: limits.issuesPerPhoneDay, windowMs: daily, phone },
  ]
}

const PHONE_WINDOWS = [10 * MINUTE_MS, DAY_MS] as const

/** Daily budgets of new test issues; a server that starts counts those of the day. */
export const testBudgets = (limits: TestLimits, organizationId: string): LimitRule[] => [
  exact(platform('perOrgDaily', organizationId, limits.testIssuesPerOrgDay, 'utc-day')),
  exact(platform('testModeDaily', 'platform', limits.testIssuesPerDay, 'utc-day')),
]

/** Of these nobody would need to wait, however many there are. */
const CHEAP: readonly RefusalKind[] = ['invalid', 'unauthorized', 'no_credit', 'forbidden', 'conflict']

/** What a refusal counts against: the address where the key is unknown, else key and address, so that others behind it go free. */
export function refusalLimit(
  { refusalsPerMin }: Pick<LimitsConfig, 'refusalsPerMin'>,
  kind: RefusalKind,
  key: ApiKey | undefined,
  clientIp: string,
): LimitRule | undefined {
  if (!CHEAP.includes(kind)) return undefined
  return key
    ? platform('perKey', `refused:${key.keyId}:${networkOf(clientIp)}`, refusalsPerMin, MINUTE_MS)
    : platform('perIp', `refused:${networkOf(clientIp)}`, refusalsPerMin, MINUTE_MS)
}

/** What only a new test issue counts against. */
export const testIssueLimits = (limits: TestLimits, key: ApiKey): LimitRule[] => [
  perKeyDaily(limits, key, 'issue'),
  ...testBudgets(limits, key.organizationId),
]

/** How often something was counted in one millisecond: a busy key fills a minute with these, not with requests. */
interface CountedMoment {
  at: number
  times: number
}

/** The counts of one subject within one window. */
class SubjectWindow {
  /** Oldest first, from `#first` on. */
  #counted: CountedMoment[] = []
  #first = 0
  #total = 0

  constructor(private readonly windowMs: LimitRule['windowMs']) {}

  get total(): number {
    return this.#total
  }

  count(at: number): CountedMoment {
    this.#total++
    const last = this.#counted.at(-1)
    if (last?.at === at) {
      last.times++
      return last
    }
    const counted = { at, times: 1 }
    this.#counted.push(counted)
    return counted
  }

  remove(counted: CountedMoment): void {
    // What has left the window counts no more.
    if (counted.times === 0) return
    counted.times--
    this.#total--
    // A caller may repeat an order for as long as it likes: what is taken back leaves nothing behind.
    while (this.#counted.length > this.#first && this.#counted.at(-1)?.times === 0) this.#counted.pop()
  }

  /** Drops times that have left the window, and times from a future that a clock step took back. */
  moveTo(now: number): void {
    const start = windowStart(this.windowMs, now)
    for (let oldest = this.#counted[this.#first]; oldest && oldest.at < start; oldest = this.#counted[++this.#first]) {
      this.#total -= oldest.times
      oldest.times = 0
    }
    // Cut off now and then, so that the cost of it is shared by many.
    if (this.#first * 2 > this.#counted.length) {
      this.#counted = this.#counted.slice(this.#first)
      this.#first = 0
    }
    for (let index = this.#counted.length - 1; index >= this.#first; index--) {
      const counted = this.#counted[index] as CountedMoment
      if (counted.at <= now) break
      counted.at = now
    }
  }

  /** How long until fewer than `max` are left; 0: there are. */
  waitMs(max: number, now: number): number {
    if (this.#total < max) return 0
    if (this.windowMs === 'utc-day') return nextMidnightUtc(now) - now
    let tooMany = this.#total - max
    // What has left already counts nothing.
    const leaving = this.#counted.find(({ times }) => {
      tooMany -= times
      return tooMany < 0
    })
    return Math.max(1, (leaving?.at ?? now) + this.windowMs - now)
  }
}

const windowStart = (windowMs: LimitRule['windowMs'], now: number) =>
  windowMs === 'utc-day' ? Math.floor(now / DAY_MS) * DAY_MS : now - windowMs + 1

/** A limit for each length of window; with more subjects, the one counted longest ago is forgotten. It takes some 20 MB where each was counted once. */
const MOST_SUBJECTS = 100_000
/** So that a look at what may be forgotten does not keep requests waiting. */
const LOOKED_AT_ONCE = 20_000

/** Counts what limits allow: exact within this process, for the subjects that were counted last. */
export class RateLimiter {
  /** By the length of the window, then by limit and subject: whoever was counted last comes last. */
  readonly #windows = new Map<LimitRule['windowMs'], Map<string, SubjectWindow>>()

  /** Counts one under every rule, or throws `limited` and counts none. */
  acquire(rules: readonly LimitRule[], now: number): Permit {
    const windows: SubjectWindow[] = []
    let worst: { rule: LimitRule; waitMs: number } | undefined
    for (const rule of rules) {
      const window = this.#windowOf(rule)
      window.moveTo(now)
      windows.push(window)
      const waitMs = window.waitMs(rule.max, now)
      // The longest wait: only after it may the request succeed.
      if (waitMs > (worst?.waitMs ?? 0)) worst = { rule, waitMs }
    }
    if (worst) throw limited(worst.rule, worst.waitMs)
    const counted = windows.map((window, n) => {
      this.#keep(rules[n] as LimitRule, window)
      return window.count(now)
    })
    return {
      release() {
        counted.splice(0).forEach((one, n) => {
          windows[n]?.remove(one)
        })
      },
    }
  }

  /** Counts what happened so many times in the running window before this process started. */
  preload(counter: Counter, times: number, now: number): void {
    const window = this.#windowOf(counter)
    this.#keep(counter, window)
    for (let n = 0; n < times; n++) window.count(now)
  }

  /** Forgets some of what no longer counts; called now and then, so that memory follows the traffic. */
  prune(now: number): void {
    let left = LOOKED_AT_ONCE
    for (const bySubject of this.#windows.values())
      for (const [name, window] of bySubject) {
        window.moveTo(now)
        // Those behind it were counted later.
        if (window.total > 0 || left-- <= 0) break
        bySubject.delete(name)
      }
  }

  #windowOf({ windowMs, limit, subject }: Counter): SubjectWindow {
    return this.#windows.get(windowMs)?.get(nameOf(limit, subject)) ?? new SubjectWindow(windowMs)
  }

  #keep({ windowMs, limit, subject }: Counter, window: SubjectWindow): void {
    const bySubject = this.#windows.get(windowMs) ?? new Map<string, SubjectWindow>()
    this.#windows.set(windowMs, bySubject)
    const name = nameOf(limit, subject)
    bySubject.delete(name)
    bySubject.set(name, window)
    if (bySubject.size <= MOST_SUBJECTS) return
    const [oldest = ''] = bySubject.keys()
    bySubject.delete(oldest)
  }
}

const nameOf = (limit: LimitName, subject: string) => `${limit} ${subject}`
