/** State of the transaction that runs now. The writer's connection runs one at a time, so all methods of `Tx` share it. */
export class TransactionState {
  now = 0
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

  /** Answers what is to happen once the transaction that has just ended is on disk. */
  end(): { effects: ReadonlyArray<() => void>; changesSettings: boolean } {
    return { effects: this.#effects, changesSettings: this.#changesSettings }
  }
}
