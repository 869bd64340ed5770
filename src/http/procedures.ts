/** The contract's nine procedures, a line each: contract input → use case → contract output. */
import type { z } from 'zod'
import type { Contract } from '../../contract'
import { type IssueDependencies, issueCode } from '../usecases/issue-code'
import {
  listCreditLedger,
  listIssues,
  listTemplates,
  type ReadDependencies,
  readBalance,
  readIssue,
  readStanding,
  readTemplate,
} from '../usecases/read-history'
import { type VerifyDependencies, verifyCode } from '../usecases/verify-code'
import type { Caller } from './authenticate'
import { keyFor } from './idempotency-key'
import type { OperationName } from './operations'
import {
  balanceView,
  issuedView,
  issuesView,
  ledgerView,
  projection,
  statusView,
  templatesView,
  templateView,
  verificationView,
} from './present'

type Schemas = { [Name in OperationName]: Contract[Name]['~orpc'] }
type Taken<Name extends OperationName> = z.output<NonNullable<Schemas[Name]['inputSchema']>>
type ProcedureOutput<Name extends OperationName> = z.input<NonNullable<Schemas[Name]['outputSchema']>>

/** What each operation does with what its schema has made of the input. */
export type Procedures = {
  [Name in OperationName]: (input: Taken<Name>, caller: Caller) => Promise<ProcedureOutput<Name>>
}

export type ProcedureDependencies = IssueDependencies & VerifyDependencies & ReadDependencies

export function createProcedures(deps: ProcedureDependencies): Procedures {
  const { clock } = deps
  return {
    async issue(input, { key, idempotencyHeader, endUser: address, origin }) {
      const request = { ...input, idempotencyKey: keyFor(input.idempotencyKey, idempotencyHeader), address, origin }
      return issuedView(await issueCode(deps, key, request), key.mode)
    },
    verify: async (input, { key, origin }) =>
      verificationView(await verifyCode(deps, key, { ...input, origin }), key.mode),
    status: async ({ issueId }, { key }) => statusView(await readStanding(deps, key, issueId), clock.now()),
    listIssues: async (input, { key }) => issuesView(await listIssues(deps, key, input), clock.now(), key.mode),
    getIssue: async ({ issueId }, { key }) => projection(await readIssue(deps, key, issueId), clock.now()),
    listCreditLedger: async (input, { key }) => ledgerView(await listCreditLedger(deps, key, input)),
    balance: async (_, { key }) => balanceView(await readBalance(deps, key), key.mode),
    listTemplates: async (_, { key }) => templatesView(await listTemplates(deps, key)),
    getTemplate: async ({ templateId }, { key }) => templateView(await readTemplate(deps, key, templateId)),
  }
}
