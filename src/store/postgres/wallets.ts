/** Credit: what an app has, and every change of it. Wallets are locked last, and for as short as can be. */
import { and, desc, eq, gte, sql } from 'drizzle-orm'
import type { Wallet } from '../../domain/wallet/wallet'
import type { Tx } from '../../ports/store'
import type { WalletReader } from '../../ports/store/wallets'
import { readLedgerPage } from '../ledger-pages'
import { emptyWallet, entryOf, entryRow, walletOf } from '../rows/wallet'
import { addition, bind, changes, db, plain, statement } from './connection/statement'
import type { Querying, Unit } from './connection/unit'
import { ledgerEntries, wallets } from './schema'

const thisWallet = eq(wallets.appId, bind(wallets.appId, 'appId'))

const walletRead = ([
  appId,
  balance,
  reserved,
  overdraftLimit,
  entries,
  alertBelow,
  updatedAt,
]: readonly unknown[]): Wallet =>
  walletOf({
    appId: String(appId),
    ...{ balance: Number(balance), reserved: Number(reserved), overdraftLimit: Number(overdraftLimit) },
    ...{ entries: Number(entries), alertBelow: alertBelow === null ? null : Number(alertBelow) },
    updatedAt: Number(updatedAt),
  })
const COLUMNS = 'app_id, balance, reserved, overdraft_limit, entries, alert_below, updated_at'

const STATEMENTS = {
  /** Made where there is none; what was set aside is taken back. */
  lock: plain(`SELECT ${COLUMNS} FROM lock_wallet($1, $2)`, ({ appId, now }) => [appId, now], walletRead),
  save: statement(() =>
    db
      .update(wallets)
      .set(changes(wallets, ['balance', 'reserved', 'overdraftLimit', 'alertBelow', 'entries', 'updatedAt']))
      .where(thisWallet)
      .prepare(''),
  ),
  reserve: {
    ...plain(
      (place) => `SELECT reserve_credit(${place(1)}, ${place(2)}, ${place(3)})`,
      ({ appId, amount, slot }) => [appId, amount, slot],
      undefined,
      {
        types: ['text', 'bigint', 'integer'],
      },
    ),
    summed: 'amount',
  },
  release: plain('UPDATE wallets SET reserved = reserved - $2 WHERE app_id = $1', ({ appId, amount }) => [
    appId,
    amount,
  ]),
  /** The ledger's times never go back, even where the clock does. */
  debit: plain(
    `WITH charged AS (
       UPDATE wallets SET reserved = reserved - $2, balance = balance - $2, entries = entries + 1,
         updated_at = greatest(updated_at, $4) WHERE app_id = $1
       RETURNING app_id, updated_at, entries, balance)
     INSERT INTO ledger_entries (app_id, created_at, seq, entry_type, amount_delta, balance_after, issue_id)
     SELECT app_id, updated_at, entries, 'debit', -$2::bigint, balance, $3::uuid FROM charged`,
    ({ appId, price, issueId, now }) => [appId, price, issueId, now],
  ),
  findEntry: statement(() =>
    db
      .select()
      .from(ledgerEntries)
      .where(
        and(
          eq(ledgerEntries.appId, bind(ledgerEntries.appId, 'appId')),
          eq(ledgerEntries.entryType, bind(ledgerEntries.entryType, 'entryType')),
          eq(ledgerEntries.reference, bind(ledgerEntries.reference, 'reference')),
        ),
      )
      .prepare(''),
  ),
  insertEntry: addition(ledgerEntries),
}

export function walletTx(unit: Unit): Tx['wallets'] {
  return {
    async lock(appId) {
      await unit.opened()
      return (await unit.change(STATEMENTS.lock, { appId, now: unit.now }))[0] ?? emptyWallet(appId, unit.now)
    },
    async save(wallet) {
      unit.run(STATEMENTS.save, { ...wallet, alertBelow: wallet.alertBelow ?? null })
    },
    async reserve(appId, amount) {
      unit.last(STATEMENTS.reserve, { appId, amount, slot: unit.slot })
    },
    async release(appId, amount) {
      unit.last(STATEMENTS.release, { appId, amount })
    },
    async debit(appId, { issueId, price }) {
      await unit.opened()
      unit.last(STATEMENTS.debit, { appId, issueId, price, now: unit.now })
    },
    async addEntry(entry) {
      unit.run(STATEMENTS.insertEntry, entryRow(entry))
    },
    async findEntry(appId, entryType, reference) {
      const row = await unit.get(STATEMENTS.findEntry, { appId, entryType, reference })
      return row && entryOf(row)
    },
  }
}

const isBefore = sql`(${ledgerEntries.createdAt}, ${ledgerEntries.seq}) < (${sql.placeholder('beforeAt')}::bigint, ${sql.placeholder('beforeSeq')}::bigint)`
const ofApp = eq(ledgerEntries.appId, bind(ledgerEntries.appId, 'appId'))

const ledgerPage = (...conditions: Parameters<typeof and>) =>
  statement(() =>
    db
      .select()
      .from(ledgerEntries)
      .where(
        and(
          ofApp,
          isBefore,
          sql`(${ledgerEntries.createdAt}, ${ledgerEntries.seq}) >= (${sql.placeholder('fromAt')}::bigint, ${sql.placeholder('fromSeq')}::bigint)`,
          ...conditions,
        ),
      )
      .orderBy(desc(ledgerEntries.createdAt), desc(ledgerEntries.seq))
      .limit(sql.placeholder('limit'))
      .prepare(''),
  )

const READS = {
  /** What is set aside is not promised to anybody yet. */
  find: plain(
    `SELECT app_id, balance, reserved - (SELECT coalesce(sum(available), 0) FROM wallet_slots AS s WHERE s.app_id = w.app_id),
       overdraft_limit, entries, alert_below, updated_at FROM wallets AS w WHERE app_id = $1`,
    ({ appId }) => [appId],
    walletRead,
  ),
  ledger: ledgerPage(),
  ledgerOfType: ledgerPage(eq(ledgerEntries.entryType, bind(ledgerEntries.entryType, 'entryType'))),
  /** The entry that many rows further down. */
  further: statement(() =>
    db
      .select({ createdAt: ledgerEntries.createdAt, seq: ledgerEntries.seq })
      .from(ledgerEntries)
      .where(and(ofApp, isBefore, gte(ledgerEntries.createdAt, bind(ledgerEntries.createdAt, 'fromAt'))))
      .orderBy(desc(ledgerEntries.createdAt), desc(ledgerEntries.seq))
      .limit(1)
      .offset(sql.placeholder('rows'))
      .prepare(''),
  ),
  ofIssue: statement(() =>
    db
      .select()
      .from(ledgerEntries)
      .where(and(ofApp, eq(ledgerEntries.issueId, bind(ledgerEntries.issueId, 'issueId'))))
      .orderBy(ledgerEntries.createdAt, ledgerEntries.seq)
      .prepare(''),
  ),
}

export const walletReader = (pool: Querying): WalletReader => ({
  find: (appId) => pool.get(READS.find, { appId }),
  ledger: (appId, filter) =>
    readLedgerPage(filter, {
      further: (range) => pool.get(READS.further, { appId, ...range }),
      async read(range) {
        const { entryType } = filter
        const entries = entryType ? READS.ledgerOfType : READS.ledger
        return (await pool.all(entries, { appId, ...range, entryType })).map(entryOf)
      },
    }),
  async ledgerOfIssue(appId, issueId) {
    return (await pool.all(READS.ofIssue, { appId, issueId })).map(entryOf)
  },
})
