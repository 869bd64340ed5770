/**
 * Idempotency keys that have made an issue here lately: who repeats one mostly does so soon. What a key stands for does not
 * change as long as there is its issue, so what is known of it here holds on every server; of the issue the store is asked.
 */
import type { Claim } from '../domain/claim'
import type { Owner } from '../domain/value'
import type { KnownClaims } from '../ports/node'

/** Some three megabytes. */
const MOST = 8_000

export class RecentClaims implements KnownClaims {
  readonly #known = new Map<string, Claim>()
  /** It goes on where it was: to begin anew would pass by all that has gone. */
  readonly #oldest = this.#known.keys()

  note(claim: Claim): void {
    this.#known.set(nameOf(claim, claim.keyHash), claim)
    if (this.#known.size > MOST) this.#forgetOldest()
  }

  find(owner: Owner, keyHash: Uint8Array): Claim | undefined {
    return this.#known.get(nameOf(owner, keyHash))
  }

  #forgetOldest(): void {
    const { value } = this.#oldest.next()
    if (value !== undefined) this.#known.delete(value)
  }
}

const nameOf = ({ appId, mode }: Owner, keyHash: Uint8Array) => `${appId}${mode}${keyHash.toHex()}`
