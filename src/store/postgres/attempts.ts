/** Delivery attempts with the answers of carriers, and messages on which carriers may still report. */
import { and, asc, eq, sql } from 'drizzle-orm'
import type { AnswerCount } from '../../domain/delivery/carrier-answers'
import type { SendOutcome } from '../../domain/delivery/delivery'
import type { Owner } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import type { AttemptReader } from '../../ports/store/issues'
import { idFloor } from '../ids'
import { ROUNDED_MS } from '../rows/carrier'
import {
  ATTEMPT_ANSWER,
  ATTEMPT_REPORT,
  attemptOf,
  attemptRow,
  awaitedOf,
  awaitedRow,
  unansweredSql,
} from '../rows/issue'
import { addition, bind, changes, db, ofOwner, parameters, plain, repeated, statement } from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'
import { attempts, awaitedReports } from './schema'

export const theseAttempts = and(ofOwner(attempts), eq(attempts.issueId, bind(attempts.issueId, 'issueId')))
const thisMessage = eq(awaitedReports.messageId, bind(awaitedReports.messageId, 'messageId'))

const STATEMENTS = {
  ofIssue: statement(
    (on) => on.select().from(attempts).where(theseAttempts).orderBy(asc(attempts.number)).prepare(''),
    {
      sharedBy: 'anybody',
    },
  ),
  insert: addition(attempts),
  answer: statement(() =>
    db
      .update(attempts)
      .set(changes(attempts, ATTEMPT_ANSWER))
      .where(and(theseAttempts, eq(attempts.number, bind(attempts.number, 'number')), sql`${attempts.outcome} IS NULL`))
      .returning({ number: attempts.number })
      .prepare(''),
  ),
  noteReport: statement(() =>
    db
      .update(attempts)
      .set(changes(attempts, ATTEMPT_REPORT))
      .where(and(theseAttempts, eq(attempts.number, bind(attempts.number, 'number'))))
      .prepare(''),
  ),
  expect: statement(
    (on, rows) =>
      on
        .insert(awaitedReports)
        .values(repeated(rows, () => parameters(awaitedReports)))
        .onConflictDoUpdate({
          target: awaitedReports.messageId,
          set: {
            carrier: sql`excluded.provider`,
            carrierMessageId: sql`excluded.provider_message_id`,
            answeredAt: sql`excluded.answered_at`,
          },
        })
        .prepare(''),
    { isAddition: true },
  ),
  find: statement((on) => on.select().from(awaitedReports).where(thisMessage).prepare(''), { sharedBy: 'anybody' }),
  findByCarrier: statement(() =>
    db
      .select()
      .from(awaitedReports)
      .where(
        and(
          eq(awaitedReports.carrier, bind(awaitedReports.carrier, 'carrier')),
          eq(awaitedReports.carrierMessageId, bind(awaitedReports.carrierMessageId, 'messageId')),
        ),
      )
      .prepare(''),
  ),
  forget: statement(() => db.delete(awaitedReports).where(thisMessage).prepare('')),
  findUnanswered: plain<true>(
    unansweredSql('$1', '$2::uuid'),
    ({ carrier, since }) => [carrier, since],
    () => true,
  ),
}

const attemptsOf = (asked: Querying, { appId, mode }: Owner, issueId: string) =>
  asked.all(STATEMENTS.ofIssue, { appId, mode, issueId }).then((rows) => rows.map(attemptOf))

const named = (issueId: string) => `attempts ${issueId}`

export function attemptTx(transaction: Transaction): Tx['attempts'] {
  const ofIssue = (owner: Owner, issueId: string) =>
    transaction.once(named(issueId), () => attemptsOf(transaction, owner, issueId))
  return {
    async add(attempt) {
      transaction.run(STATEMENTS.insert, attemptRow(attempt))
      transaction.forget(named(attempt.issueId))
    },
    ofIssue,
    ahead(owner, issueId) {
      void ofIssue(owner, issueId)
    },
    async answer(attempt) {
      // The lock of the issue keeps other transactions from answering, so what was read under it still holds.
      if (!transaction.knows(named(attempt.issueId)))
        return (await transaction.change(STATEMENTS.answer, attemptRow(attempt))).length > 0
      const known = await ofIssue(attempt, attempt.issueId)
      if (known.find(({ number }) => number === attempt.number)?.outcome !== undefined) return false
      transaction.run(STATEMENTS.answer, attemptRow(attempt))
      transaction.forget(named(attempt.issueId))
      return true
    },
    async noteReport(attempt) {
      transaction.run(STATEMENTS.noteReport, attemptRow(attempt))
      transaction.forget(named(attempt.issueId))
    },
  }
}

export function reportTx(transaction: Transaction): Tx['reports'] {
  return {
    async expect(awaited) {
      transaction.run(STATEMENTS.expect, awaitedRow(awaited))
    },
    /** Not remembered, because callers look it up again once they have locked the issue. */
    async find(messageId) {
      const row = await transaction.get(STATEMENTS.find, { messageId })
      return row && awaitedOf(row)
    },
    async findByCarrier(carrier, messageId) {
      const [row, other] = await transaction.all(STATEMENTS.findByCarrier, { carrier, messageId })
      return row && !other ? awaitedOf(row) : undefined
    },
    async forget(messageId) {
      transaction.run(STATEMENTS.forget, { messageId })
    },
    async hasUnanswered(carrier, since) {
      return (await transaction.get(STATEMENTS.findUnanswered, { carrier, since: idFloor(since) })) !== undefined
    },
  }
}

interface OutcomeCount {
  carrier: string
  outcome: SendOutcome['kind']
  calls: number
}

const outcomes = plain<OutcomeCount>(
  `SELECT provider, outcome, count(*) FROM attempts JOIN apps USING (app_id)
   WHERE mode = 'live' AND issue_id >= $1 AND outcome IS NOT NULL GROUP BY provider, outcome`,
  ({ since }) => [idFloor(since as number)],
  ([carrier, outcome, calls]) => ({
    ...{ carrier: String(carrier), outcome: outcome as OutcomeCount['outcome'], calls: Number(calls) },
  }),
)

const answers = plain<AnswerCount>(
  `SELECT outcome, code, ${ROUNDED_MS} AS ms, count(*), max(said) FROM attempts JOIN apps USING (app_id)
   WHERE mode = 'live' AND issue_id >= $1 AND provider = $2 AND outcome IS NOT NULL GROUP BY outcome, code, ms`,
  ({ since, carrier }) => [idFloor(since as number), carrier],
  ([outcome, code, ms, calls, said]) => ({
    ...{ outcome: outcome as AnswerCount['outcome'], code: code === null ? undefined : String(code) },
    ...{ ms: Number(ms), calls: Number(calls), said: said === null ? undefined : String(said) },
  }),
)

export const attemptReader = (pool: Querying): AttemptReader => ({
  ofIssue: (owner, issueId) => attemptsOf(pool, owner, issueId),
  async outcomesSince(since) {
    const found = new Map<string, Record<SendOutcome['kind'], number>>()
    for (const { carrier, outcome, calls } of await pool.all(outcomes, { since })) {
      const known = found.get(carrier) ?? { accepted: 0, refused: 0, ambiguous: 0 }
      known[outcome] += calls
      found.set(carrier, known)
    }
    return found
  },
  answersSince: (carrier, since) => pool.all(answers, { carrier, since }),
})
