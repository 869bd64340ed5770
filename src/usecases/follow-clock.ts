/**
 * Somebody set the clock back. What was to run at a moment of the old clock would wait for as long as it was set back:
 * a lease of a process that died would hold its message for hours, a retry of seconds would come tomorrow.
 */
import type { Clock, Store } from '../ports'

/** Less is the usual correction of a clock, and nobody waits long for it. */
const NOTICED_MS = 1_000

/** Call it now and then: it sees by the clock that never steps when the other one was set back since the last call. */
export function createClockWatch({ store, clock }: { store: Store; clock: Clock }): () => Promise<void> {
  const lead = () => clock.now() - clock.elapsed()
  let before = lead()
  return async () => {
    const setBackMs = before - lead()
    if (setBackMs >= NOTICED_MS) await store.transaction((tx) => tx.planAnew(setBackMs))
    before = lead()
  }
}
