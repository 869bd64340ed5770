/** Responses in JSON, and the headers by which browsers let pages of other origins read them. */

import { isLocalOrigin } from '../domain/access/api-key'
import { retryAfter } from './errors'

type HeaderFields = Readonly<Record<string, string>>

/**
 * No cache may keep an answer.
 *
 * An answer before it is a response: to a header that is set afterwards the engine makes all of them once more.
 */
export class Json {
  constructor(
    readonly status: number,
    readonly body: unknown,
    private readonly headers?: HeaderFields,
    private readonly retryAfterMs?: number,
  ) {}

  /** With those that every response has. */
  response(always: HeaderFields): Response {
    const { status, body, headers, retryAfterMs } = this
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
      status,
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        ...always,
        ...headers,
        ...(retryAfterMs !== undefined && retryAfter(retryAfterMs)),
      },
    })
  }
}

const EXPOSED_HEADERS = 'X-Request-Id, Retry-After, X-Watchword-Time'
const OWN_HEADERS = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id'

const HEADER_NAMES = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: *, *[!#$%&'*+.^_`|~0-9A-Za-z-]+)*$/

/**
 * CORS; decisions: "Keys". A foreign origin gets no header at all, never `null`.
 *
 * Preflight is answered for an origin that some active public key lists, and for local ones (test keys). It allows whatever
 * headers the browser asks for: what is no header of the interface means nothing to the service.
 */
export async function preflightHeaders(
  { headers }: Request,
  isListed: (origin: string) => Promise<boolean>,
): Promise<Record<string, string>> {
  const origin = headers.get('origin')
  const vary = 'Origin, Access-Control-Request-Headers'
  if (origin === null || !(isLocalOrigin(origin) || (await isListed(origin)))) return { vary }
  const asked = headers.get('access-control-request-headers') ?? ''
  return {
    vary,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': HEADER_NAMES.test(asked) ? `${OWN_HEADERS}, ${asked}` : OWN_HEADERS,
    'access-control-max-age': '600',
  }
}

/** The answer itself is readable only for an origin the key used lists. */
export const answerHeaders = (listedOrigin: string | undefined): Record<string, string> =>
  listedOrigin === undefined
    ? { vary: 'Origin' }
    : { vary: 'Origin', 'access-control-allow-origin': listedOrigin, 'access-control-expose-headers': EXPOSED_HEADERS }
