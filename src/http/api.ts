/** The API under `/v1`, over REST and RPC: route → authenticate → body → procedure, which maps contract input to a use case. */
import type { z } from 'zod'
import { type Contract, contract } from '../../contract'
import { ACCESS, type OperationAccess } from '../../contract/scope'
import type { ApiKey } from '../domain/access/api-key'
import { type LimitsConfig, refusalLimit } from '../domain/access/rate-limits'
import { errorFields, Refusal, unavailable } from '../domain/shared/error'
import { refusalOf } from '../domain/shared/validation'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Descriptors } from '../ports/network'
import type { Node } from '../ports/node'
import { describeScreen } from '../usecases/describe-screen'
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
import {
  type AuthenticateDependencies,
  type AuthenticatedCaller,
  authenticate,
  type RequestContext,
} from './authenticate'
import { asRefusal, fromRefusal, RETRY_AFTER_MS, unexpectedError } from './errors'
import { isReading } from './json'
import { inputOf, type Operation, type OperationName, operationAt } from './operations'
import {
  balanceView,
  issuedView,
  issuesView,
  keyFor,
  ledgerView,
  projection,
  statusView,
  templatesView,
  templateView,
  verificationView,
} from './present'
import { isRpc, type RequestPath, RPC_PREFIX } from './route-table'

type Schemas = { [Name in OperationName]: Contract[Name]['~orpc'] }
type Taken<Name extends OperationName> = z.output<NonNullable<Schemas[Name]['inputSchema']>>
type ProcedureOutput<Name extends OperationName> = z.input<NonNullable<Schemas[Name]['outputSchema']>>

/** The function of each operation; its input has passed the schema. */
export type Procedures = {
  [Name in OperationName]: (input: Taken<Name>, caller: AuthenticatedCaller) => Promise<ProcedureOutput<Name>>
}

export type ProcedureDependencies = IssueDependencies & VerifyDependencies & ReadDependencies

