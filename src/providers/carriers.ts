/** The configured providers as working ones, and which of them serve a channel. */
import { isDeepStrictEqual } from 'node:util'
import type { Directory } from '../directory'
import { invalid } from '../domain/error'
import { chooseRoute } from '../domain/route'
import type { Provider, ProviderConfig, ReportedMessage, Router } from '../ports'
import { aligo } from './aligo'
import { http } from './http'
import { nhn } from './nhn'
import { smpp } from './smpp'
import { solapi } from './solapi'
import { twilio } from './twilio'
import type { ProviderDependencies, ProviderType } from './type'

export const PROVIDER_TYPES: Readonly<Record<string, ProviderType>> = { http, smpp, twilio, solapi, nhn, aligo }

/** Throws `invalid`, naming the setting that is wrong. */
export function assertProvider({ type, channels, config }: ProviderConfig): void {
  const known = Object.hasOwn(PROVIDER_TYPES, type) ? PROVIDER_TYPES[type] : undefined
  if (!known) throw invalid(`type: no such provider type: ${type}. Known: ${Object.keys(PROVIDER_TYPES).join(' ')}`)
  const unserved = channels.find((channel) => !known.channels.includes(channel))
  if (unserved) throw invalid(`channel: ${type} cannot deliver ${unserved}`)
  const mistake = known.config.safeParse(config).error?.issues[0]
  if (mistake) throw invalid(`config: ${mistake.path.join('.')}: ${mistake.message}`)
}

/** What a code of such a carrier means, in words an operator can act on. */
export const explainCode = ({ type, config }: ProviderConfig, code: string): string | undefined =>
  Object.hasOwn(PROVIDER_TYPES, type) ? PROVIDER_TYPES[type]?.explain(code, config) : undefined

export class Carriers {
  /** By name; kept until its configuration is another, because a provider may hold a session. */
  readonly #built = new Map<string, { config: ProviderConfig; provider: Provider }>()

  constructor(
    private readonly directory: Directory,
    private readonly dependencies: Omit<ProviderDependencies, 'reportUrl' | 'report'>,
    /** Where a provider of that name may report to. */
    private readonly reportUrl: (name: string) => string | undefined,
    /** Records what a provider of that name pushes; see `ProviderDependencies`. */
    private readonly report: (name: string, report: ReportedMessage) => Promise<boolean>,
  ) {}

  /** Who delivers what to whom, as configured now: by route, else every provider of the channel as it was added. */
  async router(): Promise<Router> {
    const [configured, routes] = await Promise.all([this.directory.providers(), this.directory.routes()])
    return (whom) => {
      const serving = configured.filter(({ channels }) => channels.includes(whom.channel))
      const routed = (chooseRoute(routes, whom) ?? []).flatMap(
        (name) => serving.find((config) => config.name === name) ?? [],
      )
      // A route all of whose carriers were removed must not silence the channel.
      return (routed.length > 0 ? routed : serving).map((config) => this.#provider(config))
    }
  }

  async named(name: string): Promise<Provider | undefined> {
    const config = (await this.directory.providers()).find((provider) => provider.name === name)
    return config && this.#provider(config)
  }

  /** Brings sessions up before the first message, so that receipts are heard, and ends those of removed providers. */
  async refresh(): Promise<void> {
    const configured = await this.directory.providers()
    for (const config of configured) if (Object.hasOwn(PROVIDER_TYPES, config.type)) this.#provider(config)
    const names = new Set(configured.map(({ name }) => name))
    for (const name of this.#built.keys()) if (!names.has(name)) void this.#close(name)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#built.keys()].map((name) => this.#close(name)))
  }

  async #close(name: string): Promise<void> {
    const built = this.#built.get(name)
    this.#built.delete(name)
    await built?.provider.close?.()
  }

  #provider(config: ProviderConfig): Provider {
    const built = this.#built.get(config.name)
    if (built && (built.config === config || isDeepStrictEqual(built.config, config))) {
      built.config = config
      return built.provider
    }
    void this.#close(config.name)
    const provider = PROVIDER_TYPES[config.type]?.create(config, {
      ...this.dependencies,
      reportUrl: this.reportUrl(config.name),
      report: (report) => this.report(config.name, report),
    })
    if (!provider) throw new Error(`Provider ${config.name} has a type this release does not know`)
    this.#built.set(config.name, { config, provider })
    return provider
  }
}
