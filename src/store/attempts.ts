/** Delivery attempts with the answers of carriers, and messages on which carriers may still report. */
import { and, asc, desc, isNotNull, sql } from 'drizzle-orm'
import { awaitedOf } from '../domain/delivery/attempt'
import type { AnswerCount } from '../domain/delivery/carrier-answers'
import type { SendOutcome } from '../domain/delivery/delivery'
import type { Owner } from '../domain/shared/value'
import type { AttemptReader, AttemptTx, ReportTx } from '../ports/store/issues'
import { inDialect } from './dialect'
import { BEYOND_ALL_IDS, idFloor } from './ids'
import { ROUNDED_MS } from './rows/carrier'
import { ATTEMPT_ANSWER, ATTEMPT_REPORT } from './rows/issue'
import { found, type Querying, type Reads, type Session } from './session'
import { statement } from './statement'

/** So many of the newest messages are looked at for a call without an answer, which takes a millisecond at most. */
const UNANSWERED_AMONG = 1_000
/** Attempts counted in one step, which takes a millisecond or two. */
const ATTEMPTS_PER_STEP = 1_000

const STATEMENTS = inDialect(({ db, tables: { apps, attempts, issues }, ...its }) => {
  const { match, changes, insert, bind, word, plain, idIn, either } = its
  const ofIssue = match(attempts, 'appId', 'mode', 'issueId')
  const thisAttempt = and(ofIssue, match(attempts, 'number'))
  const isAwaited = isNotNull(attempts.awaitedAt)
  const since = bind(issues.messageId, 'since')
  const from = bind(attempts.issueId, 'from')
  const inPart = sql`app_id = ${word('appId')} AND mode = 'live' AND issue_id >= ${from}
    AND issue_id < ${bind(attempts.issueId, 'below')} AND outcome IS NOT NULL`
  return {
    ofIssue: statement(() => db.select().from(attempts).where(ofIssue).orderBy(asc(attempts.number))),
    insert: insert(attempts),
    answer: statement(() =>
      db
        .update(attempts)
        .set(changes(attempts, ATTEMPT_ANSWER))
        .where(and(thisAttempt, sql`${attempts.outcome} IS NULL`)),
    ),
    noteReport: statement(() => db.update(attempts).set(changes(attempts, ATTEMPT_REPORT)).where(thisAttempt)),
    find: statement(() =>
      db
        .select()
        .from(attempts)
        .where(and(match(attempts, 'messageId'), isAwaited))
        .orderBy(desc(attempts.number))
        .limit(1),
    ),
    findByCarrier: statement(() =>
      db
        .select()
        .from(attempts)
        .where(and(match(attempts, 'carrier', 'carrierMessageId'), isAwaited)),
    ),
    learn: statement(() =>
      db
        .update(attempts)
        .set(changes(attempts, ['carrierMessageId']))
        .where(and(match(attempts, 'messageId'), isAwaited)),
    ),
    forget: statement(() =>
      db
        .update(attempts)
        .set({ awaitedAt: null })
        .where(and(match(attempts, 'messageId'), isAwaited)),
    ),
    /** Whether a call of a carrier is without an answer, among the newest messages since an id. */
    unanswered: plain(
      () => sql`SELECT 1 FROM (
          SELECT provider, outcome FROM attempts WHERE message_id >= ${since} AND awaited_at IS NOT NULL
          ORDER BY message_id DESC LIMIT ${sql.raw(String(UNANSWERED_AMONG))}) AS newest
        WHERE provider = ${word('carrier')} AND outcome IS NULL
        UNION ALL
        SELECT 1 FROM issues WHERE message_id >= ${since} AND begun_at IS NOT NULL AND ${either({
          sqlite: sql`begun_call ->> '$.carrier'`,
          postgres: sql`begun_call::json ->> 'carrier'`,
        })} = ${word('carrier')}
        LIMIT 1`,
      () => true,
    ),
    appIds: statement(() => db.select({ appId: apps.appId }).from(apps)),
    further: plain(
      () => sql`SELECT issue_id FROM attempts WHERE app_id = ${word('appId')} AND mode = 'live' AND issue_id >= ${from}
        ORDER BY issue_id LIMIT 1 OFFSET ${sql.raw(String(ATTEMPTS_PER_STEP))}`,
      ([issueId]) => idIn(issueId),
    ),
    outcomes: plain(
      () => sql`SELECT provider, outcome, count(*) FROM attempts WHERE ${inPart} GROUP BY provider, outcome`,
      ([carrier, outcome, calls]) => ({
        ...{ carrier: String(carrier), outcome: outcome as SendOutcome['kind'], calls: Number(calls) },
      }),
    ),
    answers: plain(
      () => sql`SELECT outcome, code, ${sql.raw(ROUNDED_MS)} AS ms, count(*), max(said) FROM attempts
        WHERE ${inPart} AND provider = ${word('carrier')} GROUP BY outcome, code, ms`,
      ([outcome, code, ms, calls, said]): AnswerCount => ({
        ...{ outcome: outcome as AnswerCount['outcome'], code: code === null ? undefined : String(code) },
        ...{ ms: Number(ms), calls: Number(calls), said: said === null ? undefined : String(said) },
      }),
    ),
  }
})

