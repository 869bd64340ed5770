/**
 * Version of the settings (keys, apps, templates, carriers and routes), raised with every change. Servers cache the
 * settings and compare it.
 */
import { sql } from 'drizzle-orm'
import { POSTGRES } from '../dialect'
import type { Querying } from '../session'

export const RAISE_VERSION = 'UPDATE settings_version SET version = version + 1'
const VERSION = POSTGRES.plain(
  () => sql`SELECT version FROM settings_version`,
  ([version]) => String(version),
)

/** A version read within this time is used without reading it again. */
const FRESH_MS = 500
/** A version older than this is not used, so a change made by another server takes effect within this time. */
const STALE_MS = 1_500

/** Caches the version, so that not every request reads it. */
export class SettingsWatch {
  #known: Promise<string> = Promise.resolve('')
  #value = ''
  /** When the read that found it began. */
  #since = Number.NEGATIVE_INFINITY
  #looking: { since: number; version: Promise<string> } | undefined

  constructor(
    private readonly asked: Querying,
    private readonly elapsed: () => number,
    /** Called when the version has changed, before the new one is used. */
    private readonly heard: () => Promise<void> = async () => {},
  ) {}

  /** The same promise while nothing has changed. Throws `unavailable` where the version cannot be read. */
  current(): Promise<string> {
    const now = this.elapsed()
    const age = now - this.#since
    if (age < FRESH_MS) return this.#known
    // A read that has been pending for long may have seen the version before a change.
    if (!this.#looking || now - this.#looking.since >= STALE_MS - FRESH_MS) this.#looking = this.#look(now)
    return age < STALE_MS ? this.#known : this.#looking.version
  }

  /** To be called after this server has changed settings. */
  changed(): void {
    this.#since = Number.NEGATIVE_INFINITY
    this.#looking = undefined
  }

  #look(since: number): { since: number; version: Promise<string> } {
    const version = this.#ask().then((found) => {
      // A read that began before a change by this server, or before a later read, is out of date.
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
    const version = (await this.asked.get(VERSION)) ?? ''
    if (version !== this.#value) await this.heard()
    return version
  }
}
