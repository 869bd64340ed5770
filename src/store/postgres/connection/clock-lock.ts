/** How transactions and the adjustment to a clock that was set back keep apart. */

/** The advisory lock of the clock: transactions hold it shared, the adjustment of stored times holds it exclusively. */
export const CLOCK = `hashtextextended('clock', 0)`

/** The clock stepped, or the process stood still for long, within a transaction: it runs again. */
export class ClockSetError extends Error {
  override name = 'ClockSetError'
}

/** The transaction began by a clock that was set back: it runs again once stored times are adjusted. */
export class SetBackError extends Error {
  override name = 'SetBackError'
}
