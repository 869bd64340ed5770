/** What a server answers before its database has: it lives, it is not ready, and everything else is to be asked again. */
import { unavailable } from '../domain/shared/error'
import { momentWriter } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import { answerHeaders } from './cors'
import { fromRefusal, RETRY_AFTER_MS } from './errors'
import { Json } from './json'
import { API_PREFIX, isRpc, requestPathOf } from './request-path'
import type { RouteAnswer, Routes } from './routes'

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
