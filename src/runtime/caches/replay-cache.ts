/**
 * Idempotency keys that have made an issue here lately: who repeats one mostly does so soon. What a key stands for does not
 * change as long as there is its issue, so what is known of it here holds on every server; of the issue the store is asked.
 */
import type { IdempotencyRecord } from '../../domain/codes/idempotency'
import type { Owner } from '../../domain/shared/value'
import type { Replays } from '../../ports/node'

/** A power of two: some bits of a hash are a place. With a claim in each some five megabytes. */
const PLACES = 16_384

export class ReplayCache implements Replays {
  /** Who comes later takes the place of whoever has it. */
  readonly #known: Array<IdempotencyRecord | undefined> = Array.from({ length: PLACES })

  note(claim: IdempotencyRecord): void {
    this.#known[placeOf(claim.keyHash)] = claim
  }

  find({ appId, mode }: Owner, keyHash: Uint8Array): IdempotencyRecord | undefined {
    const claim = this.#known[placeOf(keyHash)]
    if (claim?.appId !== appId || claim.mode !== mode) return undefined
    return Buffer.compare(claim.keyHash, keyHash) === 0 ? claim : undefined
  }
}

const placeOf = (hash: Uint8Array) => ((hash[0] ?? 0) + 256 * (hash[1] ?? 0)) % PLACES
