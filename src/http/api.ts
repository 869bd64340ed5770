/** The interface under `/v1`: one router, served as REST and as RPC. */
import { StandardOpenAPIHandler } from '@orpc/openapi/standard'
import { ORPCError } from '@orpc/server'
import { StandardRPCHandler } from '@orpc/server/standard'
import type { OperationAccess } from '../../contract/scope'
import type { LimitsConfig } from '../config'
import { invalid, Refusal } from '../domain/error'
import { authorize } from '../domain/key'
import type { Limiter } from '../domain/limit'
import { type Modes, refusalLimit, rulesOf } from '../mode'
import type { Clock, Descriptors, Log } from '../ports'
import { asRefusal, fromRefusal, type InterfaceError, interfaceError, unexpectedError, unreadable } from './errors'
import { readJsonBody, readOptionalJsonBody } from './json-body'
import { type CallContext, createProcedures, type ProcedureDependencies } from './procedures'

export const API_PREFIX = '/v1'
const RPC_PREFIX = '/v1/rpc/otp'

export interface ApiAnswer {
  status: number
  body: unknown
}

export interface ApiDependencies extends ProcedureDependencies {
  modes: Modes
  limiter: Limiter
  limits: LimitsConfig
  clock: Clock
  log: Log
  descriptors: Descriptors
}

type Handler = StandardOpenAPIHandler<CallContext> | StandardRPCHandler<CallContext>

/** Answers a request under `/v1`; `undefined` when nothing there has this path and method. */
export type Api = (request: Request, url: URL, context: CallContext) => Promise<ApiAnswer>

export function createApi(deps: ApiDependencies): Api {
  const { modes, limiter, clock, log } = deps

  /** Everything that comes before the input is looked at: who, may they, how often. */
  const guard = async <T>({
    context,
    procedure,
    next,
  }: {
    context: CallContext
    procedure: { '~orpc': { meta: unknown } }
    next: () => Promise<T>
  }): Promise<T> => {
    context.entered = true
    const key = await context.caller()
    context.key = key
    const access = procedure['~orpc'].meta as OperationAccess
    authorize(key, access, context.origin, context.clientIp)
    if (context.repeatedParameter !== undefined)
      throw invalid(context.repeatedParameter.slice(0, 64), 'duplicate_field', 'this parameter is given twice')
    const permit = limiter.take(rulesOf(modes, key).requestLimits(key, access.limitedAs, context.clientIp), clock.now())
    try {
      return await next()
    } catch (error) {
      permit.giveBack()
      throw error
    }
  }

  const translateErrors = async <T>({
    context,
    next,
  }: {
    context: CallContext
    next: () => Promise<T>
  }): Promise<T> => {
    try {
      return await next()
    } catch (error) {
      throw translate(error, context)
    }
  }

  function translate(error: unknown, context: CallContext): InterfaceError {
    // Before that, oRPC could not make an input of the request: the wire format of RPC, for example, was wrong.
    const refusal = asRefusal(error) ?? (context.entered ? undefined : unreadable())
    if (!refusal) {
      log.error({ err: nameOf(error) }, 'request failed unexpectedly')
      return unexpectedError()
    }
    if (refusal.kind === 'unavailable') {
      log.warn({ reason: refusal.message, err: nameOf(refusal.cause) }, 'request refused: unavailable')
    }
    const told = underTheCeiling(refusal, context)
    context.retryAfterMs = told.detail.retryAfterMs
    return fromRefusal(told)
  }

  /** Refusals use up nothing of what a caller may do, so they have a ceiling of their own; above it they are 429. */
  function underTheCeiling(refusal: Refusal, { known, clientIp }: CallContext): Refusal {
    const rule = refusalLimit(deps.limits, refusal.kind, known, clientIp)
    if (!rule) return refusal
    try {
      limiter.take([rule], clock.now())
      return refusal
    } catch (limited) {
      if (limited instanceof Refusal) return limited
      throw limited
    }
  }

  const options = { clientInterceptors: [guard], interceptors: [translateErrors] }
  const router = createProcedures(deps)
  // biome-ignore lint/suspicious/noExplicitAny: oRPC's interceptor types are wider than what is used here
  const rest = new StandardOpenAPIHandler<CallContext>(router, options as any)
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const rpc = new StandardRPCHandler<CallContext>(router, options as any)

  return async (request, url, context) => {
    const isRpc = url.pathname.startsWith(`${RPC_PREFIX}/`)
    if (deps.store.waitingMs() > PATIENCE_MS || deps.descriptors.areShort()) return tooBusy(isRpc, context)
    const answer = isServable(request.method, url.pathname, isRpc)
      ? await call(isRpc ? rpc : rest, isRpc ? RPC_PREFIX : API_PREFIX, request, url, context)
      : undefined
    if (answer) return answer
    const missing = interfaceError('NOT_FOUND', 'No such path or method').toJSON()
    return { status: 404, body: isRpc ? { json: missing } : missing }
  }
}

