/** The interface under `/v1`: one router, served as REST and as RPC. route → `enter` → body → handler with a `Caller`. */
import { StandardOpenAPIHandler } from '@orpc/openapi/standard'
import { ORPCError } from '@orpc/server'
import { StandardRPCHandler } from '@orpc/server/standard'
import { Refusal, unavailable } from '../domain/error'
import type { ApiKey } from '../domain/key'
import { type LimitsConfig, refusalLimit } from '../domain/limit'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Descriptors } from '../ports/network'
import type { Node } from '../ports/node'
import { type Caller, type EnterDependencies, enter, type Visit } from './enter'
import { asRefusal, fromRefusal, unexpectedError, unreadable } from './errors'
import { isRpc, type Operation, operationAt } from './operations'
import { type CallContext, createProcedures, type ProcedureDependencies } from './procedures'
import { bodyFor } from './request-body'

/** What is answered to one request; `key` is whose it was, where that is known. */
export interface ApiAnswer {
  status: number
  body: unknown
  /** Of a refusal that ends by itself, in milliseconds from now. */
  retryAfterMs?: number | undefined
  key?: ApiKey | undefined
  /** What the caller was refused with, if so. */
  refusal?: Refusal | undefined
  /** Which operation it was for, as a log may say it; no path, since a path may hold anything. */
  route: string
}

export type ApiDependencies = ProcedureDependencies &
  EnterDependencies & {
    node: Pick<Node, 'load'>
    limits: LimitsConfig
    clock: Clock
    log: Log
    descriptors: Descriptors
  }

/** Answers a request under `/v1`; `undefined` when nothing there has this path and method. */
export type Api = (
  request: Request,
  url: URL,
  from: Pick<Visit, 'clientIp' | 'origin'>,
) => Promise<ApiAnswer | undefined>

type Handler = StandardOpenAPIHandler<CallContext> | StandardRPCHandler<CallContext>

export function createApi(deps: ApiDependencies): Api {
  const { node, log, descriptors } = deps
  // biome-ignore lint/suspicious/noExplicitAny: oRPC's interceptor types are wider than what is used here
  const options = { clientInterceptors: [markDefects], interceptors: [letErrorsPass] } as any
  const router = createProcedures(deps)
  const handlers: Record<Operation['wire'], Handler> = {
    rest: new StandardOpenAPIHandler<CallContext>(router, options),
    rpc: new StandardRPCHandler<CallContext>(router, options),
  }

  async function handle(operation: Operation, request: Request, url: URL, caller: Caller): Promise<ApiAnswer> {
    const result = await handlers[operation.wire].handle(
      {
        method: request.method,
        url,
        headers: {},
        signal: request.signal,
        body: () => bodyFor(operation.wire, request, url),
      },
      { prefix: operation.prefix, context: { caller } },
    )
    if (!result.matched) throw new Error(`${operation.path} is routed and has no procedure`)
    if (result.response instanceof Thrown) throw result.response.error
    const { status, body } = result.response
    return { status, body, route: operation.path }
  }

  /** What a failed request is told: its refusal, that of an input which nobody can read, or nothing of what went wrong. */
  function told(error: unknown): Refusal | undefined {
    const refusal = asRefusal(error) ?? (error instanceof Unreadable ? unreadable() : undefined)
    if (!refusal) log.error({ err: nameOf(error) }, 'request failed unexpectedly')
    else if (refusal.kind === 'unavailable')
      log.warn({ reason: refusal.message, err: nameOf(refusal.cause) }, 'request refused: unavailable')
    return refusal
  }

  /** Refusals use up nothing of what a caller may do, so they have a ceiling of their own; above it they are 429. */
  async function underTheCeiling(refusal: Refusal, key: ApiKey | undefined, clientIp: string): Promise<Refusal> {
    const rule = refusalLimit(deps.limits, refusal.kind, key, clientIp)
    if (!rule) return refusal
    try {
      await node.limits.take([rule])
      return refusal
    } catch (limited) {
      if (limited instanceof Refusal) return limited
      throw limited
    }
  }

  return async (request, url, { clientIp, origin }) => {
    const operation = operationAt(request.method, url.pathname)
    if (node.load.waitingMs() > PATIENCE_MS || descriptors.areShort()) return tooBusy(url, operation)
    if (!operation) return undefined
    const visit = { headers: request.headers, parameters: url.searchParams, clientIp, origin }
    let key: ApiKey | undefined
    let caller: Caller | undefined
    try {
      caller = await enter(deps, visit, operation.access, (known) => {
        key = known
      })
      return { ...(await handle(operation, request, url, caller)), key }
    } catch (error) {
      await caller?.permit.giveBack()
      const refusal = told(error)
      if (!refusal) return { ...inWire(operation, unexpectedError().toJSON(), 500), key }
      const final = await underTheCeiling(refusal, key, clientIp)
      const refused = fromRefusal(final)
      const body = inWire(operation, refused.toJSON(), refused.status)
      return { ...body, retryAfterMs: final.detail.retryAfterMs, key, refusal: final }
    }
  }
}

const inWire = ({ wire, path }: Pick<Operation, 'wire' | 'path'>, body: unknown, status: number) => ({
  status,
  body: wire === 'rpc' ? { json: body } : body,
  route: path,
})

/** oRPC could not make an input of the request: the wire format of RPC, for example, was wrong. */
class Unreadable extends Error {}

/** What went wrong behind the input, and is nobody's refusal. */
class Defect extends Error {}

interface Intercepted<T> {
  next: () => Promise<T>
}

/** Behind this everything is decoded: an error that is no refusal is ours. */
async function markDefects<T>({ next }: Intercepted<T>): Promise<T> {
  try {
    return await next()
  } catch (cause) {
    throw asRefusal(cause) ?? new Defect(nameOf(cause))
  }
}

/** oRPC would make an answer of an error by itself: it passes as one, and is thrown behind it. */
class Thrown {
  readonly status = 500
  readonly headers = {}
  readonly body = undefined
  constructor(readonly error: unknown) {}
}

async function letErrorsPass({ next }: Intercepted<unknown>): Promise<unknown> {
  try {
    return await next()
  } catch (error) {
    const isKnown = error instanceof Defect || asRefusal(error) !== undefined
    return { matched: true, response: new Thrown(isKnown ? error : new Unreadable()) }
  }
}

/**
 * What has waited so long shows that more comes in than can be done. Who comes now is refused at once, before it costs
 * anything, so that those who were let in are answered soon.
 */
const PATIENCE_MS = 400
export const COME_BACK_MS = 1_000
/** Made once: an error costs more to make than all else that a refusal takes. */
const REFUSAL = unavailable('Too many requests at the moment', COME_BACK_MS)
const TOO_BUSY = fromRefusal(REFUSAL).toJSON()

const tooBusy = ({ pathname }: URL, operation: Operation | undefined): ApiAnswer => ({
  ...inWire({ wire: isRpc(pathname) ? 'rpc' : 'rest', path: operation?.path ?? 'none' }, TOO_BUSY, 503),
  retryAfterMs: COME_BACK_MS,
  refusal: REFUSAL,
})

const nameOf = (error: unknown) =>
  error instanceof Defect
    ? error.message
    : error instanceof ORPCError
      ? error.code
      : error instanceof Error
        ? error.name
        : undefined
