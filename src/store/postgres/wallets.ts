/** Wallets and their ledgers. A wallet is locked last, so that its lock is held only for a short time. */
import { and, desc, eq, gte, sql } from 'drizzle-orm'
import type { Wallet } from '../../domain/wallet/wallet'
import type { Tx } from '../../ports/store'
import type { WalletReader } from '../../ports/store/wallets'
import { readLedgerPage } from '../list-pages'
import { emptyWallet, entryOf, entryRow, walletOf } from '../rows/wallet'
import { addition, bind, changes, db, plain, statement } from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'
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
  /** Makes a missing wallet, and returns the slots of reserved credit to it. */
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
  /** Times of a ledger never decrease, even if the clock does. */
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

export function walletTx(transaction: Transaction): Tx['wallets'] {
  return {
    async lock(appId) {
      await transaction.opened()
      return (
        (await transaction.change(STATEMENTS.lock, { appId, now: transaction.now }))[0] ??
        emptyWallet(appId, transaction.now)
      )
    },
    async save(wallet) {
      transaction.run(STATEMENTS.save, { ...wallet, alertBelow: wallet.alertBelow ?? null })
    },
    async reserve(appId, amount) {
      transaction.last(STATEMENTS.reserve, { appId, amount, slot: transaction.slot })
    },
    async release(appId, amount) {
      transaction.last(STATEMENTS.release, { appId, amount })
    },
    async debit(appId, { issueId, price }) {
      await transaction.opened()
      transaction.last(STATEMENTS.debit, { appId, issueId, price, now: transaction.now })
    },
    async addEntry(entry) {
      transaction.run(STATEMENTS.insertEntry, entryRow(entry))
    },
    async findEntry(appId, entryType, reference) {
      const row = await transaction.get(STATEMENTS.findEntry, { appId, entryType, reference })
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
  /** Credit that is left in the slots is not reserved for any issue, so it is subtracted. */
  find: plain(
    `SELECT app_id, balance, reserved - (SELECT coalesce(sum(available), 0) FROM wallet_slots AS s WHERE s.app_id = w.app_id),
       overdraft_limit, entries, alert_below, updated_at FROM wallets AS w WHERE app_id = $1`,
    ({ appId }) => [appId],
    walletRead,
  ),
  all: plain(
    `SELECT w.app_id, balance, reserved - coalesce(available, 0), overdraft_limit, entries, alert_below, updated_at
     FROM wallets AS w LEFT JOIN (SELECT app_id, sum(available) AS available FROM wallet_slots GROUP BY app_id) AS s USING (app_id)`,
    () => [],
    walletRead,
  ),
  ledger: ledgerPage(),
  ledgerOfType: ledgerPage(eq(ledgerEntries.entryType, bind(ledgerEntries.entryType, 'entryType'))),
  /** The entry `rows` rows further down. */
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
  all: () => pool.all(READS.all),
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
