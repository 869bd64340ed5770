/** What an owner decides about abuse of an app, and phones that wrong codes have locked. */
import type { App } from '../../domain/app'
import { unlock } from '../../domain/failure-budget'
import type { KeyKind } from '../../domain/key'
import { liveRecipient, type Numbering } from '../../domain/phone'
import { assertProtection, type Protection, protectionOf } from '../../domain/protection'
import type { Vault } from '../../ports/vault'
import { noteChange } from '../shared/note-change'
import { type AdminDependencies, lockApp } from './shared'

/** Throws `invalid`, or `not_found`. What is not named stays. */
export async function protectApp(deps: AdminDependencies, appId: string, decided: Partial<Protection>): Promise<App> {
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const before = protectionOf(app)
    const protection = { ...before, ...decided }
    assertProtection(protection)
    const decidedApp = { ...app, protection }
    await tx.apps.save(decidedApp)
    await noteChange(deps, tx, 'app.protect', appId, { protection, before })
    return decidedApp
  })
}

const KINDS: readonly KeyKind[] = ['sk', 'pk']

/** Opens a phone, for either kind of key: it may get a code now. The number is noted nowhere. Throws `invalid` or `not_found`. */
export async function unlockPhone(
  deps: AdminDependencies & { vault: Vault; numbering: Numbering },
  appId: string,
  phoneNumber: string,
): Promise<{ wasWaiting: boolean }> {
  const { store, vault, numbering } = deps
  return store.transaction(async (tx) => {
    const { region = numbering.region } = await lockApp(tx, appId)
    const phoneHash = vault.phoneHash(liveRecipient(phoneNumber, { ...numbering, region }).identity)
    let wasWaiting = false
    for (const kind of KINDS) {
      const phone = { appId, kind, phoneHash }
      const failures = await tx.failures.lock(phone)
      if (!failures || (failures.inARow === 0 && failures.issuedAt === undefined)) continue
      wasWaiting = true
      await tx.failures.save(phone, unlock(failures))
    }
    if (wasWaiting) await noteChange(deps, tx, 'app.unlock', appId, {})
    return { wasWaiting }
  })
}
