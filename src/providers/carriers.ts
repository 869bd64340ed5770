/** The configured carriers as working ones, and which of them serve a channel. */
import { type CarrierConfig, type CarrierSetup, MAX_CONCURRENCY } from '../domain/delivery/carrier'
import { carriersOf, chooseRoute, type Route } from '../domain/delivery/route'
import { MAX_TIMEOUT_MS } from '../domain/operations/job'
import { invalid, missing } from '../domain/shared/error'
import { refusalOf } from '../domain/shared/validation'
import type {
  Carrier,
  CarrierEndpoint,
  ReportedMessage,
  Router,
  TemplateRequest,
  TemplateState,
} from '../ports/carrier'
import { NO_DESCRIPTOR } from '../ports/network'
import type { ConcurrencyLimiter, Node } from '../ports/node'
import { DESCRIPTIONS } from './descriptions'
import type { CarrierDependencies, CarrierType } from './type'

/**
 * Each is loaded when it is first looked at: a start has no use for the schemas of those that are not configured. By `require`,
 * which does not have its callers wait.
 */
export const CARRIER_TYPES: Readonly<Record<string, CarrierType>> = {
  get http() {
    return (require('./http') as typeof import('./http')).http
  },
  get smpp() {
    return (require('./smpp') as typeof import('./smpp')).smpp
  },
}

for (const [type, description] of Object.entries(DESCRIPTIONS)) {
  let known: CarrierType | undefined
  const get = () => {
    known ??= (require('./described') as typeof import('./described')).describedType(description())
    return known
  }
  Object.defineProperty(CARRIER_TYPES, type, { get, enumerable: true })
}

const ownTypes = new WeakMap<object, CarrierType>()

/** The type of a carrier: the operator's own description, which is stored with it, or a built-in one. */
export function typeOf({ type, config: { description } }: CarrierSetup): CarrierType | undefined {
  if (typeof description !== 'object' || description === null)
    return Object.hasOwn(CARRIER_TYPES, type) ? CARRIER_TYPES[type] : undefined
  const known = ownTypes.get(description)
  if (known) return known
  const { carrierDescription } = require('./description') as typeof import('./description')
  const { data } = carrierDescription.safeParse(description)
  if (!data) return undefined
  const own = (require('./described') as typeof import('./described')).typeFrom(data)
  ownTypes.set(description, own)
  return own
}

/** Throws `invalid`. */
export function assertType(carrier: CarrierSetup): CarrierType {
  const known = typeOf(carrier)
  if (known) return known
  const choices = Object.keys(CARRIER_TYPES)
  throw invalid('type', 'not_a_choice', `no such provider type: ${carrier.type}. Known: ${choices.join(' ')}`, {
    choices,
  })
}

/** Throws `invalid`, naming the setting that is wrong. */
export function assertCarrier({ type, channels, config, concurrency, timeoutMs }: CarrierConfig): void {
  const known = assertType({ type, config })
  const unserved = channels.find((channel) => !known.channels.includes(channel))
  if (unserved) {
    const about = { provider: type, channel: unserved }
    throw invalid('channel', 'channel_not_delivered', `${type} cannot deliver ${unserved}`, about)
  }
  assertWithin('concurrency', concurrency, 1, MAX_CONCURRENCY)
  assertWithin('timeout-ms', timeoutMs, 100, MAX_TIMEOUT_MS)
  const { error } = known.config.safeParse(config)
  if (error) throw settingRefusal(error.issues.slice(0, 1), config)
}

/** Only the type knows what a value of its own must be like. */
function settingRefusal(issues: Parameters<typeof refusalOf>[0], config: Record<string, unknown>) {
  const refusal = refusalOf(issues, config, 'config')
  const { param = 'config', reason } = refusal.detail
  const [{ message: says } = { message: '' }] = issues
  return reason === 'invalid_format' ? invalid(param, 'invalid_setting', says, { says }) : refusal
}

