/** Keys, apps, templates, carriers and routes change rarely: a number that is raised with every change tells whoever keeps them. */
import { plain } from './statement'
import type { Asked, Unit } from './unit'

const RAISE = plain('UPDATE settings_version SET version = version + 1', () => [])
const READ = plain(
  'SELECT version FROM settings_version',
  () => [],
  ([version]) => String(version),
)

/** The unit changes settings. */
export function settingsChanged(unit: Unit): void {
  if (unit.changesSettings) return
  unit.changesSettings = true
  unit.last(RAISE)
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
  #looking: Promise<string> | undefined

  constructor(
    private readonly asked: Asked,
    private readonly elapsed: () => number,
  ) {}

  /** The same promise for as long as nothing has changed. Throws `unavailable` where it is not known for sure. */
  current(): Promise<string> {
    const age = this.elapsed() - this.#since
    if (age < FRESH_MS) return this.#known
    this.#looking ??= this.#look()
    return age < STALE_MS ? this.#known : this.#looking
  }

  /** This server has changed them itself. */
  changed(): void {
    this.#since = Number.NEGATIVE_INFINITY
    this.#looking = undefined
  }

  #look(): Promise<string> {
    const since = this.elapsed()
    const looking = this.#ask().then((version) => {
      // What was asked before a change of our own says nothing about it.
      if (this.#looking !== looking) return version
      this.#looking = undefined
      this.#since = since
      if (version !== this.#value) this.#known = Promise.resolve(version)
      this.#value = version
      return this.#known
    })
    looking.catch(() => {
      if (this.#looking === looking) this.#looking = undefined
    })
    return looking
  }

  async #ask(): Promise<string> {
    return (await this.asked.get(READ)) ?? ''
  }
}
