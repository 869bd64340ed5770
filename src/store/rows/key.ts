/** API keys, with the columns that they take from their app. */
import type { ApiKey, StoredKey } from '../../domain/access/api-key'
import type { Row } from '../tables'

type KeyRow = Omit<Row<StoredKey>, 'organizationId' | 'region'>

export interface KeyOfApp extends Pick<ApiKey, 'organizationId'> {
  key: KeyRow
  region: string | null
}

export const keyOf = ({ key, organizationId, region }: KeyOfApp): StoredKey => ({
  ...key,
  organizationId,
  region: region ?? undefined,
  expiresAt: key.expiresAt ?? undefined,
  revokedAt: key.revokedAt ?? undefined,
  lastUsedAt: key.lastUsedAt ?? undefined,
})

/** The row of a new key, which has not been used. */
export const newKeyRow = (key: StoredKey) => ({
  ...key,
  expiresAt: key.expiresAt ?? null,
  revokedAt: key.revokedAt ?? null,
  lastUsedAt: null,
})

/** Every origin that public keys allow, with the time when the last of these keys expires. */
export function originsOf(publicKeys: readonly KeyOfApp[]): Map<string, number> {
  const ends = new Map<string, number>()
  for (const { key } of publicKeys)
    for (const origin of key.allowedOrigins)
      ends.set(origin, Math.max(ends.get(origin) ?? 0, key.expiresAt ?? Number.POSITIVE_INFINITY))
  return ends
}
