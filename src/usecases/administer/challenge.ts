/** The proof that an app asks for where a rule would refuse. */
import {
  assertChallenge,
  type ChallengeSettings,
  type ShownChallenge,
  shownChallenge,
} from '../../abuse/rules/challenge'
import { invalid, missing } from '../../domain/shared/error'
import type { Store } from '../../ports/store'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, existingApp, lockApp } from './shared'

/** Undefined where the app asks for none. Throws `not_found`. */
export async function challengeOfApp(deps: { store: Store }, appId: string): Promise<ShownChallenge | undefined> {
  await existingApp(deps, appId)
  const known = await deps.store.read.challenges.find(appId)
  return known && shownChallenge(known)
}

/** The settings to change. The vendor is needed for the first challenge, and its secret where the vendor changes. */
export type WantedChallenge = Partial<ChallengeSettings>

/** Omitted settings stay, unless they belong to another vendor. The audit log does not have the secret. Throws `invalid` or `not_found`. */
export async function setChallenge(
  deps: AdminDependencies,
  appId: string,
  wanted: WantedChallenge,
): Promise<ShownChallenge> {
  return deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    const known = await tx.challenges.find(appId)
    const settings = settingsOf(known, wanted)
    assertChallenge(settings)
    await tx.challenges.save(appId, settings)
    const shown = shownChallenge(settings)
    const isNewSecret = settings.secret !== known?.secret
    await writeAudit(deps, tx, 'app.challenge', appId, { ...shown, isNewSecret })
    return shown
  })
}

function settingsOf(known: ChallengeSettings | undefined, wanted: WantedChallenge): ChallengeSettings {
  const vendor = wanted.vendor ?? known?.vendor
  if (vendor === undefined) throw invalid('vendor', 'required', 'is needed for the first challenge of an app')
  const kept = known?.vendor === vendor ? known : { onOutage: known?.onOutage, hostnames: known?.hostnames }
  const { secret, onOutage = 'refuse', siteKey, minScore, hostnames } = { ...kept, ...wanted }
  if (secret === undefined) throw invalid('secret', 'required', 'the secret of the vendor is needed')
  return { vendor, secret, onOutage, siteKey, minScore, hostnames }
}

/** Throws `not_found`, also where the app asks for none. */
export async function removeChallenge(deps: AdminDependencies, appId: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    if (!(await tx.challenges.remove(appId))) throw missing('challenge', appId)
    await writeAudit(deps, tx, 'app.challenge_remove', appId)
  })
}
