/** The port's `Tx` over one PostgreSQL transaction. */
import type { Tx } from '../../../ports/store'
import { appTx, challengeTx, keyTx, relayTx, templateTx } from '../apps'
import { attemptTx, reportTx } from '../attempts'
import { type AuditTxDependencies, auditTx } from '../audit'
import { carrierTx, routeTx } from '../carriers'
import { absenceTx, failureTx } from '../failures'
import { idempotencyTx, issueTx, outboxTx } from '../issues'
import { jobTx } from '../jobs'
import { keyRingTx } from '../key-ring'
import { noticeTx } from '../notices'
import { invitationTx, peopleTx, sessionTx } from '../people'
import { erasureTx } from '../phones'
import { priceTx, reportTokenTx } from '../reports'
import { retentionTx } from '../retention'
import { trafficTx } from '../traffic'
import { usageTx } from '../usage'
import { walletTx } from '../wallets'
import { endpointsOfOwner, endpointTx, hookTx } from '../webhooks'
import type { Transaction } from './transaction'

export interface TxDependencies extends AuditTxDependencies {
  /** The server that claims jobs. */
  node: string
}

/** Made anew for each transaction, which costs less than one of its statements. */
export const createTx = (transaction: Transaction, { vault, node, ...audited }: TxDependencies): Tx => ({
  get now() {
    return transaction.now
  },
  afterCommit: (effect) => transaction.afterCommit(effect),
  idempotency: idempotencyTx(transaction),
  issues: issueTx(transaction, (owner) => {
    endpointsOfOwner(transaction, vault, owner)
  }),
  failures: failureTx(transaction),
  outbox: outboxTx(transaction, vault),
  jobs: jobTx(transaction, node),
  attempts: attemptTx(transaction),
  reports: reportTx(transaction),
  wallets: walletTx(transaction),
  endpoints: endpointTx(transaction, vault),
  hooks: hookTx(transaction, vault),
  apps: appTx(transaction),
  challenges: challengeTx(transaction, vault),
  relays: relayTx(transaction, vault),
  keys: keyTx(transaction),
  templates: templateTx(transaction),
  carriers: carrierTx(transaction, vault),
  routes: routeTx(transaction),
  people: peopleTx(transaction, vault),
  sessions: sessionTx(transaction),
  invitations: invitationTx(transaction),
  audit: auditTx(transaction, { vault, ...audited }),
  usage: usageTx(transaction),
  prices: priceTx(transaction),
  reportTokens: reportTokenTx(transaction),
  traffic: trafficTx(transaction, vault),
  notices: noticeTx(transaction, vault),
  retention: retentionTx(transaction),
  erasures: erasureTx(transaction),
  absences: absenceTx(transaction),
  keyRing: keyRingTx(transaction, vault),
})
