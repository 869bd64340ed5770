import type { App } from '../../domain/app'
import { invalid } from '../../domain/error'
import { isRegion } from '../../domain/phone'
import { disable } from '../../domain/webhook'
import { noteChange } from '../audit'
import { newId } from '../shared/id'
import { type AdminDependencies, existingApp, label } from './shared'
import { forgetEndpoint } from './webhooks'

/** Apps belong to the installation's organization; the first app makes it. */
export function createApp(
  deps: AdminDependencies,
  { name, region }: { name: string; region?: string | undefined },
): Promise<App> {
  const { random, store } = deps
  const checkedName = label(name, 'name')
  if (region !== undefined) assertRegion(region)
  return store.transaction(async (tx) => {
    const organizationId = await tx.apps.organizationId({ organizationId: newId(random, 'org'), name: 'Default' })
    const app = { appId: newId(random, 'app'), organizationId, name: checkedName, region, createdAt: tx.now }
    await tx.apps.add(app)
    await noteChange(deps, tx, 'app.create', app.appId, { name: checkedName, ...(region && { region }) })
    return app
  })
}

/** People call it otherwise; its id stays. */
export async function renameApp(deps: AdminDependencies, appId: string, name: string): Promise<App> {
  const app = await existingApp(deps, appId)
  const checkedName = label(name, 'name')
  await deps.store.transaction(async (tx) => {
    await tx.apps.save({ ...app, name: checkedName })
    await noteChange(deps, tx, 'app.rename', appId, { name: checkedName, before: app.name })
  })
  return { ...app, name: checkedName }
}

/** Its numbers without a country are read as of this one from now on; undefined: as of the server's default. */
export async function setRegion(deps: AdminDependencies, appId: string, region: string | undefined): Promise<App> {
  const app = await existingApp(deps, appId)
  if (region !== undefined) assertRegion(region)
  await deps.store.transaction(async (tx) => {
    await tx.apps.save({ ...app, region })
    await noteChange(deps, tx, 'app.region', appId, { region, before: app.region })
  })
  return { ...app, region }
}

function assertRegion(region: string): void {
  if (!isRegion(region))
    throw invalid('region', 'invalid_country', `must be an ISO 3166 country code such as KR: ${region}`)
}

export interface RemovedApp {
  app: App
  revokedKeys: number
  removedWebhooks: number
  /** What its wallet still held. */
  balance: number
}

/**
 * Its keys and webhooks stop at once, and it is found no more. What is under way is still delivered and billed, its
 * issues go when retention takes them, its ledger stays.
 */
export async function removeApp(deps: AdminDependencies, appId: string): Promise<RemovedApp> {
  const { store } = deps
  const app = await existingApp(deps, appId)
  const keys = (await store.read.keys.ofApp(appId)).filter(({ revokedAt }) => revokedAt === undefined)
  const endpoints = await store.read.endpoints.ofApp(appId)
  const balance = await store.transaction(async (tx) => {
    await tx.apps.remove(appId)
    for (const { keyId } of keys) await tx.keys.revoke(keyId, tx.now)
    for (const endpoint of endpoints) await tx.endpoints.save(disable(endpoint, 'Being removed', tx.now))
    const wallet = await tx.wallets.lock(appId)
    const counts = { keys: keys.length, webhooks: endpoints.length }
    await noteChange(deps, tx, 'app.remove', appId, { name: app.name, ...counts, balance: wallet.balance })
    return wallet.balance
  })
  for (const { endpointId } of endpoints) await forgetEndpoint(deps, endpointId)
  return { app, revokedKeys: keys.length, removedWebhooks: endpoints.length, balance }
}