function assertWithin(name: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= min && value <= max)) return
  throw invalid(name, 'out_of_range', `must be a whole number from ${min} to ${max}`, { min, max })
}

/** Whether such a carrier has a report secret. False for a type that is none. */
export const reportsBySecret = (carrier: CarrierSetup): boolean => typeOf(carrier)?.reportsBySecret === true

/** Whether it calls the report URL. */
export const reportsByUrl = (carrier: CarrierSetup): boolean =>
  reportsBySecret(carrier) || typeOf(carrier)?.description?.reports !== undefined

/** Whether its report secret is the verify token of a challenge, and not a bearer token. */
export const showsVerifyToken = (carrier: CarrierSetup): boolean =>
  typeOf(carrier)?.description?.reports?.challenge !== undefined

/** The meaning of a code of such a carrier, in words that an operator can act on. */
export function explainCode(carrier: CarrierConfig, code: string): string | undefined {
  if (code === `NOT_SENT_${NO_DESCRIPTOR}`) return 'this server had no file descriptor left for it; raise LimitNOFILE'
  return typeOf(carrier)?.explain(code, carrier.config)
}

interface Built extends CarrierEndpoint {
  config: CarrierConfig
}

export interface CarrierSettings extends Omit<CarrierDependencies, 'reportUrl' | 'report' | 'dropped' | 'isOurs'> {
  /** The default for carriers without a setting of their own. */
  concurrency: number
  /** Where a carrier of that name may report to. */
  reportUrl: (name: string) => string | undefined
  /** Records what a carrier of that name pushes; see `ProviderDependencies`. */
  report: (name: string, report: ReportedMessage) => Promise<boolean>
  dropped: (name: string, why: 'unmatched' | 'unreadable') => void
}

export class Carriers {
  /** By name; kept until its configuration is another, because a carrier may hold a session, and its gate places. */
  readonly #built = new Map<string, Built>()
  #ways: { configured: CarrierConfig[]; routes: Route[] } | undefined

  constructor(
    private readonly node: Pick<Node, 'directory' | 'limiters'>,
    /** Test mode's own, which is not configured. */
    private readonly simulator: CarrierEndpoint | undefined,
    private readonly settings: CarrierSettings,
  ) {}

