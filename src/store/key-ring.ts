/** The key ring of a database, and re-encryption of its sealed columns under the newest key. */
import { and, asc, type Column, eq, getTableColumns, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { KeyRingReader, KeyRingTx, RenewalPlace } from '../ports/store/key-ring'
import type { RingRow, Vault } from '../ports/vault'
import { requestSeal } from './admin'
import { inDialect, type Tables } from './dialect'
import { waySeal } from './notices'
import { relaySeal } from './relays'
import { challengeSeal } from './rows/app'
import { configSeal } from './rows/carrier'
import { messageSeal } from './rows/issue'
import { begunSeal, totpSeal } from './rows/person'
import { snapshotSeal } from './rows/traffic'
import { answerSeal, eventSeal, headersSeal, secretsSeal } from './rows/webhook'
import type { Querying, Session } from './session'
import { statement } from './statement'

/** An encrypted column, by the names of its properties, and the associated data of its encryption. */
interface SealedColumn {
  table: keyof Tables
  key: readonly string[]
  column: string
  seal(key: Readonly<Record<string, unknown>>): string
}

const of = (table: keyof Tables, key: string, column: string, seal: (id: string) => string): SealedColumn => ({
  ...{ table, key: [key], column },
  seal: (row) => seal(String(row[key])),
})

export const SEALED: readonly SealedColumn[] = [
  of('carriers', 'name', 'config', configSeal),
  of('challenges', 'appId', 'settings', challengeSeal),
  of('relays', 'relayId', 'settings', relaySeal),
  of('noticeWays', 'wayId', 'settings', waySeal),
  of('operators', 'operatorId', 'totpSecret', totpSeal),
  of('operators', 'operatorId', 'totpBegun', begunSeal),
  of('webhookEndpoints', 'endpointId', 'headers', headersSeal),
  of('webhookEndpoints', 'endpointId', 'secrets', secretsSeal),
  of('adminRequests', 'requestId', 'answer', requestSeal),
  of('outbox', 'issueId', 'sealed', messageSeal),
  of('trafficSnapshots', 'appId', 'sealed', snapshotSeal),
  of('webhookEvents', 'eventId', 'body', eventSeal),
  {
    ...{ table: 'webhookAttempts', key: ['deliveryId', 'number'], column: 'answer' },
    seal: ({ deliveryId, number }) => answerSeal({ deliveryId: String(deliveryId), number: Number(number) }),
  },
]

const STATEMENTS = inDialect(({ db, tables, match, changes, insert, locked, bind, plain }) => {
  const { keyRing } = tables
  const columnOf = ({ table }: SealedColumn, name: string) =>
    (getTableColumns(tables[table]) as Record<string, AnyPgColumn>)[name] as AnyPgColumn
  /** Values that have another key than the newest, which their first byte tells. */
  const isOlder = (column: Column) =>
    and(isNotNull(column), sql`substr(${column}, 1, 1) <> ${bind(column, 'mark')}`) as SQL
  const renewals = SEALED.map((sealed) => {
    const value = columnOf(sealed, sealed.column)
    const key = sealed.key.map((name) => columnOf(sealed, name))
    const table = tables[sealed.table]
    const page = (...conditions: Array<SQL | undefined>) =>
      statement(() =>
        locked(
          db
            .select({ ...Object.fromEntries(sealed.key.map((name, n) => [name, key[n] as AnyPgColumn])), value })
            .from(table as Tables['outbox'])
            .where(and(isOlder(value), ...conditions))
            .orderBy(...key.map((column) => asc(column)))
            .limit(sql.placeholder('limit')),
          { skipLocked: true },
        ),
      )
    const isBehind = sql`(${sql.join(key, sql`, `)}) > (${sql.join(
      key.map((column, n) => bind(column, sealed.key[n] as string)),
      sql`, `,
    )})`
    return {
      sealed,
      first: page(),
      further: page(isBehind),
      update: statement(() =>
        db
          .update(table as Tables['outbox'])
          .set({ [sealed.column]: sql`${bind(value, 'value')}` })
          .where(and(...key.map((column, n) => eq(column, bind(column, sealed.key[n] as string))))),
      ),
    }
  })
  return {
    all: statement(() => db.select().from(keyRing).orderBy(keyRing.name)),
    insert: insert(keyRing),
    begin: statement(() =>
      db
        .update(keyRing)
        .set(changes(keyRing, ['begunAt']))
        .where(match(keyRing, 'name')),
    ),
    drop: statement(() => db.delete(keyRing).where(match(keyRing, 'name', 'secretId'))),
    renewals,
    older: plain(
      () =>
        sql`SELECT ${sql.join(
          SEALED.map((sealed) => {
            const column = columnOf(sealed, sealed.column)
            return sql`(SELECT count(*) FROM ${tables[sealed.table]} WHERE ${isOlder(column)})`
          }),
          sql` + `,
        )}`,
      ([rows]) => Number(rows),
    ),
  }
})

export const allKeys = (asked: Pick<Querying, 'dialect'>) => STATEMENTS(asked).all

export const keyRingRows = async (asked: Querying): Promise<RingRow[]> => asked.all(allKeys(asked))

export function addKeys(tx: Session, rows: readonly RingRow[]): void {
  for (const row of rows) tx.run(STATEMENTS(tx).insert, row)
}

export function keyRingTx(tx: Session, vault: Vault): KeyRingTx {
  const its = STATEMENTS(tx)
  return {
    async lock() {
      tx.lock('key ring')
      return keyRingRows(tx)
    },
    async add(rows) {
      addKeys(tx, rows)
      tx.settingsChanged()
    },
    async begin(name) {
      await tx.opened()
      tx.run(its.begin, { name, begunAt: tx.now })
      tx.settingsChanged()
    },
    async drop({ name, secretId }) {
      tx.run(its.drop, { name, secretId })
      tx.settingsChanged()
    },
    renew: (after, limit) => renew(tx, vault, after, limit),
  }
}

export const keyRingReader = (asked: Querying, vault: Vault): KeyRingReader => ({
  all: () => keyRingRows(asked),
  older: async () => (await asked.get(STATEMENTS(asked).older, { mark: vault.ring.mark })) ?? 0,
})

/**
 * Encrypts some values behind a place with the newest key; skips rows that another transaction is changing. Answers where to
 * continue: behind the last row, or at the next column.
 */
async function renew(
  tx: Session,
  vault: Vault,
  { part, key: behind }: RenewalPlace = { part: 0, key: undefined },
  limit: number,
): Promise<RenewalPlace | undefined> {
  const renewal = STATEMENTS(tx).renewals[part]
  if (!renewal) return undefined
  const { sealed, first, further, update } = renewal
  const named = Object.fromEntries((behind ?? []).map((value, n) => [sealed.key[n] as string, value]))
  const rows: Array<Record<string, unknown>> = await tx.all(behind ? further : first, {
    ...{ ...named, mark: vault.ring.mark, limit },
  })
  for (const { value, ...key } of rows)
    tx.run(update, { ...key, value: vault.seal(sealed.seal(key), vault.open(sealed.seal(key), value as Uint8Array)) })
  const last = rows[limit - 1]
  if (last) return { part, key: sealed.key.map((name) => last[name] as string | number) }
  return part + 1 < SEALED.length ? { part: part + 1, key: undefined } : undefined
}
