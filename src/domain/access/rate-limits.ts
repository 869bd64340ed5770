/**
 * How often something may happen, and the counts in the memory of this process. Specification: "Limits", 429;
 * decisions: "Keys", "Test mode".
 */
import type { OperationAccess } from '../../../contract/scope'
import type { Addressed } from '../shared/addressed'
import { type LimitName, Refusal, type RefusalKind } from '../shared/error'
import { DAY_MS, MINUTE_MS, nextMidnightUtc } from '../shared/value'
import type { ApiKey, KnownKey } from './api-key'
import type { Caller, CallerKind } from './caller'
import { networkOf } from './network'

/** At most `max` in any `windowMs`, or per UTC day where `windowMs` is `'utc-day'`. */
export interface LimitRule {
  limit: LimitName
  policy: 'key' | 'platform'
  /** Subject of the count, for example `issue:<keyId>`. */
  subject: string
  max: number
  windowMs: number | 'utc-day'
  /** All servers count it together; otherwise each server counts for itself. */
  isExact?: true
  /** Counted from the stored issues of this phone. */
  phone?: PhoneOfApp
}

/** A limit without its maximum. */
export type Counter = Pick<LimitRule, 'limit' | 'subject' | 'windowMs'>

export const limited = ({ limit, policy }: Pick<LimitRule, 'limit' | 'policy'>, retryAfterMs: number) =>
  new Refusal('limited', `Limit exceeded: ${limit}`, { limit, policy, retryAfterMs })

/** A count that was taken. It is released where the request is refused later, since rejected requests do not count. */
export interface Permit {
  /** Asynchronous where several servers count: wait for it before the request is answered. */
  release(): Promise<void> | void
}

export interface LimitsConfig {
  requestsPerKeyPerMin: number
  pkIssuesPerMin: number
  relayIssuesPerMin: number
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

/** Defaults of limits that operators may set. */
export const USUAL_LIMITS = { refusalsPerMin: 600, testIssuesPerDay: 100_000 } satisfies Partial<LimitsConfig>

/** Limits of test keys, fixed by the specification ("Limits"). */
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

/** Limits of every request of a live key; replays count, too. `clientIp` is empty where nobody tells the end user's address. */
export function requestLimits(
  limits: LimitsConfig,
  key: Caller & Pick<KnownKey, 'browserKeys'>,
  kind: LimitedAs,
  clientIp: string,
): LimitRule[] {
  if (kind === 'uncounted') return []
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

const ownLimit = ({ limits }: Caller, kind: LimitedAs) =>
  kind === 'none' || kind === 'uncounted' ? undefined : limits[OWN_LIMITS[kind]]

/** Requests of one kind that a key may make in a minute; undefined where only the limit over all kinds holds. */
function allowance(limits: LimitsConfig, key: Caller, kind: LimitedAs): number | undefined {
  const own = ownLimit(key, kind)
  if (own !== undefined || key.kind === 'sk') return own
  if (kind === 'issue') return key.kind === 'relay' ? limits.relayIssuesPerMin : limits.pkIssuesPerMin
  return kind === 'verify' ? limits.pkVerifiesPerMin : undefined
}

/** The limit of all browser keys of an app together: that of the most generous one. So a second key adds nothing. */
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

/** Limits by network of the end user. Browser keys of an app count together. */
function addressLimits({ pkIssuesPerMinPerIp }: LimitsConfig, key: Caller, clientIp: string): LimitRule[] {
  const { issuesPerMinPerIp: own } = key.limits
  if ((own === undefined && key.kind === 'sk') || clientIp === '') return []
  const network = networkOf(clientIp)
  const windowMs = MINUTE_MS
  return [
    ...(own === undefined
      ? []
      : [{ limit: 'perIp' as const, policy: 'key' as const, subject: `${key.keyId}:${network}`, max: own, windowMs }]),
    ...(key.kind !== 'sk'
      ? [platform('perIp', `${key.kind === 'pk' ? key.appId : key.keyId}:${network}`, pkIssuesPerMinPerIp, windowMs)]
      : []),
  ]
}

const exact = (rule: LimitRule): LimitRule => ({ ...rule, isExact: true })

const perKeyDaily = (limits: TestLimits, key: Caller, kind: LimitedAs) =>
  exact(platform('perKeyDaily', `${kind}:${key.keyId}`, limits.testRequestsPerKeyDay, 'utc-day'))

/** Limits of every request of a test key. */
export function testRequestLimits(limits: TestLimits, key: Caller, kind: LimitedAs): LimitRule[] {
  if (kind === 'none' || kind === 'uncounted') return []
  const perMinute = exact(platform('perKey', `${kind}:${key.keyId}`, limits.testRequestsPerKeyMin, MINUTE_MS))
  return kind === 'issue' ? [perMinute] : [perMinute, perKeyDaily(limits, key, kind)]
}

/** A phone as limits count it: each kind of key apart, so that a leaked browser key does not use up the backend's limit. */
export interface PhoneOfApp {
  appId: string
  kind: CallerKind
  phoneHash: Uint8Array
}

/** The phone whose failures and limits it counts for. */
export const phoneOf = ({
  appId,
  keyKind,
  phoneHash,
}: Pick<Addressed, 'appId' | 'keyKind' | 'phoneHash'>): PhoneOfApp => ({
  appId,
  kind: keyKind,
  phoneHash,
})

const phoneSubject = ({ appId, kind, phoneHash }: PhoneOfApp) => `${appId}:${kind}:${phoneHash.toBase64()}`

/** Limits of live issues per phone. */
export function phoneLimits(limits: LimitsConfig, phone: PhoneOfApp): LimitRule[] {
  const [shortly, daily] = PHONE_WINDOWS
  const subject = phoneSubject(phone)
  return [
    { limit: 'perPhone', policy: 'platform', subject, max: limits.issuesPerPhone10Min, windowMs: shortly, phone },
    { limit: 'perPhone', policy: 'platform', subject, max: limits.issuesPerPhoneDay, windowMs: daily, phone },
  ]
}

const PHONE_WINDOWS = [10 * MINUTE_MS, DAY_MS] as const

/** Daily budgets of new test issues. A server that starts counts the stored ones of the day. */
export const testBudgets = (limits: TestLimits, organizationId: string): LimitRule[] => [
  exact(platform('perOrgDaily', organizationId, limits.testIssuesPerOrgDay, 'utc-day')),
  exact(platform('testModeDaily', 'platform', limits.testIssuesPerDay, 'utc-day')),
]

/** Refusals that are cheap to cause, and so are limited themselves. */
const CHEAP: readonly RefusalKind[] = ['invalid', 'unauthorized', 'no_credit', 'forbidden', 'conflict']

/**
 * The limit of refusals: by network if the key is unknown, else by key and network. So other users of the key are not
 * affected.
 */
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

/** Limits of new test issues only. */
export const testIssueLimits = (limits: TestLimits, key: Caller): LimitRule[] => [
  perKeyDaily(limits, key, 'issue'),
  ...testBudgets(limits, key.organizationId),
]

/** Count of one millisecond. So a window of a busy key has an entry per millisecond and not per request. */
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
    // It has left the window.
    if (counted.times === 0) return
    counted.times--
    this.#total--
    // Removed counts leave no entry behind, however often a caller repeats a request.
    while (this.#counted.length > this.#first && this.#counted.at(-1)?.times === 0) this.#counted.pop()
  }

  /** Drops entries that have left the window, and moves entries from the future after a clock step to `now`. */
  moveTo(now: number): void {
    const start = windowStart(this.windowMs, now)
    for (let oldest = this.#counted[this.#first]; oldest && oldest.at < start; oldest = this.#counted[++this.#first]) {
      this.#total -= oldest.times
      oldest.times = 0
    }
    // The array is cut only now and then, so that the cost is amortized.
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

  /** Milliseconds until fewer than `max` are left; 0: now. */
  waitMs(max: number, now: number): number {
    if (this.#total < max) return 0
    if (this.windowMs === 'utc-day') return nextMidnightUtc(now) - now
    let tooMany = this.#total - max
    // Entries before `#first` have no counts left.
    const leaving = this.#counted.find(({ times }) => {
      tooMany -= times
      return tooMany < 0
    })
    return Math.max(1, (leaving?.at ?? now) + this.windowMs - now)
  }
}

const windowStart = (windowMs: LimitRule['windowMs'], now: number) =>
  windowMs === 'utc-day' ? Math.floor(now / DAY_MS) * DAY_MS : now - windowMs + 1

/**
 * Subjects per length of window; beyond that the one counted longest ago is evicted. They take some 20 MB where each
 * was counted once.
 */
const MOST_SUBJECTS = 100_000
/** Bounds the time of one `prune`. */
const LOOKED_AT_ONCE = 20_000

/** Counts what limits allow: exact within this process, for the subjects that were counted last. */
export class RateLimiter {
  /** By length of window, then by limit and subject, in the order of the last count. */
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
      // The request can succeed only after the longest wait.
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

