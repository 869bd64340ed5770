/** The doors of a unit. */
import type { Tx } from '../../../ports/store'
import { appTx, challengeTx, templateTx } from '../apps'
import { attemptTx, reportTx } from '../attempts'
import { type AuditTxDependencies, auditTx } from '../audit'
import { carrierTx, routeTx } from '../carriers'
import { clockTx } from '../clock'
import { failureTx } from '../failures'
import { idempotencyTx, issueTx, outboxTx } from '../issues'
import { jobTx } from '../jobs'
import { keyRingTx } from '../key-ring'
import { keyTx } from '../keys'
import { invitationTx, peopleTx, sessionTx } from '../people'
import { erasureTx } from '../phones'
import { retentionTx } from '../retention'
import { trafficTx } from '../traffic'
import { usageTx } from '../usage'
import { walletTx } from '../wallets'
import { endpointsOfOwner, endpointTx, hookTx } from '../webhooks'
import type { Transaction } from './transaction'

export interface TxDependencies extends AuditTxDependencies {
  /** In whose name jobs are claimed. */
  node: string
}

/** All of them cost a unit less than one of its statements. */
export const createTx = (unit: Transaction, { vault, node, ...audited }: TxDependencies): Tx => ({
  get now() {
    return unit.now
  },
  afterCommit: (effect) => unit.afterCommit(effect),
  idempotency: idempotencyTx(unit),
  issues: issueTx(unit, (owner) => {
    endpointsOfOwner(unit, vault, owner)
  }),
  failures: failureTx(unit),
  outbox: outboxTx(unit, vault),
  jobs: jobTx(unit, node),
  attempts: attemptTx(unit),
  reports: reportTx(unit),
  wallets: walletTx(unit),
  endpoints: endpointTx(unit, vault),
  hooks: hookTx(unit, vault),
  apps: appTx(unit),
  challenges: challengeTx(unit, vault),
  keys: keyTx(unit),
  templates: templateTx(unit),
  carriers: carrierTx(unit, vault),
  routes: routeTx(unit),
  people: peopleTx(unit, vault),
  sessions: sessionTx(unit),
  invitations: invitationTx(unit),
  audit: auditTx(unit, { vault, ...audited }),
  usage: usageTx(unit),
  traffic: trafficTx(unit, vault),
  retention: retentionTx(unit),
  erasures: erasureTx(unit),
  clock: clockTx(unit),
  keyRing: keyRingTx(unit, vault),
})
