/** Wallets and their ledgers. */
import type { Database } from 'bun:sqlite'
import { and, desc, eq, gte, sql } from 'drizzle-orm'
import { reserve } from '../../domain/wallet/wallet'
import type { Reader, Tx } from '../../ports/store'
import { readLedgerPage } from '../list-pages'
import { emptyWallet, entryOf, entryRow, walletOf, walletRow } from '../rows/wallet'
import { type Connections, nextTurn } from './connection/read-group'
import { bind, db, on, parameters, statement } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { ledgerEntries, wallets } from './schema'

const thisWallet = eq(wallets.appId, bind(wallets.appId, 'appId'))
const amount = sql.placeholder('amount')

const walletById = statement(() => db.select().from(wallets).where(thisWallet).prepare())

const WALLET_TX = {
  findWallet: walletById,
  upsertWallet: statement(() =>
    db
      .insert(wallets)
      .values(parameters(wallets))
      .onConflictDoUpdate({
        target: wallets.appId,
        set: {
          balance: sql`excluded.balance`,
          reserved: sql`excluded.reserved`,
          overdraftLimit: sql`excluded.overdraft_limit`,
          alertBelow: sql`excluded.alert_below`,
          entries: sql`excluded.entries`,
          updatedAt: sql`excluded.updated_at`,
        },
      })
      .prepare(),
  ),
  /** Reserves only where the credit suffices; otherwise the domain makes the refusal. */
  reserve: statement(() =>
    db
      .update(wallets)
      .set({ reserved: sql`${wallets.reserved} + ${amount}` })
      .where(and(thisWallet, sql`${wallets.balance} - ${wallets.reserved} - ${amount} >= -${wallets.overdraftLimit}`))
      .prepare(),
  ),
  release: statement(() =>
    db
      .update(wallets)
      .set({ reserved: sql`${wallets.reserved} - ${amount}` })
      .where(thisWallet)
      .prepare(),
  ),
  /** Times of a ledger never decrease, even if the clock does. */
  debit: statement(() =>
    db
      .update(wallets)
      .set({
        reserved: sql`${wallets.reserved} - ${amount}`,
        balance: sql`${wallets.balance} - ${amount}`,
        entries: sql`${wallets.entries} + 1`,
        updatedAt: sql`max(${wallets.updatedAt}, ${sql.placeholder('now')})`,
      })
      .where(thisWallet)
      .prepare(),
  ),
  /** Inserts the ledger entry with the balance after the debit. */
  insertDebit: statement(() =>
    db
      .insert(ledgerEntries)
      .select(
        db
          .select({
            appId: wallets.appId,
            createdAt: wallets.updatedAt,
            seq: wallets.entries,
            entryType: sql`'debit'`.as('entry_type'),
            amountDelta: sql`-${amount}`.as('amount_delta'),
            balanceAfter: wallets.balance,
            issueId: sql`${bind(ledgerEntries.issueId, 'issueId')}`.as('issue_id'),
            reference: sql`NULL`.as('reference'),
          })
          .from(wallets)
          .where(thisWallet),
      )
      .prepare(),
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
      .prepare(),
  ),
  insertEntry: statement(() => db.insert(ledgerEntries).values(parameters(ledgerEntries)).prepare()),
}

export function createWalletTx(connection: Database, current: TransactionState): Pick<Tx, 'wallets'> {
  const run = on(connection, WALLET_TX)

  return {
    wallets: {
      async lock(appId) {
        const row = run.findWallet.get({ appId })
        return row ? walletOf(row) : emptyWallet(appId, current.now)
      },
      async save(wallet) {
        run.upsertWallet.run(walletRow(wallet))
      },
      async reserve(appId, amount) {
        if (run.reserve.run({ appId, amount }).changes === 0) await this.save(reserve(await this.lock(appId), amount))
      },
      async release(appId, amount) {
        run.release.run({ appId, amount })
      },
      async debit(appId, { issueId, price }) {
        const { changes } = run.debit.run({ appId, amount: price, now: current.now })
        if (changes === 0) throw new Error('Only what was reserved is debited')
        run.insertDebit.run({ appId, amount: price, issueId })
      },
      async addEntry(entry) {
        run.insertEntry.run(entryRow(entry))
      },
      async findEntry(appId, entryType, reference) {
        const row = run.findEntry.get({ appId, entryType, reference })
        return row && entryOf(row)
      },
    },
  }
}

