/** Wallets and their ledgers. */
import { and, desc, gte, type SQL, sql } from 'drizzle-orm'
import type { Wallet } from '../domain/wallet/wallet'
import type { WalletReader, WalletTx } from '../ports/store/wallets'
import { inDialect } from './dialect'
import { readLedgerPage } from './list-pages'
import type { Querying, Session } from './session'
import { statement } from './statement'

const STATEMENTS = inDialect(({ db, tables: { ledgerEntries, wallets }, ...its }) => {
  const { match, changes, parameters, insert, locked, number, either, bind } = its
  const ofApp = match(ledgerEntries, 'appId')
  const position = sql`(${ledgerEntries.createdAt}, ${ledgerEntries.seq})`
  const isBefore = sql`${position} < (${number('beforeAt')}, ${number('beforeSeq')})`
  const newestFirst = [desc(ledgerEntries.createdAt), desc(ledgerEntries.seq)] as const
  const page = (...conditions: Array<SQL | undefined>) =>
    statement(() =>
      db
        .select()
        .from(ledgerEntries)
        .where(and(ofApp, isBefore, sql`${position} >= (${number('fromAt')}, ${number('fromSeq')})`, ...conditions))
        .orderBy(...newestFirst)
        .limit(sql.placeholder('limit')),
    )
  return {
    find: statement(() => db.select().from(wallets).where(match(wallets, 'appId'))),
    all: statement(() => db.select().from(wallets)),
    lock: statement(() => locked(db.select().from(wallets).where(match(wallets, 'appId')))),
    make: statement(() => db.insert(wallets).values(parameters(wallets)).onConflictDoNothing()),
    save: statement(() =>
      db
        .update(wallets)
        .set(changes(wallets, ['balance', 'reserved', 'overdraftLimit', 'alertBelow', 'entries', 'updatedAt']))
        .where(match(wallets, 'appId')),
    ),
    insertEntry: insert(ledgerEntries),
    findEntry: statement(() =>
      db
        .select()
        .from(ledgerEntries)
        .where(match(ledgerEntries, 'appId', 'entryType', 'reference')),
    ),
    ledger: page(),
    ledgerOfType: page(match(ledgerEntries, 'entryType')),
    /** The entry `rows` rows further down. */
    further: statement(() =>
      db
        .select({ createdAt: ledgerEntries.createdAt, seq: ledgerEntries.seq })
        .from(ledgerEntries)
        .where(and(ofApp, isBefore, gte(ledgerEntries.createdAt, bind(ledgerEntries.createdAt, 'fromAt'))))
        .orderBy(...newestFirst)
        .limit(1)
        .offset(sql.placeholder('rows')),
    ),
    ofIssue: statement(() =>
      db
        .select()
        .from(ledgerEntries)
        .where(
          and(
            // The `+` keeps SQLite's planner from the primary key, which would read all entries of the app.
            either({ sqlite: sql`+${ledgerEntries.appId} = ${bind(ledgerEntries.appId, 'appId')}`, postgres: ofApp }),
            match(ledgerEntries, 'issueId'),
          ),
        )
        .orderBy(ledgerEntries.createdAt, ledgerEntries.seq),
    ),
  }
})

/** The wallet of an app that never had credit. */
const emptyWallet = (appId: string, now: number): Wallet => ({
  ...{ appId, balance: 0, reserved: 0, overdraftLimit: 0, entries: 0, updatedAt: now },
})

export function walletTx(tx: Session): WalletTx {
  const its = STATEMENTS(tx)
  return {
    async lock(appId) {
      const row = await tx.get(its.lock, { appId })
      if (row) return row
      const made = emptyWallet(appId, tx.now)
      tx.run(its.make, made)
      const other = await tx.get(its.lock, { appId })
      return other ?? made
    },
    save: async (wallet) => tx.run(its.save, wallet),
    addEntry: async (entry) => tx.run(its.insertEntry, entry),
    findEntry: async (appId, entryType, reference) => tx.get(its.findEntry, { appId, entryType, reference }),
  }
}

export function walletReader(reads: Querying): WalletReader {
  const its = STATEMENTS(reads)
  return {
    find: async (appId) => reads.get(its.find, { appId }),
    all: async () => reads.all(its.all),
    ledger: (appId, filter) =>
      readLedgerPage(filter, {
        further: async (range) => reads.get(its.further, { appId, ...range }),
        async read(range) {
          const { entryType } = filter
          return await reads.all(entryType ? its.ledgerOfType : its.ledger, { appId, ...range, entryType })
        },
      }),
    ledgerOfIssue: async (appId, issueId) => reads.all(its.ofIssue, { appId, issueId }),
  }
}
