/** Answers every request: its route, also while the database is not open yet, a request id, and a line in the log. */

import { type ApiKey, isLocalOrigin, listsOrigin } from '../domain/access/api-key'
import { USAGE_REPORT_PATH } from '../domain/operations/usage-report'
import type { Origin } from '../domain/shared/addressed'
import { errorFields, invalid, Refusal, unavailable } from '../domain/shared/error'
import { momentWriter } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Descriptors } from '../ports/network'
import type { Node } from '../ports/node'
import type { MetricsSource, Telemetry } from '../ports/telemetry'
import type { Random } from '../ports/vault'
import type { Api, ApiAnswer, ApiDependencies } from './api'
import { clientIpOf, isLocalRequest } from './authenticate'
import type { TwilioApi, TwilioDependencies } from './compat/twilio'
import { TWILIO_PREFIX } from './compat/twilio-answer'
import { asRefusal, fromRefusal, RETRY_AFTER_MS, unexpectedError } from './errors'
import type { Readiness } from './health'
import { answerHeaders, isReading, Json, preflightHeaders } from './json'
import { answerMetrics } from './metrics'
import { type AnswerRelay, RELAY_PREFIX } from './relay/relay'
import { REPORT_PREFIX, type ReportAnswer } from './reports'
import {
  ADMIN_PREFIX,
  API_PREFIX,
  isNeedlesslyEncoded,
  isRpc,
  matchesPattern,
  type RequestPath,
  requestPathOf,
  urlOf,
} from './route-table'

/**
 * Answers one request; `socketAddress` is the peer's. `routePattern` is the entry of `ROUTE_PATTERNS` that matches the
 * path as it was written. It is empty if none matches, and left out without a request line. Never throws.
 */
export type Fetch = (request: Request, socketAddress: string, mount?: string) => Promise<Response>

export interface ServerDependencies {
  routes: Routes
  clock: Pick<Clock, 'now' | 'elapsed'>
  random: Random
  log: Log
  descriptors: Descriptors
  telemetry: Pick<Telemetry, 'begin' | 'requestAnswered'>
}

export function createFetch({ routes, clock, random, log, descriptors, telemetry }: ServerDependencies): Fetch {
  /** The answer where a route has thrown. */
  function failed(thrown: unknown, { requestId }: Origin): RouteAnswer {
    const refusal = asRefusal(thrown)
    if (!refusal) {
      log.error({ requestId, ...errorFields(thrown) }, 'request failed unexpectedly')
      return { route: 'none', response: new Json(500, unexpectedError().toJSON()) }
    }
    const error = fromRefusal(refusal)
    const response = new Json(error.status, error.toJSON(), undefined, refusal.detail.retryAfterMs)
    return { route: 'none', response, refusal }
  }

  /** Clients compare times of an answer with this one, since the clock of a device may be wrong by hours. */
  const moment = momentWriter()

  return async (request, socketAddress, routePattern) => {
    const startedAt = clock.elapsed()
    const requestId = requestIdOf(request.headers, { random, clock })
    const span = telemetry.begin('request', traceOf(request.headers))
    const origin = { requestId, trace: span.trace }
    let answer: RouteAnswer
    try {
      answer = await routes({ request, socketAddress, routePattern: routePattern, origin })
    } catch (thrown) {
      answer = failed(thrown, origin)
    }
    const { route, key, response, refusal } = answer
    const { status } = response
    const ms = clock.elapsed() - startedAt
    const { appId, keyId, mode } = key ?? {}
    telemetry.requestAnswered({ origin, route, status, ms, refusal, appId, keyId, mode })
    span.end({
      name: route,
      attributes: {
        ...(span.trace !== undefined && httpAttributes(request, route)),
        ...{ 'http.response.status_code': status, 'watchword.request_id': requestId, 'watchword.app': appId },
        ...(status >= 500 && { 'error.type': String(status) }),
      },
      hasFailed: status >= 500,
    })
    return withHeaders(response, {
      'x-request-id': requestId,
      'x-watchword-time': moment(clock.now()),
      'x-content-type-options': 'nosniff',
      ...(descriptors.areShort() && { connection: 'close' }),
    })
  }
}

