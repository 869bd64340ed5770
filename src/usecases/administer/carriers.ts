import type { CarrierConfig, CarrierSetup, FormerConfig } from '../../domain/delivery/carrier'
import { REPORT_DEADLINE_MS } from '../../domain/delivery/delivery'
import { needsCountry, type Route } from '../../domain/delivery/route'
import { invalid, missing } from '../../domain/shared/error'
import { LEGS, type Leg } from '../../domain/shared/value'
import type { Carrier } from '../../ports/carrier'
import type { Clock } from '../../ports/clock'
import type { Tx } from '../../ports/store'
import { writeAudit } from '../shared/write-audit'
import { type TestDependencies, type TestOrder, type TestReport, testCarrier } from '../test-provider'
import { type AdminDependencies, assertCountry, invalidName, lockApp, type MakingDependencies, NAME } from './shared'

/** Attempts name their carrier, and this one is built in. */
const RESERVED = 'simulator'

export interface WantedCarrier {
  name: string
  type: string
  channels: readonly Leg[]
  config: Record<string, unknown>
  concurrency?: number | undefined
  timeoutMs?: number | undefined
  former?: CarrierConfig['former']
}

export interface CarrierTypes {
  /** Throws `invalid` for a configuration that the type could not work with. */
  assertCarrier: (carrier: CarrierConfig) => void
  /** Whether reports of a type are believed by a secret. */
  reportsBySecret: (carrier: CarrierSetup) => boolean
}

type SavingDependencies = MakingDependencies & CarrierTypes

export interface SavedCarrier {
  carrier: CarrierConfig
  /** The secret of its reports, where it is new. */
  newReportSecret?: string
}

/** Adds a carrier or changes the one of that name. Throws `invalid`. */
export const setCarrier = (deps: SavingDependencies, wanted: WantedCarrier): Promise<SavedCarrier> =>
  saveCarrier(deps, wanted.name, () => wanted)

/** Throws `invalid`, also if the name is taken. */
export const addCarrier = (deps: SavingDependencies, wanted: WantedCarrier): Promise<SavedCarrier> =>
  saveCarrier(deps, wanted.name, (known) => {
    const { name } = wanted
    if (known) throw invalid('name', 'name_taken', `there is a carrier ${name} already`, { name })
    return wanted
  })

/** `change` is given the stored carrier. Throws `invalid`, or `not_found`. */
export const changeCarrier = (
  deps: SavingDependencies,
  name: string,
  change: (known: CarrierConfig) => Pick<CarrierConfig, 'channels' | 'config' | 'former'>,
): Promise<SavedCarrier> =>
  saveCarrier(deps, name, (known) => {
    if (!known) throw missing('provider', name)
    const { type, concurrency, timeoutMs } = known
    return { name, type, concurrency, timeoutMs, ...change(known) }
  })

type CarrierChange = Parameters<typeof changeCarrier>[2]

/** Vendors report for as long on messages that were sent with the credentials of before. */
const FORMER_KEPT_MS = REPORT_DEADLINE_MS

/**
 * Changes a carrier only if it accepts a test message that is sent with the new settings; until then messages use the old ones.
 * Reports that are signed with the old credentials count for another day. Throws `invalid`, or `not_found`.
 */
export async function rotateCarrier(
  deps: SavingDependencies & TestDependencies & { trial(carrier: CarrierConfig): Carrier },
  name: string,
  { change, order }: { change: CarrierChange; order: TestOrder },
): Promise<TestReport & { isRotated: boolean }> {
  const known = (await deps.store.read.carriers.all()).find((carrier) => carrier.name === name)
  if (!known) throw missing('provider', name)
  const wanted = { ...known, ...change(known) }
  deps.assertCarrier(wanted)
  const carrier = deps.trial(wanted)
  const report = await testCarrier(deps, carrier, order).finally(() => carrier.close?.())
  const isRotated = report.outcome.kind === 'accepted'
  if (isRotated) await changeCarrier(deps, name, (stored) => ({ ...change(stored), former: formerOf(deps, stored) }))
  return { ...report, isRotated }
}

function formerOf({ clock }: TestDependencies, { config, former = [] }: CarrierConfig): CarrierConfig['former'] {
  const now = clock.now()
  // A second rotation within a day keeps the one before it.
  return [...former.filter(({ until }) => now < until).slice(-1), { config, until: now + FORMER_KEPT_MS }]
}