function createProcedures(deps: ProcedureDependencies): Procedures {
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

/** The answer to one request. `key` is the caller's, where it is known. */
export interface ApiAnswer {
  status: number
  body: unknown
  /** Milliseconds after which the request may succeed; set for refusals that end by themselves. */
  retryAfterMs?: number | undefined
  key?: ApiKey | undefined
  /** Set where the request was refused. */
  refusal?: Refusal | undefined
  /** The operation for the log. The path is not logged, since it may contain anything. */
  route: string
}

export type ApiDependencies = ProcedureDependencies &
  AuthenticateDependencies & {
    node: Pick<Node, 'load'>
    limits: LimitsConfig
    clock: Clock
    log: Log
    descriptors: Descriptors
  }

/** Answers a request under `/v1`; `undefined` when nothing there has this path and method. */
export type Api = (
  request: Request,
  requestPath: RequestPath,
  from: Pick<RequestContext, 'clientIp' | 'origin'>,
) => Promise<ApiAnswer | undefined>

interface Procedure {
  inputSchema: z.ZodType
  outputSchema: z.ZodType
  perform: (input: unknown, caller: AuthenticatedCaller) => Promise<unknown>
}

type PerformerDependencies = AuthenticateDependencies & Pick<ApiDependencies, 'limits' | 'log'>

/** The result of a request: its answer, or its refusal. After an unexpected error it has neither. */
interface Performed<T> {
  key: ApiKey | undefined
  answer?: T
  refusal?: Refusal | undefined
}

/** Authenticates a request and has it handled. Refusals are logged and count against their own limit. */
export function createPerformer(deps: PerformerDependencies) {
  const { node, log } = deps

  /** Returns the refusal of a failed request after logging it; undefined for an unexpected error, which is never shown. */
  function refusalLogged(error: unknown): Refusal | undefined {
    const refusal = asRefusal(error)
    if (!refusal) log.error(errorFields(error), 'request failed unexpectedly')
    else if (refusal.detail.reason === 'test_number_required')
      log.info(
        { reason: refusal.detail.reason },
        'request refused: a test key takes magic test numbers only and sends nothing',
      )
    else if (refusal.kind === 'unavailable')
      log.warn({ ...errorFields(refusal), reason: refusal.message }, 'request refused: unavailable')
    return refusal
  }

  /** Refused requests do not count against other limits, so they have a limit of their own; above it they become 429. */
  async function limitRefusals(refusal: Refusal, key: ApiKey | undefined, clientIp: string): Promise<Refusal> {
    const rule = refusalLimit(deps.limits, refusal.kind, key, clientIp)
    if (!rule) return refusal
    try {
      await node.limits.acquire([rule])
      return refusal
    } catch (limited) {
      if (limited instanceof Refusal) return limited
      throw limited
    }
  }

  return async <T>(
    context: RequestContext,
    access: OperationAccess,
    handle: (caller: AuthenticatedCaller) => Promise<T>,
  ): Promise<Performed<T>> => {
    let key: ApiKey | undefined
    let caller: AuthenticatedCaller | undefined
    try {
      caller = await authenticate(deps, context, access, (known) => {
        key = known
      })
      return { key, answer: await handle(caller) }
    } catch (error) {
      await caller?.permit.release()
      const refusal = refusalLogged(error)
      return { key, refusal: refusal && (await limitRefusals(refusal, key, context.clientIp)) }
    }
  }
}

/**
 * What the screens of the client ask for themselves. It is no operation of the interface, and counts against no limit: each
 * view of a page asks, and the answer is in memory.
 */
const SCREEN: Operation = {
  ...{ name: 'issue', wire: 'rpc', id: undefined, path: `POST ${RPC_PREFIX}/screen` },
  access: { ...ACCESS.issue, limitedAs: 'uncounted' },
}

const isScreen = ({ method }: Request, { path }: RequestPath) => `${method} ${path}` === SCREEN.path

export function createApi(deps: ApiDependencies): Api {
  const procedures = proceduresOf(deps)
  const perform = createPerformer(deps)

  async function handle(
    operation: Operation,
    request: Request,
    requestPath: RequestPath,
    caller: AuthenticatedCaller,
  ): Promise<ApiAnswer> {
    const { inputSchema, outputSchema, perform } = procedures[operation.name]
    const rawInput = await inputOf(operation, request, requestPath)
    const input = inputSchema.safeParse(rawInput)
    if (!input.success) throw refusalOf(input.error.issues, rawInput)
    // The output schema drops every field that is not in the contract.
    return answerIn(operation, outputSchema.parse(await perform(input.data, caller)), 200, caller.key)
  }

  return async (request, requestPath, { clientIp, origin }) => {
    const ofScreen = isScreen(request, requestPath)
    const operation = ofScreen ? SCREEN : operationAt(isReading(request) ? 'GET' : request.method, requestPath.path)
    if (isOverloaded(deps)) return overloaded(requestPath, operation)
    if (!operation) return undefined
    const context = { headers: request.headers, search: requestPath.search, clientIp, origin }
    const { key, answer, refusal } = await perform(context, operation.access, async (caller) =>
      ofScreen
        ? answerIn(operation, await describeScreen(deps, caller.key), 200, caller.key)
        : handle(operation, request, requestPath, caller),
    )
    if (answer) return answer
    if (!refusal) return answerIn(operation, unexpectedError().toJSON(), 500, key)
    const refused = fromRefusal(refusal)
    return {
      ...answerIn(operation, refused.toJSON(), refused.status, key),
      retryAfterMs: refusal.detail.retryAfterMs,
      refusal,
    }
  }
}

/** Each schema of the contract beside what is done. */
function proceduresOf(deps: ProcedureDependencies): Record<OperationName, Procedure> {
  const perform = createProcedures(deps)
  const of = (name: OperationName) => ({ ...contract[name]['~orpc'], perform: perform[name] })
  return Object.fromEntries(Object.keys(contract).map((name) => [name, of(name as OperationName)])) as never
}

const answerIn = (
  { wire, path }: Pick<Operation, 'wire' | 'path'>,
  body: unknown,
  status: number,
  key: ApiKey | undefined,
): ApiAnswer => ({
  status,
  body: wire === 'rpc' ? { json: body } : body,
  key,
  route: path,
})

/**
 * A transaction that waits longer shows overload. New requests are then refused at once, before they cost anything, so that requests
 * in progress are answered soon.
 */
const MAX_STORE_WAIT_MS = 400
export const isOverloaded = ({ node, descriptors }: Pick<ApiDependencies, 'node' | 'descriptors'>): boolean =>
  node.load.waitingMs() > MAX_STORE_WAIT_MS || descriptors.areShort()

/** Created once, since creating an error costs more than the rest of the refusal. */
export const OVERLOADED = unavailable('Too many requests at the moment', RETRY_AFTER_MS)
const OVERLOADED_BODY = fromRefusal(OVERLOADED).toJSON()

const overloaded = ({ path }: RequestPath, operation: Operation | undefined): ApiAnswer => ({
  ...answerIn({ wire: isRpc(path) ? 'rpc' : 'rest', path: operation?.path ?? 'none' }, OVERLOADED_BODY, 503, undefined),
  retryAfterMs: RETRY_AFTER_MS,
  refusal: OVERLOADED,
})
