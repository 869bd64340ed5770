/** The port's `Tx` on the writer's connection. Statements are prepared once and shared by all transactions. */
import type { Database } from 'bun:sqlite'
import type { HeadFile } from '../../../ports/files'
import type { Tx } from '../../../ports/store'
import type { Vault } from '../../../ports/vault'
import { openTx } from '../../failure'
import { createAppTx, createChallengeTx, createKeyTx, createRelayTx } from '../apps'
import { createAttemptTx } from '../attempts'
import { createAuditTx } from '../audit'
import { createCarrierTx } from '../carriers'
import { createAbsenceTx, createFailureTx } from '../failures'
import { createIssueTx } from '../issues'
import { createJobTx } from '../jobs'
import { createKeyRingTx } from '../key-ring'
import { createNoticeTx } from '../notices'
import { createPeopleTx } from '../people'
import { createErasureTx } from '../phones'
import { createReportTx } from '../reports'
import { createRetentionTx } from '../retention'
import { createTrafficTx } from '../traffic'
import { createUsageTx } from '../usage'
import { createWalletTx } from '../wallets'
import { createWebhookTx } from '../webhooks'
import type { TransactionState } from './transaction-state'

export interface OpenTransaction {
  tx: Tx
  /** Ends `tx` and answers what is to happen once it is on disk. */
  end: () => ReturnType<TransactionState['end']>
}

/** Answers a function that begins a transaction at an instant. One runs at a time. */
export function createTransactions(
  connection: Database,
  vault: Vault,
  headFile: HeadFile | undefined,
  current: TransactionState,
): (now: number) => OpenTransaction {
  const methods = createTx(connection, vault, headFile, current)
  return (now) => {
    current.begin(now)
    const { tx, end } = openTx(methods)
    return {
      tx,
      end() {
        end()
        return current.end()
      },
    }
  }
}

function createTx(connection: Database, vault: Vault, headFile: HeadFile | undefined, current: TransactionState): Tx {
  const { retention, ...webhooks } = createWebhookTx(connection, vault)
  return {
    ...createIssueTx(connection, vault, current),
    ...createFailureTx(connection),
    ...createAttemptTx(connection),
    ...createWalletTx(connection, current),
    ...createJobTx(connection, current),
    ...createAppTx(connection, current),
    ...createChallengeTx(connection, vault, current),
    ...createRelayTx(connection, vault, current),
    ...createKeyTx(connection, current),
    ...createCarrierTx(connection, vault, current),
    ...webhooks,
    ...createPeopleTx(connection, vault, current),
    ...createAuditTx(connection, vault, headFile, current),
    ...createUsageTx(connection),
    ...createReportTx(connection),
    ...createTrafficTx(connection, vault),
    ...createNoticeTx(connection, vault),
    ...createErasureTx(connection, current),
    ...createAbsenceTx(connection),
    ...createKeyRingTx(connection, vault, current),
    retention: { ...createRetentionTx(connection, current), ...retention },
    get now() {
      return current.now
    },
    afterCommit(effect) {
      current.afterCommit(effect)
    },
  }
}
