/** When keys were last used: noted in memory with every request, stored now and then. */
import type { Store } from './ports'

export class KeyUse {
  #unsaved = new Map<string, number>()

  note(keyId: string, at: number): void {
    this.#unsaved.set(keyId, at)
  }

  /** What is not stored yet of one key. */
  latest(keyId: string): number | undefined {
    return this.#unsaved.get(keyId)
  }

  async save(store: Store): Promise<void> {
    if (this.#unsaved.size === 0) return
    const saving = this.#unsaved
    this.#unsaved = new Map()
    try {
      await store.transaction((tx) => tx.touchKeys(saving))
    } catch (error) {
      this.#unsaved = new Map([...saving, ...this.#unsaved])
      throw error
    }
  }
}
