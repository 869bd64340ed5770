/**
 * What operators who see some apps only may call. This is the one place that decides it, from the input alone: a procedure
 * that names nothing of an app is closed to them, unless its contract says that it spans apps or concerns nobody's.
 */
import { seesApp } from '../domain/access/operator'
import { forbidden, invalid } from '../domain/shared/error'
import { isUuid } from '../domain/shared/value'
import type { Store } from '../ports/store'
import { findAnywhere } from '../usecases/inspect'
import type { Administrator } from './context'
import type { Reach } from './contract/base'

type AppOf = (store: Store, id: string) => Promise<string | undefined>

const appOfEndpoint: AppOf = async (store, id) => (await store.read.endpoints.find(id))?.appId

/** Fields of inputs that name an app, or something that belongs to one. */
const APP_OF: Readonly<Record<string, AppOf>> = {
  appId: async (_, id) => id,
  issueId: async (store, id) => (isUuid(id) ? (await findAnywhere(store, id))?.appId : undefined),
  keyId: async (store, id) => (await store.read.keys.find(id))?.appId,
  relayId: async (store, id) => (await store.read.relays.find(id))?.appId,
  endpointId: appOfEndpoint,
  incidentId: async (store, id) => (isUuid(id) ? (await store.read.traffic.incident(id))?.appId : undefined),
  async deliveryId(store, id) {
    const delivery = isUuid(id) ? await store.transaction((tx) => tx.hooks.find(id)) : undefined
    return delivery && appOfEndpoint(store, delivery.endpointId)
  },
}

/** Throws `forbidden`, alike for what belongs to another app and what does not exist. */
export async function assertReach(store: Store, who: Administrator, reach: Reach, input: unknown): Promise<void> {
  if (who.appIds === undefined || reach === 'anyone') return
  const named = Object.entries(Object(input)).filter(([field, id]) => Object.hasOwn(APP_OF, field) && id !== undefined)
  if (reach === 'installation' || (reach === 'app' && named.length === 0))
    throw forbidden('needs_all_apps', 'You see some apps only, and this concerns the installation')
  for (const [field, id] of named) {
    if (typeof id !== 'string') throw invalid(field, 'wrong_type', 'must be a text', { expected: 'string' })
    const appId = await APP_OF[field]?.(store, id)
    if (appId === undefined || !seesApp(who, appId))
      throw forbidden('app_not_yours', 'You see some apps only, and this is not one of them')
  }
}