/** As OpenTelemetry names them, but for the path as it was written: https://opentelemetry.io/docs/specs/semconv/http/http-spans */
function httpAttributes({ method, url }: Request, route: string): Record<string, string | number | undefined> {
  const { protocol, hostname, port } = new URL(url)
  const [, pattern] = /^[A-Z]+ (\/.*)/.exec(route) ?? []
  return {
    ...{ 'http.request.method': method, 'http.route': pattern },
    ...{ 'url.scheme': protocol.slice(0, -1), 'server.address': hostname },
    'server.port': port === '' ? undefined : Number(port),
  }
}

function withHeaders(response: Response | Json, always: Readonly<Record<string, string>>): Response {
  if (response instanceof Json) return response.response(always)
  for (const [name, value] of Object.entries(always)) response.headers.set(name, value)
  return response
}

const REQUEST_ID = /^[A-Za-z0-9._:-]{8,128}$/

/** The caller's `X-Request-Id` where it is well formed, else a new one. Specification: "Rules that hold for the whole service". */
function requestIdOf(headers: Headers, { random, clock }: { random: Random; clock: Pick<Clock, 'now'> }): string {
  const given = headers.get('x-request-id')
  return given !== null && REQUEST_ID.test(given) ? given : random.uuid(clock.now())
}

export interface IncomingRequest {
  request: Request
  /** The address of the peer. */
  socketAddress: string
  routePattern: string | undefined
  /** Request id and trace, for log lines and spans. */
  origin: Origin
}

/** The response, and the route for the log. The path is not logged, since it may contain anything. */
export interface RouteAnswer {
  route: string
  response: Response | Json
  key?: ApiKey | undefined
  /** Set where the request was refused. */
  refusal?: Refusal | undefined
}

/** May throw a `Refusal`; any other error is a defect. */
export type Routes = (arrived: IncomingRequest) => Promise<RouteAnswer> | RouteAnswer

/** The console: its RPC calls and its pages. */
export interface ConsoleRoutes {
  rpcPrefix: string
  rpc(request: Request, url: URL, socketAddress: string): Promise<Response>
  /** Undefined where the path does not belong to the console. */
  page(path: string, acceptEncoding: string | null): Promise<Response | undefined>
}

export interface RouteDependencies {
  api: Api
  twilio: TwilioApi
  console: ConsoleRoutes
  readiness: () => Promise<Readiness>
  reports: (request: Request, url: URL) => Promise<ReportAnswer>
  relay: AnswerRelay
  usageReport: (request: Request, url: URL, clientIp: string) => Promise<Response | Json>
  /** The management API. */
  admin: (request: Request, url: URL, clientIp: string) => Promise<Pick<RouteAnswer, 'response' | 'refusal'>>
  /** The key set that checks proofs of verifications. */
  publishedKeys: () => object
  /** Undefined where metrics are off or have their own listener. */
  metrics: MetricsSource | undefined
  node: Pick<Node, 'directory' | 'keyUse'>
  clock: Pick<Clock, 'now'>
  descriptors: Descriptors
  trustedProxies: readonly string[]
  publicUrl: string | undefined
  /** Source networks of webhooks, for receivers with an allow list. */
  webhookSources: readonly string[]
}

