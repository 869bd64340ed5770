/** Hours to whose issues nothing more can happen are counted once and kept; the others are counted when somebody looks. */
import { REPORT_DEADLINE_MS } from '../domain/delivery/delivery'
import { HOUR_MS } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'

interface UsageDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
}

/** After the report deadline and the longest life of a code. */
const SETTLED_AFTER_MS = REPORT_DEADLINE_MS + 3 * HOUR_MS
const hourOf = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS

/** Counts the hours that have settled since the last time. */
export async function rollUpUsage({ store, clock }: UsageDependencies): Promise<void> {
  const until = hourOf(clock.now() - SETTLED_AFTER_MS)
  for (;;) {
    const isDone = await store.transaction(async (tx) => {
      const from = await tx.usage.rolledUntil()
      if (from >= until) return true
      await tx.usage.rollUp(from, until)
      return false
    })
    if (isDone) return
  }
}
