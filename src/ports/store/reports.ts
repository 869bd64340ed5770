/** Prices of messages, and tokens of the tools with which finance reads usage. */
import type { ReportToken } from '../../domain/access/report-token'
import type { MessagePrice } from '../../domain/wallet/message-price'

export interface PriceTx {
  /** Replaces the price of the same messages that is valid from the same day; the id stays that of the first. */
  save(price: MessagePrice): Promise<void>
  /** False where there was no such row. */
  remove(priceId: string): Promise<boolean>
}

export interface PriceReader {
  all(): Promise<MessagePrice[]>
}

export interface ReportTokenTx {
  add(token: ReportToken): Promise<void>
  /** False where there was no such row. */
  remove(tokenId: string): Promise<boolean>
}

export interface ReportTokenReader {
  /** Oldest first. */
  all(): Promise<ReportToken[]>
  find(tokenHash: Uint8Array): Promise<ReportToken | undefined>
}
