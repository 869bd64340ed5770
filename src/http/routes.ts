/** What lies where: the API, its description and docs, reports of carriers, health, the console. */
import { type Refusal, unavailable } from '../domain/error'
import { type ApiKey, isLocalOrigin, listsOrigin } from '../domain/key'
import type { Origin } from '../domain/origin'
import { momentWriter } from '../domain/value'
import type { Clock } from '../ports/clock'
import type { Descriptors } from '../ports/network'
import type { Node } from '../ports/node'
import type { Api } from './api'
import { clientIpOf } from './client-ip'
import { COME_BACK_MS } from './come-back'
import { answerHeaders, preflightHeaders } from './cors'
import { interfaceError } from './errors'
import { isFromHere } from './forwarded'
import type { Readiness } from './health'
import { Json } from './json'
import { answerMetrics, type MetricsRoute } from './metrics'
import { isNeedlesslyEncoded, isOfMount } from './mounts'
import { type Place, placeOf, urlOf } from './place'
import { REPORT_PREFIX } from './reports'
import { API_PREFIX, isRpc } from './wire'

export interface Arrived {
  request: Request
  /** The peer's. */
  socketAddress: string
  mount: string | undefined
  /** What its lines and spans are found by. */
  origin: Origin
}

/** What is answered, and what a log says of its request: no path, since a path may hold anything. */
export interface Answer {
  route: string
  response: Response | Json
  key?: ApiKey | undefined
  /** What the caller was refused with, if so. */
  refusal?: Refusal | undefined
}

/** Throws a `Refusal` at most for what the outside did. */
export type Routes = (arrived: Arrived) => Promise<Answer> | Answer

/** The console, as the server sees it: what it answers below its prefix, and its pages. */
export interface ConsoleRoutes {
  rpcPrefix: string
  rpc(request: Request, url: URL, socketAddress: string): Promise<Response>
  /** Undefined for what is no path of its own. */
  page(path: string, acceptEncoding: string | null): Promise<Response | undefined>
}

export interface RouteDependencies {
  api: Api
  console: ConsoleRoutes
  readiness: () => Promise<Readiness>
  reports: (request: Request, url: URL) => Promise<{ recorded: number }>
  /** What proofs of verifications are checked by. */
  publishedKeys: () => object
  /** Undefined where metrics are told elsewhere, or not at all. */
  metrics: MetricsRoute | undefined
  node: Pick<Node, 'directory' | 'keyUse'>
  clock: Pick<Clock, 'now'>
  descriptors: Descriptors
  trustedProxies: readonly string[]
  publicUrl: string | undefined
  /** Where webhooks come from, for receivers that let in known addresses only. */
  webhookSources: readonly string[]
}

