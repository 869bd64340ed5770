/** Mounts everything that listens: the API, its description and docs, provider reports, health. */
import { consoleAsset } from '../console/assets'
import { CONSOLE_RPC_PREFIX, type ConsoleDependencies } from '../console/context'
import type { ConsoleRpc } from '../console/rpc'
import type { Directory } from '../directory'
import { invalid, unavailable } from '../domain/error'
import type { Gate } from '../domain/gate'
import { type ApiKey, isLocalOrigin, listsOrigin } from '../domain/key'
import type { Clock, Log, Random } from '../ports'
import type { ReportDependencies } from '../usecases/record-report'
import { API_PREFIX, type ApiAnswer, type ApiDependencies, COME_BACK_MS, createApi } from './api'
import { authenticate } from './auth'
import { clientIpOf } from './client-ip'
import { answerHeaders, preflightHeaders } from './cors'
import { docs } from './docs'
import { asRefusal, fromRefusal, interfaceError, retryAfter, unexpectedError } from './errors'
import { isFromHere } from './forwarded'
import { createReadiness } from './health'
import { isNeedlesslyEncoded, mountOf } from './mounts'
import { describeApi } from './openapi'
import type { CallContext } from './procedures'
import { REPORT_PREFIX, receiveReports } from './reports'
import { requestIdOf } from './request-id'

export interface ServerDependencies extends ApiDependencies, ReportDependencies, ConsoleDependencies {
  directory: Directory
  clock: Clock
  random: Random
  log: Log
  trustedProxies: readonly string[]
  publicUrl: string | undefined
  /** Where webhooks come from, for receivers that let in known addresses only. */
  webhookSources: readonly string[]
  dispatcherLookedAt: () => number
  gates: () => Map<string, Gate>
}

/**
 * Answers one request; `socketAddress` is the peer's. `mount` is the pattern of `MOUNTS` that the request line matched as
 * it was written, empty where it matched none; left out by callers that have no request line. Never throws.
 */
export type Fetch = (request: Request, socketAddress: string, mount?: string) => Promise<Response>

/** What the log line of a request says; no path, since a path may hold anything. */
interface Trace {
  route: string
  key?: ApiKey
}

