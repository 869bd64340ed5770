/**
 * What of the product decides, without HTTP, database and carriers: limits, the watch of traffic and the rules are the
 * product's own; issues are kept in memory. A day takes seconds. Whether it decides as the product does is tested.
 */
import { TrafficWatch } from '../../src/abuse/counters/traffic-watch'
import type { RuleHit } from '../../src/abuse/rules/assess'
import { refusalOf } from '../../src/abuse/rules/assess'
import { assertResendable, NEW_APP, type Protection } from '../../src/abuse/rules/protection'
import { isProvable } from '../../src/abuse/rules/rule'
import { readConfig } from '../../src/config'
import type { Caller, CallerKind } from '../../src/domain/access/caller'
import { phoneLimits, RateLimiter, requestLimits } from '../../src/domain/access/rate-limits'
import { Refusal } from '../../src/domain/shared/error'
import { MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import type { Issue } from '../../src/domain/verification/issue'
import type { Store } from '../../src/ports/store'
import { endQuietIncidents, recordTraffic } from '../../src/usecases/abuse/record-traffic'
import { VirtualClock } from '../support/clock'
import { seededRandom } from '../support/random'
import { Kept } from './kept'
import { APP_ID, type Making, orderOf, PRICE } from './made'
import type { Asked, Refused, Sent, Service } from './service'
import type { Past } from './warm-up'
import type { AbuseWorld } from './worlds'

const { limits } = readConfig({})
const LOOKED_EVERY_MS = SECOND_MS
/** So that a look at a day's addresses does not take longer than the day; what is counted is the same. */
const PRUNED_EVERY_MS = 5 * MINUTE_MS
const SWEPT_EVERY_MS = 10 * MINUTE_MS

const callerOf = (kind: CallerKind): Caller => ({
  ...{ keyId: `key-${kind}`, appId: APP_ID, organizationId: 'org', kind, mode: 'live', limits: {}, region: 'KR' },
})
/** The callers that a world has. */
const KEYS = { sk: callerOf('sk'), pk: callerOf('pk'), relay: callerOf('relay') }

export class QuickService implements Service {
  readonly #clock: VirtualClock
  readonly #limiter = new RateLimiter()
  readonly #kept: Kept
  readonly #traffic: TrafficWatch
  readonly #protection: Protection
  readonly #random: Making
  #lookAt: number
  readonly #seen: number[] = []

  constructor(world: Pick<AbuseWorld, 'open' | 'hasProof'>, past: Past, from: number, seed: number) {
    this.#clock = new VirtualClock(from)
    this.#lookAt = from
    this.#protection = { ...NEW_APP, open: world.open ?? [] }
    this.#kept = new Kept(past, this.#clock.now)
    const random = seededRandom(seed)
    this.#random = random
    const log = { debug() {}, info() {}, warn: () => void this.#seen.push(this.#clock.now()), error() {} }
    const store = this.#kept.store
    const record = (_: Store, findings: Parameters<typeof recordTraffic>[1]) =>
      recordTraffic({ store, random, log }, findings)
    this.#traffic = new TrafficWatch({ store, clock: this.#clock, record, isAlone: true })
  }

  async until(at: number): Promise<void> {
    const clock = this.#clock
    for (; this.#lookAt <= at; this.#lookAt += LOOKED_EVERY_MS) {
      clock.leap(this.#lookAt - clock.now())
      if (clock.now() % PRUNED_EVERY_MS === 0) this.#limiter.prune(clock.now())
      await this.#traffic.maintain()
      if (clock.now() % SWEPT_EVERY_MS === 0) await endQuietIncidents({ store: this.#kept.store, clock })
    }
    clock.leap(at - clock.now())
  }

  async issue(asked: Asked): Promise<Sent | Refused> {
    let rule: string | undefined
    try {
      return await this.#admit(asked, (finding) => {
        rule = finding.rule
      })
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal
      const { limit = refusal.kind, retryAfterMs } = refusal.detail
      return { limit, retryAfterMs, rule }
    }
  }

  /** As `issueCode` does, in its order. */
  async #admit(asked: Asked, refused: (by: RuleHit) => void): Promise<Sent> {
    const now = this.#clock.now()
    const key = KEYS[asked.kind]
    const permit = this.#limiter.acquire(requestLimits(limits, key, 'issue', asked.address), now)
    const { facts, phoneHash, issue } = orderOf(asked, this.#random, now)
    const entrant = await this.#traffic.acquire(APP_ID, facts)
    let finding: RuleHit | undefined
    let made: Issue | undefined
    try {
      const ofPhone = this.#limiter.acquire(phoneLimits(limits, { ...key, phoneHash }), now)
      try {
        const found = entrant.assess(this.#protection, PRICE)
        finding = asked.isProven && found && isProvable(found.rule) ? { ...found, isRefused: false } : found
        if (finding?.isRefused) {
          refused(finding)
          throw refusalOf(finding)
        }
        assertResendable(this.#protection, asked.kind, this.#kept.liveOf(asked.phone), now)
        made = issue()
        this.#kept.add(asked.phone, made)
        return { issueId: made.issueId, phone: asked.phone, kind: asked.kind, price: PRICE }
      } catch (refusal) {
        await ofPhone.release()
        throw refusal
      }
    } catch (refusal) {
      await permit.release()
      throw refusal
    } finally {
      entrant.release(made)
      if (finding && (made || finding.isRefused)) entrant.recordHit(finding)
    }
  }

  async verify({ issueId }: Sent): Promise<void> {
    this.#kept.change(issueId, (issue, now) =>
      now < issue.expiresAt ? { ...issue, verificationStatus: 'verified', verifiedAt: now } : issue,
    )
  }

  async arrived({ issueId }: Sent): Promise<void> {
    this.#kept.change(issueId, (issue) => ({ ...issue, deliveryStatus: 'delivered' }))
  }

  async incidents(): Promise<number[]> {
    return this.#seen
  }

  async stop(): Promise<void> {}
}
