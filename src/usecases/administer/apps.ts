import type { App } from '../../ports'
import { noteChange } from '../audit'
import { type AdminDependencies, label, newId } from './shared'

/** Apps belong to the installation's organization; the first app makes it. */
export function createApp(deps: AdminDependencies, { name }: { name: string }): Promise<App> {
  const { random, store } = deps
  const checkedName = label(name, 'name')
  return store.transaction(async (tx) => {
    const organizationId = await tx.organizationId({ organizationId: newId(random, 'org'), name: 'Default' })
    const app = { appId: newId(random, 'app'), organizationId, name: checkedName, createdAt: tx.now }
    await tx.addApp(app)
    await noteChange(deps, tx, 'app.create', app.appId, { name: checkedName })
    return app
  })
}
