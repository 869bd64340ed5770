/** Periodic work: codes expire, carriers are reloaded, old data is deleted. */
import { errorFields } from '../domain/shared/error'
import type { Clock, Schedule } from '../ports/clock'
import type { Log } from '../ports/log'
import type { WakeUps } from '../ports/node'
import type { Store } from '../ports/store'
import { endQuietIncidents } from '../usecases/abuse/record-traffic'
import { adoptCalls } from '../usecases/adopt-calls'
import { deleteOldData, type RetentionDependencies } from '../usecases/delete-old-data'
import { type ErasureDependencies, eraseDue, forgetErasures, removeBare } from '../usecases/erase-phone'
import { expireDue } from '../usecases/expire-due'
import { rollUpUsage } from '../usecases/roll-up-usage'
import type { SaveDependencies } from '../usecases/shared/save-change'
import { NoticeWatch, type WatchDependencies } from '../usecases/watch-notices'

const EVERY_MS = 1_000
const EVERY_TEN_MINUTES = '*/10 * * * *'

interface SweepDependencies
  extends SaveDependencies,
    RetentionDependencies,
    WatchDependencies,
    Omit<ErasureDependencies, 'actor'> {
  store: Store
  clock: Clock
  log: Log
  schedule: Schedule
  node: SaveDependencies['node'] & { wakeUps: WakeUps; tidy(): Promise<void> }
  /** Returns whether carriers or routes changed, so that waiting messages may go to another carrier. */
  refreshCarriers: () => Promise<boolean>
  /** Whether the call that was begun with an issue is still made here. */
  isRunning: (issueId: string) => boolean
}

/** The audit log has named the operator who asked for the erasure; the server only carries it out. */
const SERVER = { name: 'server' }

export class Sweeps {
  #cancel = () => {}
  #stopSchedule = () => {}
  #running: Promise<void> = Promise.resolve()
  readonly #besides = new Map<string, Promise<void>>()
  #isStopped = false
  readonly #notices: NoticeWatch

  constructor(private readonly deps: SweepDependencies) {
    this.#notices = new NoticeWatch(deps)
  }

  start(): void {
    const { deps } = this
    this.#sweep()
    this.#stopSchedule = deps.schedule(EVERY_TEN_MINUTES, async () => {
      await deleteOldData(deps)
      await rollUpUsage(deps)
      await endQuietIncidents(deps)
      await this.#erase()
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    this.#stopSchedule()
    this.#notices.stop()
    await this.#running
    await Promise.all(this.#besides.values())
  }

  /** Each sweep schedules the next one, so that two never overlap. */
  #sweep(): void {
    const { clock } = this.deps
    this.#running = this.#look()
      .catch((error: unknown) => this.#note(error))
      .then(() => {
        if (!this.#isStopped) this.#cancel = clock.after(EVERY_MS, () => this.#sweep())
      })
  }

  async #look(): Promise<void> {
    const { deps } = this
    await expireDue(deps)
    await adoptCalls(deps, deps.isRunning)
    if (await deps.refreshCarriers()) await this.#chooseAnew()
    await deps.node.tidy()
    // Not awaited: a week of usage to count must not delay the sweep.
    this.#beside('notices', () => this.#notices.look())
  }

  /** Runs unless the last run of the same name has not ended. */
  #beside(name: string, work: () => Promise<void>): void {
    if (this.#besides.has(name)) return
    const running = work()
      .catch((error: unknown) => this.#note(error))
      .finally(() => this.#besides.delete(name))
    this.#besides.set(name, running)
  }

  /** Runs after the usage roll-up, which counts what is about to be erased. */
  async #erase(): Promise<void> {
    const deps = { ...this.deps, actor: SERVER }
    await eraseDue(deps)
    await removeBare(deps)
    await forgetErasures(deps)
  }

  #note(error: unknown): void {
    this.deps.log.error(errorFields(error), 'sweep failed')
  }

  /** Messages that wait for a carrier choose again after the operator changed carriers or routes. */
  async #chooseAnew(): Promise<void> {
    const { store, node } = this.deps
    await store.transaction(async (tx) => {
      await tx.jobs.emptyCarrierQueues()
      tx.afterCommit(() => node.wakeUps.wake('deliver'))
    })
  }
}
