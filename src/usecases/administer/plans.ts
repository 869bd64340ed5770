/** Delivery plans: by which channels an app's codes go. Decisions: "Delivery plans". */
import type { App } from '../../domain/access/app'
import { assertLegs, type DeliveryPlan } from '../../domain/delivery/plan'
import { invalid, missing } from '../../domain/shared/error'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, lockApp } from './shared'

type PlanKey = Pick<DeliveryPlan, 'channel' | 'country'>

/**
 * Replaces the plan of the same channel and country. Codes already issued keep the legs they were issued with.
 * Throws `invalid`, or `not_found`.
 */
export async function setPlan(deps: AdminDependencies, appId: string, plan: DeliveryPlan): Promise<DeliveryPlan> {
  assertLegs(plan.legs)
  if (plan.country !== undefined && !/^[A-Z]{2}$/.test(plan.country))
    throw invalid('country', 'invalid_country', `must be an ISO 3166 code such as KR: ${plan.country}`)
  await deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    await tx.apps.save({ ...app, plans: [...othersOf(app, plan), plan] })
    await writeAudit(deps, tx, 'plan.set', nameOf(appId, plan), { legs: plan.legs })
  })
  return plan
}

/** Throws `not_found`. */
export async function removePlan(deps: AdminDependencies, appId: string, plan: PlanKey): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const others = othersOf(app, plan)
    if (others.length === app.plans?.length || !app.plans) throw missing('plan', nameOf(appId, plan))
    await tx.apps.save({ ...app, plans: others.length > 0 ? others : undefined })
    await writeAudit(deps, tx, 'plan.remove', nameOf(appId, plan))
  })
}

const othersOf = ({ plans = [] }: App, { channel, country }: PlanKey) =>
  plans.filter((plan) => plan.channel !== channel || plan.country !== country)

const nameOf = (appId: string, { channel, country }: PlanKey) => [channel, appId, country].filter(Boolean).join(' ')
