/** Prices of messages, and tokens of finance's tools. */
import { asc, eq, sql } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import type { PriceReader, ReportTokenReader } from '../../ports/store/reports'
import { addition, bind, db, parameters, statement } from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'
import { prices, reportTokens } from './schema'

const PRICES = {
  all: statement(() => db.select().from(prices).orderBy(asc(prices.priceId)).prepare('')),
  save: statement(() =>
    db
      .insert(prices)
      .values(parameters(prices))
      .onConflictDoUpdate({
        target: [prices.carrier, prices.country, prices.channel, prices.validFrom],
        set: { currency: sql`excluded.currency`, millionths: sql`excluded.millionths` },
      })
      .prepare(''),
  ),
  remove: statement(() =>
    db
      .delete(prices)
      .where(eq(prices.priceId, bind(prices.priceId, 'priceId')))
      .returning({ priceId: prices.priceId })
      .prepare(''),
  ),
}

export const priceTx = (transaction: Transaction): Tx['prices'] => ({
  async save(price) {
    transaction.run(PRICES.save, { ...price })
  },
  remove: async (priceId) => (await transaction.change(PRICES.remove, { priceId })).length > 0,
})

export const priceReader = (pool: Querying): PriceReader => ({ all: () => pool.all(PRICES.all) })

const TOKENS = {
  all: statement(() =>
    db.select().from(reportTokens).orderBy(asc(reportTokens.createdAt), asc(reportTokens.tokenId)).prepare(''),
  ),
  find: statement(() =>
    db
      .select()
      .from(reportTokens)
      .where(eq(reportTokens.tokenHash, bind(reportTokens.tokenHash, 'tokenHash')))
      .prepare(''),
  ),
  add: addition(reportTokens),
  remove: statement(() =>
    db
      .delete(reportTokens)
      .where(eq(reportTokens.tokenId, bind(reportTokens.tokenId, 'tokenId')))
      .returning({ tokenId: reportTokens.tokenId })
      .prepare(''),
  ),
}

export const reportTokenTx = (transaction: Transaction): Tx['reportTokens'] => ({
  async add(token) {
    transaction.run(TOKENS.add, { ...token })
  },
  remove: async (tokenId) => (await transaction.change(TOKENS.remove, { tokenId })).length > 0,
})

export const reportTokenReader = (pool: Querying): ReportTokenReader => ({
  all: () => pool.all(TOKENS.all),
  find: (tokenHash) => pool.get(TOKENS.find, { tokenHash }),
})
