/** Limits that count days would start anew with every restart; the issues remember them. */
import type { LimitsConfig } from '../config'
import { Limiter } from '../domain/limit'
import { DAY_MS } from '../domain/value'
import { phoneLimits, testBudgets } from '../mode'
import type { Clock, Store } from '../ports'

interface RecallDependencies {
  store: Pick<Store, 'read'>
  clock: Pick<Clock, 'now'>
  limiter: Limiter
  limits: LimitsConfig
}

/** Counts the issues of the last day, a page at a time, so that requests are answered meanwhile; all, or none. */
export async function recallLimits({ store, clock, limiter, limits }: RecallDependencies): Promise<void> {
  const since = clock.now() - DAY_MS
  const recalled = new Limiter()
  for (const { appId, organizationId } of await store.read.allApps()) {
    for await (const page of store.read.issuesSince({ appId, mode: 'live' }, since)) {
      for (const { phoneHash, createdAt } of page)
        for (const rule of phoneLimits(limits, { appId }, phoneHash)) recalled.recall(rule, createdAt, clock.now())
    }
    for await (const page of store.read.issuesSince({ appId, mode: 'test' }, since)) {
      for (const { createdAt } of page)
        for (const rule of testBudgets(limits, organizationId)) recalled.recall(rule, createdAt, clock.now())
    }
  }
  limiter.adopt(recalled)
}
