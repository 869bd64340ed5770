/** Whether a new issue finds room: decided before its transaction, given back where that makes none. */

import type { LimitRule } from '../../domain/access/rate-limits'
import { Refusal } from '../../domain/shared/error'
import type { BacklogPermit, IssuePermit, Node } from '../../ports/node'
import type { Tx } from '../../ports/store'

/** Disposed of, it gives back what it took, unless the issue was stored. */
export interface Capacity extends AsyncDisposable {
  /** The refusal where there is no room: `unavailable` or `limited`. Some limits only the transaction itself can count. */
  confirm(tx: Tx): Promise<Refusal | undefined>
  /** The issue is stored. */
  keep(): void
}

/** Takes room in the backlog and counts one under each limit. A replay needs neither, so a refusal waits in `confirm`. */
export async function reserveCapacity(
  { backlog, limits }: Pick<Node, 'backlog' | 'limits'>,
  rules: readonly LimitRule[],
): Promise<Capacity> {
  try {
    const entry = await backlog.acquire()
    try {
      return new ReservedCapacity(entry, await limits.acquireForIssue(rules))
    } catch (refusal) {
      entry.release()
      throw refusal
    }
  } catch (refusal) {
    if (refusal instanceof Refusal) return { confirm: async () => refusal, keep() {}, async [Symbol.asyncDispose]() {} }
    throw refusal
  }
}

class ReservedCapacity implements Capacity {
  #isKept = false

  constructor(
    private readonly entry: BacklogPermit,
    private readonly permit: IssuePermit,
  ) {}

  confirm(tx: Tx): Promise<Refusal | undefined> {
    return this.permit.confirm(tx)
  }

  keep(): void {
    this.#isKept = true
    this.entry.markStored()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isKept) return
    this.entry.release()
    await this.permit.release()
  }
}
