/**
 * Inputs and outputs of the contract. The published package has them written out by `package/types.ts`, so that it
 * depends on neither the contract nor zod.
 */
import type { z } from 'zod'
import type * as history from '../contract/history'
import type * as issue from '../contract/issue'
import type * as template from '../contract/template'
import type * as wallet from '../contract/wallet'

export type { EventType, OtpEvent, OtpEventOf } from '../contract/event'
export type { Reason } from '../contract/reason'

/** The contract accepts the page size as digits in a query, which has no useful type here. */
type Page<T> = Omit<T, 'limit'> & { limit?: number | undefined }

export type IssueInput = z.input<typeof issue.issueInput>
export type IssueOutput = z.output<typeof issue.issueOutput>
export type VerifyInput = z.input<typeof issue.verifyInput>
export type VerifyOutput = z.output<typeof issue.verifyOutput>
export type ReasonCode = z.output<typeof issue.reasonCode>
export type StatusInput = z.input<typeof issue.statusInput>
export type StatusOutput = z.output<typeof issue.statusOutput>
export type ListIssuesInput = Page<z.input<typeof history.listIssuesInput>>
export type ListIssuesOutput = z.output<typeof history.listIssuesOutput>
export type GetIssueInput = z.input<typeof history.getIssueInput>
export type IssueProjection = z.output<typeof history.issueProjection>
export type ListCreditLedgerInput = Page<z.input<typeof wallet.listCreditLedgerInput>>
export type ListCreditLedgerOutput = z.output<typeof wallet.listCreditLedgerOutput>
export type LedgerEntry = z.output<typeof wallet.ledgerEntry>
export type Balance = z.output<typeof wallet.balanceOutput>
export type TemplateList = z.output<typeof template.listTemplatesOutput>
export type GetTemplateInput = z.input<typeof template.getTemplateInput>
export type Template = z.output<typeof template.templateDetail>