export function createRoutes(deps: RouteDependencies): Routes {
  const {
    api,
    twilio,
    console,
    readiness,
    reports,
    relay,
    usageReport,
    admin,
    publishedKeys,
    metrics,
    node,
    clock,
    descriptors,
    trustedProxies,
    publicUrl,
    webhookSources,
  } = deps
  let description: Promise<string> | undefined
  /** Cacheable, since a key is published long before it signs. */
  const jwks = () => new Json(200, publishedKeys(), { 'cache-control': 'public, max-age=3600' })

  return (incoming) => {
    const { request, routePattern } = incoming
    const requestPath = requestPathOf(request.url)
    const { path } = requestPath
    // Bun joins repeated Host headers by commas. Proxies may differ in which one they take (RFC 9112, 3.2).
    if (request.headers.get('host')?.includes(',')) return repeatedHost(path)
    if (isNeedlesslyEncoded(path) || !matchesPattern(path, routePattern)) return notFound()
    if (path.startsWith(`${API_PREFIX}/`))
      return (isReading(request) && published(path)) || apiAnswer(incoming, requestPath)
    const url = urlOf(request.url)
    return url.pathname === path ? otherAnswer(incoming, url) : notFound()
  }

  async function otherAnswer(incoming: IncomingRequest, url: URL): Promise<RouteAnswer> {
    const { request, socketAddress } = incoming
    const path = url.pathname
    if (path === '/healthz' && isReading(request))
      return { route: 'healthz', response: new Json(200, { status: 'ok' }) }
    if (path === '/.well-known/jwks.json' && isReading(request)) return { route: 'jwks', response: jwks() }
    if (path === '/metrics' && metrics && isReading(request))
      return { route: 'metrics', response: await answerMetrics(metrics, request.headers) }
    if (path.startsWith(TWILIO_PREFIX)) return answered(await twilio(request, url, callerOf(incoming)))
    if (descriptors.areShort()) throw unavailable('Too many connections at the moment', RETRY_AFTER_MS)
    if (path.startsWith(`${console.rpcPrefix}/`))
      return { route: 'console', response: await console.rpc(request, url, socketAddress) }
    if (path.startsWith(REPORT_PREFIX))
      return { route: 'provider-reports', response: reportAnswer(await reports(request, url)) }
    if (path === USAGE_REPORT_PATH)
      return { route: 'usage-report', response: await usageReport(request, url, callerOf(incoming).clientIp) }
    if (path.startsWith(ADMIN_PREFIX))
      return { route: 'admin', ...(await admin(request, url, callerOf(incoming).clientIp)) }
    if (path.startsWith(RELAY_PREFIX)) return { route: 'relay', ...(await relay(request, path, callerOf(incoming))) }
    return (isReading(request) && (await page(request, url, socketAddress))) || notFound()
  }

  /** The parts of the API that need no key. */
  function published(path: string): RouteAnswer | Promise<RouteAnswer> | undefined {
    if (path === `${API_PREFIX}/openapi.json`) return openapi()
    if (path === `${API_PREFIX}/webhook-sources`)
      return { route: 'webhook-sources', response: new Json(200, { networks: webhookSources }) }
    return undefined
  }

  async function openapi(): Promise<RouteAnswer> {
    description ??= import('./openapi')
      .then(({ describeApi }) => describeApi(publicUrl))
      .then((document) => JSON.stringify(document))
    return { route: 'openapi', response: new Json(200, await description) }
  }

  async function page(request: Request, url: URL, socketAddress: string): Promise<RouteAnswer | undefined> {
    const path = url.pathname
    if (path === '/') return { route: 'root', response: redirect('/console') }
    if (path === '/readyz') return { route: 'readyz', response: await readyz(request, url, socketAddress) }
    const acceptEncoding = request.headers.get('accept-encoding')
    if (path === '/docs' || path.startsWith('/docs/')) {
      const [{ docs }, { guide }] = await Promise.all([import('./docs'), import('../guide')])
      const page = (await guide(path, acceptEncoding)) ?? (await docs(path))
      if (page) return { route: 'docs', response: page }
    }
    const asset = await console.page(path, acceptEncoding)
    return asset && { route: 'console', response: asset }
  }

  async function readyz(request: Request, url: URL, socketAddress: string): Promise<Json> {
    const { status, ...details } = await readiness()
    const isToldAll = isLocalRequest(request, url, clientIpOf(socketAddress, null, []))
    return new Json(status === 'ready' ? 200 : 503, { status, ...(isToldAll && details) })
  }

  function callerOf({ request, socketAddress, origin }: IncomingRequest) {
    return { clientIp: clientIpOf(socketAddress, request.headers.get('x-forwarded-for'), trustedProxies), origin }
  }

  function answered(answer: ApiAnswer, headers?: Record<string, string>): RouteAnswer {
    const { status, body, key, route, retryAfterMs, refusal } = answer
    if (key) node.keyUse.note(key.keyId, clock.now())
    return { route, key, refusal, response: new Json(status, body, headers, retryAfterMs) }
  }

  async function apiAnswer(incoming: IncomingRequest, requestPath: RequestPath): Promise<RouteAnswer> {
    const { request } = incoming
    if (request.method === 'OPTIONS') {
      const headers = await preflightHeaders(request, isListed)
      return { route: 'preflight', response: new Response(null, { status: 204, headers }) }
    }
    const page = request.headers.get('origin')
    const answer = await api(request, requestPath, callerOf(incoming))
    const listed = page !== null && (await isReadableAt(page, answer?.key)) ? page : undefined
    return answer ? answered(answer, answerHeaders(listed)) : notFoundInApi(requestPath, answerHeaders(listed))
  }

  /**
   * A refusal without a valid key is readable for the origins of all keys. So a page can tell a revoked key from a network failure.
   * While the origins cannot be read, it is readable nowhere.
   */
  async function isReadableAt(origin: string, key: ApiKey | undefined): Promise<boolean> {
    return key ? listsOrigin(key, origin) : isLocalOrigin(origin) || isListed(origin).catch(() => false)
  }

  function isListed(origin: string): Promise<boolean> {
    return node.directory.isPublicOrigin(origin, clock.now())
  }
}

