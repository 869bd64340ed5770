/**
 * Usage by hour and day (UTC). Hours to whose issues nothing more can happen are counted once and kept; the others are
 * counted when somebody looks.
 */
import { REPORT_DEADLINE_MS } from '../domain/delivery/delivery'
import { addUp, type UsageCounts, type UsageRow } from '../domain/operations/usage'
import { DAY_MS, HOUR_MS, type Owner } from '../domain/shared/value'
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
      if (from === undefined || from >= until) return true
      await tx.usage.rollUp(from)
      return false
    })
    if (isDone) return
  }
}

export interface UsageQuery {
  from: number
  to: number
  by: 'hour' | 'day'
  groupBy?: 'channel' | 'provider' | 'country' | 'purpose' | undefined
}

export interface UsageReport {
  total: UsageCounts
  series: Array<UsageCounts & { at: number }>
  groups: Array<UsageCounts & { name: string }>
}

const MAX_POINTS = 1_000

export async function readUsage(
  { store, clock }: UsageDependencies,
  owner: Owner,
  query: UsageQuery,
): Promise<UsageReport> {
  const { by, groupBy } = query
  const stepMs = by === 'hour' ? HOUR_MS : DAY_MS
  const from = Math.floor(query.from / stepMs) * stepMs
  const to = Math.min(Math.ceil(query.to / stepMs) * stepMs, from + MAX_POINTS * stepMs)
  const rows = await store.lists.usage.rows(owner, from, to, clock.now())
  const steps = Math.max(0, Math.round((to - from) / stepMs))
  const byStep = Map.groupBy(rows, ({ at }) => Math.floor((at - from) / stepMs))
  return {
    total: addUp(rows),
    series: Array.from({ length: steps }, (_, step) => ({
      at: from + step * stepMs,
      ...addUp(byStep.get(step) ?? []),
    })),
    groups: groupBy ? groupsOf(rows, groupBy) : [],
  }
}

const MOST_GROUPS = 200

/** The largest ones; of purposes there may be as many as there are issues. */
const groupsOf = (rows: readonly UsageRow[], by: 'channel' | 'provider' | 'country' | 'purpose') =>
  [...Map.groupBy(rows, (row) => row[by === 'provider' ? 'carrier' : by])]
    .map(([name, group]) => ({ name, group, issued: group.reduce((sum, row) => sum + row.issued, 0) }))
    .sort((a, b) => b.issued - a.issued)
    .slice(0, MOST_GROUPS)
    .map(({ name, group }) => ({ name, ...addUp(group) }))
