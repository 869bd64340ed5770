/**
 * Keys, apps, challenges, templates, carriers, routes and origins, read once and kept until the store says that they may have changed.
 * So a revocation holds at once, also one made by another process on the same database.
 */

import type { ChallengeSettings } from '../../abuse/rules/challenge'
import type { ApiKey, KnownKey } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import type { CarrierConfig } from '../../domain/delivery/carrier'
import type { Route } from '../../domain/delivery/route'
import { DEFAULT_TEMPLATE_ID, type Template, withBuiltIn } from '../../domain/message/template'
import type { Directory } from '../../ports/node'
import type { Reader } from '../../ports/store'

/** What is kept of one kind, by name. */
class KeptKind<T> {
  #kept = new Map<string, Promise<T>>()

  constructor(private readonly load: (name: string) => Promise<T>) {}

  clear(): void {
    this.#kept = new Map()
  }

  take(name: string): Promise<T> {
    const kept = this.#kept
    const known = kept.get(name)
    if (known) return known
    const loading = this.load(name).then(
      (value) => {
        // Absence is not kept: unknown keys must not fill the memory.
        if (value === undefined) kept.delete(name)
        return value
      },
      (error) => {
        kept.delete(name)
        throw error
      },
    )
    kept.set(name, loading)
    return loading
  }
}

export class SettingsCache implements Directory {
  #version = ''
  #seen: Promise<string> | undefined
  readonly #shelves = {
    keys: new KeptKind((hash) => this.#findKey(Buffer.from(hash, 'hex'))),
    apps: new KeptKind((appId) => this.read.apps.find(appId)),
    // Also that there is none is kept, of apps that are known.
    challenges: new KeptKind(async (appId) => ({ found: await this.read.challenges.find(appId) })),
    templates: new KeptKind(async (appId) => withBuiltIn(await this.read.templates.ofApp(appId))),
    carriers: new KeptKind(() => this.read.carriers.all()),
    routes: new KeptKind(() => this.read.routes.all()),
    origins: new KeptKind(() => this.read.keys.publicOrigins()),
  }

  constructor(private readonly read: Reader) {}

  keyByHash(hash: string): Promise<KnownKey | undefined> {
    return this.#keep(this.#shelves.keys, hash)
  }

  app(appId: string): Promise<App | undefined> {
    return this.#keep(this.#shelves.apps, appId)
  }

  async challenge(appId: string): Promise<ChallengeSettings | undefined> {
    return (await this.#keep(this.#shelves.challenges, appId)).found
  }

  templates(appId: string): Promise<Template[]> {
    return this.#keep(this.#shelves.templates, appId)
  }

  async template(appId: string, templateId: string = DEFAULT_TEMPLATE_ID): Promise<Template | undefined> {
    return (await this.templates(appId)).find((template) => template.templateId === templateId)
  }

  carriers(): Promise<CarrierConfig[]> {
    return this.#keep(this.#shelves.carriers)
  }

  routes(): Promise<Route[]> {
    return this.#keep(this.#shelves.routes)
  }

  async isPublicOrigin(origin: string, now: number): Promise<boolean> {
    const ends = await this.#keep(this.#shelves.origins)
    return now < (ends.get(origin) ?? 0)
  }

  async #findKey(hash: Uint8Array): Promise<KnownKey | undefined> {
    const key = await this.read.keys.findByHash(hash)
    if (!key || !isLiveBrowserKey(key)) return key
    return { ...key, browserKeys: (await this.read.keys.ofApp(key.appId)).filter(isLiveBrowserKey) }
  }

  #keep<T>(shelf: KeptKind<T>, name = ''): Promise<T> {
    const version = this.read.settingsVersion()
    // Asked many times in a turn of the event loop, it answers with one promise.
    if (version === this.#seen) return shelf.take(name)
    return this.#keepAt(version, shelf, name)
  }

  async #keepAt<T>(version: Promise<string>, shelf: KeptKind<T>, name: string): Promise<T> {
    const current = await version
    if (current !== this.#version) for (const one of Object.values(this.#shelves)) one.clear()
    this.#version = current
    this.#seen = version
    return shelf.take(name)
  }
}

const isLiveBrowserKey = ({ kind, mode }: ApiKey) => kind === 'pk' && mode === 'live'
