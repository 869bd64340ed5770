/** What an idempotency key stands for. Specification: `POST /issue`, rules 2 to 5. */
import { conflict } from '../shared/error'
import { DAY_MS, type Owner } from '../shared/value'
import type { Issue } from './issue'

/** A first use of an idempotency key. */
export interface IdempotencyRecord extends Owner {
  readonly keyHash: Uint8Array
  readonly fingerprint: Uint8Array
  readonly issueId: string
  readonly createdAt: number
}

/** How long a key is remembered where the operator has not set another time. */
export const IDEMPOTENCY_DAYS = 7

/** The key is new again. */
export const hasExpired = (
  { createdAt }: Pick<IdempotencyRecord, 'createdAt'>,
  idempotencyDays: number,
  now: number,
): boolean => createdAt + idempotencyDays * DAY_MS <= now

/** The key stands for an issue that was erased: another one would be a second message for one order. */
export const keyForgotten = () =>
  conflict('idempotencyKey', 'idempotency_key_forgotten', 'The issue of this idempotency key was erased')

/** Throws `conflict` where the key's issue is not what is asked for now, or no more. */
export function assertReplayable({ verificationStatus }: Issue, isSameRequest: boolean): void {
  if (!isSameRequest)
    throw conflict('idempotencyKey', 'idempotency_key_reused', 'This idempotency key was used for a different request')
  if (verificationStatus === 'replaced') {
    const message = 'The issue of this idempotency key was replaced by a newer one'
    throw conflict('idempotencyKey', 'idempotency_key_replaced', message)
  }
}
