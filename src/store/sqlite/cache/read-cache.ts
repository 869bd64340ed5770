/**
 * What units read again and again and seldom changes. It is kept from group to group until this process changes it, or any other
 * has written; so it is what the unit would read.
 */
export class ReadCache<Value> {
  readonly #kept = new Map<string, Value>()
  /** What is read from there on may be rolled back. */
  #isChanging = false

  /** A group begins: from here on nobody else writes. `hasOtherWritten`: since the one before. */
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
