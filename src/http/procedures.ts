/** The contract's nine procedures, a line each: contract input → use case → contract output. */
import { implement } from '@orpc/server'
import { contract } from '../../contract'
import { type IssueDependencies, issueCode } from '../usecases/issue-code'
import {
  listCreditLedger,
  listIssues,
  listTemplates,
  type ReadDependencies,
  readBalance,
  readIssue,
  readTemplate,
} from '../usecases/read-history'
import { type VerifyDependencies, verifyCode } from '../usecases/verify-code'
import type { Caller } from './enter'
import { keyFor } from './idempotency-key'
import {
  balanceView,
  issuedView,
  issuesView,
  projection,
  statusView,
  templatesView,
  templateView,
  verificationView,
} from './present'
import { ledgerView } from './present-ledger'

/** What a request brings besides its input. */
export interface CallContext {
  caller: Caller
}

export type ProcedureDependencies = IssueDependencies & VerifyDependencies & ReadDependencies

export function createProcedures(deps: ProcedureDependencies) {
  const os = implement(contract).$context<CallContext>()
  const { clock } = deps
  return os.router({
    issue: os.issue.handler(async ({ input, context: { caller } }) => {
      const { key, idempotencyHeader, endUser: address, origin } = caller
      const request = { ...input, idempotencyKey: keyFor(input.idempotencyKey, idempotencyHeader), address, origin }
      return issuedView(await issueCode(deps, key, request), key.mode)
    }),
    verify: os.verify.handler(async ({ input, context: { caller } }) =>
      verificationView(await verifyCode(deps, caller.key, { ...input, origin: caller.origin }), caller.key.mode),
    ),
    status: os.status.handler(async ({ input, context: { caller } }) =>
      statusView(await readIssue(deps, caller.key, input.issueId), clock.now()),
    ),
    listIssues: os.listIssues.handler(async ({ input, context: { caller } }) =>
      issuesView(await listIssues(deps, caller.key, input), clock.now(), caller.key.mode),
    ),
    getIssue: os.getIssue.handler(async ({ input, context: { caller } }) =>
      projection(await readIssue(deps, caller.key, input.issueId), clock.now()),
    ),
    listCreditLedger: os.listCreditLedger.handler(async ({ input, context: { caller } }) =>
      ledgerView(await listCreditLedger(deps, caller.key, input)),
    ),
    balance: os.balance.handler(async ({ context: { caller } }) =>
      balanceView(await readBalance(deps, caller.key), caller.key.mode),
    ),
    listTemplates: os.listTemplates.handler(async ({ context: { caller } }) =>
      templatesView(await listTemplates(deps, caller.key)),
    ),
    getTemplate: os.getTemplate.handler(async ({ input, context: { caller } }) =>
      templateView(await readTemplate(deps, caller.key, input.templateId)),
    ),
  })
}
