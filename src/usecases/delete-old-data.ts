/** Old data goes. Decisions: "Retention". */

import { REMEMBERED_DAYS } from '../abuse/rules/failure-budget'
import { DECISIONS_KEPT_MS } from '../abuse/rules/incident'
import { REPORT_DEADLINE_MS } from '../domain/delivery/delivery'
import { NOTICES_KEPT_MS } from '../domain/operations/notice'
import { DAY_MS, MODES } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'
import type { RetentionTx } from '../ports/store/retention'
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

/** Deletes what has outlived its retention, a batch a transaction, so that nobody waits long. */
export async function deleteOldData({
  store,
  clock,
  liveRetentionDays,
  idempotencyDays,
}: RetentionDependencies): Promise<void> {
  const daysAgo = (days: number) => clock.now() - days * DAY_MS
  const inBatches = async (sweep: (retention: RetentionTx, limit: number) => Promise<number>) => {
    while ((await store.transaction((tx) => sweep(tx.retention, BATCH))) === BATCH);
  }
  const decidedBefore = clock.now() - DECISIONS_KEPT_MS
  const apps = await store.read.apps.withRemoved()
  for (const { appId, retentionDays = liveRetentionDays } of apps) {
    await inBatches((old, limit) => old.issues({ appId, mode: 'test' }, daysAgo(TEST_RETENTION_DAYS), limit))
    await inBatches((old, limit) => old.issues({ appId, mode: 'live' }, daysAgo(retentionDays), limit))
    await inBatches((old, limit) => old.trafficHours(appId, daysAgo(REMEMBERED_DAYS), limit))
  }
  for (const [what, before] of [
    ['networks', decidedBefore],
    ['keys', daysAgo(idempotencyDays)],
  ] as const) {
    // Without an earlier run there is nothing to remove.
    const from = (await store.transaction((tx) => tx.retention.forgottenUntil(what))) ?? before
    for (const { appId } of apps)
      for (const mode of MODES)
        await inBatches((old, limit) => old.forget(what, { appId, mode }, { from, before }, limit))
    await store.transaction((tx) => tx.retention.noteForgotten(what, before))
  }
  await inBatches((old, limit) => old.failures(daysAgo(REMEMBERED_DAYS), limit))
  await inBatches((old, limit) => old.reports(clock.now() - 2 * REPORT_DEADLINE_MS, limit))
  await inBatches((old, limit) => old.hooks(daysAgo(HOOK_RETENTION_DAYS), limit))
  await forgetFormerCredentials({ store, clock })
  await inBatches((old, limit) => old.decisions(decidedBefore, limit))
  await inBatches((old, limit) => old.trafficSnapshots(daysAgo(1), limit))
  await inBatches((old, limit) => old.incidents(daysAgo(REMEMBERED_DAYS), limit))
  await inBatches((old, limit) => old.notices(clock.now() - NOTICES_KEPT_MS, limit))
  await inBatches((old, limit) => old.absences(clock.now(), limit))
  await inBatches((old, limit) => old.outbox(limit))
}
