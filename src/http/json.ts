/** Answers in JSON; nothing of ours may be kept by caches. */
import { retryAfter } from './errors'

type HeaderFields = Readonly<Record<string, string>>

/** An answer before it is a response: to a header that is set afterwards the engine makes all of them once more. */
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
