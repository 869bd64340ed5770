/** Caches of what the store holds: settings, idempotency records, and when keys were last used. */
import type { ChallengeSettings } from '../../abuse/rules/challenge'
import type { ApiKey, KnownKey } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import type { CarrierConfig } from '../../domain/delivery/carrier'
import { addTallies, type ReportTally } from '../../domain/delivery/report-tally'
import type { Route } from '../../domain/delivery/route'
import { DEFAULT_TEMPLATE_ID, type Template, withBuiltIn } from '../../domain/message/template'
import type { Owner } from '../../domain/shared/value'
import type { IdempotencyRecord } from '../../domain/verification/idempotency'
import type { Clock } from '../../ports/clock'
import type { Directory, KeyUse, Replays, ReportNotes } from '../../ports/node'
import type { Reader, Store, Tx } from '../../ports/store'

/** Cached settings of one kind, by name. */
class SettingsOfKind<T> {
  #cached = new Map<string, Promise<T>>()

  constructor(private readonly load: (name: string) => Promise<T>) {}

  clear(): void {
    this.#cached = new Map()
  }

  get(name: string): Promise<T> {
    const cached = this.#cached
    const known = cached.get(name)
    if (known) return known
    const loading = this.load(name).then(
      (value) => {
        // Absence is not cached: unknown keys must not fill the memory.
        if (value === undefined) cached.delete(name)
        return value
      },
      (error) => {
        cached.delete(name)
        throw error
      },
    )
    cached.set(name, loading)
    return loading
  }
}

/**
 * Caches keys, apps, challenges, templates, carriers, routes and origins until the settings version of the store changes. A revocation
 * holds at once, also one that another process made on the same database.
 */
export class SettingsCache implements Directory {
  #version = ''
  #seen: Promise<string> | undefined
  readonly #kinds = {
    keys: new SettingsOfKind((hash) => this.#findKey(Buffer.from(hash, 'hex'))),
    apps: new SettingsOfKind((appId) => this.read.apps.find(appId)),
    // An object is cached also where there is no challenge, since every issue asks.
    challenges: new SettingsOfKind(async (appId) => ({ found: await this.read.challenges.find(appId) })),
    templates: new SettingsOfKind(async (appId) => withBuiltIn(await this.read.templates.ofApp(appId))),
    carriers: new SettingsOfKind(() => this.read.carriers.all()),
    routes: new SettingsOfKind(() => this.read.routes.all()),
    origins: new SettingsOfKind(() => this.read.keys.publicOrigins()),
  }

  constructor(private readonly read: Reader) {}

  keyByHash(hash: string): Promise<KnownKey | undefined> {
    return this.#cachedIn(this.#kinds.keys, hash)
  }

  app(appId: string): Promise<App | undefined> {
    return this.#cachedIn(this.#kinds.apps, appId)
  }

  async challenge(appId: string): Promise<ChallengeSettings | undefined> {
    return (await this.#cachedIn(this.#kinds.challenges, appId)).found
  }

  templates(appId: string): Promise<Template[]> {
    return this.#cachedIn(this.#kinds.templates, appId)
  }

  async template(appId: string, templateId: string = DEFAULT_TEMPLATE_ID): Promise<Template | undefined> {
    return (await this.templates(appId)).find((template) => template.templateId === templateId)
  }

  carriers(): Promise<CarrierConfig[]> {
    return this.#cachedIn(this.#kinds.carriers)
  }

  routes(): Promise<Route[]> {
    return this.#cachedIn(this.#kinds.routes)
  }

  async isPublicOrigin(origin: string, now: number): Promise<boolean> {
    const ends = await this.#cachedIn(this.#kinds.origins)
    return now < (ends.get(origin) ?? 0)
  }

  async #findKey(hash: Uint8Array): Promise<KnownKey | undefined> {
    const key = await this.read.keys.findByHash(hash)
    if (!key || !isLiveBrowserKey(key)) return key
    return { ...key, browserKeys: (await this.read.keys.ofApp(key.appId)).filter(isLiveBrowserKey) }
  }

