/** A database belongs to the master secret that opens its keys. */
export class WrongSecretError extends Error {
  override name = 'WrongSecretError'
  constructor() {
    super('The master secret does not open this database: it was changed, or this is another one.')
  }
}