  /** The carriers of a message as configured now. None of them is paused. */
  async router(): Promise<Router> {
    // They are there, as a rule.
    const configured = await this.node.directory.carriers()
    const routes = await this.node.directory.routes()
    return (whom) => {
      const route = routes.length > 0 ? chooseRoute(routes, whom) : undefined
      // A route whose carriers are all paused sends nothing: the operator has chosen them, and no others.
      return carriersOf(configured, route, whom.channel)
        .filter(({ pausedAt }) => pausedAt === undefined)
        .map((config) => this.#carrier(config))
    }
  }

  async named(name: string): Promise<CarrierEndpoint | undefined> {
    if (name === this.simulator?.carrier.name) return this.simulator
    const config = (await this.node.directory.carriers()).find((provider) => provider.name === name)
    return config && this.#carrier(config)
  }

  /**
   * Brings sessions up before the first message, so that receipts are heard, and ends those of removed carriers.
   * Answers whether messages that wait may have another way to go than when it was called before.
   */
  async refresh(): Promise<boolean> {
    const [configured, routes] = await Promise.all([this.node.directory.carriers(), this.node.directory.routes()])
    for (const config of configured) if (typeOf(config)) this.#carrier(config)
    const names = new Set(configured.map(({ name }) => name))
    for (const name of this.#built.keys()) if (!names.has(name)) this.#remove(name)
    const before = this.#ways
    this.#ways = { configured, routes }
    return before !== undefined && !Bun.deepEquals(before, this.#ways, true)
  }

  /** A carrier of settings that are not stored, for a test. The caller closes it. */
  trial(config: CarrierConfig): Carrier {
    const type = typeOf(config)
    if (!type) throw missing('provider', config.name)
    return type.create(
      config,
      this.#dependenciesOf(config, () => true),
    )
  }

  /** Creates languages of the template of a WhatsApp carrier at Meta, and answers the state of each. Throws `not_found` for another carrier. */
  async whatsappTemplate(
    name: string,
    request: TemplateRequest,
  ): Promise<{ template: string; languages: TemplateState[] }> {
    const known = (await this.node.directory.carriers()).find((carrier) => carrier.name === name)
    if (known?.type !== 'whatsapp') throw missing('provider', name)
    const settings = CARRIER_TYPES.whatsapp?.config.parse(known.config) as Record<string, unknown>
    // Loaded by the one action that has a use for it.
    const { createTemplate } = await import('./whatsapp-template')
    const languages = await createTemplate(this.settings.transport, settings, request)
    return { template: String(settings.template), languages }
  }

  /** The meaning of a code of a carrier, where it is known. */
  async explain(name: string, code: string): Promise<string | undefined> {
    const config = (await this.node.directory.carriers()).find((provider) => provider.name === name)
    return config && explainCode(config, code)
  }

  /** Every configured carrier in use, by name. */
  limiters(): Map<string, ConcurrencyLimiter> {
    return new Map([...this.#built].map(([name, { limiter }]) => [name, limiter]))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#built.keys()].map((name) => this.#close(name)))
  }

  #remove(name: string): void {
    void this.#close(name)
    this.node.limiters.close(name)
  }

  async #close(name: string): Promise<void> {
    const built = this.#built.get(name)
    this.#built.delete(name)
    await built?.carrier.close?.()
  }

  #carrier(config: CarrierConfig): CarrierEndpoint {
    const built = this.#built.get(config.name)
    // A pause leaves a session open, on which reports arrive.
    if (built && Bun.deepEquals({ ...built.config, pausedAt: config.pausedAt }, config, true)) {
      built.config = config
      return built
    }
    void this.#close(config.name)
    const type = typeOf(config)
    if (!type) throw new Error(`Carrier ${config.name} has a type this release does not know`)
    const { concurrency = this.settings.concurrency, servers } = type.places?.(config.config) ?? {}
    const limiter = this.node.limiters.open(config.name, config.concurrency ?? concurrency, { servers })
    const dependencies = this.#dependenciesOf(config, () => limiter.isAllowedHere)
    const carrier = type.create(config, dependencies)
    if (carrier.readReports) this.#believeFormer(carrier, config, (former) => type.create(former, dependencies))
    const way = { config, carrier, limiter }
    this.#built.set(config.name, way)
    return way
  }

  #dependenciesOf(
    { name, timeoutMs = this.settings.timeoutMs }: CarrierConfig,
    isOurs: () => boolean,
  ): CarrierDependencies {
    const { reportUrl, report, dropped, ...settings } = this.settings
    return {
      ...{ ...settings, isOurs, timeoutMs, reportUrl: reportUrl(name) },
      report: (one) => report(name, one),
      dropped: (why) => dropped(name, why),
    }
  }

  /** Messages that left before a rotation are reported with the credentials of before. */
  #believeFormer(carrier: Carrier, config: CarrierConfig, create: (former: CarrierConfig) => Carrier): void {
    const formers = (config.former ?? []).map(({ until, ...former }) => ({
      until,
      carrier: create({ ...config, ...former }),
    }))
    if (formers.length === 0) return
    const { readReports, answerCall } = carrier
    const firstOf = async <T>(ask: (one: Carrier) => T | Promise<T> | undefined): Promise<T | undefined> => {
      for (const one of formers) {
        const found = this.settings.clock.now() < one.until ? await ask(one.carrier) : undefined
        if (found !== undefined) return found
      }
      return undefined
    }
    carrier.readReports = async (callback) =>
      (await readReports?.(callback)) ?? firstOf((one) => one.readReports?.(callback))
    if (answerCall)
      carrier.answerCall = async (callback) =>
        (await answerCall(callback)) ?? firstOf((one) => one.answerCall?.(callback))
  }
}
