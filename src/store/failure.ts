/** Errors of the stores. Callers learn only that trying again may help; the cause stays inside. */
import { unavailable } from '../domain/shared/error'

export const cannotRead = (cause: unknown) =>
  Object.assign(unavailable('The store cannot be read at the moment'), { cause })

export const cannotWrite = (cause: unknown) =>
  Object.assign(unavailable('The store cannot write at the moment'), { cause })

export class WrongSecretError extends Error {
  override name = 'WrongSecretError'
  constructor() {
    super('The master secret does not open this database: it was changed, or this is another one.')
  }
}
