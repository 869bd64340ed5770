/** While the master secret is being changed, a hash that somebody looks for may be stored in more than one way. */
import { type CoveredTable, type Sought, soughtRows, storedAnew } from '../covered'
import { lock } from './locks'
import { keptBy, plain } from './statement'
import type { Unit } from './unit'

/** Values as they are given; rows as they come. */
export const asGiven = keptBy((text: string) =>
  plain<readonly unknown[]>(
    text,
    ({ values }) => values as unknown[],
    (row) => row,
  ),
)

/**
 * Stores what is looked for as this server stores it, so that one look finds it. Servers that store it otherwise do not see
 * what this one is about to add: they wait for its unit.
 */
export function bringing(sought: Sought) {
  const rows = asGiven(`${soughtRows(sought)} FOR UPDATE`)
  return async (unit: Unit, hash: Uint8Array, ...within: string[]): Promise<void> => {
    for (const form of unit.cover.otherwise(hash)) {
      lock(unit, `${sought.covered.table} ${within.join('/')} ${Buffer.from(hash).toString('hex')}`)
      const found = await unit.change(rows, { values: [form, ...within] })
      for (const row of found) storeAnew(unit, sought.covered, row)
    }
  }
}

export function storeAnew(unit: Unit, covered: CoveredTable, row: readonly unknown[]): void {
  for (const [text, values] of storedAnew(covered, row, unit.cover)) unit.run(asGiven(text), { values })
}
