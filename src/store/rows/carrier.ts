/** Carriers, their health, and routes. */
import type { CarrierConfig, Health } from '../../domain/delivery/carrier'
import type { ReportTally } from '../../domain/delivery/report-tally'
import type { Route } from '../../domain/delivery/route'
import type { Vault } from '../../ports/vault'

interface CarrierRow extends Omit<CarrierConfig, 'config' | 'former' | 'changedAt'> {
  /** Encrypted, because it holds credentials. */
  config: Uint8Array
  changedAt: number
}

export const configSeal = (name: string) => `provider:${name}`

export const carrierOf = (vault: Vault, row: CarrierRow): CarrierConfig => ({
  ...row,
  ...(JSON.parse(vault.open(configSeal(row.name), row.config)) as Pick<CarrierConfig, 'config' | 'former'>),
})

export const carrierRow = (
  vault: Vault,
  { config, former, ...carrier }: CarrierConfig,
  changedAt: number,
): CarrierRow => ({
  ...carrier,
  config: vault.seal(configSeal(carrier.name), JSON.stringify({ config, former })),
  changedAt,
})

const TOOK = 'answered_at - called_at'

/** How long a carrier took, in steps of about a tenth, so that few rows count many calls. A clock may have been set back. */
export const ROUNDED_MS = `CASE WHEN ${TOOK} < 0 THEN 0 WHEN ${TOOK} < 100 THEN ${TOOK}
  WHEN ${TOOK} < 1000 THEN (${TOOK}) / 10 * 10 ELSE (${TOOK}) / 100 * 100 END`

interface HealthRow extends Omit<Health, 'isStill'> {
  carrier: string
}

export const healthOf = ({ carrier: _, ...health }: HealthRow): Health => health

/** An empty string stands for every country or every app. */
interface RouteRow extends Pick<Route, 'channel' | 'carriers'> {
  country: string
  appId: string
}

export const routeOf = ({ country, appId, ...route }: RouteRow): Route => ({
  ...route,
  country: country || undefined,
  appId: appId || undefined,
})

export const routeKey = ({ channel, country = '', appId = '' }: Omit<Route, 'carriers'>) => ({
  ...{ channel, country, appId },
})

/** The name of the fact that holds what came of a carrier's reports. */
export const reportsFact = (carrier: string): string => `${REPORTS_OF}${carrier}`
export const REPORTS_OF = 'reports of '

export const reportsIn = ({ value }: { value: Uint8Array }): ReportTally => JSON.parse(Buffer.from(value).toString())
