/** Apps, and what their owners decide: delivery plans, texts, proofs of verification and retention. */
import { NEW_APP } from '../../abuse/rules/protection'
import { type App, RETENTION_DAYS } from '../../domain/access/app'
import { assertLegs, type DeliveryPlan } from '../../domain/delivery/plan'
import { asHost, assertAndroidHash, type Texts, textsOf } from '../../domain/message/rendered-message'
import { isRegion } from '../../domain/phone/phone'
import { invalid, missing } from '../../domain/shared/error'
import { disable } from '../../domain/webhooks/webhook'
import { newId } from '../shared/id'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, assertCountry, label, lockApp, type MakingDependencies } from './shared'
import { forgetEndpoint } from './webhooks'

/** Apps belong to the installation's organization; the first app makes it. */
export function createApp(
  deps: MakingDependencies,
  { name, region }: { name: string; region?: string | undefined },
): Promise<App> {
  const { random, store } = deps
  const checkedName = label(name, 'name')
  if (region !== undefined) assertRegion(region)
  return store.transaction(async (tx) => {
    const organizationId = await tx.apps.organizationId({ organizationId: newId(random, 'org'), name: 'Default' })
    const app = {
      ...{ appId: newId(random, 'app'), organizationId, name: checkedName, region, createdAt: tx.now },
      protection: NEW_APP,
    }
    await tx.apps.add(app)
    await writeAudit(deps, tx, 'app.create', app.appId, { name: checkedName, ...(region && { region }) })
    return app
  })
}

/** People call it otherwise; its id stays. */
export async function renameApp(deps: AdminDependencies, appId: string, name: string): Promise<App> {
  const checkedName = label(name, 'name')
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const renamed = { ...app, name: checkedName }
    await tx.apps.save(renamed)
    await writeAudit(deps, tx, 'app.rename', appId, { name: checkedName, before: app.name })
    return renamed
  })
}

/** Its numbers without a country are read as of this one from now on; undefined: as of the server's default. */
export async function setRegion(deps: AdminDependencies, appId: string, region: string | undefined): Promise<App> {
  if (region !== undefined) assertRegion(region)
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const moved = { ...app, region }
    await tx.apps.save(moved)
    await writeAudit(deps, tx, 'app.region', appId, { region, before: app.region })
    return moved
  })
}

function assertRegion(region: string): void {
  if (!isRegion(region))
    throw invalid('region', 'invalid_country', `must be an ISO 3166 country code such as KR: ${region}`)
}

export interface RemovedApp {
  app: App
  revokedKeys: number
  removedWebhooks: number
  /** The balance that was left in its wallet. */
  balance: number
}

/**
 * Its keys and webhooks stop at once, and it is found no more. What is under way is still delivered and billed, its
 * issues go when retention takes them, its ledger stays.
 */
export async function removeApp(deps: AdminDependencies, appId: string): Promise<RemovedApp> {
  const { endpoints, ...removed } = await deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const keys = (await tx.keys.ofApp(appId)).filter(({ revokedAt }) => revokedAt === undefined)
    const endpoints = await tx.endpoints.lockOfApp(appId)
    await tx.apps.remove(appId)
    await tx.challenges.remove(appId)
    for (const { keyId } of keys) await tx.keys.revoke(keyId, tx.now)
    for (const endpoint of endpoints) await tx.endpoints.saveState(disable(endpoint, 'Being removed', tx.now))
    const { balance } = await tx.wallets.lock(appId)
    const counts = { keys: keys.length, webhooks: endpoints.length }
    await writeAudit(deps, tx, 'app.remove', appId, { name: app.name, ...counts, balance })
    return { app, endpoints, revokedKeys: keys.length, removedWebhooks: endpoints.length, balance }
  })
  for (const { endpointId } of endpoints) await forgetEndpoint(deps, endpointId)
  return removed
}

const PURPOSE_LENGTH = 64
const TWILIO_PURPOSES_MAX = 100