/** The secret of its reports is made here where the type has one, answered once, and kept when the carrier is changed. */
async function saveCarrier(
  deps: SavingDependencies,
  name: string,
  wantedOf: (known: CarrierConfig | undefined) => WantedCarrier,
): Promise<SavedCarrier> {
  if (name === RESERVED) throw invalid('name', 'name_reserved', `"${name}" is test mode's own carrier`, { name })
  if (!NAME.test(name)) throw invalidName('name')
  return deps.store.transaction(async (tx) => {
    const known = await tx.carriers.lock(name)
    const wanted = wantedOf(known)
    if (wanted.channels.length === 0) throw invalid('channel', 'required', `at least one of ${LEGS.join(', ')}`)
    const usesSecret = deps.reportsBySecret(wanted)
    const knownSecret = wanted.config.reportSecret ?? known?.config.reportSecret
    const newReportSecret =
      usesSecret && knownSecret === undefined ? Buffer.from(deps.random.bytes(24)).toString('base64url') : undefined
    const carrier: CarrierConfig = {
      ...wanted,
      concurrency: wanted.concurrency,
      timeoutMs: wanted.timeoutMs,
      channels: [...new Set(wanted.channels)],
      config: { ...wanted.config, ...(usesSecret && { reportSecret: knownSecret ?? newReportSecret }) },
      createdAt: tx.now,
    }
    deps.assertCarrier(carrier)
    await tx.carriers.save(carrier)
    await writeAudit(deps, tx, 'provider.set', carrier.name, { type: carrier.type, channels: carrier.channels })
    return { carrier, ...(newReportSecret !== undefined && { newReportSecret }) }
  })
}

/** A paused carrier gets no new message. What it has already goes on, and its reports count. Throws `not_found`. */
export const pauseCarrier = (deps: AdminDependencies, name: string) => setPaused(deps, name, true)

/** Throws `not_found`. */
export const resumeCarrier = (deps: AdminDependencies, name: string) => setPaused(deps, name, false)

async function setPaused(deps: AdminDependencies, name: string, isPaused: boolean): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const carrier = await lockCarrier(tx, name)
    if ((carrier.pausedAt !== undefined) === isPaused) return
    await tx.carriers.update({ ...carrier, pausedAt: isPaused ? tx.now : undefined })
    await writeAudit(deps, tx, isPaused ? 'provider.pause' : 'provider.resume', name)
  })
}

/** Deletes the credentials that no report is signed with any more. */
export async function forgetFormerCredentials({
  store,
  clock,
}: Pick<AdminDependencies, 'store'> & { clock: Pick<Clock, 'now'> }): Promise<void> {
  const isOver = ({ until }: FormerConfig) => until <= clock.now()
  for (const { name, former } of await store.read.carriers.all()) {
    if (!former?.some(isOver)) continue
    await store.transaction(async (tx) => {
      const carrier = await tx.carriers.lock(name)
      const left = carrier?.former?.filter((one) => !isOver(one)) ?? []
      if (carrier) await tx.carriers.update({ ...carrier, former: left.length > 0 ? left : undefined })
    })
  }
}

export async function removeCarrier(deps: AdminDependencies, name: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    if (!(await tx.carriers.remove(name))) throw missing('provider', name)
    await writeAudit(deps, tx, 'provider.remove', name)
  })
}

/** Which carriers deliver a channel, in order; for one country or app only, where they are named. */
export async function setRoute(deps: AdminDependencies, route: Route): Promise<Route> {
  await setRoutes(deps, route, [route.country])
  return route
}

/** The same route for several countries; undefined stands for every country. */
export async function setRoutes(
  deps: AdminDependencies,
  { channel, appId, carriers: names }: Omit<Route, 'country'>,
  countries: ReadonlyArray<string | undefined>,
): Promise<void> {
  for (const country of countries) {
    assertCountry(country)
    if (country === undefined && needsCountry(channel))
      throw invalid('country', 'required', `a route for ${channel} names its country`)
  }
  if (names.length === 0) throw invalid('providers', 'required', 'at least one')
  if (new Set(names).size < names.length) throw invalid('providers', 'duplicate_field', 'each once')
  await deps.store.transaction(async (tx) => {
    if (appId !== undefined) await lockApp(tx, appId)
    // In one order, whatever the route's is: another one may be set at the same time.
    for (const name of names.toSorted()) assertDelivers(await lockCarrier(tx, name), channel)
    for (const country of countries) {
      await tx.routes.save({ channel, appId, country, carriers: names })
      await writeAudit(deps, tx, 'route.set', whomOf({ channel, appId, country }), { providers: names })
    }
  })
}

async function lockCarrier(tx: Tx, name: string): Promise<CarrierConfig> {
  const carrier = await tx.carriers.lock(name)
  if (!carrier) throw missing('provider', name)
  return carrier
}

function assertDelivers({ name, channels }: CarrierConfig, channel: Leg): void {
  if (channels.includes(channel)) return
  const about = { provider: name, channel }
  throw invalid('providers', 'channel_not_delivered', `${name} does not deliver ${channel}`, about)
}

export async function removeRoute(deps: AdminDependencies, route: Omit<Route, 'carriers'>): Promise<void> {
  await deps.store.transaction(async (tx) => {
    if (!(await tx.routes.remove(route))) throw missing('route', whomOf(route))
    await writeAudit(deps, tx, 'route.remove', whomOf(route))
  })
}

const whomOf = ({ channel, appId, country }: Omit<Route, 'carriers'>) =>
  [channel, appId, country].filter(Boolean).join(' ')
