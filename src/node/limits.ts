/** Limits of one server: counted in its memory, once the issues of the last day are counted there, too. */
import type { LimitRule, LimitsConfig, Permit } from '../domain/limit'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { IssuePermit, Limits } from '../ports/node'
import type { Reader } from '../ports/store'
import { Limiter } from './limiter'
import { recall } from './recall'

const RECALL_AGAIN_MS = 1_000

interface LimitsDependencies {
  read: Reader
  clock: Clock
  log: Log
  limits: LimitsConfig
}

const NOTHING_MORE = Promise.resolve(undefined)

export class LocalLimits implements Limits {
  readonly #limiter = new Limiter()
  readonly #recalling = Promise.withResolvers<void>()
  #begun: Promise<void> | undefined
  #isRecalled = false
  #cancelRecall = () => {}
  #isStopped = false

  constructor(private readonly deps: LimitsDependencies) {}

  take(rules: readonly LimitRule[]): Permit {
    return this.#limiter.take(rules, this.deps.clock.now())
  }

  async admit(rules: readonly LimitRule[]): Promise<IssuePermit> {
    const permit = this.#limiter.take(rules, this.deps.clock.now())
    return { giveBack: () => permit.giveBack(), confirm: () => NOTHING_MORE }
  }

  recalled(): Promise<void> | undefined {
    if (this.#isRecalled) return undefined
    void this.begin()
    return this.#recalling.promise
  }

  /** Forgets some of what no longer counts; called now and then. */
  prune(): void {
    this.#limiter.prune(this.deps.clock.now())
  }

  /** Counts, once. Until that has succeeded nothing is issued; everything else is answered. */
  begin(): Promise<void> {
    this.#begun ??= this.#recall()
    return this.#begun
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelRecall()
  }

  async #recall(): Promise<void> {
    const { read, limits, clock, log } = this.deps
    try {
      this.#limiter.adopt(await recall(read, limits, clock))
      this.#isRecalled = true
      this.#recalling.resolve()
    } catch (error) {
      log.error({ err: error instanceof Error ? error.name : undefined }, 'could not count the issues of the last day')
      if (!this.#isStopped) this.#cancelRecall = clock.after(RECALL_AGAIN_MS, () => void this.#recall())
    }
  }
}
