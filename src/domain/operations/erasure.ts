/**
 * Erasing the data of a phone. Charges and limits are not undone: an issue stays as a row without personal data but the
 * keyed hash, until nothing counts it. Decisions: "Erasing a phone".
 */

import { isSettled } from '../message/message'
import { DAY_MS } from '../shared/value'
import { hasCode, hasMessage, markExpired, type Stored } from '../verification/verification'

/** An erased phone by its keyed hash. After a restore from a backup it is erased again. */
export interface Erasure {
  readonly phoneHash: Uint8Array
  /** Undefined: in every app. */
  readonly appId: string | undefined
  /** Issues made until then are erased, Unix milliseconds. */
  readonly erasedAt: number
  /** Undefined: not finished. */
  readonly doneAt: number | undefined
}

/** How long erased rows stay at least: per-phone limits count a day, usage a day and three hours. */
export const ERASED_KEPT_MS = 2 * DAY_MS

const NO_CODE = new Uint8Array(32)

/** Removes personal data. A live code expires, and no code verifies it any more. */
export function erased<S extends Stored>(stored: S, now: number): S {
  const bare = {
    ...stored,
    metadata: undefined,
    prefixHash: undefined,
    networkHash: undefined,
    origin: undefined,
    erasedAt: now,
  }
  if (!hasCode(bare)) return bare
  return {
    ...(bare.verificationStatus === 'issued' ? markExpired(bare, now) : bare),
    ...{ codeHash: NO_CODE, wrongAt: undefined },
  }
}

/** Whether limits, usage or billing still count the issue. */
export const isCounted = (stored: Stored, now: number): boolean =>
  stored.createdAt > now - ERASED_KEPT_MS || (hasMessage(stored) && !isSettled(stored))

const LINE = /^(\d{1,15}) ([0-9a-f]{64}) (\*|[\w.-]{1,128})$/

/** The erasure as one line of the file beside the database. */
export const erasureLine = ({ phoneHash, appId = '*', erasedAt }: Omit<Erasure, 'doneAt'>): string =>
  `${erasedAt} ${Buffer.from(phoneHash).toString('hex')} ${appId}`

/** Undefined where it is no such line. */
export function readErasure(line: string): Omit<Erasure, 'doneAt'> | undefined {
  const [, at, hash, appId] = LINE.exec(line.trim()) ?? []
  if (at === undefined || hash === undefined) return undefined
  return { erasedAt: Number(at), phoneHash: Buffer.from(hash, 'hex'), appId: appId === '*' ? undefined : appId }
}
