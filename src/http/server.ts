/** Answers every request: with what lies at its path, an id, and a line in the log. */
import type { ApiKey } from '../domain/key'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Descriptors } from '../ports/network'
import type { Random } from '../ports/random'
import { asRefusal, fromRefusal, unexpectedError } from './errors'
import { json } from './json'
import { requestIdOf } from './request-id'
import type { Answer, Routes } from './routes'

/**
 * Answers one request; `socketAddress` is the peer's. `mount` is the pattern of `MOUNTS` that the request line matched as
 * it was written, empty where it matched none; left out by callers that have no request line. Never throws.
 */
export type Fetch = (request: Request, socketAddress: string, mount?: string) => Promise<Response>

export interface ServerDependencies {
  routes: Routes
  clock: Pick<Clock, 'now'>
  random: Random
  log: Log
  descriptors: Descriptors
}

export function createFetch({ routes, clock, random, log, descriptors }: ServerDependencies): Fetch {
  async function answerTo(...[request, socketAddress, mount]: Parameters<Fetch>): Promise<Answer> {
    try {
      return await routes({ request, socketAddress, mount })
    } catch (thrown) {
      const refusal = asRefusal(thrown)
      if (!refusal) throw thrown
      const error = fromRefusal(refusal)
      return { route: 'none', response: json(error.status, error.toJSON(), refusal.detail.retryAfterMs) }
    }
  }

  return async (request, socketAddress, mount) => {
    const startedAt = clock.now()
    const requestId = requestIdOf(request.headers, { random, clock })
    const { route, key, response } = await answerTo(request, socketAddress, mount).catch((thrown): Answer => {
      log.error({ requestId, err: thrown instanceof Error ? thrown.name : undefined }, 'request failed unexpectedly')
      return { route: 'none', response: json(500, unexpectedError().toJSON()) }
    })
    response.headers.set('x-request-id', requestId)
    response.headers.set('x-content-type-options', 'nosniff')
    if (descriptors.areShort()) response.headers.set('connection', 'close')
    const { status } = response
    log.info({ requestId, route, status, ms: clock.now() - startedAt, ...ofKey(key) }, 'request')
    return response
  }
}

const ofKey = (key: ApiKey | undefined) => ({ appId: key?.appId, keyId: key?.keyId, mode: key?.mode })