export function createRoutes(deps: RouteDependencies): Routes {
  const {
    api,
    console,
    readiness,
    reports,
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
  /** Of the clock that all times of an answer are by: that of a device may be wrong by hours. */
  const moment = momentWriter()
  /** Backends keep it for a while: a key is published long before it signs. */
  const jwks = () => new Json(200, publishedKeys(), { 'cache-control': 'public, max-age=3600' })

  return (arrived) => {
    const { request, mount } = arrived
    const place = placeOf(request.url)
    const { path } = place
    if (isNeedlesslyEncoded(path) || !isOfMount(path, mount)) return nothingThere()
    if (path.startsWith(`${API_PREFIX}/`))
      return (request.method === 'GET' && published(path)) || apiAnswer(arrived, place)
    const url = urlOf(request.url)
    return url.pathname === path ? otherAnswer(arrived, url) : nothingThere()
  }

  async function otherAnswer({ request, socketAddress }: Arrived, url: URL): Promise<Answer> {
    const path = url.pathname
    if (path === '/healthz' && isReading(request))
      return { route: 'healthz', response: new Json(200, { status: 'ok' }) }
    if (path === '/.well-known/jwks.json' && isReading(request)) return { route: 'jwks', response: jwks() }
    if (path === '/metrics' && metrics && isReading(request))
      return { route: 'metrics', response: await answerMetrics(metrics, request.headers) }
    if (descriptors.areShort()) throw unavailable('Too many connections at the moment', COME_BACK_MS)
    if (path.startsWith(`${console.rpcPrefix}/`))
      return { route: 'console', response: await console.rpc(request, url, socketAddress) }
    if (path.startsWith(REPORT_PREFIX))
      return { route: 'provider-reports', response: new Json(200, await reports(request, url)) }
    return (isReading(request) && (await page(request, url, socketAddress))) || nothingThere()
  }

  /** What everybody may read of the API. */
  function published(path: string): Answer | Promise<Answer> | undefined {
    if (path === `${API_PREFIX}/openapi.json`) return openapi()
    if (path === `${API_PREFIX}/webhook-sources`)
      return { route: 'webhook-sources', response: new Json(200, { networks: webhookSources }) }
    return undefined
  }

  async function openapi(): Promise<Answer> {
    description ??= import('./openapi')
      .then(({ describeApi }) => describeApi(publicUrl))
      .then((document) => JSON.stringify(document))
    return { route: 'openapi', response: new Json(200, await description) }
  }

  async function page(request: Request, url: URL, socketAddress: string): Promise<Answer | undefined> {
    const path = url.pathname
    if (path === '/') return { route: 'root', response: redirect('/console') }
    if (path === '/readyz') return { route: 'readyz', response: await readyz(request, url, socketAddress) }
    const { docs } = await import('./docs')
    const page = await docs(path)
    if (page) return { route: 'docs', response: page }
    const asset = await console.page(path, request.headers.get('accept-encoding'))
    return asset && { route: 'console', response: asset }
  }

  async function readyz(request: Request, url: URL, socketAddress: string): Promise<Json> {
    const { status, ...details } = await readiness()
    const isToldAll = isFromHere(request, url, clientIpOf(socketAddress, null, []))
    return new Json(status === 'ready' ? 200 : 503, { status, ...(isToldAll && details) })
  }

  async function apiAnswer({ request, socketAddress, origin }: Arrived, place: Place): Promise<Answer> {
    const page = request.headers.get('origin')
    if (request.method === 'OPTIONS') {
      const isListed = (asked: string) => node.directory.isPublicOrigin(asked, clock.now())
      const headers = await preflightHeaders(page, isListed)
      return { route: 'preflight', response: new Response(null, { status: 204, headers }) }
    }
    const clientIp = clientIpOf(socketAddress, request.headers.get('x-forwarded-for'), trustedProxies)
    const answer = await api(request, place, { clientIp, origin })
    if (!answer) return nothingInApi(place)
    const { status, body, key, route, retryAfterMs, refusal } = answer
    const now = clock.now()
    if (key) node.keyUse.note(key.keyId, now)
    const listed = page !== null && (await mayRead(page, key, status)) ? page : undefined
    const headers = { ...answerHeaders(listed), 'x-watchword-time': moment(now) }
    return { route, key, refusal, response: new Json(status, body, headers, retryAfterMs) }
  }

  /** Who is refused before the key is looked at reads the refusal from wherever a key may be used. */
  async function mayRead(origin: string, key: ApiKey | undefined, status: number): Promise<boolean> {
    if (key) return listsOrigin(key, origin)
    return status === 503 && (isLocalOrigin(origin) || (await node.directory.isPublicOrigin(origin, clock.now())))
  }
}

const isReading = ({ method }: Request) => method === 'GET' || method === 'HEAD'

const redirect = (location: string) =>
  new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } })

const missing = () => interfaceError('NOT_FOUND', 'No such path or method').toJSON()

const nothingThere = (): Answer => ({ route: 'none', response: new Json(404, missing()) })

const nothingInApi = ({ path }: Place): Answer => ({
  route: 'none',
  response: new Json(404, isRpc(path) ? { json: missing() } : missing(), answerHeaders(undefined)),
})
