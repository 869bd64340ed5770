import type { CarrierConfig } from '../../domain/carrier'
import { invalid, missing } from '../../domain/error'
import type { Route } from '../../domain/route'
import type { Channel } from '../../domain/value'
import { noteChange } from '../audit'
import { type AdminDependencies, existingApp, invalidName, NAME } from './shared'

/** Attempts name their provider, and this one is built in. */
const RESERVED_PROVIDER = 'simulator'

export interface WantedProvider {
  name: string
  type: string
  channels: readonly Channel[]
  config: Record<string, unknown>
  concurrency?: number | undefined
  timeoutMs?: number | undefined
}

/**
 * Adds a provider or changes the one of that name. What its reports must show is made here, told once, and kept when
 * the provider is changed.
 */
export async function setProvider(
  deps: AdminDependencies,
  wanted: WantedProvider,
): Promise<{ provider: CarrierConfig; newReportSecret?: string }> {
  const { name } = wanted
  if (name === RESERVED_PROVIDER)
    throw invalid('name', 'name_reserved', `"${name}" is test mode's own carrier`, { name })
  if (!NAME.test(name)) throw invalidName('name')
  if (wanted.channels.length === 0) throw invalid('channel', 'required', 'at least one of sms, alimtalk')
  const known = (await deps.store.read.carriers.all()).find(({ name }) => name === wanted.name)
  const knownSecret = wanted.config.reportSecret ?? known?.config.reportSecret
  const reportSecret = knownSecret ?? Buffer.from(deps.random.bytes(24)).toString('base64url')
  const provider: CarrierConfig = {
    ...wanted,
    concurrency: wanted.concurrency,
    timeoutMs: wanted.timeoutMs,
    channels: [...new Set(wanted.channels)],
    config: { ...wanted.config, reportSecret },
    createdAt: deps.clock.now(),
  }
  deps.assertProvider(provider)
  await deps.store.transaction(async (tx) => {
    await tx.carriers.save(provider)
    await noteChange(deps, tx, 'provider.set', provider.name, { type: provider.type, channels: provider.channels })
  })
  return knownSecret === undefined ? { provider, newReportSecret: String(reportSecret) } : { provider }
}

export async function removeProvider(deps: AdminDependencies, name: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    if (!(await tx.carriers.remove(name))) throw missing('provider', name)
    await noteChange(deps, tx, 'provider.remove', name)
  })
}

/** Which providers deliver a channel, in order; for one country or app only, where they are named. */
export async function setRoute(deps: AdminDependencies, route: Route): Promise<Route> {
  const { channel, country, appId, providers: names } = route
  if (country !== undefined && !/^[A-Z]{2}$/.test(country))
    throw invalid('country', 'invalid_country', `must be an ISO 3166 code such as KR: ${country}`)
  if (appId !== undefined) await existingApp(deps, appId)
  if (names.length === 0) throw invalid('providers', 'required', 'at least one')
  if (new Set(names).size < names.length) throw invalid('providers', 'duplicate_field', 'each once')
  const configured = await deps.store.read.carriers.all()
  for (const name of names) {
    const provider = configured.find((known) => known.name === name)
    if (!provider) throw missing('provider', name)
    if (!provider.channels.includes(channel)) {
      const about = { provider: name, channel }
      throw invalid('providers', 'channel_not_delivered', `${name} does not deliver ${channel}`, about)
    }
  }
  await deps.store.transaction(async (tx) => {
    await tx.routes.save(route)
    await noteChange(deps, tx, 'route.set', whomOf(route), { providers: names })
  })
  return route
}

export async function removeRoute(deps: AdminDependencies, route: Omit<Route, 'providers'>): Promise<void> {
  await deps.store.transaction(async (tx) => {
    if (!(await tx.routes.remove(route))) throw missing('route', whomOf(route))
    await noteChange(deps, tx, 'route.remove', whomOf(route))
  })
}

const whomOf = ({ channel, appId, country }: Omit<Route, 'providers'>) =>
  [channel, appId, country].filter(Boolean).join(' ')
