/** Shared by all administration. */
import type { App } from '../../domain/access/app'
import { invalid, missing } from '../../domain/shared/error'
import type { Store, Tx } from '../../ports/store'
import type { Random } from '../../ports/vault'
import type { AuditDependencies } from '../shared/write-audit'

/** Dependencies of every change: the store, and the actor for the audit log. */
export interface AdminDependencies extends AuditDependencies {
  store: Store
}

/** Dependencies of administration that makes ids or secrets. */
export interface MakingDependencies extends AdminDependencies {
  random: Random
}

export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const invalidName = (param: string) =>
  invalid(param, 'invalid_name', 'letters, digits, dot, dash and underscore, at most 64', { max: 64 })

/** Throws `invalid`. Undefined is every country. */
export function assertCountry(country: string | undefined): void {
  if (country !== undefined && !/^[A-Z]{2}$/.test(country))
    throw invalid('country', 'invalid_country', `must be an ISO 3166 code such as KR: ${country}`)
}

const LABEL_LENGTH = 100

export function label(name: string, what: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw invalid(what, 'required', 'must not be blank')
  if ([...trimmed].length > LABEL_LENGTH)
    throw invalid(what, 'too_long', `must have at most ${LABEL_LENGTH} characters`, { max: LABEL_LENGTH })
  if (/\p{Cc}/u.test(trimmed)) throw invalid(what, 'invalid_characters', 'must not contain control characters')
  return trimmed
}

/** Throws `not_found`. */
export async function existingApp({ store }: { store: Store }, appId: string): Promise<App> {
  const app = await store.read.apps.find(appId)
  if (!app) throw missing('app', appId)
  return app
}

/** Locks an app before it or its parts change, until the transaction ends. Throws `not_found`. */
export async function lockApp(tx: Tx, appId: string): Promise<App> {
  const app = await tx.apps.lock(appId)
  if (!app) throw missing('app', appId)
  return app
}

const MAX_OVERLAP_HOURS = 7 * 24

/** How long the old key or secret goes on beside the new one. Throws `invalid`. */
export function assertOverlap(hours: number): void {
  if (Number.isSafeInteger(hours) && hours >= 0 && hours <= MAX_OVERLAP_HOURS) return
  const problem = `must be 0 to ${MAX_OVERLAP_HOURS} hours`
  throw invalid('overlap', 'out_of_range', problem, { min: 0, max: MAX_OVERLAP_HOURS })
}
