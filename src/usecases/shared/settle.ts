import type { Issue } from '../../domain/codes/issue'
import type { Settlement } from '../../domain/wallet/wallet'
import type { Tx } from '../../ports/store'

/** What the end of a reservation does to the wallet, exactly once for each issue, in the unit that stores it as `settled`. */
export const settle = (tx: Tx, issue: Issue, settlement: Settlement): Promise<void> =>
  settlement === 'debit' ? tx.wallets.debit(issue.appId, issue) : tx.wallets.release(issue.appId, issue.price)
