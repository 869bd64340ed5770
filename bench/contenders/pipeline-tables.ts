/** A delivered code in our tables, by 10 hand-written statements in two transactions. */
import type { IssueInput } from './inputs'
import { type Bindings, issueRows, openOurs } from './issue-rows'
import type { OpenIn } from './tables'

/** On its way to the carrier. */
export interface Message {
  issue: Uint8Array
  messageId: Uint8Array
  calledAt: number
  to: string
  text: string
}

/** Every method is called inside a transaction. */
export interface Pipeline {
  db: ReturnType<typeof openOurs>['db']
  /** With its call begun. No message where the issue is known already. */
  issue(input: IssueInput): { answer: object; message?: Message }
  /** What the carrier has answered, and the charge. */
  settle(message: Message, carrierMessageId: string): void
}

export const pipelineTables: OpenIn<Pipeline> = (dir, appId, vault) => {
  const { db } = openOurs(dir)
  const write = issueRows(db, appId, vault, '{"carrier":"main"}')
  const owner = { appId }
  const reserve = db.query(
    'UPDATE wallets SET reserved = reserved + 1 WHERE app_id = $appId AND balance - reserved >= 1 - overdraft_limit',
  )
  const insertAttempt = db.query(
    `INSERT INTO attempts (app_id, mode, issue_id, number, leg, provider, message_id, called_at, answered_at, outcome,
       provider_message_id)
     VALUES ($appId, 'live', $id, 1, 'sms', 'main', $messageId, $calledAt, $now, 'accepted', $carrierMessageId)`,
  )
  const settle = db.query(
    `UPDATE issues SET delivery_status = 'sent', send_pending = 0, billing_status = 'debited', debited_amount = 1,
       begun_at = NULL, begun_call = NULL, updated_at = $now WHERE app_id = $appId AND mode = 'live' AND issue_id = $id`,
  )
  const debit = db.query<{ balance: number; entries: number }, Bindings>(
    `UPDATE wallets SET reserved = reserved - 1, balance = balance - 1, entries = entries + 1, updated_at = $now
     WHERE app_id = $appId RETURNING balance, entries`,
  )
  const insertEntry = db.query(
    `INSERT INTO ledger_entries VALUES ($appId, $now, $entries, 'debit', -1, $balance, $id, NULL)`,
  )
  const erase = db.query('DELETE FROM outbox WHERE issue_id = $id')

  return {
    db,

    issue(input) {
      const { answer, fresh } = write(input)
      if (!fresh) return { answer }
      const { id, messageId, now } = fresh
      const { to, text } = fresh.rendered
      if (reserve.run(owner).changes === 0) throw new Error('There is no credit')
      return { answer, message: { issue: id, messageId, calledAt: now, to, text } }
    },

    settle({ issue: id, messageId, calledAt }, carrierMessageId) {
      const now = Date.now()
      insertAttempt.run({ ...owner, id, messageId, calledAt, now, carrierMessageId })
      settle.run({ ...owner, id, now })
      const { balance, entries } = debit.get({ ...owner, now }) as { balance: number; entries: number }
      insertEntry.run({ ...owner, id, now, balance, entries })
      erase.run({ id })
    },
  }
}
