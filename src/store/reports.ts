/** Prices of messages, and tokens of finance's tools. */
import { asc } from 'drizzle-orm'
import type { PriceReader, PriceTx, ReportTokenReader, ReportTokenTx } from '../ports/store/reports'
import { inDialect } from './dialect'
import type { Querying, Session } from './session'
import { statement } from './statement'

const STATEMENTS = inDialect(({ db, tables: { prices, reportTokens }, match, parameters, excluded, insert }) => ({
  prices: statement(() => db.select().from(prices).orderBy(asc(prices.priceId))),
  savePrice: statement(() =>
    db
      .insert(prices)
      .values(parameters(prices))
      .onConflictDoUpdate({
        target: [prices.carrier, prices.country, prices.channel, prices.validFrom],
        set: excluded(prices, ['currency', 'millionths']),
      }),
  ),
  removePrice: statement(() => db.delete(prices).where(match(prices, 'priceId'))),
  tokens: statement(() =>
    db.select().from(reportTokens).orderBy(asc(reportTokens.createdAt), asc(reportTokens.tokenId)),
  ),
  token: statement(() => db.select().from(reportTokens).where(match(reportTokens, 'tokenHash'))),
  addToken: insert(reportTokens),
  removeToken: statement(() => db.delete(reportTokens).where(match(reportTokens, 'tokenId'))),
}))

export const priceTx = (tx: Session): PriceTx => ({
  async save(price) {
    tx.run(STATEMENTS(tx).savePrice, { ...price })
  },
  remove: async (priceId) => (await tx.change(STATEMENTS(tx).removePrice, { priceId })) > 0,
})

export const priceReader = (reads: Querying): PriceReader => ({
  all: async () => reads.all(STATEMENTS(reads).prices),
})

export const reportTokenTx = (tx: Session): ReportTokenTx => ({
  async add(token) {
    tx.run(STATEMENTS(tx).addToken, { ...token })
  },
  remove: async (tokenId) => (await tx.change(STATEMENTS(tx).removeToken, { tokenId })) > 0,
})

export const reportTokenReader = (reads: Querying): ReportTokenReader => ({
  all: async () => reads.all(STATEMENTS(reads).tokens),
  find: async (tokenHash) => reads.get(STATEMENTS(reads).token, { tokenHash }),
})
