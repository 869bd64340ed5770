/** Hours to whose issues nothing more can happen are counted once and kept; the others are counted when somebody looks. */
import { REPORT_DEADLINE_MS } from '../domain/delivery/delivery'
import { HOUR_MS, MODES, type Owner } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'
import type { OwnedUsageRow } from '../ports/store/wallets'

interface UsageDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
}

/** After the report deadline and the longest life of a code. */
const SETTLED_AFTER_MS = REPORT_DEADLINE_MS + 3 * HOUR_MS
/** Rows of one transaction, which is over within a few milliseconds. */
const ROWS_AT_ONCE = 500
const hourOf = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS

/**
 * Counts the hours that have settled since the last time. Counting reads beside codes that go out, and only what was
 * counted is written in a transaction. Two servers may count an hour at once: both store the same.
 */
export async function rollUpUsage({ store, clock }: UsageDependencies): Promise<void> {
  const { usage } = store.lists
  const until = hourOf(clock.now() - SETTLED_AFTER_MS)
  const rolled = (await usage.rolledUntil()) ?? 0
  if (rolled >= until) return
  /** The next hour of each app and mode that has issues. */
  const next = new Map<Owner, number>()
  const advance = async (owner: Owner, from: number) => {
    const hour = await usage.firstHour(owner, from)
    if (hour !== undefined && hour < until) next.set(owner, hour)
    else next.delete(owner)
  }
  for (const { appId } of await store.read.apps.withRemoved())
    for (const mode of MODES) await advance({ appId, mode }, rolled)
  do {
    const hour = Math.min(...next.values())
    let counted: OwnedUsageRow[] = []
    for (const [owner, at] of next) {
      if (at !== hour) continue
      counted.push(...(await usage.countHour(owner, hour)).map((row) => ({ ...owner, ...row })))
      if (counted.length >= ROWS_AT_ONCE) {
        const rows = counted
        await store.transaction((tx) => tx.usage.keep(rows))
        counted = []
      }
      await advance(owner, hour + HOUR_MS)
    }
    await store.transaction(async (tx) => {
      await tx.usage.keep(counted)
      await tx.usage.markRolled(Math.min(until, ...next.values()))
    })
  } while (next.size > 0)
}
