/** Delivery attempts, and messages on which carriers may still report. */
import type { Attempt, AwaitedReport } from '../../domain/delivery/attempt'
import type { Row } from '../tables'

export const attemptOf = (row: Row<Attempt>): Attempt => ({
  ...row,
  answeredAt: row.answeredAt ?? undefined,
  outcome: row.outcome ?? undefined,
  retry: row.retry ?? undefined,
  code: row.code ?? undefined,
  carrierMessageId: row.carrierMessageId ?? undefined,
})

export const attemptRow = (attempt: Attempt): Row<Attempt> => ({
  ...attempt,
  answeredAt: attempt.answeredAt ?? null,
  outcome: attempt.outcome ?? null,
  retry: attempt.retry ?? null,
  code: attempt.code ?? null,
  carrierMessageId: attempt.carrierMessageId ?? null,
})

/** The columns that a carrier's answer sets. */
export const ATTEMPT_ANSWER = ['answeredAt', 'outcome', 'retry', 'code', 'carrierMessageId'] as const

export const awaitedOf = (row: Row<AwaitedReport>): AwaitedReport => ({
  ...row,
  carrierMessageId: row.carrierMessageId ?? undefined,
})

export const awaitedRow = (awaited: AwaitedReport): Row<AwaitedReport> => ({
  ...awaited,
  carrierMessageId: awaited.carrierMessageId ?? null,
})