const attemptsOf = async (asked: Querying, { appId, mode }: Owner, issueId: string) =>
  await asked.all(STATEMENTS(asked).ofIssue, { appId, mode, issueId })

export function attemptTx(tx: Session): AttemptTx {
  const its = STATEMENTS(tx)
  return {
    add: async (attempt) => tx.run(its.insert, attempt),
    ofIssue: (owner, issueId) => attemptsOf(tx, owner, issueId),
    answer: async (attempt) => (await tx.change(its.answer, attempt)) > 0,
    noteReport: async (attempt) => tx.run(its.noteReport, attempt),
  }
}

export function reportTx(tx: Session): ReportTx {
  const its = STATEMENTS(tx)
  return {
    find: async (messageId) => found(await tx.get(its.find, { messageId }), awaitedOf),
    async findByCarrier(carrier, carrierMessageId) {
      const [row, other] = await tx.all(its.findByCarrier, { carrier, carrierMessageId })
      return row && !other ? awaitedOf(row) : undefined
    },
    learn: async (messageId, carrierMessageId) => tx.run(its.learn, { messageId, carrierMessageId }),
    forget: async (messageId) => tx.run(its.forget, { messageId }),
    hasUnanswered: async (carrier, since) =>
      (await tx.get(its.unanswered, { carrier, since: idFloor(since) })) !== undefined,
  }
}

export function attemptReader(reads: Reads): AttemptReader {
  const { scanning } = reads
  const its = STATEMENTS(scanning)
  /** Parts of all attempts since a time: a busy hour has millions of rows. */
  async function* partsSince(since: number) {
    for (const { appId } of await scanning.all(its.appIds))
      for (let from: string | undefined = idFloor(since); from !== undefined; ) {
        const next: string | undefined = await scanning.get(its.further, { appId, from })
        yield { appId, from, below: next ?? BEYOND_ALL_IDS }
        from = next
      }
  }
  return {
    ofIssue: (owner, issueId) => attemptsOf(reads, owner, issueId),
    async outcomesSince(since) {
      const found = new Map<string, Record<SendOutcome['kind'], number>>()
      for await (const part of partsSince(since))
        for (const { carrier, outcome, calls } of await scanning.all(its.outcomes, part)) {
          const known = found.get(carrier) ?? { accepted: 0, refused: 0, ambiguous: 0 }
          known[outcome] += calls
          found.set(carrier, known)
        }
      return found
    },
    async answersSince(carrier, since) {
      const found = new Map<string, AnswerCount>()
      for await (const part of partsSince(since))
        for (const answer of await scanning.all(its.answers, { ...part, carrier })) {
          const key = `${answer.outcome} ${answer.code} ${answer.ms}`
          const { calls = 0, said } = found.get(key) ?? {}
          found.set(key, { ...answer, said: answer.said ?? said, calls: calls + answer.calls })
        }
      return [...found.values()]
    },
  }
}
