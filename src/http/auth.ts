/** Key → caller. Specification: "Authentication", rules 1, 3 and 5. */
import type { Directory } from '../directory'
import { unauthorized, unavailable } from '../domain/error'
import { type ApiKey, hasPoisonousScope, isActive, parseKey } from '../domain/key'
import type { Clock } from '../ports'
import { keyHash } from '../usecases/administer'

const BEARER = /^Bearer +([^\s]+) *$/i

/**
 * The active key of an `Authorization: Bearer` header. Throws `unauthorized` for every kind of wrong key alike, `unavailable` where it cannot be looked up;
 * the look-up is by SHA-256, so its timing says nothing about how much of a guess was right.
 */
export async function authenticate(
  { directory, clock }: { directory: Directory; clock: Clock },
  authorization: string | null,
): Promise<ApiKey> {
  const text = BEARER.exec(authorization ?? '')?.[1] ?? ''
  if (!parseKey(text)) throw unauthorized()
  const key = await directory.keyByHash(keyHash(text)).catch((cause: unknown) => {
    throw Object.assign(unavailable('The key cannot be checked at the moment'), { cause })
  })
  if (!key || !isActive(key, clock.now()) || hasPoisonousScope(key)) throw unauthorized()
  return key
}
