/**
 * Opaque page cursors. A cursor carries where the page ended and a tag over endpoint, app, mode and position, so that
 * one from another endpoint or another app, or a made-up one, is refused.
 */
import { invalid } from '../../domain/shared/error'
import type { Owner } from '../../domain/shared/value'
import type { Vault } from '../../ports/vault'

export type PagedEndpoint = 'issues' | 'credit-ledger'

const TAG_BYTES = 9

const tagOf = (vault: Vault, endpoint: PagedEndpoint, { appId, mode }: Owner, position: string) =>
  Buffer.from(vault.tag(`cursor:${endpoint}:${appId}:${mode}:${position}`).subarray(0, TAG_BYTES))

export const writeCursor = (vault: Vault, endpoint: PagedEndpoint, owner: Owner, position: string): string =>
  Buffer.concat([tagOf(vault, endpoint, owner, position), Buffer.from(position)]).toString('base64url')

/** The position a cursor stands for. Throws `invalid`. */
export function readCursor(vault: Vault, endpoint: PagedEndpoint, owner: Owner, cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url')
  const position = bytes.subarray(TAG_BYTES).toString('utf8')
  const isOurs =
    bytes.toString('base64url') === cursor &&
    tagOf(vault, endpoint, owner, position).equals(bytes.subarray(0, TAG_BYTES))
  if (!isOurs) throw invalid('cursor', 'invalid_cursor', 'malformed, or not of this endpoint')
  return position
}
