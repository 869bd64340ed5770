/** What an owner decides about how long issues are kept. */
import { type App, RETENTION_DAYS } from '../../domain/access/app'
import { invalid } from '../../domain/shared/error'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, lockApp } from './shared'

/** Its live issues go after so many days; undefined: as the server is set. Throws `invalid`, or `not_found`. */
export async function setRetention(
  deps: AdminDependencies,
  appId: string,
  retentionDays: number | undefined,
): Promise<App> {
  const { min, max } = RETENTION_DAYS
  if (retentionDays !== undefined && !(Number.isInteger(retentionDays) && retentionDays >= min && retentionDays <= max))
    throw invalid('days', 'out_of_range', `must be a whole number from ${min} to ${max}`, { min, max })
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const changed = { ...app, retentionDays }
    await tx.apps.save(changed)
    const [days, before] = [retentionDays, app.retentionDays].map((value) => value ?? null)
    await writeAudit(deps, tx, 'app.retention', appId, { days, before })
    return changed
  })
}
