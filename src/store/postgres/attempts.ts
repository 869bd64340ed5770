/** What carriers were asked, what they answered, and which messages they may still report on. */
import { and, asc, eq, sql } from 'drizzle-orm'
import type { SendOutcome } from '../../domain/delivery/delivery'
import type { Owner } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import type { AttemptReader } from '../../ports/store/issues'
import { idFloor } from '../ids'
import { ATTEMPT_ANSWER, attemptOf, attemptRow, awaitedOf, awaitedRow } from '../rows/attempt'
import { addition, bind, changes, db, ofOwner, parameters, plain, repeated, statement } from './connection/statement'
import type { Querying, Unit } from './connection/unit'
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
}

const attemptsOf = (asked: Querying, { appId, mode }: Owner, issueId: string) =>
  asked.all(STATEMENTS.ofIssue, { appId, mode, issueId }).then((rows) => rows.map(attemptOf))

const named = (issueId: string) => `attempts ${issueId}`

export function attemptTx(unit: Unit): Tx['attempts'] {
  const ofIssue = (owner: Owner, issueId: string) => unit.once(named(issueId), () => attemptsOf(unit, owner, issueId))
  return {
    async add(attempt) {
      unit.run(STATEMENTS.insert, attemptRow(attempt))
      unit.forget(named(attempt.issueId))
    },
    ofIssue,
    ahead(owner, issueId) {
      void ofIssue(owner, issueId)
    },
    async answer(attempt) {
      // Under the lock of the issue nobody else answers: what was read of it still holds.
      if (!unit.knows(named(attempt.issueId)))
        return (await unit.change(STATEMENTS.answer, attemptRow(attempt))).length > 0
      const known = await ofIssue(attempt, attempt.issueId)
      if (known.find(({ number }) => number === attempt.number)?.outcome !== undefined) return false
      unit.run(STATEMENTS.answer, attemptRow(attempt))
      unit.forget(named(attempt.issueId))
      return true
    },
  }
}

export function reportTx(unit: Unit): Tx['reports'] {
  return {
    async expect(awaited) {
      unit.run(STATEMENTS.expect, awaitedRow(awaited))
    },
    /** Not remembered: behind the lock of its issue it is looked for again. */
    async find(messageId) {
      const row = await unit.get(STATEMENTS.find, { messageId })
      return row && awaitedOf(row)
    },
    async findByCarrier(carrier, messageId) {
      const row = await unit.get(STATEMENTS.findByCarrier, { carrier, messageId })
      return row && awaitedOf(row)
    },
    async forget(messageId) {
      unit.run(STATEMENTS.forget, { messageId })
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
})
