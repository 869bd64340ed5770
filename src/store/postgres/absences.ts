/** Phones that a channel does not reach. */
import type { Tx } from '../../ports/store'
import { plain } from './connection/statement'
import type { Transaction } from './connection/transaction'

const NOTE = plain(
  `INSERT INTO absent_phones (channel, phone_hash, until) VALUES ($1, $2, $3)
   ON CONFLICT (phone_hash, channel) DO UPDATE SET until = excluded.until`,
  ({ channel, phoneHash, until }) => [channel, phoneHash, until],
)
const FORGET = plain('DELETE FROM absent_phones WHERE phone_hash = $1', ({ phoneHash }) => [phoneHash])

export function absenceTx(transaction: Transaction): Tx['absences'] {
  return {
    async note(channel, phoneHash, until) {
      transaction.run(NOTE, { channel, phoneHash, until })
    },
    async forget(phoneHash) {
      transaction.run(FORGET, { phoneHash })
    },
  }
}
