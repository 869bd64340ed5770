/** Whether a new issue finds room: decided before its transaction, given back where that makes none. */

import type { LimitRule } from '../../domain/access/rate-limits'
import { Refusal } from '../../domain/shared/error'
import type { Entry, IssuePermit, Node } from '../../ports/node'
import type { Tx } from '../../ports/store'

export interface Capacity {
  /** What it is refused with, where there is no room: `unavailable` or `limited`. Some of it only the unit itself can count. */
  confirm(tx: Tx): Promise<Refusal | undefined>
  /** The issue is stored. */
  keep(): void
  /** None was made. */
  giveBack(): Promise<void> | void
}

/** Takes a place in the backlog and counts one under each limit; a replay needs neither, so a refusal waits to be asked for. */
export async function seekAdmission(
  { backlog, limits }: Pick<Node, 'backlog' | 'limits'>,
  rules: readonly LimitRule[],
): Promise<Capacity> {
  try {
    const entry = await backlog.admit()
    try {
      return new TakenCapacity(entry, await limits.admit(rules))
    } catch (refusal) {
      entry.giveBack()
      throw refusal
    }
  } catch (refusal) {
    if (refusal instanceof Refusal) return refused(refusal)
    throw refusal
  }
}

class TakenCapacity implements Capacity {
  constructor(
    private readonly entry: Entry,
    private readonly permit: IssuePermit,
  ) {}

  confirm(tx: Tx): Promise<Refusal | undefined> {
    return this.permit.confirm(tx)
  }

  keep(): void {
    this.entry.keep()
  }

  giveBack(): Promise<void> | void {
    this.entry.giveBack()
    return this.permit.giveBack()
  }
}

const refused = (refusal: Refusal): Capacity => ({ confirm: async () => refusal, keep() {}, giveBack() {} })
