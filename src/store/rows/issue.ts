/** Issues with their messages, delivery attempts and the reports that carriers may still send, and what erasing a person removes. */

import type { Message } from '../../domain/message/message'
import type { RenderedMessage } from '../../domain/message/rendered-message'
import type { Erasure } from '../../domain/operations/erasure'
import type { Addressed } from '../../domain/shared/addressed'
import type { IdempotencyRecord } from '../../domain/verification/idempotency'
import type { Issue, IssueStanding } from '../../domain/verification/issue'
import { WITHOUT_MESSAGE } from '../../domain/verification/issue'
import type { Stored, Verification } from '../../domain/verification/verification'
import type { Vault } from '../../ports/vault'

type Nullable<T> = { [K in keyof T]?: T[K] | undefined }

/** The columns of a message, or of a verification, are empty where there is none. */
type IssueRow = Addressed &
  Nullable<Omit<Message, keyof Addressed>> &
  Nullable<Omit<Verification, keyof Addressed>> &
  Nullable<Pick<IdempotencyRecord, 'keyHash' | 'fingerprint'>> & { begunAt?: number | undefined }

/** A clock step moves `begunAt`, not what the call says. */
export function storedOf({ begunAt, ...row }: IssueRow): Stored {
  const { begunCall } = row
  return begunCall && begunAt !== undefined
    ? ({ ...row, begunCall: { ...begunCall, calledAt: begunAt } } as Stored)
    : row
}

export const storedRow = (
  stored: Stored & Partial<Issue>,
  key?: Pick<IdempotencyRecord, 'keyHash' | 'fingerprint'>,
): IssueRow => ({
  ...stored,
  begunAt: stored.begunCall?.calledAt,
  keyHash: key?.keyHash,
  fingerprint: key?.fingerprint,
})

type StandingRow = { [K in keyof IssueStanding]: IssueRow[K] }

/** The row must have a code. */
export const standingOf = (row: StandingRow): IssueStanding =>
  ({
    ...row,
    ...(row.deliveryStatus === undefined && WITHOUT_MESSAGE),
  }) as IssueStanding

/** The columns that change after an issue is stored. */
export const ISSUE_CHANGING = [
  'messageId',
  'expiresAt',
  'verificationStatus',
  'attemptsUsed',
  'verifiedAt',
  'wrongAt',
  'deliveryStatus',
  'leg',
  'legs',
  'sendPending',
  'providerOutcomeAmbiguous',
  'providerOutcomeCode',
  'billingStatus',
  'debitedAmount',
  'updatedAt',
  'begunAt',
  'begunCall',
] as const

export const messageSeal = (issueId: string) => `outbox:${issueId}`

export const sealMessage = (vault: Vault, issueId: string, rendered: RenderedMessage): Uint8Array =>
  vault.seal(messageSeal(issueId), JSON.stringify(rendered))

export const openMessage = (vault: Vault, issueId: string, sealed: Uint8Array): RenderedMessage =>
  JSON.parse(vault.open(messageSeal(issueId), sealed))

/** The columns that a carrier's answer sets. */
export const ATTEMPT_ANSWER = [
  ...(['answeredAt', 'outcome', 'retry', 'code', 'said', 'carrierMessageId', 'awaitedAt'] as const),
] as const

/** The columns that a report sets. */
export const ATTEMPT_REPORT = ['code', 'said', 'report', 'reportedAt'] as const

/** An empty `appId` stands for every app. */
type ErasureRow = Omit<Erasure, 'appId'> & { appId: string }

export const erasureOf = ({ appId, doneAt, ...row }: ErasureRow): Erasure => ({
  ...row,
  appId: appId === '' ? undefined : appId,
  doneAt,
})

export const storedApp = ({ appId = '' }: Pick<Erasure, 'appId'>): string => appId

/** Prefix of a refund's reference; the id of its issue follows. */
export const REFERENCE = 'refund:'

/** The columns that are emptied when the person of an issue is erased. */
export const STRIPPED = [
  'phoneHash',
  'codeHash',
  'metadata',
  'prefixHash',
  'networkHash',
  'origin',
  'wrongAt',
  'erasedAt',
] as const
