/**
 * Erasing the data of a phone. Charges and limits are not undone: an issue stays as a row without personal data but the
 * keyed hash, until nothing counts it. Decisions: "Erasing a phone".
 */
import { type Issue, markExpired } from '../codes/issue'
import { DAY_MS } from '../shared/value'

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

/** Removes personal data from the issue. A live code expires, and no code verifies it any more. */
export function erased(issue: Issue, now: number): Issue {
  const { verificationStatus } = issue
  return {
    ...(verificationStatus === 'issued' ? markExpired(issue, now) : issue),
    ...{ codeHash: NO_CODE, metadata: undefined, prefixHash: undefined, networkHash: undefined, origin: undefined },
    wrongAt: undefined,
    erasedAt: now,
  }
}

/** Whether limits, usage or billing still count the issue. */
export const isCounted = ({ billingStatus, createdAt }: Issue, now: number): boolean =>
  createdAt > now - ERASED_KEPT_MS || !(billingStatus === 'debited' || billingStatus === 'released')

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
