/** Idempotency records, and when a key may be replayed. Specification: `POST /issue`, rules 2 to 5. */
import { conflict } from '../shared/error'
import { DAY_MS, type Owner } from '../shared/value'
import type { Stored } from './verification'

/** The first use of an idempotency key, and the issue it made. */
export interface IdempotencyRecord extends Owner {
  readonly keyHash: Uint8Array
  readonly fingerprint: Uint8Array
  readonly issueId: string
  readonly createdAt: number
}

/** Default days that a key is remembered. */
export const IDEMPOTENCY_DAYS = 7

/** Whether the key is forgotten, so that it makes a new issue. */
export const hasExpired = (
  { createdAt }: Pick<IdempotencyRecord, 'createdAt'>,
  idempotencyDays: number,
  now: number,
): boolean => createdAt + idempotencyDays * DAY_MS <= now

/** The refusal `conflict` for a key whose issue was erased. A new issue would send a second message for one request. */
export const keyForgotten = () =>
  conflict('idempotencyKey', 'idempotency_key_forgotten', 'The issue of this idempotency key was erased')

/** Throws `conflict` where the request differs, or the key's issue was replaced (rules 4 and 5). */
export function assertReplayable({ verificationStatus }: Stored, isSameRequest: boolean): void {
  if (!isSameRequest)
    throw conflict('idempotencyKey', 'idempotency_key_reused', 'This idempotency key was used for a different request')
  if (verificationStatus === 'replaced') {
    const message = 'The issue of this idempotency key was replaced by a newer one'
    throw conflict('idempotencyKey', 'idempotency_key_replaced', message)
  }
}
