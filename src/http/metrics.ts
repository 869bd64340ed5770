/** `/metrics`, for clients with the token. The client's address is no proof, since behind a local proxy every client is local. */
import { isSameSecret } from '../domain/access/api-key'
import type { MetricsSource } from '../ports/telemetry'
import { interfaceError } from './errors'
import { Json } from './json'

export async function answerMetrics({ token, text, contentType }: MetricsSource, headers: Headers): Promise<Response> {
  if (token !== undefined && !isSameSecret(bearerToken(headers), token))
    return new Json(
      401,
      interfaceError('UNAUTHORIZED', 'The token of the metrics is missing or wrong').toJSON(),
    ).response({})
  return new Response(await text(), { headers: { 'content-type': contentType, 'cache-control': 'no-store' } })
}

const bearerToken = (headers: Headers) => /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? ''
