/** What an idempotency key stands for. Specification: `POST /issue`, rules 2 to 5. */
import type { Owner } from './value'

/** A first use of an idempotency key. */
export interface Claim extends Owner {
  readonly keyHash: Uint8Array
  readonly fingerprint: Uint8Array
  readonly issueId: string
  readonly createdAt: number
}
