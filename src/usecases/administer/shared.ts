/** What all administration shares. */

import type { App } from '../../domain/app'
import type { CarrierConfig } from '../../domain/carrier'
import { invalid, missing } from '../../domain/error'
import type { Clock } from '../../ports/clock'
import type { Node } from '../../ports/node'
import type { Random } from '../../ports/random'
import type { Store, Tx } from '../../ports/store'
import type { AuditDependencies } from '../audit'

export interface AdminDependencies extends AuditDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
  random: Random
  /** Throws `invalid` for a configuration the provider type could not work with. */
  assertProvider: (provider: CarrierConfig) => void
  /** The dispatcher of this process is told that there is work, if it has one. */
  node: Pick<Node, 'wakeUps'>
}

export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const invalidName = (param: string) =>
  invalid(param, 'invalid_name', 'letters, digits, dot, dash and underscore, at most 64', { max: 64 })

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
export async function existingApp({ store }: Pick<AdminDependencies, 'store'>, appId: string): Promise<App> {
  const app = await store.read.apps.find(appId)
  if (!app) throw missing('app', appId)
  return app
}

/** The same, for what is added to it: until the unit ends nobody else adds anything. Throws `not_found`. */
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
