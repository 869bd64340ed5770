/** Failures of phones: wrong codes, and channels that do not reach them. */
import type { FailureCount } from '../../abuse/rules/failure-budget'
import type { PhoneOfApp } from '../../domain/access/rate-limits'
import type { Tx } from '../../ports/store'
import { type ParameterText, plain, type StatementValues, traceless } from './connection/statement'
import type { Transaction } from './connection/transaction'

/** Parses the JSON text; a row that was only made to be locked has `null`. */
export const failuresIn = (text: unknown): FailureCount | undefined =>
  typeof text === 'string' ? (JSON.parse(text) ?? undefined) : undefined

const named = ({ appId, kind, phoneHash }: StatementValues) => [appId, kind, phoneHash]
const these = (place: ParameterText) => `app_id = ${place(1)} AND key_kind = ${place(2)} AND phone_hash = ${place(3)}`
const THESE = these((n) => `$${n}`)

const STATEMENTS = {
  /** Makes a row to lock, so that two simultaneous wrong codes both count even if they are the first. */
  make: traceless(
    plain(
      `INSERT INTO failures (app_id, key_kind, phone_hash, state, last_at) VALUES ($1, $2, $3, 'null', 0)
      ON CONFLICT DO NOTHING`,
      named,
    ),
  ),
  lock: plain(
    (place) => `SELECT state FROM failures WHERE ${these(place)} FOR UPDATE`,
    named,
    ([state]) => ({ state: failuresIn(state) }),
    {
      types: ['text', 'text', 'bytea'],
      holds: (_, { appId, kind, phoneHash }) => `failures ${appId}/${kind}/${(phoneHash as Uint8Array).toHex()}`,
    },
  ),
  save: plain(`UPDATE failures SET state = $4, last_at = $5 WHERE ${THESE}`, (values) => [
    ...named(values),
    values.state,
    values.lastAt,
  ]),
}

export function failureTx(transaction: Transaction): Tx['failures'] {
  const values = ({ appId, kind, phoneHash }: PhoneOfApp) => ({ appId, kind, phoneHash })
  return {
    async lock(phone) {
      transaction.run(STATEMENTS.make, values(phone))
      return (await transaction.get(STATEMENTS.lock, values(phone)))?.state
    },
    async save(phone, failures) {
      transaction.run(STATEMENTS.save, { ...values(phone), state: JSON.stringify(failures), lastAt: failures.lastAt })
    },
  }
}

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
