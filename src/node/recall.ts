/** Limits that count days would start anew with every restart; the issues remember them. */
import type { KeyKind } from '../domain/key'
import { type LimitsConfig, phoneCounters, testBudgets } from '../domain/limit'
import { DAY_MS } from '../domain/value'
import type { Clock } from '../ports/clock'
import type { Reader } from '../ports/store'
import { Limiter } from './limiter'

/** What was issued before kinds were noted counts for each. */
const KINDS: readonly KeyKind[] = ['sk', 'pk']

/** Counts the issues of the last day, a page at a time, so that requests are answered meanwhile. */
export async function recall(read: Reader, limits: LimitsConfig, clock: Pick<Clock, 'now'>): Promise<Limiter> {
  const since = clock.now() - DAY_MS
  const recalled = new Limiter()
  for (const { appId, organizationId } of await read.apps.withRemoved()) {
    for await (const page of read.issues.since({ appId, mode: 'live' }, since)) {
      for (const { keyKind, phoneHash, createdAt } of page)
        for (const kind of keyKind === undefined ? KINDS : [keyKind])
          for (const counter of phoneCounters({ appId, kind, phoneHash }))
            recalled.recall(counter, createdAt, clock.now())
    }
    const budgets = testBudgets(limits, organizationId)
    for await (const page of read.issues.since({ appId, mode: 'test' }, since)) {
      for (const { createdAt } of page) for (const rule of budgets) recalled.recall(rule, createdAt, clock.now())
    }
  }
  return recalled
}