  #cachedIn<T>(kind: SettingsOfKind<T>, name = ''): Promise<T> {
    const version = this.read.settingsVersion()
    // Within a turn of the event loop the store returns the same promise.
    if (version === this.#seen) return kind.get(name)
    return this.#cachedAt(version, kind, name)
  }

  async #cachedAt<T>(version: Promise<string>, kind: SettingsOfKind<T>, name: string): Promise<T> {
    const current = await version
    if (current !== this.#version) for (const one of Object.values(this.#kinds)) one.clear()
    this.#version = current
    this.#seen = version
    return kind.get(name)
  }
}

const isLiveBrowserKey = ({ kind, mode }: ApiKey) => kind === 'pk' && mode === 'live'

/** A power of two, since a slot is some bits of the hash. A full cache takes about five megabytes. */
const SLOTS = 16_384

/**
 * Idempotency records of issues that were made here lately, since most replays come soon. A record does not change while its issue
 * exists, so the cache is valid on every server. The issue itself is read from the store.
 */
export class ReplayCache implements Replays {
  /** A newer record replaces an older one with the same slot. */
  readonly #known: Array<IdempotencyRecord | undefined> = Array.from({ length: SLOTS })

  note(record: IdempotencyRecord): void {
    this.#known[slotOf(record.keyHash)] = record
  }

  find({ appId, mode }: Owner, keyHash: Uint8Array): IdempotencyRecord | undefined {
    const record = this.#known[slotOf(keyHash)]
    if (record?.appId !== appId || record.mode !== mode) return undefined
    return Buffer.compare(record.keyHash, keyHash) === 0 ? record : undefined
  }
}

const slotOf = (hash: Uint8Array) => ((hash[0] ?? 0) + 256 * (hash[1] ?? 0)) % SLOTS

/** Seldom, since each commit makes SQLite drop the pages that readers have cached. */
const SAVE_EVERY_MS = 15_000

/** Notes of each request or message: kept in memory, and stored periodically. */
abstract class Noted<T> {
  readonly #clock: Pick<Clock, 'elapsed'>
  #savedAt = Number.NEGATIVE_INFINITY
  #unsaved = new Map<string, T>()

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  protected abstract join(before: T, after: T): T
  protected abstract store(tx: Tx, notes: ReadonlyMap<string, T>): Promise<void>

  note(subject: string, note: T): void {
    const before = this.#unsaved.get(subject)
    this.#unsaved.set(subject, before === undefined ? note : this.join(before, note))
  }

  latest(subject: string): T | undefined {
    return this.#unsaved.get(subject)
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
      await store.transaction((tx) => this.store(tx, saving))
      this.#savedAt = this.#clock.elapsed()
    } catch (error) {
      const since = this.#unsaved
      this.#unsaved = saving
      for (const [subject, note] of since) this.note(subject, note)
      throw error
    }
  }
}

/** When keys were last used. */
export class NotedKeyUse extends Noted<number> implements KeyUse {
  protected join(_: number, after: number): number {
    return after
  }

  protected store(tx: Tx, notes: ReadonlyMap<string, number>): Promise<void> {
    return tx.keys.touch(notes)
  }
}

/** The results of carriers' reports. */
export class NotedReports extends Noted<ReportTally> implements ReportNotes {
  protected join(before: ReportTally, after: ReportTally): ReportTally {
    return addTallies(before, after)
  }

  protected async store(tx: Tx, notes: ReadonlyMap<string, ReportTally>): Promise<void> {
    for (const [carrier, tally] of [...notes].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const before = await tx.carriers.lockReports(carrier)
      await tx.carriers.saveReports(carrier, before === undefined ? tally : addTallies(before, tally))
    }
  }
}
