/** A database belongs to one master secret, or to those that open its ring of keys. */
import type { RingRow, Vault } from '../ports/vault'

export const SECRET_PROOF = 'secret_proof'

export class WrongSecretError extends Error {
  override name = 'WrongSecretError'
  constructor(isRing = false) {
    super(
      isRing
        ? 'The master secret does not open this database: it was changed, or this is another one.'
        : 'The master secret is not the one this database was made with.',
    )
  }
}

/** The fact in the place of the proof, once the ring tells: a release that knows of none refuses the database by it. */
export const ringFact = (vault: Vault): Buffer => Buffer.from(vault.tag('key_ring'))

/** Takes the keys of a database that keeps some; false where it keeps none. Throws `WrongSecretError`. */
export function opensRing(vault: Vault, rows: readonly RingRow[]): boolean {
  if (!vault.ring.adopt(rows)) throw new WrongSecretError(true)
  return rows.length > 0
}
