/** Answers every request: with what lies at its path, an id, and a line in the log. */

import type { Origin } from '../domain/codes/issue'
import { errorFields } from '../domain/shared/error-fields'
import { momentWriter } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Descriptors } from '../ports/network'
import type { Random } from '../ports/random'
import type { Telemetry } from '../ports/telemetry'
import { asRefusal, fromRefusal, unexpectedError } from './errors'
import { Json } from './json'
import type { RouteAnswer, Routes } from './routes'

/**
 * Answers one request; `socketAddress` is the peer's. `routePattern` is the pattern of `ROUTE_PATTERNS` that the request line matched as
 * it was written, empty where it matched none; left out by callers that have no request line. Never throws.
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
  /** What is told where a route has thrown. */
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

  /** By the clock that all times of an answer are by: that of a device may be wrong by hours. */
  const moment = momentWriter()

  return async (request, socketAddress, routePattern) => {
    const startedAt = clock.elapsed()
    const requestId = requestIdOf(request.headers, { random, clock })
    const span = telemetry.begin('request', request.headers.get('traceparent'))
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
      attributes: { 'http.response.status_code': status, 'watchword.request_id': requestId, 'watchword.app': appId },
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