export function createFetch(deps: ServerDependencies): Fetch {
  const { clock, descriptors, directory, log } = deps
  const api = createApi(deps)
  const readiness = createReadiness(deps)
  let description: Promise<string> | undefined
  let consoleRpc: Promise<ConsoleRpc> | undefined

  async function respond(request: Request, socketAddress: string, trace: Trace, mount?: string): Promise<Response> {
    const url = urlOf(request)
    const path = url.pathname
    if (isNeedlesslyEncoded(path) || (mount !== undefined && mount !== mountOf(path))) return nothingThere()
    if (path === `${API_PREFIX}/openapi.json` && request.method === 'GET') {
      trace.route = 'openapi'
      description ??= describeApi(deps.publicUrl).then((document) => JSON.stringify(document))
      return json(200, await description)
    }
    if (path === `${API_PREFIX}/webhook-sources` && request.method === 'GET') {
      trace.route = 'webhook-sources'
      return json(200, { networks: deps.webhookSources })
    }
    if (path === '/healthz' && isReading(request)) {
      trace.route = 'healthz'
      return json(200, { status: 'ok' })
    }
    if (path.startsWith(`${API_PREFIX}/`)) return respondApi(request, url, socketAddress, trace)
    if (descriptors.areShort()) throw unavailable('Too many connections at the moment', COME_BACK_MS)
    if (path.startsWith(`${CONSOLE_RPC_PREFIX}/`)) {
      trace.route = 'console'
      // Loaded with its first request: most of what a start takes is making schemas.
      consoleRpc ??= import('../console/rpc').then(({ createConsoleRpc }) => createConsoleRpc(deps))
      return (await consoleRpc)(request, url, socketAddress)
    }
    if (path.startsWith(REPORT_PREFIX)) {
      trace.route = 'provider-reports'
      return json(200, await receiveReports(deps, request, url))
    }
    if (isReading(request)) {
      if (path === '/') {
        trace.route = 'root'
        return new Response(null, { status: 302, headers: { location: '/console', 'cache-control': 'no-store' } })
      }
      if (path === '/readyz') {
        trace.route = 'readyz'
        const { status, ...details } = await readiness()
        const ip = clientIpOf(socketAddress, null, [])
        return json(status === 'ready' ? 200 : 503, { status, ...(isFromHere(request, url, ip) && details) })
      }
      const page = await docs(path)
      if (page) {
        trace.route = 'docs'
        return page
      }
      const asset = await consoleAsset(path, request.headers.get('accept-encoding'), deps.random)
      if (asset) {
        trace.route = 'console'
        return asset
      }
    }
    return nothingThere()
  }

  async function respondApi(request: Request, url: URL, socketAddress: string, trace: Trace): Promise<Response> {
    const origin = request.headers.get('origin')
    if (request.method === 'OPTIONS') {
      trace.route = 'preflight'
      const headers = await preflightHeaders(origin, (listed) => directory.isPublicOrigin(listed, clock.now()))
      return new Response(null, { status: 204, headers })
    }
    let caller: Promise<ApiKey> | undefined
    const context: CallContext = {
      caller() {
        caller ??= authenticate(deps, request.headers.get('authorization')).then((key) => {
          trace.key = key
          context.known = key
          return key
        })
        return caller
      },
      origin: origin ?? undefined,
      clientIp: clientIpOf(socketAddress, request.headers.get('x-forwarded-for'), deps.trustedProxies),
      idempotencyHeader: request.headers.get('idempotency-key'),
      repeatedParameter: repeatedIn(url.searchParams),
      entered: false,
      retryAfterMs: undefined,
    }
    const answer = await api(request, url, context)
    if (trace.key) deps.keyUse.note(trace.key.keyId, clock.now())
    if (answer.status !== 404 || context.entered) trace.route = routeOf(request.method, url.pathname)
    const listed = origin !== null && (await isListed(origin, trace.key, answer.status)) ? origin : undefined
    return apiResponse(answer, context, listed)
  }

  /** Who is refused before the key is looked at reads the refusal from wherever a key may be used. */
  async function isListed(origin: string, key: ApiKey | undefined, status: number): Promise<boolean> {
    if (key) return listsOrigin(key, origin)
    return status === 503 && (isLocalOrigin(origin) || (await directory.isPublicOrigin(origin, clock.now())))
  }

  return async (request, socketAddress, mount) => {
    const startedAt = clock.now()
    const requestId = requestIdOf(request.headers, deps)
    const trace: Trace = { route: 'none' }
    const response = await respond(request, socketAddress, trace, mount).catch((thrown) => {
      const error = asRefusal(thrown)
      if (error) return json(fromRefusal(error).status, fromRefusal(error).toJSON(), error.detail.retryAfterMs)
      log.error({ requestId, err: thrown instanceof Error ? thrown.name : undefined }, 'request failed unexpectedly')
      return json(500, unexpectedError().toJSON())
    })
    response.headers.set('x-request-id', requestId)
    response.headers.set('x-content-type-options', 'nosniff')
    if (descriptors.areShort()) response.headers.set('connection', 'close')
    log.info(
      {
        requestId,
        route: trace.route,
        status: response.status,
        ms: clock.now() - startedAt,
        appId: trace.key?.appId,
        keyId: trace.key?.keyId,
        mode: trace.key?.mode,
      },
      'request',
    )
    return response
  }
}

const isReading = ({ method }: Request) => method === 'GET' || method === 'HEAD'

/** Only path and query matter, and they stand in the request line also where a client sends no usable `Host`. */
function urlOf({ url }: Request): URL {
  try {
    return new URL(url)
  } catch {
    return urlOfPath(url)
  }
}

function urlOfPath(url: string): URL {
  const path = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/]*/i, '')
  if (!URL.canParse(path, 'http://localhost'))
    throw invalid('url', 'invalid_format', 'the address of the request cannot be read')
  return new URL(path, 'http://localhost')
}

/** `GET /v1/issues/0199…` is logged as `GET /v1/issues/{id}`. */
const routeOf = (method: string, path: string) =>
  `${method} ${path.replace(/^(\/v1\/(?:issues|templates))\/[^/]+$/, '$1/{id}')}`

function json(status: number, body: unknown, retryAfterMs?: number): Response {
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...retryAfter(retryAfterMs) },
  })
}

function repeatedIn(parameters: URLSearchParams): string | undefined {
  const seen = new Set<string>()
  for (const name of parameters.keys()) {
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}

const nothingThere = () => json(404, interfaceError('NOT_FOUND', 'No such path or method').toJSON())

function apiResponse(
  { status, body }: ApiAnswer,
  { retryAfterMs }: CallContext,
  listedOrigin: string | undefined,
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...answerHeaders(listedOrigin),
      ...retryAfter(retryAfterMs),
    },
  })
}
