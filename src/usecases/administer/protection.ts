/** What an owner decides about abuse of an app, and phones that wrong codes have locked. */
import type { App } from '../../domain/app'
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

/** Forgets the wrong codes at a phone, of either kind of key. The number is noted nowhere. Throws `invalid` or `not_found`. */
export async function unlockPhone(
  deps: AdminDependencies & { vault: Vault; numbering: Numbering },
  appId: string,
  phoneNumber: string,
): Promise<{ isKnown: boolean }> {
  const { store, vault, numbering } = deps
  return store.transaction(async (tx) => {
    const { region = numbering.region } = await lockApp(tx, appId)
    const phoneHash = vault.phoneHash(liveRecipient(phoneNumber, { ...numbering, region }).identity)
    let isKnown = false
    for (const kind of KINDS) {
      isKnown = (await tx.failures.lock({ appId, kind, phoneHash })) !== undefined || isKnown
      await tx.failures.drop({ appId, kind, phoneHash })
    }
    if (isKnown) await noteChange(deps, tx, 'app.unlock', appId, {})
    return { isKnown }
  })
}
