/** Prices of messages. */
import { asc } from 'drizzle-orm'
import type { PriceReader, PriceTx } from '../ports/store/reports'
import { inDialect } from './dialect'
import type { Querying, Session } from './session'
import { statement } from './statement'

const STATEMENTS = inDialect(({ db, tables: { prices }, match, parameters, excluded }) => ({
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
