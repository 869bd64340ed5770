/** CORS. Decisions: "Keys". Foreign origins get no header at all, never `null`. */
import { isLocalOrigin } from '../domain/key'

const EXPOSED_HEADERS = 'X-Request-Id, Retry-After, X-Watchword-Time'

/** Preflight is answered for an origin that some active public key lists, and for local ones (test keys). */
export async function preflightHeaders(
  origin: string | null,
  isListed: (origin: string) => Promise<boolean>,
): Promise<Record<string, string>> {
  if (origin === null || !(isLocalOrigin(origin) || (await isListed(origin)))) return { vary: 'Origin' }
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, X-Request-Id',
    'access-control-max-age': '600',
  }
}

/** The answer itself is readable only for an origin the key used lists. */
export const answerHeaders = (listedOrigin: string | undefined): Record<string, string> =>
  listedOrigin === undefined
    ? { vary: 'Origin' }
    : { vary: 'Origin', 'access-control-allow-origin': listedOrigin, 'access-control-expose-headers': EXPOSED_HEADERS }
