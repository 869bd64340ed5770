/**
 * The order of the last writes of a transaction. All transactions have the same order, so that they cannot deadlock: by
 * app, and for each app first the writes that lock its wallet, then those that take from a slot of reserved credit.
 * Taking from an empty
 * slot locks the wallet, so a transaction that holds a slot must not wait for a wallet. It takes from each slot only once.
 */
import type { BoundStatement } from '../connection/statement'

export function inCreditOrder(writes: readonly BoundStatement[]): BoundStatement[] {
  const left: BoundStatement[] = []
  for (const write of writes.toSorted(byApp)) {
    const sum = sumOf(left.at(-1), write)
    if (sum) left.splice(-1, 1, sum)
    else left.push(write)
  }
  return left
}

const byApp = (one: BoundStatement, other: BoundStatement) =>
  inOrder(appOf(one), appOf(other)) || takesFromSlot(one) - takesFromSlot(other)
const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const appOf = ({ values }: BoundStatement) => String(values.appId)
const takesFromSlot = ({ statement }: BoundStatement) => Number(statement.summed !== undefined)

/** Two takes from the slot of one app as one, with the sum. */
function sumOf(one: BoundStatement | undefined, { statement, values }: BoundStatement): BoundStatement | undefined {
  const { summed } = statement
  if (!summed || one?.statement !== statement || one.values.appId !== values.appId) return undefined
  return { statement, values: { ...values, [summed]: Number(one.values[summed]) + Number(values[summed]) } }
}
