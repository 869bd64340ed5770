/**
 * What rarely changes: keys, apps, templates, providers and origins, read once and kept until the store says that they
 * may have changed. So a revocation holds at once, also one made by another process on the same database.
 */
import type { Route } from './domain/route'
import { BUILT_IN_TEMPLATES, DEFAULT_TEMPLATE_ID, type Template } from './domain/template'
import type { App, ProviderConfig, Reader, StoredKey } from './ports'

export class Directory {
  #version = ''
  #kept = new Map<string, Promise<unknown>>()

  constructor(private readonly read: Reader) {}

  keyByHash(hash: Uint8Array): Promise<StoredKey | undefined> {
    return this.#keep(`key:${Buffer.from(hash).toString('base64')}`, () => this.read.keyByHash(hash))
  }

  app(appId: string): Promise<App | undefined> {
    return this.#keep(`app:${appId}`, () => this.read.app(appId))
  }

  /** The app's own templates before the built-in ones; an own template hides a built-in of the same id. */
  templates(appId: string): Promise<Template[]> {
    return this.#keep(`templates:${appId}`, async () => {
      const own = await this.read.templates(appId)
      const ownIds = new Set(own.map(({ templateId }) => templateId))
      return [...BUILT_IN_TEMPLATES.filter(({ templateId }) => !ownIds.has(templateId)), ...own]
    })
  }

  async template(appId: string, templateId: string = DEFAULT_TEMPLATE_ID): Promise<Template | undefined> {
    return (await this.templates(appId)).find((template) => template.templateId === templateId)
  }

  providers(): Promise<ProviderConfig[]> {
    return this.#keep('providers', () => this.read.providers())
  }

  routes(): Promise<Route[]> {
    return this.#keep('routes', () => this.read.routes())
  }

  /** Whether an active public key lists the origin. Time alone ends keys, and the store does not tell. */
  async isPublicOrigin(origin: string, now: number): Promise<boolean> {
    const ends = await this.#keep('origins', () => this.read.publicOrigins())
    return now < (ends.get(origin) ?? 0)
  }

  #keep<T>(name: string, load: () => Promise<T>): Promise<T> {
    const version = this.read.configurationVersion()
    if (version !== this.#version) {
      this.#version = version
      this.#kept = new Map()
    }
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
