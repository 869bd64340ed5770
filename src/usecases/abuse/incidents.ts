/** Operators act on incidents: block a country or prefix for a while, end an incident, refund its codes. */

import { ended, type Incident, REOPENED_MS, SEEN_AFTER_MS } from '../../abuse/rules/incident'
import { type ActiveBlock, assertProtection, MAX_REOPENED_HOURS, protectionOf } from '../../abuse/rules/protection'
import type { App } from '../../domain/access/app'
import { invalid, missing } from '../../domain/shared/error'
import { DAY_MS, HOUR_MS, isUuid } from '../../domain/shared/value'
import type { Clock } from '../../ports/clock'
import type { Tx } from '../../ports/store'
import { assessIncident, refundIncident } from '../administer/incident'
import { type AdminDependencies, lockApp } from '../administer/shared'
import { writeAudit } from '../shared/write-audit'

/**
 * A country, or a prefix of its numbers (keyed hash, hexadecimal digits), for one kind of key or both.
 */
export type BlockedPlace = Omit<ActiveBlock, 'until'>

/**
 * Blocks a place for a day, or for `forMs`. A block of both kinds of key replaces one of a single kind. Throws
 * `invalid` and `not_found`.
 */
export const blockPlace = (
  deps: AdminDependencies,
  appId: string,
  { forMs = DAY_MS, ...place }: BlockedPlace & { forMs?: number | undefined },
): Promise<App> =>
  changeBlocks(deps, appId, 'app.block', place, (others, now) => [...others, { ...place, until: now + forMs }])

/** Ends a block; without a kind of key those of both kinds. Throws `not_found`. */
export const unblockPlace = (deps: AdminDependencies, appId: string, place: BlockedPlace): Promise<App> =>
  changeBlocks(deps, appId, 'app.unblock', place, (others) => others)

async function changeBlocks(
  deps: AdminDependencies,
  appId: string,
  action: string,
  { country, prefix, kind }: BlockedPlace,
  change: (others: ActiveBlock[], now: number) => ActiveBlock[],
): Promise<App> {
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const before = protectionOf(app)
    const isSame = (block: ActiveBlock) =>
      block.country === country && block.prefix === prefix && (kind === undefined || block.kind === kind)
    const isOther = (block: ActiveBlock) => block.until > tx.now && !isSame(block)
    const blocks = change(before.blocks.filter(isOther), tx.now)
    assertProtection({ ...before, blocks })
    const changed = { ...app, protection: { ...before, blocks } }
    await tx.apps.save(changed)
    await writeAudit(deps, tx, action, appId, {
      country,
      ...(prefix !== undefined && { prefix }),
      ...(kind && { keys: kind }),
    })
    return changed
  })
}

/** Throws `not_found`. */
export async function existingIncident(
  { store }: Pick<AdminDependencies, 'store'>,
  incidentId: string,
): Promise<Incident> {
  const incident = isUuid(incidentId) ? await store.read.traffic.incident(incidentId) : undefined
  if (!incident) throw missing('incident', incidentId)
  return incident
}

/**
 * Ends an incident and its pause. For a day, or for `forHours` (1 to 168), no rule about unverified codes refuses in
 * its segment. Caps and closed countries still hold. Answers until when, Unix milliseconds. Throws `invalid` and
 * `not_found`.
 */
export async function endIncident(
  deps: AdminDependencies,
  incidentId: string,
  forHours = REOPENED_MS / HOUR_MS,
): Promise<{ incident: Incident; reopenedUntil: number }> {
  if (!(Number.isInteger(forHours) && forHours >= 1 && forHours <= MAX_REOPENED_HOURS))
    throw invalid('hours', 'out_of_range', `must be 1 to ${MAX_REOPENED_HOURS}`, { min: 1, max: MAX_REOPENED_HOURS })
  const { appId, kind, country } = await existingIncident(deps, incidentId)
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const incident = await lockIncident(tx, incidentId)
    const protection = protectionOf(app)
    const reopenedUntil = tx.now + forHours * HOUR_MS
    const others = protection.reopened.filter(
      (one) => one.until > tx.now && (one.kind !== kind || one.country !== country),
    )
    const changed = { ...protection, reopened: [...others, { kind, country, until: reopenedUntil }] }
    assertProtection(changed)
    await tx.apps.save({ ...app, protection: changed })
    const after = incident.endedAt === undefined ? ended(incident, tx.now) : incident
    await tx.traffic.saveIncident(after)
    await writeAudit(deps, tx, 'incident.end', appId, { incidentId, hours: forHours })
    return { incident: after, reopenedUntil }
  })
}

export interface RefundedIncident {
  incident: Incident
  /** Refunded by this call. */
  refunded: { issues: number; credits: number }
  /** Issues that are not charged yet, since their carriers may still report for up to a day. */
  undecided: number
}

/**
 * Refunds, once each, the unverified codes of the incident's segment, from an hour before it was seen until it ended.
 * Throws `not_found`.
 */
export async function refundUntyped(
  deps: AdminDependencies & { clock: Pick<Clock, 'now' | 'after'> },
  incidentId: string,
): Promise<RefundedIncident> {
  const { appId, country, kind, since, endedAt = deps.clock.now() } = await existingIncident(deps, incidentId)
  const problem = { appId, problem: 'untyped', from: since - SEEN_AFTER_MS, to: endedAt, country, kind } as const
  const damage = await assessIncident(deps, problem)
  const refunded = await refundIncident(deps, problem, damage)
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
