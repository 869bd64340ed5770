/**
 * Idempotency records of issues that were made here lately, since most replays come soon. A record does not change while its issue
 * exists, so the cache is valid on every server. The issue itself is read from the store.
 */
import type { IdempotencyRecord } from '../../domain/codes/idempotency'
import type { Owner } from '../../domain/shared/value'
import type { Replays } from '../../ports/node'

/** A power of two, since a slot is some bits of the hash. A full cache takes about five megabytes. */
const SLOTS = 16_384

export class ReplayCache implements Replays {
  /** A newer record replaces an older one with the same slot. */
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
