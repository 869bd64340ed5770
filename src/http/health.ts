/** `/healthz`: the process answers. `/readyz`: it can do its work. */
import type { Clock, Store } from '../ports'

interface HealthDependencies {
  store: Store
  clock: Clock
  /** When the dispatcher last looked for work, Unix milliseconds. */
  dispatcherLookedAt: () => number
}

interface Readiness {
  status: 'ready' | 'not_ready'
  checks: { database: boolean; migrations: boolean; dispatcher: boolean }
}

const DISPATCHER_SILENT_MS = 10_000
/** One write serves all who ask within this time, so that asking costs the disk nothing. */
const KEPT_MS = 1_000

export function createReadiness({ store, clock, dispatcherLookedAt }: HealthDependencies): () => Promise<Readiness> {
  let kept: { at: number; readiness: Promise<Readiness> } | undefined

  async function examine(): Promise<Readiness> {
    const database = await store.assertWritable().then(
      () => true,
      () => false,
    )
    const dispatcher = clock.now() - dispatcherLookedAt() < DISPATCHER_SILENT_MS
    // The store does not open before every migration is applied.
    const checks = { database, migrations: true, dispatcher }
    return { status: database && dispatcher ? 'ready' : 'not_ready', checks }
  }

  return () => {
    if (!kept || Math.abs(clock.now() - kept.at) > KEPT_MS) kept = { at: clock.now(), readiness: examine() }
    return kept.readiness
  }
}
