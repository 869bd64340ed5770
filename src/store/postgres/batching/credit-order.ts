/**
 * What is written at the very end, in one order for everybody: by app; of an app what locks its wallet, and then what takes
 * from a part of it that is set aside, which may lock the wallet first where that part is empty. So whoever has such a part
 * waits for no wallet, and takes from it but once. Where that did not hold, two would wait for each other.
 */
import type { BoundStatement } from '../connection/transaction'

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
  inOrder(appOf(one), appOf(other)) || takesAside(one) - takesAside(other)
const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const appOf = ({ values }: BoundStatement) => String(values.appId)
const takesAside = ({ statement }: BoundStatement) => Number(statement.summed !== undefined)

/** Of two of a kind for one app. */
function sumOf(one: BoundStatement | undefined, { statement, values }: BoundStatement): BoundStatement | undefined {
  const { summed } = statement
  if (!summed || one?.statement !== statement || one.values.appId !== values.appId) return undefined
  return { statement, values: { ...values, [summed]: Number(one.values[summed]) + Number(values[summed]) } }
}