const ledgerPage = (...conditions: Parameters<typeof and>) =>
  statement(() =>
    db
      .select()
      .from(ledgerEntries)
      .where(
        and(
          eq(ledgerEntries.appId, bind(ledgerEntries.appId, 'appId')),
          sql`(${ledgerEntries.createdAt}, ${ledgerEntries.seq}) < (${sql.placeholder('beforeAt')}, ${sql.placeholder('beforeSeq')})`,
          sql`(${ledgerEntries.createdAt}, ${ledgerEntries.seq}) >= (${sql.placeholder('fromAt')}, ${sql.placeholder('fromSeq')})`,
          ...conditions,
        ),
      )
      .orderBy(desc(ledgerEntries.createdAt), desc(ledgerEntries.seq))
      .limit(sql.placeholder('limit'))
      .prepare(),
  )

const WALLET_READER = {
  findWallet: walletById,
  allWallets: statement(() => db.select().from(wallets).prepare()),
  ledgerAll: ledgerPage(),
  ledgerOfType: ledgerPage(eq(ledgerEntries.entryType, bind(ledgerEntries.entryType, 'entryType'))),
  /** The entry `rows` rows further down. */
  further: statement(() =>
    db
      .select({ createdAt: ledgerEntries.createdAt, seq: ledgerEntries.seq })
      .from(ledgerEntries)
      .where(
        and(
          eq(ledgerEntries.appId, bind(ledgerEntries.appId, 'appId')),
          sql`(${ledgerEntries.createdAt}, ${ledgerEntries.seq}) < (${sql.placeholder('beforeAt')}, ${sql.placeholder('beforeSeq')})`,
          gte(ledgerEntries.createdAt, bind(ledgerEntries.createdAt, 'fromAt')),
        ),
      )
      .orderBy(desc(ledgerEntries.createdAt), desc(ledgerEntries.seq))
      .limit(1)
      .offset(sql.placeholder('rows'))
      .prepare(),
  ),
  entriesOfIssue: statement(() =>
    db
      .select()
      .from(ledgerEntries)
      .where(
        and(
          // The `+` keeps the planner from the primary key, which would read all entries of the app.
          sql`+${ledgerEntries.appId} = ${bind(ledgerEntries.appId, 'appId')}`,
          eq(ledgerEntries.issueId, bind(ledgerEntries.issueId, 'issueId')),
        ),
      )
      .orderBy(ledgerEntries.createdAt, ledgerEntries.seq)
      .prepare(),
  ),
}

export function createWalletReader({
  reading: connection,
  group,
}: Pick<Connections, 'reading' | 'group'>): Pick<Reader, 'wallets'> {
  const { findWallet, allWallets, ledgerAll, ledgerOfType, further, entriesOfIssue } = on(connection, WALLET_READER)

  return {
    wallets: {
      find(appId) {
        return group.read(() => {
          const row = findWallet.get({ appId })
          return row && walletOf(row)
        })
      },
      async all() {
        return allWallets.all().map(walletOf)
      },
      ledger: (appId, filter) =>
        readLedgerPage(filter, {
          async further(range) {
            const edge = further.get({ appId, ...range })
            if (edge !== undefined) await nextTurn()
            return edge
          },
          async read(range) {
            const { entryType } = filter
            const rows = entryType
              ? ledgerOfType.all({ appId, ...range, entryType })
              : ledgerAll.all({ appId, ...range })
            return rows.map(entryOf)
          },
        }),
      async ledgerOfIssue(appId, issueId) {
        return entriesOfIssue.all({ appId, issueId }).map(entryOf)
      },
    },
  }
}