  /** Counts events of the running window from before this process started. */
  preload(counter: Counter, times: number, now: number): void {
    const window = this.#windowOf(counter)
    this.#keep(counter, window)
    for (let n = 0; n < times; n++) window.count(now)
  }

  /** Evicts some empty windows. Called now and then, so that memory follows the traffic. */
  prune(now: number): void {
    let left = LOOKED_AT_ONCE
    for (const bySubject of this.#windows.values())
      for (const [name, window] of bySubject) {
        window.moveTo(now)
        // Later ones were counted later.
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

/** A count that several servers share: when each was counted, oldest first, or how often within a UTC day. */
export interface SharedCount {
  times: readonly number[]
  /** From then on nothing of it counts, Unix milliseconds. */
  endsAt: number
}

/** The count with one more, and how long one more has to wait; 0: not at all. */
export function countedOnce(
  { max, windowMs }: Pick<LimitRule, 'max' | 'windowMs'>,
  { times, endsAt }: SharedCount,
  now: number,
): { waitMs: number; next: SharedCount } {
  if (windowMs === 'utc-day') {
    const counted = endsAt > now ? (times[0] ?? 0) : 0
    const ends = nextMidnightUtc(now)
    return { waitMs: counted < max ? 0 : ends - now, next: { times: [counted + 1], endsAt: ends } }
  }
  const kept = times.map((at) => Math.min(at, now)).filter((at) => at > now - windowMs)
  const leaving = kept[kept.length - max]
  return {
    waitMs: leaving === undefined ? 0 : Math.max(1, leaving + windowMs - now),
    next: { times: [...kept, now], endsAt: now + windowMs },
  }
}

/** The count without the latest. */
export const countedOnceLess = ({ times, endsAt }: SharedCount, windowMs: LimitRule['windowMs']): SharedCount => ({
  times: windowMs === 'utc-day' ? [Math.max(0, (times[0] ?? 0) - 1)] : times.slice(0, -1),
  endsAt,
})
