/**
 * What time alone does: codes expire, old data goes. Specification: "Verification status"; decisions: retention.
 * Expiry is effective at once wherever it is read; this makes it stored, and erases number and text with it.
 */
import { REPORT_DEADLINE_MS } from '../domain/delivery'
import { markExpired } from '../domain/issue'
import { DAY_MS } from '../domain/value'
import type { Clock, Store } from '../ports'
import { saveIssue } from './save-issue'
import type { TellDependencies } from './tell-events'

const BATCH = 500

export async function expireDue(deps: TellDependencies & { store: Store }): Promise<void> {
  for (;;) {
    const expired = await deps.store.transaction(async (tx) => {
      const due = await tx.lockExpired(BATCH)
      for (const issue of due) await saveIssue(deps, tx, issue, markExpired(issue, tx.now))
      return due.length
    })
    if (expired < BATCH) return
  }
}

export interface Retention {
  store: Store
  clock: Pick<Clock, 'now'>
  liveRetentionDays: number
  idempotencyDays: number
}

/** Test issues live as long as the test inbox shows them. */
const TEST_RETENTION_DAYS = 7

/** What endpoints were told, and what came of it. */
const HOOK_RETENTION_DAYS = 30

/** Deletes what has outlived its retention, a batch a transaction, so that nobody waits long. */
export async function sweepOldData({ store, clock, liveRetentionDays, idempotencyDays }: Retention): Promise<void> {
  const daysAgo = (days: number) => clock.now() - days * DAY_MS
  const inBatches = async (sweep: (limit: number) => Promise<number>) => {
    while ((await sweep(BATCH)) === BATCH);
  }
  await inBatches((limit) =>
    store.transaction((tx) => tx.deleteIssuesBefore('test', daysAgo(TEST_RETENTION_DAYS), limit)),
  )
  await inBatches((limit) =>
    store.transaction((tx) => tx.deleteIssuesBefore('live', daysAgo(liveRetentionDays), limit)),
  )
  await inBatches((limit) => store.transaction((tx) => tx.deleteClaimsBefore(daysAgo(idempotencyDays), limit)))
  await inBatches((limit) =>
    store.transaction((tx) => tx.deleteAwaitedBefore(clock.now() - 2 * REPORT_DEADLINE_MS, limit)),
  )
  await inBatches((limit) => store.transaction((tx) => tx.deleteHooksBefore(daysAgo(HOOK_RETENTION_DAYS), limit)))
  await inBatches((limit) => store.transaction((tx) => tx.deleteExpiredOutbox(limit)))
}
