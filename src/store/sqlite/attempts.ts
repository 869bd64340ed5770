/** Delivery attempts with the answers of carriers, and messages on which carriers may still report. */
import type { Database } from 'bun:sqlite'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { AnswerCount } from '../../domain/delivery/carrier-answers'
import type { SendOutcome } from '../../domain/delivery/delivery'
import type { Reader, Tx } from '../../ports/store'
import { idFloor, uuidBytes } from '../ids'
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
  findUnanswered: plain<{ found: 1 }, { carrier: string; since: Uint8Array }>(unansweredSql('$carrier', '$since')),
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
        const [row, other] = run.findAwaitedByCarrier.all({ carrier, messageId })
        return row && !other ? awaitedOf(row) : undefined
      },
      async find(messageId) {
        const row = run.findAwaited.get({ messageId })
        return row && awaitedOf(row)
      },
      async forget(messageId) {
        run.deleteAwaited.run({ messageId })
      },
      async hasUnanswered(carrier, since) {
        return run.findUnanswered.get({ carrier, since: uuidBytes(idFloor(since)) }) !== null
      },
    },
  }
}

/** Attempts counted in one step, which takes a millisecond or two. */
const ATTEMPTS_PER_STEP = 1_000
const BEYOND_ALL_IDS = new Uint8Array(16).fill(0xff)

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
  further: plain<{ id: Uint8Array }, { appId: string; from: Uint8Array }>(
    `SELECT issue_id AS id FROM attempts WHERE app_id = $appId AND mode = 'live' AND issue_id >= $from
     ORDER BY issue_id LIMIT 1 OFFSET ${ATTEMPTS_PER_STEP}`,
  ),
}
/** Thousands of apps have few attempts each: a turn for each of them would be a second. */
const TURN_MS = 2

export function createAttemptReader(connection: Database): Pick<Reader, 'attempts'> {
  const { ofIssue, appIds, outcomes, answers, further } = on(connection, ATTEMPT_READER)
  /** Parts of all attempts since a time. A busy hour has millions of rows, so others have a turn every few milliseconds. */
  async function* partsSince(since: number) {
    let began = performance.now()
    for (const { appId } of appIds.all()) {
      for (let from: Uint8Array | undefined = uuidBytes(idFloor(since)); from !== undefined; ) {
        const next: Uint8Array | undefined = further.get({ appId, from })?.id
        yield { appId, from, below: next ?? BEYOND_ALL_IDS }
        from = next
        if (performance.now() - began < TURN_MS) continue
        await nextTurn()
        began = performance.now()
      }
    }
  }

  return {
    attempts: {
      async ofIssue({ appId, mode }, issueId) {
        return ofIssue.all({ appId, mode, issueId }).map(attemptOf)
      },
      async outcomesSince(since) {
        const found = new Map<string, Record<SendOutcome['kind'], number>>()
        for await (const part of partsSince(since)) {
          for (const { carrier, outcome, calls } of outcomes.all(part)) {
            const known = found.get(carrier) ?? { accepted: 0, refused: 0, ambiguous: 0 }
            known[outcome] += calls
            found.set(carrier, known)
          }
        }
        return found
      },
      async answersSince(carrier, since) {
        const found = new Map<string, AnswerCount>()
        for await (const part of partsSince(since)) {
          for (const row of answers.all({ ...part, carrier })) {
            const key = `${row.outcome} ${row.code} ${row.ms}`
            const { calls = 0, said } = found.get(key) ?? {}
            const words = { code: row.code ?? undefined, said: row.said ?? said }
            found.set(key, { ...row, ...words, calls: calls + row.calls })
          }
        }
        return [...found.values()]
      },
    },
  }
}
