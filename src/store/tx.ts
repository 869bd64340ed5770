/** The port's `Tx` over one transaction of either database. */
import type { Tx } from '../ports/store'
import { adminTx } from './admin'
import { appTx, challengeTx, keyTx, templateTx } from './apps'
import { attemptTx, reportTx } from './attempts'
import { auditTx, type SealedStore } from './audit'
import { carrierTx, routeTx } from './carriers'
import { absenceTx, failureTx } from './failures'
import { idempotencyTx, issueTx, outboxTx } from './issues'
import { jobTx } from './jobs'
import { keyRingTx } from './key-ring'
import { noticeTx } from './notices'
import { invitationTx, peopleTx, sessionTx } from './people'
import { erasureTx } from './phones'
import { relayTx } from './relays'
import { priceTx } from './reports'
import { retentionTx } from './retention'
import type { Session } from './session'
import { trafficTx } from './traffic'
import { usageTx } from './usage'
import { walletTx } from './wallets'
import { endpointTx, hookTx } from './webhooks'

export interface TxDependencies extends SealedStore {
  /** The server that claims jobs. */
  node?: string
}

type Door = Exclude<keyof Tx, 'now' | 'afterCommit'>

const DOORS: { [Name in Door]: (tx: Session, deps: TxDependencies) => Tx[Name] } = {
  idempotency: idempotencyTx,
  issues: issueTx,
  failures: failureTx,
  outbox: (tx, { vault }) => outboxTx(tx, vault),
  jobs: (tx, { node }) => jobTx(tx, node),
  attempts: attemptTx,
  reports: reportTx,
  wallets: walletTx,
  endpoints: (tx, { vault }) => endpointTx(tx, vault),
  hooks: (tx, { vault }) => hookTx(tx, vault),
  apps: appTx,
  challenges: (tx, { vault }) => challengeTx(tx, vault),
  relays: (tx, { vault }) => relayTx(tx, vault),
  keys: keyTx,
  templates: templateTx,
  carriers: (tx, { vault }) => carrierTx(tx, vault),
  routes: routeTx,
  people: (tx, { vault }) => peopleTx(tx, vault),
  sessions: sessionTx,
  invitations: invitationTx,
  admin: (tx, { vault }) => adminTx(tx, vault),
  audit: auditTx,
  usage: usageTx,
  prices: priceTx,
  traffic: (tx, { vault }) => trafficTx(tx, vault),
  notices: (tx, { vault }) => noticeTx(tx, vault),
  retention: retentionTx,
  erasures: erasureTx,
  absences: absenceTx,
  keyRing: (tx, { vault }) => keyRingTx(tx, vault),
}

/** Doors that were opened in a session, each when it is first used. */
export type OpenedDoors = { [Name in Door]?: Tx[Name] }

/**
 * `opened`: shared by the transactions of a session. Throws when it is used after its end, so that it cannot write into another
 * transaction.
 */
export function openTx(session: Session, deps: TxDependencies, opened: OpenedDoors = {}): { tx: Tx; end(): void } {
  let hasEnded = false
  const door = <Name extends Door>(name: Name): Tx[Name] => (opened[name] ??= DOORS[name](session, deps))
  const tx = new Proxy({} as Tx, {
    get(_, name) {
      if (hasEnded) throw new Error('This transaction has ended')
      if (name === 'now') return session.now
      if (name === 'afterCommit') return session.afterCommit.bind(session)
      return name in DOORS ? door(name as Door) : undefined
    },
  })
  return {
    tx,
    end() {
      hasEnded = true
    },
  }
}