function reportAnswer(answer: ReportAnswer): Response | Json {
  if ('recorded' in answer) return new Json(200, answer)
  const { document, contentType } =
    'document' in answer ? answer : { document: answer.text, contentType: 'text/plain; charset=utf-8' }
  // A document may have the code in it.
  return new Response(document, { headers: { 'content-type': contentType, 'cache-control': 'no-store' } })
}

/**
 * The interface, loaded with its first request: making its schemas takes a quarter of a start. `require` keeps it synchronous.
 */
export function lazyApi(deps: ApiDependencies): () => Api {
  let api: Api | undefined
  return () => {
    api ??= (require('./api') as typeof import('./api')).createApi(deps)
    return api
  }
}

/** Loaded with the first request of a client of Twilio Verify. */
export function lazyTwilio(deps: TwilioDependencies): TwilioApi {
  let twilio: TwilioApi | undefined
  return (...request) => {
    twilio ??= (require('./compat/twilio') as typeof import('./compat/twilio')).createTwilio(deps)
    return twilio(...request)
  }
}

const redirect = (location: string) =>
  new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } })

const notFoundError = () => fromRefusal(new Refusal('not_found', 'No such path or method')).toJSON()

const notFound = (): RouteAnswer => ({ route: 'none', response: new Json(404, notFoundError()) })

function repeatedHost(path: string): RouteAnswer {
  const refusal = invalid('Host', 'invalid_format', 'must be given once')
  const error = fromRefusal(refusal).toJSON()
  return { route: 'none', refusal, response: new Json(error.status, isRpc(path) ? { json: error } : error) }
}

const notFoundInApi = ({ path }: RequestPath, headers: Record<string, string>): RouteAnswer => ({
  route: 'none',
  response: new Json(404, isRpc(path) ? { json: notFoundError() } : notFoundError(), headers),
})

const traceOf = (headers: Headers): string | undefined =>
  headers.has('traceparent') ? `${headers.get('traceparent')} ${headers.get('tracestate') ?? ''}`.trimEnd() : undefined

/** Answers before the database is open: the server lives, is not ready, and every other request is to be repeated. */
export function waitingRoutes(clock: Pick<Clock, 'now'>): Routes {
  const moment = momentWriter()

  return ({ request, routePattern }) => {
    if (routePattern === '/healthz') return { route: 'healthz', response: new Json(200, { status: 'ok' }) }
    if (routePattern === '/readyz') return { route: 'readyz', response: new Json(503, { status: 'not_ready' }) }
    return unavailableAt(requestPathOf(request.url).path)
  }

  function unavailableAt(path: string): RouteAnswer {
    const refusal = unavailable('The database does not answer yet', RETRY_AFTER_MS)
    const error = fromRefusal(refusal).toJSON()
    const isApi = path.startsWith(`${API_PREFIX}/`)
    const headers = isApi ? { ...answerHeaders(undefined), 'x-watchword-time': moment(clock.now()) } : undefined
    const body = isRpc(path) ? { json: error } : error
    return { route: 'none', refusal, response: new Json(error.status, body, headers, RETRY_AFTER_MS) }
  }
}
