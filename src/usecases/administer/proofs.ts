/** What an owner decides about proofs of verification. */
import type { App } from '../../domain/access/app'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, lockApp } from './shared'

/** Whether proofs say what an issue's metadata is: whoever verifies reads it then, also a browser. Throws `not_found`. */
export async function setProvesMetadata(deps: AdminDependencies, appId: string, provesMetadata: boolean): Promise<App> {
  return deps.store.transaction(async (tx) => {
    const app = { ...(await lockApp(tx, appId)), provesMetadata }
    await tx.apps.save(app)
    await writeAudit(deps, tx, 'app.proofs', appId, { provesMetadata })
    return app
  })
}
