/** Answers in JSON; nothing of ours may be kept by caches. */
import { retryAfter } from './errors'

export function json(status: number, body: unknown, retryAfterMs?: number, headers?: Record<string, string>): Response {
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...headers,
      ...retryAfter(retryAfterMs),
    },
  })
}
