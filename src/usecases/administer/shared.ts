/** What all administration shares. */
import { invalid, Refusal } from '../../domain/error'
import type { App, Clock, ProviderConfig, Random, Store } from '../../ports'
import type { AuditDependencies } from '../audit'

export interface AdminDependencies extends AuditDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
  random: Random
  /** Throws `invalid` for a configuration the provider type could not work with. */
  assertProvider: (provider: ProviderConfig) => void
  /** There is work for the dispatcher of this process, if it has one. */
  wakeDelivery: () => void
}

export const missing = (what: string, id: string) => new Refusal('not_found', `No such ${what}: ${id}`)

export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export function label(name: string, what: string): string {
  const trimmed = name.trim()
  if (trimmed === '' || [...trimmed].length > 100 || /\p{Cc}/u.test(trimmed)) {
    throw invalid(`${what}: must have 1 to 100 characters and no control characters`)
  }
  return trimmed
}

const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** A short identifier such as `app_4k2m9x0c7q`. */
export const newId = (random: Random, prefix: string) =>
  `${prefix}_${Array.from({ length: 12 }, () => ID_ALPHABET[random.below(ID_ALPHABET.length)]).join('')}`

/** Throws `not_found`. */
export async function existingApp({ store }: Pick<AdminDependencies, 'store'>, appId: string): Promise<App> {
  const app = await store.read.app(appId)
  if (!app) throw missing('app', appId)
  return app
}
