/** Issues with their messages, delivery attempts and the reports that carriers may still send, and what erasing a person removes. */
import { type Issue, type IssueStanding, originOf, originText } from '../../domain/codes/issue'
import type { Attempt, AwaitedReport } from '../../domain/delivery/attempt'
import type { RenderedMessage } from '../../domain/message/rendered-message'
import type { Erasure } from '../../domain/operations/erasure'
import type { Vault } from '../../ports/vault'
import type { Row } from '../tables'

type IssueRow = Omit<Row<Issue>, 'origin'> & { origin: string | null }

export const issueOf = (row: IssueRow): Issue => ({
  ...row,
  keyKind: row.keyKind,
  promisedExpiresAt: row.promisedExpiresAt ?? undefined,
  country: row.country ?? undefined,
  metadata: row.metadata ?? undefined,
  verifiedAt: row.verifiedAt ?? undefined,
  wrongAt: row.wrongAt ?? undefined,
  providerOutcomeCode: row.providerOutcomeCode ?? undefined,
  prefixHash: row.prefixHash ?? undefined,
  networkHash: row.networkHash ?? undefined,
  legs: row.legs ?? undefined,
  origin: row.origin === null ? undefined : originOf(row.origin),
  erasedAt: row.erasedAt ?? undefined,
})

export const issueRow = (issue: Issue): IssueRow => ({
  ...issue,
  keyKind: issue.keyKind,
  promisedExpiresAt: issue.promisedExpiresAt ?? null,
  country: issue.country ?? null,
  metadata: issue.metadata ?? null,
  verifiedAt: issue.verifiedAt ?? null,
  wrongAt: issue.wrongAt ?? null,
  providerOutcomeCode: issue.providerOutcomeCode ?? null,
  prefixHash: issue.prefixHash ?? null,
  networkHash: issue.networkHash ?? null,
  legs: issue.legs ?? null,
  origin: issue.origin ? originText(issue.origin) : null,
  erasedAt: issue.erasedAt ?? null,
})

export const standingOf = (row: Row<IssueStanding>): IssueStanding => ({
  ...row,
  promisedExpiresAt: row.promisedExpiresAt ?? undefined,
  verifiedAt: row.verifiedAt ?? undefined,
  providerOutcomeCode: row.providerOutcomeCode ?? undefined,
})

/** The columns that change after an issue is stored. */
export const ISSUE_CHANGING = [
  'messageId',
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
] as const

/** The columns that may differ from an issue read earlier; an erased issue differs in more. */
export const ISSUE_SINCE = [...ISSUE_CHANGING, 'expiresAt', 'promisedExpiresAt', 'erasedAt'] as const

export const issueSince = (known: Issue, row: Pick<IssueRow, (typeof ISSUE_SINCE)[number]>): Issue => ({
  ...known,
  ...row,
  promisedExpiresAt: row.promisedExpiresAt ?? undefined,
  verifiedAt: row.verifiedAt ?? undefined,
  wrongAt: row.wrongAt ?? undefined,
  providerOutcomeCode: row.providerOutcomeCode ?? undefined,
  legs: row.legs ?? undefined,
  erasedAt: row.erasedAt ?? undefined,
})

export const messageSeal = (issueId: string) => `outbox:${issueId}`

export const sealMessage = (vault: Vault, issueId: string, rendered: RenderedMessage): Uint8Array =>
  vault.seal(messageSeal(issueId), JSON.stringify(rendered))

export const openMessage = (vault: Vault, issueId: string, sealed: Uint8Array): RenderedMessage =>
  JSON.parse(vault.open(messageSeal(issueId), sealed))

export const attemptOf = (row: Row<Attempt>): Attempt => ({
  ...row,
  answeredAt: row.answeredAt ?? undefined,
  outcome: row.outcome ?? undefined,
  retry: row.retry ?? undefined,
  code: row.code ?? undefined,
  said: row.said ?? undefined,
  text: row.text ?? undefined,
  report: row.report ?? undefined,
  reportedAt: row.reportedAt ?? undefined,
  carrierMessageId: row.carrierMessageId ?? undefined,
})

export const attemptRow = (attempt: Attempt): Row<Attempt> => ({
  ...attempt,
  answeredAt: attempt.answeredAt ?? null,
  outcome: attempt.outcome ?? null,
  retry: attempt.retry ?? null,
  code: attempt.code ?? null,
  said: attempt.said ?? null,
  text: attempt.text ?? null,
  report: attempt.report ?? null,
  reportedAt: attempt.reportedAt ?? null,
  carrierMessageId: attempt.carrierMessageId ?? null,
})

/** The columns that a carrier's answer sets. */
export const ATTEMPT_ANSWER = ['answeredAt', 'outcome', 'retry', 'code', 'said', 'carrierMessageId'] as const

/** The columns that a report sets. */
export const ATTEMPT_REPORT = ['code', 'said', 'report', 'reportedAt'] as const

export const awaitedOf = (row: Row<AwaitedReport>): AwaitedReport => ({
  ...row,
  carrierMessageId: row.carrierMessageId ?? undefined,
})

export const awaitedRow = (awaited: AwaitedReport): Row<AwaitedReport> => ({
  ...awaited,
  carrierMessageId: awaited.carrierMessageId ?? null,
})

/** An empty `appId` stands for every app. */
type ErasureRow = Row<Omit<Erasure, 'appId'>> & { appId: string }

export const erasureOf = ({ appId, doneAt, ...row }: ErasureRow): Erasure => ({
  ...row,
  appId: appId === '' ? undefined : appId,
  doneAt: doneAt ?? undefined,
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

/** So many of the newest messages are looked at for a call without an answer, which takes a millisecond at most. */
const UNANSWERED_AMONG = 1_000

/** Whether a call of a carrier is without an answer, among the newest messages since an id. */
export const unansweredSql = (carrier: string, since: string) => `SELECT 1 AS found FROM (
    SELECT * FROM awaited_reports WHERE message_id >= ${since} ORDER BY message_id DESC LIMIT ${UNANSWERED_AMONG}) AS newest
  WHERE provider = ${carrier} AND provider_message_id IS NULL AND EXISTS (SELECT 1 FROM attempts
    WHERE attempts.app_id = newest.app_id AND attempts.mode = newest.mode AND attempts.issue_id = newest.issue_id
      AND attempts.message_id = newest.message_id AND outcome IS NULL)
  LIMIT 1`
