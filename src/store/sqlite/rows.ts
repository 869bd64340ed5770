/** Rows as domain objects: NULL is undefined there. */
import type { Issue } from '../../domain/issue'
import type { LedgerEntry, Wallet } from '../../domain/wallet'
import type { Attempt, AwaitedReport, StoredKey } from '../../ports'
import type { apiKeys, attempts, awaitedReports, issues, ledgerEntries, wallets } from './schema'

export const issueOf = (row: typeof issues.$inferSelect): Issue => ({
  ...row,
  country: row.country ?? undefined,
  metadata: row.metadata ?? undefined,
  verifiedAt: row.verifiedAt ?? undefined,
  providerOutcomeCode: row.providerOutcomeCode ?? undefined,
})

export const issueRow = (issue: Issue) => ({
  ...issue,
  country: issue.country ?? null,
  metadata: issue.metadata ?? null,
  verifiedAt: issue.verifiedAt ?? null,
  providerOutcomeCode: issue.providerOutcomeCode ?? null,
})

export const attemptOf = (row: typeof attempts.$inferSelect): Attempt => ({
  ...row,
  answeredAt: row.answeredAt ?? undefined,
  outcome: row.outcome ?? undefined,
  retry: row.retry ?? undefined,
  code: row.code ?? undefined,
  providerMessageId: row.providerMessageId ?? undefined,
})

export const attemptRow = (attempt: Attempt) => ({
  ...attempt,
  answeredAt: attempt.answeredAt ?? null,
  outcome: attempt.outcome ?? null,
  retry: attempt.retry ?? null,
  code: attempt.code ?? null,
  providerMessageId: attempt.providerMessageId ?? null,
})

export const awaitedOf = (row: typeof awaitedReports.$inferSelect): AwaitedReport => ({
  ...row,
  providerMessageId: row.providerMessageId ?? undefined,
})

export const entryOf = (row: typeof ledgerEntries.$inferSelect): LedgerEntry => ({
  ...row,
  issueId: row.issueId ?? undefined,
  reference: row.reference ?? undefined,
})

export const keyOf = (row: typeof apiKeys.$inferSelect & { organizationId: string }): StoredKey => ({
  ...row,
  expiresAt: row.expiresAt ?? undefined,
  revokedAt: row.revokedAt ?? undefined,
  lastUsedAt: row.lastUsedAt ?? undefined,
})

export const walletOf = (row: typeof wallets.$inferSelect): Wallet => ({
  ...row,
  alertBelow: row.alertBelow ?? undefined,
})
