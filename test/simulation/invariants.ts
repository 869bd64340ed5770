/** What must hold after every step, read from the database behind the app's back. */
import { Database, type Statement } from 'bun:sqlite'
import type { DeliveryPlan } from '../../src/domain/delivery/plan'
import type { Carrier } from '../support/carrier'

/** The delivery plan of an app; of every app, where none is named. */
export type PlanOfApp = Pick<DeliveryPlan, 'channel' | 'legs'> & { readonly appId?: string }

export class Invariants {
  readonly #db: Database
  /** Bun keeps only twenty statements, and preparing one takes longer than running it. */
  readonly #statements = new Map<string, Statement>()
  /** Answers of attempts that were seen. An answer never changes; a report of failure adds its code to one that was no refusal. */
  readonly #answers = new Map<string, string>()
  /** Attempts of issues whose codes have ended, as they were first seen. */
  readonly #attempts = new Map<string, number>()

  constructor(
    file: string,
    private readonly carriers: Carrier[],
    private readonly plans: readonly PlanOfApp[] = [],
  ) {
    this.#db = new Database(file, { readonly: true })
  }

  close(): void {
    this.#db.close()
  }

  /** The first promise that is broken, in words. */
  broken(): string | undefined {
    return (
      this.#onlyRows(
        'one live code per app, mode, phone and purpose',
        `SELECT app_id, mode, hex(phone_hash) AS phone, purpose FROM issues WHERE verification_status = 'issued'
         GROUP BY 1, 2, 3, 4 HAVING count(*) > 1`,
      ) ??
      this.#onlyRows(
        'balance is the sum of the ledger, and what the newest entry says',
        `SELECT w.app_id FROM wallets w WHERE w.balance <>
           (SELECT coalesce(sum(amount_delta), 0) FROM ledger_entries l WHERE l.app_id = w.app_id)
         OR w.balance <> coalesce((SELECT balance_after FROM ledger_entries l WHERE l.app_id = w.app_id
           ORDER BY created_at DESC, seq DESC LIMIT 1), 0)`,
      ) ??
      this.#onlyRows(
        'reserved is what open reservations add up to',
        `SELECT w.app_id FROM wallets w WHERE w.reserved <> (SELECT coalesce(sum(price), 0) FROM issues i
           WHERE i.app_id = w.app_id AND i.billing_status IN ('reserved', 'debit_pending', 'release_pending'))`,
      ) ??
      this.#onlyRows(
        'each debited issue has one debit entry, and no other issue has one',
        `SELECT hex(i.issue_id) FROM issues i WHERE (i.billing_status = 'debited') <>
           (SELECT count(*) FROM ledger_entries l WHERE l.issue_id = i.issue_id AND l.entry_type = 'debit')`,
      ) ??
      this.#onlyRows(
        'number and text are kept only while a send may still happen',
        `SELECT hex(o.issue_id) FROM outbox o LEFT JOIN issues i USING (issue_id)
         WHERE i.issue_id IS NULL OR i.verification_status <> 'issued'
           OR NOT (i.send_pending OR (iif(i.legs IS NULL, i.leg = 'alimtalk' AND i.sms_fallback, json_array_length(i.legs) > 1)
             AND i.delivery_status = 'sent'))`,
      ) ??
      this.#onlyRows(
        'a leg is accepted at most once, and nothing is sent on it afterwards',
        `SELECT hex(a.issue_id), a.leg FROM attempts a JOIN attempts b USING (app_id, mode, issue_id, leg)
         WHERE a.outcome IN ('accepted', 'ambiguous') AND b.number > a.number`,
      ) ??
      this.#onlyRows(
        'what an issue says of its send is what its attempts say',
        `SELECT hex(i.issue_id), i.leg FROM issues i WHERE i.delivery_status = 'sent' AND NOT i.send_pending AND NOT EXISTS
           (SELECT 1 FROM attempts a WHERE a.issue_id = i.issue_id AND a.leg = i.leg
            AND a.outcome = iif(i.outcome_ambiguous, 'ambiguous', 'accepted'))`,
      ) ??
      this.#eventsAreStates() ??
      this.#onlyRows(
        'a leg that was accepted is told as sent before the message is told as over',
        `SELECT hex(e.issue_id), e.type FROM webhook_events e JOIN webhook_deliveries d USING (event_id)
         WHERE e.type IN ('otp.delivered', 'otp.failed') AND
           (SELECT count(*) FROM attempts a WHERE a.app_id = e.app_id AND a.mode = e.mode AND a.issue_id = e.issue_id
              AND a.outcome = 'accepted' AND (a.answered_at < e.created_at OR NOT EXISTS
                (SELECT 1 FROM issues i WHERE i.issue_id = e.issue_id AND i.legs IS NOT NULL))) >
           (SELECT count(*) FROM webhook_events s JOIN webhook_deliveries b USING (event_id) WHERE s.issue_id = e.issue_id
              AND s.type = 'otp.sent' AND b.endpoint_id = d.endpoint_id AND b.seq < d.seq)`,
      ) ??
      this.#onlyRows(
        'a job awaits a report only while one may still come',
        `SELECT hex(i.issue_id), i.delivery_status FROM issues i JOIN jobs j ON j.subject_id = i.issue_id
         WHERE j.kind = 'await-report' AND i.delivery_status IN ('delivered', 'failed')`,
      ) ??
      this.#onlyRows(
        'a webhook that waits has a job, and one that is done has none',
        `SELECT hex(d.delivery_id), d.status FROM webhook_deliveries d WHERE (d.status = 'pending') <>
           EXISTS (SELECT 1 FROM jobs j WHERE j.subject_id = d.delivery_id AND j.kind = 'webhook')`,
      ) ??
      this.#onlyRows(
        'an ambiguous leg moves on only after its report that it failed',
        `SELECT hex(a.issue_id), a.leg, b.leg FROM attempts a JOIN attempts b USING (app_id, mode, issue_id)
         WHERE a.outcome = 'ambiguous' AND b.number > a.number AND a.report IS NOT 'failed'`,
      ) ??
      this.#plansAreKept() ??
      this.#noLegStartsLate() ??
      this.#answersStay() ??
      this.#acceptedOnce()
    )
  }

  /** What must hold when faults have stopped and time has run. */
  unfinished(): string | undefined {
    return (
      this.#onlyRows('no job is left', 'SELECT kind, hex(subject_id) AS subject, run_at FROM jobs') ??
      this.#onlyRows('no number or text is left', 'SELECT hex(issue_id) FROM outbox') ??
      this.#onlyRows(
        'every reservation has ended',
        "SELECT hex(issue_id) AS issue, billing_status, delivery_status FROM issues WHERE billing_status NOT IN ('debited', 'released')",
      ) ??
      this.#onlyRows('nothing is reserved', 'SELECT * FROM wallets WHERE reserved <> 0') ??
      this.#onlyRows(
        'every code has an end',
        "SELECT hex(issue_id) FROM issues WHERE verification_status = 'issued'",
      ) ??
      this.#onlyRows(
        'nothing is queued',
        "SELECT hex(issue_id) FROM issues WHERE delivery_status = 'queued' OR send_pending = 1",
      ) ??
      this.#onlyRows(
        'what was released was never accepted, what was debited was',
        `SELECT hex(i.issue_id), i.billing_status FROM issues i WHERE i.price > 0 AND (i.billing_status = 'debited') <>
           EXISTS (SELECT 1 FROM attempts a WHERE a.issue_id = i.issue_id AND a.outcome IN ('accepted', 'ambiguous'))`,
      )
    )
  }

  /** Neither a state without its event nor an event without its state, where somebody listens to all of them. */
  #eventsAreStates(): string | undefined {
    for (const [type, state] of [
      ['otp.verified', "verification_status = 'verified'"],
      ['otp.expired', "verification_status = 'expired'"],
      ['otp.max_attempts', "verification_status = 'max_attempts'"],
      ['otp.delivered', "delivery_status = 'delivered'"],
      ['otp.failed', "delivery_status = 'failed'"],
    ]) {
      const broken = this.#onlyRows(
        `${type} is told of exactly what happened`,
        `SELECT hex(i.issue_id), i.verification_status, i.delivery_status FROM issues i
         JOIN webhook_endpoints USING (app_id, mode) WHERE (i.${state}) <>
           (SELECT count(*) FROM webhook_events e WHERE e.issue_id = i.issue_id AND e.type = '${type}')`,
      )
      if (broken) return broken
    }
    return undefined
  }

  /** Of the ids of events in the order they first arrived: what is missing, or came too early. */
  untold(arrived: readonly string[]): string | undefined {
    const place = new Map(arrived.map((id, index) => [id.replaceAll('-', '').toUpperCase(), index]))
    const rows = this.#db
      .query(
        `SELECT hex(d.event_id) AS event, hex(d.issue_id) AS issue, d.status, d.tries FROM webhook_deliveries d ORDER BY d.seq`,
      )
      .all() as Array<{ event: string; issue: string; status: string; tries: number }>
    const lastOf = new Map<string, number>()
    for (const { event, issue, status, tries } of rows) {
      const at = place.get(event)
      if (status === 'pending') return `a webhook is left: ${event}`
      if (status === 'failed' && tries < 6) return `a webhook was given up too early: ${event} after ${tries} tries`
      if (at === undefined) return `an event never arrived: ${event}`
      if (at < (lastOf.get(issue) ?? -1)) return `an event overtook an earlier one of its issue: ${event}`
      lastOf.set(issue, at)
    }
    return undefined
  }

  #onlyRows(promise: string, offenders: string): string | undefined {
    const statement = this.#statements.get(offenders) ?? this.#db.prepare(offenders)
    this.#statements.set(offenders, statement)
    const rows = statement.all()
    return rows.length === 0 ? undefined : `${promise}: ${JSON.stringify(rows.slice(0, 3))}`
  }

  /** Legs start in the order of their plan. One whose message may still be delivered is left after its wait, and not before. */
  #plansAreKept(): string | undefined {
    for (const { appId, channel, legs } of this.plans) {
      const ofPlan = `i.channel = '${channel}' ${appId === undefined ? '' : `AND i.app_id = '${appId}'`}`
      for (const [at, { channel: leg, waitSec }] of legs.entries()) {
        const following = legs.slice(at + 1).map((next) => `'${next.channel}'`)
        const broken =
          this.#onlyRows(
            'legs start in the order of their plan',
            `SELECT hex(a.issue_id), a.leg, b.leg FROM attempts a JOIN attempts b USING (app_id, mode, issue_id)
             JOIN issues i USING (app_id, mode, issue_id)
             WHERE ${ofPlan} AND a.leg = '${leg}' AND b.number > a.number AND b.leg NOT IN (a.leg, ${[...following, "''"]})`,
          ) ??
          this.#onlyRows(
            'a leg waits its time',
            `SELECT hex(a.issue_id), a.leg, b.leg, b.called_at - a.answered_at AS waited
             FROM attempts a JOIN attempts b USING (app_id, mode, issue_id) JOIN issues i USING (app_id, mode, issue_id)
             WHERE a.awaited_at IS NOT NULL AND ${ofPlan} AND a.leg = '${leg}' AND a.outcome = 'accepted' AND b.number = a.number + 1
               AND b.called_at - a.answered_at < ${waitSec === undefined ? 1e12 : waitSec * 1_000}`,
          )
        if (broken) return broken
      }
    }
    return undefined
  }

  /** No attempt is added to an issue whose code can no longer be used. */
  #noLegStartsLate(): string | undefined {
    const ended = this.#db
      .query(
        `SELECT hex(issue_id) AS issue,
           (SELECT count(*) FROM attempts a WHERE a.issue_id = i.issue_id) + (begun_at IS NOT NULL) AS attempts
         FROM issues i WHERE verification_status <> 'issued'`,
      )
      .all() as Array<{ issue: string; attempts: number }>
    for (const { issue, attempts } of ended) {
      const before = this.#attempts.get(issue) ?? attempts
      if (attempts > before) return `a leg starts after the code has ended: ${issue}`
      this.#attempts.set(issue, attempts)
    }
    return undefined
  }

  #answersStay(): string | undefined {
    const rows = this.#db
      .query(
        "SELECT hex(issue_id) || '#' || number AS attempt, outcome || CASE outcome WHEN 'refused' THEN code ELSE '' END || answered_at AS answer FROM attempts WHERE outcome IS NOT NULL",
      )
      .all() as Array<{ attempt: string; answer: string }>
    for (const { attempt, answer } of rows) {
      const before = this.#answers.get(attempt)
      if (before !== undefined && before !== answer)
        return `an answer never changes: ${attempt} was ${before}, is ${answer}`
      this.#answers.set(attempt, answer)
    }
    return undefined
  }

  #acceptedOnce(): string | undefined {
    const seen = new Set<string>()
    for (const carrier of this.carriers) {
      for (const { messageId } of carrier.accepted) {
        if (seen.has(messageId)) return `no message is sent twice: ${messageId}`
        seen.add(messageId)
      }
    }
    return undefined
  }
}
