import { NEW_APP } from '../../abuse/rules/protection'
import type { App } from '../../domain/access/app'
import { isRegion } from '../../domain/phone/phone'
import { invalid } from '../../domain/shared/error'
import { disable } from '../../domain/webhooks/webhook'
import { newId } from '../shared/id'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, label, lockApp, type MakingDependencies } from './shared'
import { forgetEndpoint } from './webhooks'

/** Apps belong to the installation's organization; the first app makes it. */
export function createApp(
  deps: MakingDependencies,
  { name, region }: { name: string; region?: string | undefined },
): Promise<App> {
  const { random, store } = deps
  const checkedName = label(name, 'name')
  if (region !== undefined) assertRegion(region)
  return store.transaction(async (tx) => {
    const organizationId = await tx.apps.organizationId({ organizationId: newId(random, 'org'), name: 'Default' })
    const app = {
      ...{ appId: newId(random, 'app'), organizationId, name: checkedName, region, createdAt: tx.now },
      protection: NEW_APP,
    }
    await tx.apps.add(app)
    await writeAudit(deps, tx, 'app.create', app.appId, { name: checkedName, ...(region && { region }) })
    return app
  })
}

/** People call it otherwise; its id stays. */
export async function renameApp(deps: AdminDependencies, appId: string, name: string): Promise<App> {
  const checkedName = label(name, 'name')
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const renamed = { ...app, name: checkedName }
    await tx.apps.save(renamed)
    await writeAudit(deps, tx, 'app.rename', appId, { name: checkedName, before: app.name })
    return renamed
  })
}

/** Its numbers without a country are read as of this one from now on; undefined: as of the server's default. */
export async function setRegion(deps: AdminDependencies, appId: string, region: string | undefined): Promise<App> {
  if (region !== undefined) assertRegion(region)
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const moved = { ...app, region }
    await tx.apps.save(moved)
    await writeAudit(deps, tx, 'app.region', appId, { region, before: app.region })
    return moved
  })
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
  const { endpoints, ...removed } = await deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const keys = (await tx.keys.ofApp(appId)).filter(({ revokedAt }) => revokedAt === undefined)
    const endpoints = await tx.endpoints.lockOfApp(appId)
    await tx.apps.remove(appId)
    await tx.challenges.remove(appId)
    for (const { keyId } of keys) await tx.keys.revoke(keyId, tx.now)
    for (const endpoint of endpoints) await tx.endpoints.saveState(disable(endpoint, 'Being removed', tx.now))
    const { balance } = await tx.wallets.lock(appId)
    const counts = { keys: keys.length, webhooks: endpoints.length }
    await writeAudit(deps, tx, 'app.remove', appId, { name: app.name, ...counts, balance })
    return { app, endpoints, revokedKeys: keys.length, removedWebhooks: endpoints.length, balance }
  })
  for (const { endpointId } of endpoints) await forgetEndpoint(deps, endpointId)
  return removed
}
