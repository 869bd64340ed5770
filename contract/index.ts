/**
 * The interface, once. From these nine procedures come the RPC API (`/v1/rpc/otp/<name>`), the REST API (`/v1/…`),
 * the published description (`/v1/openapi.json`) and the typed client.
 */
import { oc } from '@orpc/contract'
import { z } from 'zod'
import { PATHS } from './constants'
import { commonErrors, notFound, payloadTooLarge, paymentRequired, wrongMode } from './error'
import { getIssueInput, issueProjection, listIssuesInput, listIssuesOutput } from './history'
import { issueInput, issueOutput, statusInput, statusOutput, verifyInput, verifyOutput } from './issue'
import { ACCESS, type OperationAccess } from './scope'
import { getTemplateInput, listTemplatesOutput, templateDetail } from './template'
import { published } from './value'
import { balanceOutput, listCreditLedgerInput, listCreditLedgerOutput } from './wallet'

const operation = oc.$meta<OperationAccess>(ACCESS.issue).errors(commonErrors)

/** An operation without parameters: an empty query, or on RPC an empty object, `null` or nothing. */
const noInput = published(z.strictObject({}).nullish(), { type: 'object' })

export const contract = {
  issue: operation
    .meta(ACCESS.issue)
    .errors({ ...wrongMode, ...paymentRequired, ...payloadTooLarge })
    .route({
      method: 'POST',
      path: PATHS.issue,
      operationId: 'otp.issue',
      tags: ['Codes'],
      summary: 'Issue a code and queue its delivery',
    })
    .input(issueInput)
    .output(issueOutput),
  verify: operation
    .meta(ACCESS.verify)
    .errors({ ...wrongMode, ...payloadTooLarge })
    .route({
      method: 'POST',
      path: PATHS.verify,
      operationId: 'otp.verify',
      tags: ['Codes'],
      summary: 'Check a code, once',
    })
    .input(verifyInput)
    .output(verifyOutput),
  status: operation
    .meta(ACCESS.status)
    .errors(notFound)
    .route({
      method: 'GET',
      path: PATHS.status,
      operationId: 'otp.status',
      tags: ['Codes'],
      summary: 'Read where an issue stands',
    })
    .input(statusInput)
    .output(statusOutput),
  listIssues: operation
    .meta(ACCESS.issues)
    .route({
      method: 'GET',
      path: PATHS.listIssues,
      operationId: 'otp.listIssues',
      tags: ['History'],
      summary: 'List issues, newest first',
    })
    .input(listIssuesInput)
    .output(listIssuesOutput),
  getIssue: operation
    .meta(ACCESS.issues)
    .errors(notFound)
    .route({
      method: 'GET',
      path: PATHS.getIssue,
      operationId: 'otp.getIssue',
      tags: ['History'],
      summary: 'Read one issue',
    })
    .input(getIssueInput)
    .output(issueProjection),
  listCreditLedger: operation
    .meta(ACCESS.ledger)
    .route({
      method: 'GET',
      path: PATHS.listCreditLedger,
      operationId: 'otp.listCreditLedger',
      tags: ['Wallet'],
      summary: 'List wallet entries, newest first',
    })
    .input(listCreditLedgerInput)
    .output(listCreditLedgerOutput),
  balance: operation
    .meta(ACCESS.balance)
    .route({
      method: 'GET',
      path: PATHS.balance,
      operationId: 'otp.balance',
      tags: ['Wallet'],
      summary: 'Read the wallet balance',
    })
    .input(noInput)
    .output(balanceOutput),
  listTemplates: operation
    .meta(ACCESS.templates)
    .route({
      method: 'GET',
      path: PATHS.listTemplates,
      operationId: 'otp.listTemplates',
      tags: ['Templates'],
      summary: 'List message templates',
    })
    .input(noInput)
    .output(listTemplatesOutput),
  getTemplate: operation
    .meta(ACCESS.templates)
    .errors(notFound)
    .route({
      method: 'GET',
      path: PATHS.getTemplate,
      operationId: 'otp.getTemplate',
      tags: ['Templates'],
      summary: 'Read one message template',
    })
    .input(getTemplateInput)
    .output(templateDetail),
}

export type Contract = typeof contract
