/** When keys were last used: noted in memory with every request, stored periodically. */
import type { Clock } from '../../ports/clock'
import type { KeyUse } from '../../ports/node'
import type { Store } from '../../ports/store'

/** Seldom, since each commit makes SQLite drop the pages that readers have cached. */
const SAVE_EVERY_MS = 15_000

export class NotedKeyUse implements KeyUse {
  readonly #clock: Pick<Clock, 'elapsed'>
  #savedAt = Number.NEGATIVE_INFINITY
  #unsaved = new Map<string, number>()

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  note(keyId: string, at: number): void {
    this.#unsaved.set(keyId, at)
  }

  latest(keyId: string): number | undefined {
    return this.#unsaved.get(keyId)
  }

  /** Saves when the last save is long enough ago. */
  async tidy(store: Pick<Store, 'transaction'>): Promise<void> {
    if (this.#clock.elapsed() >= this.#savedAt + SAVE_EVERY_MS) await this.save(store)
  }

  async save(store: Pick<Store, 'transaction'>): Promise<void> {
    if (this.#unsaved.size === 0) return
    const saving = this.#unsaved
    this.#unsaved = new Map()
    try {
      await store.transaction((tx) => tx.keys.touch(saving))
      this.#savedAt = this.#clock.elapsed()
    } catch (error) {
      this.#unsaved = new Map([...saving, ...this.#unsaved])
      throw error
    }
  }
}
