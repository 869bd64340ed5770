/** When keys were last used: noted in memory with every request, stored now and then. */
import type { KeyUse } from '../ports/node'
import type { Store } from '../ports/store'

export class NotedKeyUse implements KeyUse {
  #unsaved = new Map<string, number>()

  note(keyId: string, at: number): void {
    this.#unsaved.set(keyId, at)
  }

  latest(keyId: string): number | undefined {
    return this.#unsaved.get(keyId)
  }

  async save(store: Pick<Store, 'transaction'>): Promise<void> {
    if (this.#unsaved.size === 0) return
    const saving = this.#unsaved
    this.#unsaved = new Map()
    try {
      await store.transaction((tx) => tx.keys.touch(saving))
    } catch (error) {
      this.#unsaved = new Map([...saving, ...this.#unsaved])
      throw error
    }
  }
}
