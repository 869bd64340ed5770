/** Prices of messages. */
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
