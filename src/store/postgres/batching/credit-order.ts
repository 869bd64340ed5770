/**
 * What is written at the very end, in one order for everybody: by app; of an app what locks its wallet, and then what takes
 * from a part of it that is set aside, which may lock the wallet first where that part is empty. So whoever has such a part
 * waits for no wallet, and takes from it but once. Where that did not hold, two would wait for each other.
 */
import type { Write } from '../connection/unit'

export function inCreditOrder(writes: readonly Write[]): Write[] {
  const left: Write[] = []
  for (const write of writes.toSorted(byApp)) {
    const sum = sumOf(left.at(-1), write)
    if (sum) left.splice(-1, 1, sum)
    else left.push(write)
  }
  return left
}

const byApp = (one: Write, other: Write) => inOrder(appOf(one), appOf(other)) || takesAside(one) - takesAside(other)
const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const appOf = ({ values }: Write) => String(values.appId)
const takesAside = ({ statement }: Write) => Number(statement.summed !== undefined)

/** Of two of a kind for one app. */
function sumOf(one: Write | undefined, { statement, values }: Write): Write | undefined {
  const { summed } = statement
  if (!summed || one?.statement !== statement || one.values.appId !== values.appId) return undefined
  return { statement, values: { ...values, [summed]: Number(one.values[summed]) + Number(values[summed]) } }
}
