/**
 * Idempotency keys that have made an issue here lately: who repeats one mostly does so soon. What a key stands for does not
 * change as long as there is its issue, so what is known of it here holds on every server; of the issue the store is asked.
 */
import type { IdempotencyRecord } from '../../domain/codes/idempotency'
import type { Owner } from '../../domain/shared/value'
import type { Replays } from '../../ports/node'

/** A power of two: some bits of a hash are a place. With a claim in each some five megabytes. */
const SLOTS = 16_384

export class ReplayCache implements Replays {
  /** Who comes later takes the place of whoever has it. */
  readonly #known: Array<IdempotencyRecord | undefined> = Array.from({ length: SLOTS })

  note(record: IdempotencyRecord): void {
    this.#known[slotOf(record.keyHash)] = record
  }

  find({ appId, mode }: Owner, keyHash: Uint8Array): IdempotencyRecord | undefined {
    const record = this.#known[slotOf(keyHash)]
    if (record?.appId !== appId || record.mode !== mode) return undefined
    return Buffer.compare(record.keyHash, keyHash) === 0 ? record : undefined
  }
}

const slotOf = (hash: Uint8Array) => ((hash[0] ?? 0) + 256 * (hash[1] ?? 0)) % SLOTS