/**
 * What has waited so long shows that more comes in than can be done. Who comes now is refused at once, before it costs
 * anything, so that those who were let in are answered soon.
 */
const PATIENCE_MS = 400
export const COME_BACK_MS = 1_000
/** Made once: an error costs more to make than all else that a refusal takes. */
const TOO_BUSY = interfaceError('SERVICE_UNAVAILABLE', 'Too many requests at the moment').toJSON()

function tooBusy(isRpc: boolean, context: CallContext): ApiAnswer {
  context.retryAfterMs = COME_BACK_MS
  return { status: 503, body: isRpc ? { json: TOO_BUSY } : TOO_BUSY }
}

/** RPC is POST; paths have one spelling, so no trailing slash. */
const isServable = (method: string, path: string, isRpc: boolean) =>
  !path.endsWith('/') && (isRpc ? method === 'POST' : method === 'POST' || method === 'GET')

async function call(
  handler: Handler,
  prefix: `/${string}`,
  request: Request,
  url: URL,
  context: CallContext,
): Promise<ApiAnswer | undefined> {
  const result = await handler.handle(
    {
      method: request.method,
      url,
      headers: {},
      signal: request.signal,
      // The key is checked before the body is read: an unknown caller learns nothing about its input.
      body: async () => {
        await context.caller()
        if (url.search !== '') throw noParameters(url)
        if (prefix !== RPC_PREFIX) return readJsonBody(request)
        // A call without input may come without a body: oRPC's first clients send none.
        const body = (await readOptionalJsonBody(request)) ?? {}
        assertRpcMeta(body)
        return body
      },
    },
    { prefix, context },
  )
  return result.matched ? { status: result.response.status, body: result.response.body } : undefined
}

const noParameters = (url: URL) =>
  invalid(
    ([...url.searchParams.keys()][0] ?? 'query').slice(0, 64),
    'unknown_field',
    'this request takes no query parameters',
  )

/** RPC's notes on values that JSON has no word for: `[[type, ...path]]`. oRPC passes over what it does not know. */
function assertRpcMeta({ meta, json: _, ...rest }: Record<string, unknown>): void {
  const unknown = Object.keys(rest)[0]
  if (unknown !== undefined)
    throw invalid(unknown.slice(0, 64), 'unknown_field', 'a request has "json" and "meta" only')
  const isNote = (note: unknown) =>
    Array.isArray(note) &&
    RPC_TYPES.has(note[0]) &&
    note.slice(1).every((step) => ['string', 'number'].includes(typeof step))
  if (meta !== undefined && !(Array.isArray(meta) && meta.every(isNote)))
    throw invalid('meta', 'invalid_format', 'not in the expected format')
}

const RPC_TYPES: ReadonlySet<unknown> = new Set([0, 1, 2, 3, 4, 5, 6, 7])

const nameOf = (error: unknown) =>
  error instanceof ORPCError ? error.code : error instanceof Error ? error.name : undefined
