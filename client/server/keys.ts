/** The keys that the service signs proofs with, kept for an hour. */

export interface Keys {
  /** Undefined for a name that the service does not know. Throws `TypeError` where no keys can be had. */
  find(kid: string): Promise<CryptoKey | undefined>
}

const KEPT_MS = 60 * 60_000
/** Whoever sends names that nobody knows has them looked for no more often. */
const LOOKED_EVERY_MS = 30_000
const TIMEOUT_MS = 5_000

interface Fetched {
  byName: ReadonlyMap<string, CryptoKey>
  at: number
}

export function keysAt(
  baseUrl: string,
  { now, send }: { now: () => number; send: (request: Request) => Promise<Response> },
): Keys {
  const url = new URL('../.well-known/jwks.json', `${baseUrl.replace(/\/+$/, '')}/`).href
  let kept: Fetched | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | undefined

  async function look(): Promise<void> {
    triedAt = now()
    const response = await send(new Request(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }))
    if (!response.ok) throw new TypeError(`${url} answered ${response.status}`)
    kept = { byName: await imported(await response.json()), at: now() }
  }

  /** Everybody waits for one look. */
  async function refresh(): Promise<void> {
    underWay ??= look().finally(() => {
      underWay = undefined
    })
    try {
      await underWay
    } catch (cause) {
      // What was known is good for a long time yet.
      if (!kept) throw new TypeError('The keys of the service cannot be read', { cause })
    }
  }

  return {
    async find(kid) {
      const mayLook = !kept || Math.abs(now() - triedAt) >= LOOKED_EVERY_MS
      const isNeeded = !kept?.byName.has(kid) || Math.abs(now() - kept.at) >= KEPT_MS
      if (mayLook && isNeeded) await refresh()
      return kept?.byName.get(kid)
    },
  }
}

/** Of other kinds of keys, which a later release may have beside these, nothing is asked. */
async function imported(set: unknown): Promise<Map<string, CryptoKey>> {
  const { keys } = set as { keys: Array<JsonWebKey & { kid?: string }> }
  const named = keys.flatMap(({ kid, kty, crv, x }) =>
    kid !== undefined && x !== undefined && crv === 'Ed25519' ? [{ kid, kty, crv, x }] : [],
  )
  const pairs = named.map(async ({ kid, ...key }) => {
    const cryptoKey = await crypto.subtle.importKey('jwk', key as JsonWebKey, 'Ed25519', false, ['verify'])
    return [kid, cryptoKey] as const
  })
  return new Map(await Promise.all(pairs))
}
