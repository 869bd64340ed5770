/** What an operator does about codes that nobody types: stop a place for a while, end an incident, give back what it cost. */
import type { App } from '../../domain/app'
import { missing } from '../../domain/error'
import { ended, type Incident, SEEN_AFTER_MS } from '../../domain/incident'
import { assertProtection, type Block, protectionOf } from '../../domain/protection'
import { DAY_MS, isUuid } from '../../domain/value'
import type { Clock } from '../../ports/clock'
import type { Tx } from '../../ports/store'
import { noteChange } from '../shared/note-change'
import { assessIncident, refundIncident } from './incident'
import { type AdminDependencies, lockApp } from './shared'

/** A country, or a prefix of its numbers by the keyed hash of its digits, as hexadecimal digits. */
export type BlockedPlace = Omit<Block, 'until'>

/** Nothing is sent there for a day, or for so many milliseconds. Throws `invalid` and `not_found`. */
export const blockPlace = (
  deps: AdminDependencies,
  appId: string,
  { forMs = DAY_MS, ...place }: BlockedPlace & { forMs?: number | undefined },
): Promise<App> =>
  changeBlocks(deps, appId, 'app.block', place, (others, now) => [...others, { ...place, until: now + forMs }])

export const unblockPlace = (deps: AdminDependencies, appId: string, place: BlockedPlace): Promise<App> =>
  changeBlocks(deps, appId, 'app.unblock', place, (others) => others)

async function changeBlocks(
  deps: AdminDependencies,
  appId: string,
  action: string,
  { country, prefix }: BlockedPlace,
  change: (others: Block[], now: number) => Block[],
): Promise<App> {
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const before = protectionOf(app)
    const isOther = (block: Block) => block.until > tx.now && (block.country !== country || block.prefix !== prefix)
    const blocks = change(before.blocks.filter(isOther), tx.now)
    assertProtection({ ...before, blocks })
    const changed = { ...app, protection: { ...before, blocks } }
    await tx.apps.save(changed)
    await noteChange(deps, tx, action, appId, { country, ...(prefix !== undefined && { prefix }) })
    return changed
  })
}

/** A pause that it has brought about is over. Throws `not_found`. */
export async function endIncident(deps: AdminDependencies, incidentId: string): Promise<Incident> {
  return deps.store.transaction(async (tx) => {
    const incident = await lockIncident(tx, incidentId)
    if (incident.endedAt !== undefined) return incident
    const after = ended(incident, tx.now)
    await tx.traffic.saveIncident(after)
    await noteChange(deps, tx, 'incident.end', incident.appId, { incidentId })
    return after
  })
}

export interface RefundedIncident {
  incident: Incident
  /** Of this time. */
  refunded: { issues: number; credits: number }
  /** Not charged yet: their carriers may still report, at most for a day. */
  undecided: number
}

/**
 * Gives back, once each, what codes have cost that nobody typed: for its country and kind of key, from an hour before it was
 * seen until it ended. Throws `not_found`.
 */
export async function refundUntyped(
  deps: AdminDependencies & { clock: Pick<Clock, 'now' | 'after'> },
  incidentId: string,
): Promise<RefundedIncident> {
  const found = isUuid(incidentId) ? await deps.store.read.traffic.incident(incidentId) : undefined
  if (!found) throw missing('incident', incidentId)
  const { appId, country, kind, since, endedAt = deps.clock.now() } = found
  const mishap = { appId, mishap: 'untyped', from: since - SEEN_AFTER_MS, to: endedAt, country, kind } as const
  const damage = await assessIncident(deps, mishap)
  const refunded = await refundIncident(deps, mishap, damage)
  const incident = await deps.store.transaction(async (tx) => {
    const before = await lockIncident(tx, incidentId)
    const after = { ...before, refunded: (before.refunded ?? 0) + refunded.credits }
    await tx.traffic.saveIncident(after)
    return after
  })
  return { incident, refunded, undecided: damage.undecided }
}

async function lockIncident(tx: Tx, incidentId: string): Promise<Incident> {
  const incident = isUuid(incidentId) ? await tx.traffic.lockIncidentById(incidentId) : undefined
  if (!incident) throw missing('incident', incidentId)
  return incident
}
