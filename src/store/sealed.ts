/**
 * The encrypted columns, for re-encryption after a change of the secret. They are the same in every kind of database,
 * except for how ids are stored.
 */
import type { RenewalPlace } from '../ports/store/key-ring'
import { challengeSeal, relaySeal } from './rows/app'
import { configSeal } from './rows/carrier'
import { messageSeal } from './rows/issue'
import { waySeal } from './rows/notice'
import { begunSeal, totpSeal } from './rows/person'
import { snapshotSeal } from './rows/traffic'
import { answerSeal, eventSeal, headersSeal, secretsSeal } from './rows/webhook'

/** The primary key of a row, as values of the domain. */
export type SealedKey = ReadonlyArray<string | number>

export interface SealedColumn {
  table: string
  key: readonly string[]
  column: string
  /** The associated data of the encryption. */
  rowId(key: SealedKey): string
}

const of = (
  table: string,
  key: readonly string[],
  column: string,
  rowId: (id: string, number: number) => string,
): SealedColumn => ({ table, key, column, rowId: ([id, number]) => rowId(String(id), Number(number)) })

export const SEALED: readonly SealedColumn[] = [
  of('providers', ['name'], 'config', configSeal),
  of('challenges', ['app_id'], 'settings', challengeSeal),
  of('relays', ['relay_id'], 'settings', relaySeal),
  of('notice_ways', ['way_id'], 'settings', waySeal),
  of('operators', ['operator_id'], 'totp_secret', totpSeal),
  of('operators', ['operator_id'], 'totp_begun', begunSeal),
  of('webhook_endpoints', ['endpoint_id'], 'headers', headersSeal),
  of('webhook_endpoints', ['endpoint_id'], 'secrets', secretsSeal),
  of('outbox', ['issue_id'], 'sealed', messageSeal),
  of('traffic_snapshots', ['app_id'], 'sealed', snapshotSeal),
  of('webhook_events', ['event_id'], 'body', eventSeal),
  of('webhook_attempts', ['delivery_id', 'number'], 'answer', (deliveryId, number) =>
    answerSeal({ deliveryId, number }),
  ),
]

/** Where to continue: behind the last row, or at the next column if this one has no more rows. */
export function nextPlace(part: number, keys: readonly SealedKey[], limit: number): RenewalPlace | undefined {
  if (keys.length === limit) return { part, key: keys.at(-1) }
  return part + 1 < SEALED.length ? { part: part + 1, key: undefined } : undefined
}

/** `$1` is the prefix of values that have the newest key already; the primary key to continue behind follows. */
export const pageQuery = ({ table, key, column }: SealedColumn, isBehind: boolean, limit: number): string =>
  `SELECT ${key}, ${column} FROM ${table} WHERE ${unlike(column)}${
    isBehind ? ` AND (${key}) > (${key.map((_, n) => `$${n + 2}`)})` : ''
  } ORDER BY ${key} LIMIT ${limit}`

export const updateQuery = ({ table, key, column }: SealedColumn): string =>
  `UPDATE ${table} SET ${column} = $1 WHERE ${key.map((name, n) => `${name} = $${n + 2}`).join(' AND ')}`

export const COUNT_OLDER = `SELECT ${SEALED.map(
  ({ table, column }) => `(SELECT count(*) FROM ${table} WHERE ${unlike(column)})`,
).join(' + ')} AS rows`

function unlike(column: string): string {
  return `${column} IS NOT NULL AND substr(${column}, 1, 1) <> $1`
}
