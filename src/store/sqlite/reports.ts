/** Prices of messages, and tokens of finance's tools. */
import type { Database } from 'bun:sqlite'
import { asc, eq, sql } from 'drizzle-orm'
import type { Reader, Tx } from '../../ports/store'
import { bind, db, on, parameters, statement } from './connection/statement'
import { prices, reportTokens } from './schema'

const REPORT_TX = {
  savePrice: statement(() =>
    db
      .insert(prices)
      .values(parameters(prices))
      .onConflictDoUpdate({
        target: [prices.carrier, prices.country, prices.channel, prices.validFrom],
        set: { currency: sql`excluded.currency`, millionths: sql`excluded.millionths` },
      })
      .prepare(),
  ),
  removePrice: statement(() =>
    db
      .delete(prices)
      .where(eq(prices.priceId, bind(prices.priceId, 'priceId')))
      .prepare(),
  ),
  addToken: statement(() => db.insert(reportTokens).values(parameters(reportTokens)).prepare()),
  removeToken: statement(() =>
    db
      .delete(reportTokens)
      .where(eq(reportTokens.tokenId, bind(reportTokens.tokenId, 'tokenId')))
      .prepare(),
  ),
}

export function createReportTx(connection: Database): Pick<Tx, 'prices' | 'reportTokens'> {
  const run = on(connection, REPORT_TX)
  return {
    prices: {
      async save(price) {
        run.savePrice.run({ ...price })
      },
      async remove(priceId) {
        return run.removePrice.run({ priceId }).changes > 0
      },
    },
    reportTokens: {
      async add(token) {
        run.addToken.run({ ...token })
      },
      async remove(tokenId) {
        return run.removeToken.run({ tokenId }).changes > 0
      },
    },
  }
}

const REPORT_READER = {
  allPrices: statement(() => db.select().from(prices).orderBy(asc(prices.priceId)).prepare()),
  allTokens: statement(() =>
    db.select().from(reportTokens).orderBy(asc(reportTokens.createdAt), asc(reportTokens.tokenId)).prepare(),
  ),
  token: statement(() =>
    db
      .select()
      .from(reportTokens)
      .where(eq(reportTokens.tokenHash, bind(reportTokens.tokenHash, 'tokenHash')))
      .prepare(),
  ),
}

export function createReportReader(connection: Database): Pick<Reader, 'prices' | 'reportTokens'> {
  const { allPrices, allTokens, token } = on(connection, REPORT_READER)
  return {
    prices: {
      async all() {
        return allPrices.all()
      },
    },
    reportTokens: {
      async all() {
        return allTokens.all()
      },
      async find(tokenHash) {
        return token.get({ tokenHash })
      },
    },
  }
}
