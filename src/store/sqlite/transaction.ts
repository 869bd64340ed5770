/** What a transaction can do, on the writer's connection. Statements are prepared once and shared by all transactions. */
import type { Database } from 'bun:sqlite'
import type { HeadFile, Tx, Vault } from '../../ports'
import { createAttemptTx } from './attempts'
import { createAuditTx } from './audit'
import { createClockTx } from './clock'
import { createConfigurationTx } from './configuration'
import { createConsoleTx } from './console'
import { createIssueTx } from './issues'
import { createJobTx } from './jobs'
import type { Effects, OpenTx } from './opened'
import { createRetentionTx } from './retention'
import { createUsageTx } from './usage'
import { createWalletTx } from './wallets'
import { createWebhookTx } from './webhooks'

type OpenTransaction = { tx: Tx; effects: Effects; end: () => void }

/** Prepares everything once; the answer opens a transaction at an instant. */
export function createTransactions(
  connection: Database,
  vault: Vault,
  headFile?: HeadFile,
): (now: number) => OpenTransaction {
  const methods = createMethods(connection, vault, headFile)
  return (now) => {
    const effects: Effects = { afterCommit: [], changedConfiguration: false }
    const tx: OpenTx = Object.assign(Object.create(methods), { opened: { now, effects } })
    return { tx, effects, end: () => void Object.setPrototypeOf(tx, ENDED) }
  }
}

/** A transaction that is used after its end throws instead of writing into somebody else's. */
const ENDED = new Proxy(
  {},
  {
    get() {
      throw new Error('This transaction has ended')
    },
  },
)

/** What all transactions share. */
function createMethods(connection: Database, vault: Vault, headFile: HeadFile | undefined): Tx & ThisType<OpenTx> {
  return {
    ...createIssueTx(connection, vault),
    ...createAttemptTx(connection),
    ...createWalletTx(connection),
    ...createJobTx(connection),
    ...createClockTx(connection),
    ...createConfigurationTx(connection, vault),
    ...createWebhookTx(connection, vault),
    ...createConsoleTx(connection, vault),
    ...createAuditTx(connection, vault, headFile),
    ...createUsageTx(connection),
    ...createRetentionTx(connection),
    get now() {
      return this.opened.now
    },
    afterCommit(effect) {
      this.opened.effects.afterCommit.push(effect)
    },
  }
}
