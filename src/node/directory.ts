/**
 * Keys, apps, challenges, templates, carriers, routes and origins, read once and kept until the store says that they may have changed.
 * So a revocation holds at once, also one made by another process on the same database.
 */
import type { App } from '../domain/app'
import type { CarrierConfig } from '../domain/carrier'
import type { ChallengeSettings } from '../domain/challenge'
import type { ApiKey, KnownKey } from '../domain/key'
import { BUILT_IN_TEMPLATES, DEFAULT_TEMPLATE_ID, type Template } from '../domain/template'
import type { Directory, Issuing, Ways } from '../ports/node'
import type { Reader } from '../ports/store'

export class KeptDirectory implements Directory {
  #version = ''
  #seen: Promise<string> | undefined
  #kept = new Map<string, Promise<unknown>>()

  constructor(private readonly read: Reader) {}

  keyByHash(hash: string): Promise<KnownKey | undefined> {
    return this.#keep(`key:${hash}`, () => this.#findKey(Buffer.from(hash, 'hex')))
  }

  app(appId: string): Promise<App | undefined> {
    return this.#keep(`app:${appId}`, () => this.read.apps.find(appId))
  }

  async challenge(appId: string): Promise<ChallengeSettings | undefined> {
    // Also that there is none is kept, of apps that are known.
    const kept = await this.#keep(`challenge:${appId}`, async () => ({ found: await this.read.challenges.find(appId) }))
    return kept.found
  }

  templates(appId: string): Promise<Template[]> {
    return this.#keep(`templates:${appId}`, async () => withBuiltIn(await this.read.templates.ofApp(appId)))
  }

  issuing(appId: string): Promise<Issuing> {
    return this.#keep(`issuing:${appId}`, async () => {
      const [app, templates] = await Promise.all([this.app(appId), this.templates(appId)])
      return { app, templates }
    })
  }

  async template(appId: string, templateId: string = DEFAULT_TEMPLATE_ID): Promise<Template | undefined> {
    return (await this.templates(appId)).find((template) => template.templateId === templateId)
  }

  carriers(): Promise<CarrierConfig[]> {
    return this.#keep('carriers', () => this.read.carriers.all())
  }

  ways(): Promise<Ways> {
    return this.#keep('ways', async () => {
      const [configured, routes] = await Promise.all([this.carriers(), this.read.routes.all()])
      return { configured, routes }
    })
  }

  async isPublicOrigin(origin: string, now: number): Promise<boolean> {
    const ends = await this.#keep('origins', () => this.read.keys.publicOrigins())
    return now < (ends.get(origin) ?? 0)
  }

  async #findKey(hash: Uint8Array): Promise<KnownKey | undefined> {
    const key = await this.read.keys.findByHash(hash)
    if (!key || !isLiveBrowserKey(key)) return key
    return { ...key, browserKeys: (await this.read.keys.ofApp(key.appId)).filter(isLiveBrowserKey) }
  }

  #keep<T>(name: string, load: () => Promise<T>): Promise<T> {
    const version = this.read.settingsVersion()
    // Asked many times in a turn of the event loop, it answers with one promise.
    if (version === this.#seen) return this.#take(name, load)
    return version.then((current) => {
      if (current !== this.#version) this.#kept = new Map()
      this.#version = current
      this.#seen = version
      return this.#take(name, load)
    })
  }

  #take<T>(name: string, load: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(name) as Promise<T> | undefined
    if (kept) return kept
    const shelf = this.#kept
    const loading = load().then(
      (value) => {
        // Absence is not kept: unknown keys must not fill the memory.
        if (value === undefined) shelf.delete(name)
        return value
      },
      (error) => {
        shelf.delete(name)
        throw error
      },
    )
    shelf.set(name, loading)
    return loading
  }
}

const isLiveBrowserKey = ({ kind, mode }: ApiKey) => kind === 'pk' && mode === 'live'

/** An app's own ones stand instead of those built in that have the same id. */
export function withBuiltIn(own: readonly Template[]): Template[] {
  const ownIds = new Set(own.map(({ templateId }) => templateId))
  return [...BUILT_IN_TEMPLATES.filter(({ templateId }) => !ownIds.has(templateId)), ...own]
}
