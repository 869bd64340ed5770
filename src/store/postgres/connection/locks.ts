/** Locks of what is no row, or not yet: held until the unit ends. */
import { plain } from './statement'
import type { Unit } from './unit'

const LOCK = plain(
  'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
  ({ what }) => [what],
  () => true,
)

/** Sent before whatever the unit asks next; nobody waits for it alone. */
export function lock(unit: Unit, what: string): void {
  unit.all(LOCK, { what }).catch(() => {
    // The unit knows what went wrong.
  })
}
