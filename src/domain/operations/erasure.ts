/**
 * What belongs to one phone can be erased. What is charged and what counts against limits is not undone by that: such an
 * issue stays as a bare row, without anything about who it was for but the keyed hash, until nothing counts it any more.
 * Decisions: "Erasing a phone".
 */
import { type Issue, markExpired } from '../codes/issue'
import { DAY_MS } from '../shared/value'

/** A phone that was erased, by its keyed hash: where a backup brings it back, it is erased again. */
export interface Erasure {
  readonly phoneHash: Uint8Array
  /** Undefined: of every app. */
  readonly appId: string | undefined
  /** What was issued until then. */
  readonly erasedAt: number
  /** Undefined: not all of it is done. */
  readonly doneAt: number | undefined
}

/** Limits of a phone count a day, usage a day and three hours. */
export const ERASED_KEPT_MS = 2 * DAY_MS

const NO_CODE = new Uint8Array(32)

/** A live code ends, and no code is right any more. */
export function erased(issue: Issue, now: number): Issue {
  const { verificationStatus } = issue
  return {
    ...(verificationStatus === 'issued' ? markExpired(issue, now) : issue),
    ...{ codeHash: NO_CODE, metadata: undefined, prefixHash: undefined, networkHash: undefined, origin: undefined },
    erasedAt: now,
  }
}

/** Whether anything still counts it: a limit, usage, or who is to be charged. */
export const isCounted = ({ billingStatus, createdAt }: Issue, now: number): boolean =>
  createdAt > now - ERASED_KEPT_MS || !(billingStatus === 'debited' || billingStatus === 'released')

const LINE = /^(\d{1,15}) ([0-9a-f]{64}) (\*|[\w.-]{1,128})$/

/** One line, as it is kept beside the database and taken to another one. */
export const erasureLine = ({ phoneHash, appId = '*', erasedAt }: Omit<Erasure, 'doneAt'>): string =>
  `${erasedAt} ${Buffer.from(phoneHash).toString('hex')} ${appId}`

/** Undefined for what is no such line. */
export function readErasure(line: string): Omit<Erasure, 'doneAt'> | undefined {
  const [, at, hash, appId] = LINE.exec(line.trim()) ?? []
  if (at === undefined || hash === undefined) return undefined
  return { erasedAt: Number(at), phoneHash: Buffer.from(hash, 'hex'), appId: appId === '*' ? undefined : appId }
}
