/** The unit that runs now: there is one at a time on the writer's connection, and what the doors do belongs to it. */
import type { Endpoint } from '../../../domain/webhooks/webhook'
import { ReadCache } from '../cache/read-cache'

export class TransactionState {
  now = 0
  /** Of an app and mode. */
  readonly endpoints = new ReadCache<readonly Endpoint[]>()
  #effects: Array<() => void> = []
  #changesSettings = false

  begin(now: number): void {
    this.now = now
    this.#effects = []
    this.#changesSettings = false
  }

  afterCommit(effect: () => void): void {
    this.#effects.push(effect)
  }

  /** Keys, apps, templates, carriers or routes have changed. */
  settingsChanged(): void {
    this.#changesSettings = true
  }

  /** What is to happen once the unit that has just ended is on disk. */
  end(): { effects: ReadonlyArray<() => void>; changesSettings: boolean } {
    return { effects: this.#effects, changesSettings: this.#changesSettings }
  }
}
