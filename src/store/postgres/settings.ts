/** Keys, apps, templates, carriers and routes change rarely: a number that is raised with every change tells whoever keeps them. */
import { plain } from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'

const RAISE = plain('UPDATE settings_version SET version = version + 1', () => [])
const READ = plain(
  'SELECT version FROM settings_version',
  () => [],
  ([version]) => String(version),
)

/** The transaction changes settings. */
export function settingsChanged(transaction: Transaction): void {
  if (transaction.changesSettings) return
  transaction.changesSettings = true
  transaction.last(RAISE)
}

/** Younger than this nobody looks again. */
const FRESH_MS = 500
/** Older than this nobody goes by it: a change made by another server holds after so long at the latest. */
const STALE_MS = 1_500

/** The version, looked at now and then and not for every request. */
export class SettingsWatch {
  #known: Promise<string> = Promise.resolve('')
  #value = ''
  /** When the look began that has found it. */
  #since = Number.NEGATIVE_INFINITY
  #looking: { since: number; version: Promise<string> } | undefined

  constructor(
    private readonly asked: Querying,
    private readonly elapsed: () => number,
    /** They are another version: looked at before anybody goes by that. */
    private readonly heard: () => Promise<void> = async () => {},
  ) {}

  /** The same promise for as long as nothing has changed. Throws `unavailable` where it is not known for sure. */
  current(): Promise<string> {
    const now = this.elapsed()
    const age = now - this.#since
    if (age < FRESH_MS) return this.#known
    // A look that has been under way for long may have seen what was before a change.
    if (!this.#looking || now - this.#looking.since >= STALE_MS - FRESH_MS) this.#looking = this.#look(now)
    return age < STALE_MS ? this.#known : this.#looking.version
  }

  /** This server has changed them itself. */
  changed(): void {
    this.#since = Number.NEGATIVE_INFINITY
    this.#looking = undefined
  }

  #look(since: number): { since: number; version: Promise<string> } {
    const version = this.#ask().then((found) => {
      // What was asked before a change of our own, or before a later look, says nothing about now.
      if (this.#looking !== look) return found
      this.#looking = undefined
      this.#since = since
      if (found !== this.#value) this.#known = Promise.resolve(found)
      this.#value = found
      return this.#known
    })
    version.catch(() => {
      if (this.#looking === look) this.#looking = undefined
    })
    const look = { since, version }
    return look
  }

  async #ask(): Promise<string> {
    const version = (await this.asked.get(READ)) ?? ''
    if (version !== this.#value) await this.heard()
    return version
  }
}
