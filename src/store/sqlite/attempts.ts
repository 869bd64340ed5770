/** Delivery attempts with the answers of carriers, and messages on which carriers may still report. */
import type { Database } from 'bun:sqlite'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { AnswerCount } from '../../domain/delivery/carrier-answers'
import type { SendOutcome } from '../../domain/delivery/delivery'
import { MINUTE_MS } from '../../domain/shared/value'
import type { Reader, Tx } from '../../ports/store'
import { idFloor, idTime, uuidBytes, uuidText } from '../ids'
import { ROUNDED_MS } from '../rows/carrier'
import { ATTEMPT_ANSWER, ATTEMPT_REPORT, attemptOf, attemptRow, awaitedOf, awaitedRow } from '../rows/issue'
import { nextTurn } from './connection/read-group'
import { bind, changes, db, ofOwner, on, parameters, plain, statement } from './connection/statement'
import { apps, attempts, awaitedReports } from './schema'

export const theseAttempts = and(ofOwner(attempts), eq(attempts.issueId, bind(attempts.issueId, 'issueId')))
const thisMessage = eq(awaitedReports.messageId, bind(awaitedReports.messageId, 'messageId'))

const attemptsOfIssue = statement(() =>
  db.select().from(attempts).where(theseAttempts).orderBy(asc(attempts.number)).prepare(),
)

const ATTEMPT_TX = {
  findAttempts: attemptsOfIssue,
  insertAttempt: statement(() => db.insert(attempts).values(parameters(attempts)).prepare()),
  answerAttempt: statement(() =>
    db
      .update(attempts)
      .set(changes(attempts, ATTEMPT_ANSWER))
      .where(and(theseAttempts, eq(attempts.number, bind(attempts.number, 'number')), sql`${attempts.outcome} IS NULL`))
      .prepare(),
  ),
  noteReport: statement(() =>
    db
      .update(attempts)
      .set(changes(attempts, ATTEMPT_REPORT))
      .where(and(theseAttempts, eq(attempts.number, bind(attempts.number, 'number'))))
      .prepare(),
  ),

  insertAwaited: statement(() =>
    db
      .insert(awaitedReports)
      .values(parameters(awaitedReports))
      .onConflictDoUpdate({
        target: awaitedReports.messageId,
        set: {
          carrier: sql`excluded.provider`,
          carrierMessageId: sql`excluded.provider_message_id`,
          answeredAt: sql`excluded.answered_at`,
        },
      })
      .prepare(),
  ),
  answerAwaited: statement(() =>
    db
      .update(awaitedReports)
      .set(changes(awaitedReports, ['carrier', 'carrierMessageId', 'answeredAt']))
      .where(thisMessage)
      .prepare(),
  ),
  findAwaited: statement(() => db.select().from(awaitedReports).where(thisMessage).prepare()),
  findAwaitedByCarrier: statement(() =>
    db
      .select()
      .from(awaitedReports)
      .where(
        and(
          eq(awaitedReports.carrier, bind(awaitedReports.carrier, 'carrier')),
          eq(awaitedReports.carrierMessageId, bind(awaitedReports.carrierMessageId, 'messageId')),
        ),
      )
      .prepare(),
  ),
  deleteAwaited: statement(() => db.delete(awaitedReports).where(thisMessage).prepare()),
}

