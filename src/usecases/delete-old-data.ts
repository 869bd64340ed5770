/** Old data goes. Decisions: "Retention". */

import { REMEMBERED_DAYS } from '../abuse/rules/failure-budget'
import { DECISIONS_KEPT_MS } from '../abuse/rules/incident'
import { REPORT_DEADLINE_MS } from '../domain/delivery/delivery'
import { NOTICES_KEPT_MS } from '../domain/operations/notice'
import { DAY_MS } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'
import type { RetentionScope } from '../ports/store/retention'
import { forgetFormerCredentials } from './administer/carriers'

/** A transaction of as many rows, with all that belongs to each, is over within some twenty milliseconds. */
const BATCH = 200

export interface RetentionDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
  liveRetentionDays: number
  idempotencyDays: number
}

/** Test issues live as long as the test inbox shows them. */
const TEST_RETENTION_DAYS = 7

/** Deliveries of webhooks and their attempts. */
const HOOK_RETENTION_DAYS = 30

/** Retention by app in days, removed apps included. */
async function ownRetentions({ read }: Store): Promise<Map<string, number>> {
  const apps = await read.apps.withRemoved()
  return new Map(
    apps.flatMap(({ appId, retentionDays }) => (retentionDays === undefined ? [] : [[appId, retentionDays] as const])),
  )
}

/** Deletes what has outlived its retention, a batch a transaction, so that nobody waits long. */
export async function deleteOldData({
  store,
  clock,
  liveRetentionDays,
  idempotencyDays,
}: RetentionDependencies): Promise<void> {
  const daysAgo = (days: number) => clock.now() - days * DAY_MS
  const inBatches = async (sweep: (limit: number) => Promise<number>) => {
    while ((await sweep(BATCH)) === BATCH);
  }
  const deleteIssues = (whose: RetentionScope, days: number) =>
    inBatches((limit) => store.transaction((tx) => tx.retention.issues(whose, daysAgo(days), limit)))
  await deleteIssues({ mode: 'test', but: [] }, TEST_RETENTION_DAYS)
  const own = await ownRetentions(store)
  await deleteIssues({ mode: 'live', but: [...own.keys()] }, liveRetentionDays)
  for (const [appId, days] of own) await deleteIssues({ mode: 'live', only: appId }, days)
  await inBatches((limit) =>
    store.transaction((tx) => tx.retention.idempotencyRecords(daysAgo(idempotencyDays), limit)),
  )
  await inBatches((limit) => store.transaction((tx) => tx.retention.failures(daysAgo(REMEMBERED_DAYS), limit)))
  await inBatches((limit) =>
    store.transaction((tx) => tx.retention.reports(clock.now() - 2 * REPORT_DEADLINE_MS, limit)),
  )
  await inBatches((limit) => store.transaction((tx) => tx.retention.hooks(daysAgo(HOOK_RETENTION_DAYS), limit)))
  await forgetFormerCredentials({ store, clock })
  const decidedBefore = clock.now() - DECISIONS_KEPT_MS
  await inBatches((limit) => store.transaction((tx) => tx.retention.decisions(decidedBefore, limit)))
  await inBatches((limit) => store.transaction((tx) => tx.retention.networks(decidedBefore, limit)))
  await inBatches((limit) => store.transaction((tx) => tx.retention.trafficHours(daysAgo(REMEMBERED_DAYS), limit)))
  await inBatches((limit) => store.transaction((tx) => tx.retention.trafficSnapshots(daysAgo(1), limit)))
  await inBatches((limit) => store.transaction((tx) => tx.retention.incidents(daysAgo(REMEMBERED_DAYS), limit)))
  await inBatches((limit) => store.transaction((tx) => tx.retention.notices(clock.now() - NOTICES_KEPT_MS, limit)))
  await inBatches((limit) => store.transaction((tx) => tx.retention.absences(clock.now(), limit)))
  await inBatches((limit) => store.transaction((tx) => tx.retention.outbox(limit)))
}