/** Clients of Twilio Verify may name the purpose from now on. Throws `invalid`, or `not_found`. */
export async function addTwilioPurpose(deps: AdminDependencies, appId: string, purpose: string): Promise<App> {
  const checkedPurpose = label(purpose, 'purpose')
  if (checkedPurpose.length > PURPOSE_LENGTH)
    throw invalid('purpose', 'too_long', `at most ${PURPOSE_LENGTH} characters`, { max: PURPOSE_LENGTH })
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const known = app.twilioPurposes ?? []
    if (known.includes(checkedPurpose)) return app
    if (known.length >= TWILIO_PURPOSES_MAX)
      throw invalid('purpose', 'too_many', `at most ${TWILIO_PURPOSES_MAX} purposes`, { max: TWILIO_PURPOSES_MAX })
    const changed = { ...app, twilioPurposes: [...known, checkedPurpose] }
    await tx.apps.save(changed)
    await writeAudit(deps, tx, 'app.twilio', appId, { purpose: checkedPurpose })
    return changed
  })
}

type PlanKey = Pick<DeliveryPlan, 'channel' | 'country'>

/**
 * Replaces the plan of the same channel and country. Codes already issued keep the legs they were issued with.
 * Throws `invalid`, or `not_found`.
 */
export async function setPlan(deps: AdminDependencies, appId: string, plan: DeliveryPlan): Promise<DeliveryPlan> {
  await setPlans(deps, appId, plan, [plan.country])
  return plan
}

/** The same plan for several countries; undefined stands for every country without one of its own. */
export async function setPlans(
  deps: AdminDependencies,
  appId: string,
  { channel, legs, resend }: Omit<DeliveryPlan, 'country'>,
  countries: ReadonlyArray<string | undefined>,
): Promise<void> {
  assertLegs(legs)
  for (const country of countries) assertCountry(country)
  await deps.store.transaction(async (tx) => {
    let app = await lockApp(tx, appId)
    for (const country of countries) {
      const known = app.plans?.find((one) => one.channel === channel && one.country === country)
      const decided = resend ?? known?.resend
      const plan = { channel, country, legs, ...(decided && { resend: decided }) }
      app = { ...app, plans: [...othersOf(app, plan), plan] }
      await writeAudit(deps, tx, 'plan.set', nameOf(appId, plan), { legs, ...(decided && { resend: decided }) })
    }
    await tx.apps.save(app)
  })
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

/** Omitted fields stay as they are; null removes a value. */
export interface WantedTexts {
  webOtpDomain?: string | null | undefined
  androidHash?: string | null | undefined
  localeByCountry?: boolean | undefined
}

/** Messages already admitted keep the text they were admitted with. Throws `invalid`, or `not_found`. */
export async function setTexts(deps: AdminDependencies, appId: string, wanted: WantedTexts): Promise<App> {
  const { webOtpDomain: host, androidHash: hash, localeByCountry } = wanted
  if (hash) assertAndroidHash(hash)
  const decided: Partial<Texts> = {
    ...(host !== undefined && { webOtpDomain: host === null ? undefined : asHost(host) }),
    ...(hash !== undefined && { androidHash: hash ?? undefined }),
    ...(localeByCountry !== undefined && { localeByCountry }),
  }
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const before = textsOf(app)
    const texts = { ...before, ...decided }
    const changed = { ...app, texts }
    await tx.apps.save(changed)
    await writeAudit(deps, tx, 'app.texts', appId, { ...texts, before })
    return changed
  })
}

/** Whether proofs say what an issue's metadata is: whoever verifies reads it then, also a browser. Throws `not_found`. */
export async function setProvesMetadata(deps: AdminDependencies, appId: string, provesMetadata: boolean): Promise<App> {
  return deps.store.transaction(async (tx) => {
    const app = { ...(await lockApp(tx, appId)), provesMetadata }
    await tx.apps.save(app)
    await writeAudit(deps, tx, 'app.proofs', appId, { provesMetadata })
    return app
  })
}

/** Its live issues go after so many days; undefined: as the server is set. Throws `invalid`, or `not_found`. */
export async function setRetention(
  deps: AdminDependencies,
  appId: string,
  retentionDays: number | undefined,
): Promise<App> {
  const { min, max } = RETENTION_DAYS
  if (retentionDays !== undefined && !(Number.isInteger(retentionDays) && retentionDays >= min && retentionDays <= max))
    throw invalid('days', 'out_of_range', `must be a whole number from ${min} to ${max}`, { min, max })
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const changed = { ...app, retentionDays }
    await tx.apps.save(changed)
    const [days, before] = [retentionDays, app.retentionDays].map((value) => value ?? null)
    await writeAudit(deps, tx, 'app.retention', appId, { days, before })
    return changed
  })
}
