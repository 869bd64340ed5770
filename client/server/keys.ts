/** The service's public keys of proofs, cached for an hour. */

export interface Keys {
  /** Undefined for an unknown key id. Throws `TypeError` where keys cannot be loaded. */
  find(kid: string): Promise<CryptoKey | undefined>
}

const KEPT_MS = 60 * 60_000
/** Unknown key ids do not cause more frequent loads. */
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

  /** Concurrent callers share one load. */
  async function refresh(): Promise<void> {
    underWay ??= look().finally(() => {
      underWay = undefined
    })
    try {
      await underWay
    } catch (cause) {
      // The cached keys stay valid long enough.
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

/** Keys of other types, which a later release may add, are ignored. */
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
