/** Owners change an app's settings against abuse, trust phones, and unlock phones. */

import { type FailureStanding, NO_FAILURES, standingOf } from '../../abuse/rules/failure-budget'
import { assertProtection, type Protection, protectionOf } from '../../abuse/rules/protection'
import type { App } from '../../domain/access/app'
import type { CallerKind } from '../../domain/access/caller'
import { liveRecipient, type Numbering } from '../../domain/phone/phone'
import type { Clock } from '../../ports/clock'
import type { Vault } from '../../ports/vault'
import { type AdminDependencies, existingApp, lockApp } from '../administer/shared'
import { seekPhone } from '../shared/phone'
import { writeAudit } from '../shared/write-audit'

/** Settings to change. The others stay, so that two owners can change different settings at the same time. */
export type WantedProtection = Partial<Omit<Protection, 'resendMs' | 'trusted'>> & {
  resendMs?: Partial<Protection['resendMs']> | undefined
  trusted?: Partial<Protection['trusted']> | undefined
}

/** Throws `invalid`, or `not_found`. */
export async function protectApp(deps: AdminDependencies, appId: string, decided: WantedProtection): Promise<App> {
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const before = protectionOf(app)
    const protection = {
      ...{ ...before, ...decided },
      resendMs: { ...before.resendMs, ...decided.resendMs },
      trusted: { ...before.trusted, ...decided.trusted },
    }
    assertProtection(protection)
    const decidedApp = { ...app, protection }
    await tx.apps.save(decidedApp)
    await writeAudit(deps, tx, 'app.protect', appId, changesOf(before, protection))
    return decidedApp
  })
}

/** Changed settings by name, for the audit log. Trusted phones are only counted, since hashes mean nothing to readers. */
function changesOf(before: Protection, after: Protection): Record<string, unknown> {
  const shown = ({ trusted, ...rest }: Protection) => ({ ...rest, ...trusted, phones: trusted.phones.length })
  const [was, is] = [shown(before), shown(after)] as Array<Record<string, unknown>>
  const changed = Object.keys(is ?? {}).filter((name) => JSON.stringify(is?.[name]) !== JSON.stringify(was?.[name]))
  return Object.fromEntries(
    changed.flatMap((name) => [
      [name, is?.[name]],
      [`${name} before`, was?.[name]],
    ]),
  )
}

/**
 * Trusts a phone: rules about traffic do not refuse it. The number itself is not stored. Throws `invalid` or
 * `not_found`.
 */
export async function trustPhone(
  deps: AdminDependencies & { vault: Vault; numbering: Numbering },
  appId: string,
  phoneNumber: string,
): Promise<App> {
  const { region = deps.numbering.region } = await existingApp(deps, appId)
  const { identity } = liveRecipient(phoneNumber, { ...deps.numbering, region })
  const phone = Buffer.from(deps.vault.phoneHash(identity)).toString('hex')
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const before = protectionOf(app)
    const phones = [...new Set([...before.trusted.phones, phone])]
    const protection = { ...before, trusted: { ...before.trusted, phones } }
    assertProtection(protection)
    await tx.apps.save({ ...app, protection })
    await writeAudit(deps, tx, 'app.trust', appId, { phones: phones.length })
    return { ...app, protection }
  })
}

const KINDS: readonly CallerKind[] = ['sk', 'pk']

interface PhoneDependencies extends AdminDependencies {
  vault: Vault
  numbering: Numbering
}

/** How long a phone waits. Its number is not stored. */
export interface PhoneStanding {
  /** E.164. */
  phoneNumber: string
  /** Wait and rule, by the kind of key that issued the codes. */
  standings: ReadonlyArray<Pick<FailureStanding, 'rule' | 'waitMs'> & { kind: CallerKind }>
}

/** Throws `invalid` or `not_found`. */
export async function standingOfPhone(
  deps: PhoneDependencies & { clock: Pick<Clock, 'now'> },
  appId: string,
  phoneNumber: string,
): Promise<PhoneStanding> {
  const app = await existingApp(deps, appId)
  const { region = deps.numbering.region } = app
  const { number, hashes } = seekPhone(deps.vault, phoneNumber, { ...deps.numbering, region })
  const known = await deps.store.read.phones.failures(appId, hashes)
  const standing = (kind: CallerKind) => {
    const failures = known.find((one) => one.kind === kind)?.failures
    const { rule, waitMs } = standingOf(failures ?? NO_FAILURES, protectionOf(app), deps.clock.now())
    return { kind, rule, waitMs }
  }
  return { phoneNumber: number, standings: KINDS.map(standing) }
}

/**
 * Unlocks a phone for these kinds of key: it may get a code now, with all attempts, and its wrong codes are counted
 * anew. The number is not stored. Throws `invalid` or `not_found`.
 */
export async function unlockPhone(
  deps: PhoneDependencies,
  appId: string,
  phoneNumber: string,
  kinds: readonly CallerKind[] = KINDS,
): Promise<{ wasWaiting: boolean }> {
  const { store, vault, numbering } = deps
  return store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const { region = numbering.region } = app
    const phoneHash = vault.phoneHash(liveRecipient(phoneNumber, { ...numbering, region }).identity)
    let wasWaiting = false
    for (const kind of KINDS.filter((one) => kinds.includes(one))) {
      const phone = { appId, kind, phoneHash }
      const failures = await tx.failures.lock(phone)
      if (!failures) continue
      if (failures.inARow === 0 && !standingOf(failures, protectionOf(app), tx.now).isSeldom) continue
      wasWaiting = true
      await tx.failures.save(phone, NO_FAILURES)
    }
    if (wasWaiting)
      await writeAudit(deps, tx, 'app.unlock', appId, kinds.length < KINDS.length ? { keys: [...kinds] } : {})
    return { wasWaiting }
  })
}
