/** A database belongs to one master secret. */

export const SECRET_PROOF = 'secret_proof'

export class WrongSecretError extends Error {
  override name = 'WrongSecretError'
  constructor() {
    super('The master secret is not the one this database was made with.')
  }
}
