/** The verification backend for `Request` and `Response`: Next.js, Hono, Bun, Deno, edge runtimes. */
import { type Answered, answerTo, type BackendOptions } from './backend'
import { chunksOf, readJson } from './body'

// biome-ignore lint/suspicious/noConfusingVoidType: a function that answers nothing is as good
type ToldHeaders = HeadersInit | void

export interface VerificationHandlerOptions extends BackendOptions<Request, ToldHeaders> {
  /**
   * The end user's address, as the platform or your proxy tells it, for limits: a header that nobody else can write.
   * `undefined` where it is unknown.
   */
  clientIp: (request: Request) => string | null | undefined
}

/**
 * Answers `POST …/issue`, `…/verify` and `…/delivery` of a page, with a body of 16 KB at most. `onVerified` answers headers,
 * such as the cookie of a session.
 *
 * ```ts
 * // app/phone/[step]/route.ts of Next.js export const POST = createVerificationHandler({ otp, purpose: 'signup',
 * clientIp, onVerified })
 * ```
 */
export function createVerificationHandler(
  options: VerificationHandlerOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const answer = await answerTo(options, {
      ...{ visit: request, method: request.method, path: new URL(request.url).pathname },
      contentType: request.headers.get('content-type') ?? '',
      clientIp: options.clientIp(request) ?? undefined,
      body: async () => request.body && readJson(chunksOf(request.body)),
    })
    return Response.json(answer.body, { status: answer.status, headers: headersOf(answer) })
  }
}

function headersOf({ retryAfterMs, told }: Answered<ToldHeaders>): Headers {
  const headers = new Headers(told ?? undefined)
  headers.set('cache-control', 'no-store')
  if (retryAfterMs !== undefined) headers.set('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
  return headers
}
