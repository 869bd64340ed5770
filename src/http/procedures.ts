/** The contract's nine procedures, a line each: contract input → use case → contract output. */
import { implement } from '@orpc/server'
import { contract } from '../../contract'
import { idempotencyKey } from '../../contract/issue'
import { invalid } from '../domain/error'
import type { ApiKey } from '../domain/key'
import { refusalOf } from '../domain/validation'
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
import { verifyCode } from '../usecases/verify-code'
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

/** What a request brings besides its input. */
export interface CallContext {
  /** Authenticates once; throws `unauthorized`. */
  caller: () => Promise<ApiKey>
  /** The caller, once authenticated. */
  known?: ApiKey
  /** The same, once it is authorized for the procedure. */
  key?: ApiKey
  origin: string | undefined
  clientIp: string
  idempotencyHeader: string | null
  /** A query parameter that is given more than once: which one would be meant? */
  repeatedParameter: string | undefined
  /** Set when the procedure has been entered: errors before that are the request's fault. */
  entered: boolean
  retryAfterMs: number | undefined
}

export type ProcedureDependencies = IssueDependencies & ReadDependencies

export function createProcedures(deps: ProcedureDependencies) {
  const os = implement(contract).$context<CallContext>()
  const { clock } = deps
  return os.router({
    issue: os.issue.handler(async ({ input, context }) => {
      const key = authorized(context)
      const request = { ...input, idempotencyKey: keyFor(input.idempotencyKey, context.idempotencyHeader) }
      return issuedView(await issueCode(deps, key, request), key.mode)
    }),
    verify: os.verify.handler(async ({ input, context }) => {
      const key = authorized(context)
      return verificationView(await verifyCode(deps, key, input), key.mode)
    }),
    status: os.status.handler(async ({ input, context }) =>
      statusView(await readIssue(deps, authorized(context), input.issueId), clock.now()),
    ),
    listIssues: os.listIssues.handler(async ({ input, context }) => {
      const key = authorized(context)
      return issuesView(await listIssues(deps, key, input), clock.now(), key.mode)
    }),
    getIssue: os.getIssue.handler(async ({ input, context }) =>
      projection(await readIssue(deps, authorized(context), input.issueId), clock.now()),
    ),
    listCreditLedger: os.listCreditLedger.handler(async ({ input, context }) =>
      ledgerView(await listCreditLedger(deps, authorized(context), input)),
    ),
    balance: os.balance.handler(async ({ context }) => {
      const key = authorized(context)
      return balanceView(await readBalance(deps, key), key.mode)
    }),
    listTemplates: os.listTemplates.handler(async ({ context }) =>
      templatesView(await listTemplates(deps, authorized(context))),
    ),
    getTemplate: os.getTemplate.handler(async ({ input, context }) =>
      templateView(await readTemplate(deps, authorized(context), input.templateId)),
    ),
  })
}

/** The guard has put the key there before any procedure runs. */
function authorized({ key }: CallContext): ApiKey {
  if (!key) throw new Error('A procedure was reached without the guard')
  return key
}

/** Rule 1: from the header or the body field; when both are sent they must be equal. */
function keyFor(inBody: string | undefined, header: string | null): string {
  const inHeader = header === null ? undefined : idempotencyKey.safeParse(header)
  if (inHeader && !inHeader.success) throw refusalOf(inHeader.error.issues, header, 'Idempotency-Key')
  if (inHeader && inBody !== undefined && inHeader.data !== inBody) {
    throw invalid('idempotencyKey', 'idempotency_key_mismatch', 'differs from the Idempotency-Key header')
  }
  const key = inHeader?.data ?? inBody
  if (key === undefined) {
    const problem = 'an Idempotency-Key header or this field is required'
    throw invalid('idempotencyKey', 'idempotency_key_required', problem)
  }
  return key
}
