/**
 * Codes expire. Specification: "Verification status". Expiry is effective at once wherever it is read; this makes it stored,
 * and erases number and text with it.
 */
import { markExpired } from '../domain/verification/verification'
import type { Store } from '../ports/store'
import type { SaveDependencies } from './shared/save-change'
import { saveChange } from './shared/save-change'

const BATCH = 500

export async function expireDue(deps: SaveDependencies & { store: Store }): Promise<void> {
  for (;;) {
    const expired = await deps.store.transaction(async (tx) => {
      const due = await tx.issues.lockExpired(BATCH)
      for (const issue of due) await saveChange(deps, tx, issue, markExpired(issue, tx.now))
      return due.length
    })
    if (expired < BATCH) return
  }
}
