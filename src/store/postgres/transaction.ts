/** The doors of a unit, each made when it is first used. */
import type { Tx } from '../../ports/store'
import { appTx, templateTx } from './apps'
import { attemptTx, reportTx } from './attempts'
import { type AuditDependencies, auditTx } from './audit'
import { carrierTx, routeTx } from './carriers'
import { challengeTx } from './challenges'
import { clockTx } from './clock'
import { failureTx } from './failures'
import { claimTx, issueTx, outboxTx } from './issues'
import { jobTx } from './jobs'
import { keyTx } from './keys'
import { invitationTx, peopleTx, sessionTx } from './people'
import { erasureTx } from './phones'
import { retentionTx } from './retention'
import { ringTx } from './ring'
import { trafficTx } from './traffic'
import type { Unit } from './unit'
import { usageTx } from './usage'
import { walletTx } from './wallets'
import { endpointsOfOwner, endpointTx, hookTx } from './webhooks'

export interface DoorDependencies extends AuditDependencies {
  /** In whose name jobs are claimed. */
  node: string
}

type Doors = { [Name in keyof Tx]: (unit: Unit, deps: DoorDependencies) => Tx[Name] }

const DOORS: Omit<Doors, 'now' | 'afterCommit'> = {
  claims: claimTx,
  issues: (unit, { vault }) =>
    issueTx(unit, (owner) => {
      endpointsOfOwner(unit, vault, owner)
    }),
  failures: failureTx,
  outbox: (unit, { vault }) => outboxTx(unit, vault),
  jobs: (unit, { node }) => jobTx(unit, node),
  attempts: attemptTx,
  reports: reportTx,
  wallets: walletTx,
  endpoints: (unit, { vault }) => endpointTx(unit, vault),
  hooks: (unit, { vault }) => hookTx(unit, vault),
  apps: appTx,
  challenges: (unit, { vault }) => challengeTx(unit, vault),
  keys: keyTx,
  templates: templateTx,
  carriers: (unit, { vault }) => carrierTx(unit, vault),
  routes: routeTx,
  people: (unit, { vault }) => peopleTx(unit, vault),
  sessions: sessionTx,
  invitations: invitationTx,
  audit: auditTx,
  usage: usageTx,
  traffic: trafficTx,
  retention: retentionTx,
  erasures: erasureTx,
  clock: clockTx,
  ring: (unit, { vault }) => ringTx(unit, vault),
}

/** Where the doors of one unit are. */
interface Hall {
  hall: object
  unit: Unit
  deps: DoorDependencies
}

const PROTOTYPE: object = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.entries(DOORS).map(([name, open]) => [
      name,
      {
        get(this: Hall) {
          const door = (open as (unit: Unit, deps: DoorDependencies) => unknown)(this.unit, this.deps)
          Object.defineProperty(this.hall, name, { value: door })
          return door
        },
      },
    ]),
  ),
)

export function doorsOf(unit: Unit, deps: DoorDependencies): Tx {
  const hall = Object.create(PROTOTYPE, {
    unit: { value: unit },
    deps: { value: deps },
    now: { get: () => unit.now },
    afterCommit: { value: (effect: () => void) => unit.afterCommit(effect) },
  })
  return Object.defineProperty(hall, 'hall', { value: hall })
}
