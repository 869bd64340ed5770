/** Issues and rendered messages. */
import { type Issue, type IssueStanding, originOf, originText } from '../../domain/codes/issue'
import type { RenderedMessage } from '../../domain/message/rendered-message'
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
  providerOutcomeCode: row.providerOutcomeCode ?? undefined,
  legs: row.legs ?? undefined,
  erasedAt: row.erasedAt ?? undefined,
})

export const messageSeal = (issueId: string) => `outbox:${issueId}`

export const sealMessage = (vault: Vault, issueId: string, rendered: RenderedMessage): Uint8Array =>
  vault.seal(messageSeal(issueId), JSON.stringify(rendered))

export const openMessage = (vault: Vault, issueId: string, sealed: Uint8Array): RenderedMessage =>
  JSON.parse(vault.open(messageSeal(issueId), sealed))