export function createAttemptTx(connection: Database): Pick<Tx, 'attempts' | 'reports'> {
  const run = on(connection, ATTEMPT_TX)

  return {
    attempts: {
      async add(attempt) {
        run.insertAttempt.run(attemptRow(attempt))
      },
      async ofIssue({ appId, mode }, issueId) {
        return run.findAttempts.all({ appId, mode, issueId }).map(attemptOf)
      },
      ahead() {},
      async answer(attempt) {
        return run.answerAttempt.run(attemptRow(attempt)).changes > 0
      },
      async noteReport(attempt) {
        run.noteReport.run(attemptRow(attempt))
      },
    },
    reports: {
      async expect(awaited) {
        const row = awaitedRow(awaited)
        // Where the report is awaited already, only the carrier's message id is new.
        if (row.carrierMessageId === null || run.answerAwaited.run(row).changes === 0) run.insertAwaited.run(row)
      },
      async findByCarrier(carrier, messageId) {
        const row = run.findAwaitedByCarrier.get({ carrier, messageId })
        return row && awaitedOf(row)
      },
      async find(messageId) {
        const row = run.findAwaited.get({ messageId })
        return row && awaitedOf(row)
      },
      async forget(messageId) {
        run.deleteAwaited.run({ messageId })
      },
    },
  }
}

const ATTEMPT_READER = {
  ofIssue: attemptsOfIssue,
  appIds: statement(() => db.select({ appId: apps.appId }).from(apps).prepare()),
  outcomes: plain<
    { carrier: string; outcome: SendOutcome['kind']; calls: number },
    { appId: string; from: Uint8Array; below: Uint8Array }
  >(`SELECT provider AS carrier, outcome, count(*) AS calls FROM attempts
     WHERE app_id = $appId AND mode = 'live' AND issue_id >= $from AND issue_id < $below AND outcome IS NOT NULL
     GROUP BY provider, outcome`),
  answers: plain<
    Omit<AnswerCount, 'code' | 'said'> & { code: string | null; said: string | null },
    { carrier: string; appId: string; from: Uint8Array; below: Uint8Array }
  >(`SELECT outcome, code, ${ROUNDED_MS} AS ms, count(*) AS calls, max(said) AS said FROM attempts
     WHERE app_id = $appId AND mode = 'live' AND issue_id >= $from AND issue_id < $below
       AND provider = $carrier AND outcome IS NOT NULL
     GROUP BY outcome, code, ms`),
  newest: plain<{ id: Uint8Array | null }, { appId: string }>(
    "SELECT max(issue_id) AS id FROM attempts WHERE app_id = $appId AND mode = 'live'",
  ),
}

export function createAttemptReader(connection: Database): Pick<Reader, 'attempts'> {
  const { ofIssue, appIds, outcomes, answers, newest } = on(connection, ATTEMPT_READER)
  const at = (time: number) => uuidBytes(idFloor(time))

  /** The minutes since a time in which an app has issues. A busy hour has millions of rows, so the caller pauses between minutes. */
  function* minutesSince(since: number) {
    for (const { appId } of appIds.all()) {
      const last = newest.get({ appId })?.id
      const until = last ? idTime(uuidText(last)) : since - 1
      for (let from = since; from <= until; from += MINUTE_MS)
        yield { appId, from: at(from), below: at(from + MINUTE_MS) }
    }
  }

  return {
    attempts: {
      async ofIssue({ appId, mode }, issueId) {
        return ofIssue.all({ appId, mode, issueId }).map(attemptOf)
      },
      async outcomesSince(since) {
        const found = new Map<string, Record<SendOutcome['kind'], number>>()
        for (const minute of minutesSince(since)) {
          for (const { carrier, outcome, calls } of outcomes.all(minute)) {
            const known = found.get(carrier) ?? { accepted: 0, refused: 0, ambiguous: 0 }
            known[outcome] += calls
            found.set(carrier, known)
          }
          await nextTurn()
        }
        return found
      },
      async answersSince(carrier, since) {
        const found = new Map<string, AnswerCount>()
        for (const minute of minutesSince(since)) {
          for (const row of answers.all({ ...minute, carrier })) {
            const key = `${row.outcome} ${row.code} ${row.ms}`
            const { calls = 0, said } = found.get(key) ?? {}
            const words = { code: row.code ?? undefined, said: row.said ?? said }
            found.set(key, { ...row, ...words, calls: calls + row.calls })
          }
          await nextTurn()
        }
        return [...found.values()]
      },
    },
  }
}
