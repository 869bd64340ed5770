/** What a killed server left behind, held against what carriers and clients saw. */
import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clients, KnownIssue } from '../../../src/conformance/clients'
import { Invariants, type PlanOfApp } from '../../simulation/invariants'
import type { Carrier } from '../../support/carrier'
import { newFolder } from '../support'
import { MAY_COME_AGAIN, type Plan, type SendRequest, type TortureCarrier } from './carrier'

interface Witnesses {
  carrier: TortureCarrier
  clients: Clients
  /** Delivery plans of the apps that have some. */
  plans?: readonly PlanOfApp[]
}

/** Everything that is wrong with the data folder of a server that is dead. Looks at a copy, as after a power cut. */
export function findings(dataFolder: string, witnesses: Witnesses, how: { isOver?: boolean } = {}): string[] {
  const { path, remove } = newFolder()
  try {
    return findingsIn(copyDatabase(dataFolder, path), witnesses, how)
  } finally {
    remove()
  }
}

/** The same of a copy that nobody writes to. `elsewhere`: keys that stand for issues of which `clients` know nothing. */
export function findingsIn(
  file: string,
  { carrier, clients, plans = [] }: Witnesses,
  { isOver = false, elsewhere = 0 }: { isOver?: boolean; elsewhere?: number } = {},
): string[] {
  const db = new Database(file)
  try {
    const { integrity_check: integrity } = db.query('PRAGMA integrity_check').get() as { integrity_check: string }
    if (integrity !== 'ok') return [`the database is broken: ${integrity}`]
    indexForChecks(db)
    return [
      ...brokenPromises(file, carrier, { isOver, plans }),
      ...wrongLedger(db),
      ...wrongLegs(db, carrier),
      ...leftTooEarly(db, plans, carrier),
      ...(isOver ? [] : startedTooLate(db, { carrier, clients })),
      ...wrongSends(attemptsByMessage(db), carrier.requests),
      ...forgottenAnswers(db, clients.issues),
      ...(isOver ? countedTwice(db, clients.issues.length + elsewhere) : []),
      ...carrier.found,
      ...clients.found,
    ]
  } finally {
    db.close()
  }
}

/** Without the shared memory: whoever opens the copy must recover the write-ahead log. */
function copyDatabase(dataFolder: string, to: string): string {
  for (const name of ['watchword.db', 'watchword.db-wal']) {
    if (existsSync(join(dataFolder, name))) copyFileSync(join(dataFolder, name), join(to, name))
  }
  return join(to, 'watchword.db')
}

/** The checks join by issue alone, which the product never does; without these a long run spends its time here. */
export function indexForChecks(copy: Database): void {
  copy.run('CREATE INDEX IF NOT EXISTS checks_of_ledger ON ledger_entries (issue_id)')
  copy.run('CREATE INDEX IF NOT EXISTS checks_of_attempts ON attempts (issue_id)')
}

/** Entries follow each other without a gap, and each says what the balance was after it. */
function wrongLedger(db: Database): string[] {
  const rows = db
    .query(
      `SELECT app_id AS app, seq FROM (SELECT app_id, seq, balance_after, row_number() OVER own AS place,
         sum(amount_delta) OVER own AS balance FROM ledger_entries WINDOW own AS (PARTITION BY app_id ORDER BY seq))
       WHERE seq <> place OR balance_after <> balance
       UNION ALL SELECT app_id, entries FROM wallets AS w
       WHERE entries <> (SELECT count(*) FROM ledger_entries AS l WHERE l.app_id = w.app_id)`,
    )
    .all() as Array<{ app: string; seq: number }>
  return rows.slice(0, 3).map(({ app, seq }) => `the ledger of ${app} is wrong at entry ${seq}`)
}

/** What holds at every moment, whoever is at work. */
export function brokenPromises(
  file: string,
  { accepted }: Pick<TortureCarrier, 'accepted'>,
  { isOver = false, plans = [] }: { isOver?: boolean; plans?: readonly PlanOfApp[] } = {},
): string[] {
  const invariants = new Invariants(file, [{ accepted } as unknown as Carrier], plans)
  try {
    const found = invariants.broken() ?? (isOver ? invariants.unfinished() : undefined)
    return found === undefined ? [] : [found]
  } finally {
    invariants.close()
  }
}

interface StoredAttempt {
  messageId: string
  provider: string
  outcome: 'accepted' | 'refused' | 'ambiguous' | null
  code: string | null
}

const UUID_OF = (column: string) => `lower(hex(${column}))`
const plainUuid = (uuid: string) => uuid.replaceAll('-', '').toLowerCase()

function attemptsByMessage(db: Database): Map<string, StoredAttempt[]> {
  const attempts = db
    .query(
      `SELECT ${UUID_OF('message_id')} AS messageId, provider, outcome, code, issue_id, number FROM attempts
       UNION ALL SELECT ${UUID_OF('message_id')}, begun_call ->> '$.carrier', NULL, NULL, issue_id, 1 FROM issues
         WHERE begun_at IS NOT NULL ORDER BY issue_id, number`,
    )
    .all() as StoredAttempt[]
  return Map.groupBy(attempts, ({ messageId }) => messageId)
}

/**
 * What may be recorded of a request that was answered so. NULL is a call that is not over, or whose process died;
 * `INTERRUPTED` is what becomes of the latter; and a message that was taken may be reported on before it is answered.
 */
const ANSWERS: Record<Plan, RegExp> = {
  accept: /^accepted$/,
  slow: /^accepted$/,
  silent: /^ambiguous NO_ANSWER_/,
  garble: /^ambiguous HTTP_200_WITHOUT_ID$/,
  fail: /^ambiguous HTTP_500$/,
  reset: /^ambiguous NO_ANSWER_/,
  busy: /^refused HTTP_429$/,
  'refuse-us': /^refused HTTP_403$/,
  refuse: /^refused HTTP_400$/,
}

const isUnfinished = ({ outcome, code }: StoredAttempt) =>
  outcome === null || (outcome === 'ambiguous' && code === 'INTERRUPTED')

/** Every request was written down before it was made, is recorded as it was answered, and came again only if it may. */
function wrongSends(stored: Map<string, StoredAttempt[]>, requests: readonly SendRequest[]): string[] {
  const received = Map.groupBy(requests, ({ messageId }) => plainUuid(messageId))
  const found: string[] = []
  for (const [messageId, calls] of received) {
    const attempts = stored.get(messageId) ?? []
    const tooEarly = calls.slice(0, -1).find(({ plan }) => !MAY_COME_AGAIN.has(plan))
    if (tooEarly) found.push(`${messageId} was sent again after "${tooEarly.plan}"`)
    if (calls.length > attempts.length) {
      found.push(`${messageId} was sent ${calls.length} times, of which ${attempts.length} are written down`)
    }
  }
  for (const [messageId, attempts] of stored) {
    const calls = received.get(messageId) ?? []
    for (const [index, attempt] of attempts.entries()) {
      const call = calls[index]
      const recorded = [attempt.outcome, attempt.outcome === 'accepted' ? '' : attempt.code].filter(Boolean).join(' ')
      if (isUnfinished(attempt)) {
        if (index < attempts.length - 1) found.push(`${messageId} was tried again after an interruption`)
      } else if (!call) {
        found.push(`${messageId} is recorded as "${recorded}" and was never sent`)
      } else if (call.provider !== attempt.provider) {
        found.push(`${messageId} went to ${call.provider} and is written down for ${attempt.provider}`)
      } else if (!ANSWERS[call.plan].test(recorded) && !(call.isTaken && attempt.outcome === 'accepted')) {
        found.push(`${messageId} was answered with "${call.plan}" and is recorded as "${recorded}"`)
      }
    }
  }
  return found
}

/** After these nobody knows whether the phone rang. */
const AMBIGUOUS: ReadonlySet<Plan> = new Set(['silent', 'garble', 'fail', 'reset'])

/**
 * As carriers saw the legs of an issue: each is one message, all of them have the same code, and none follows on a message of
 * unknown fate on which nothing was reported.
 */
function wrongLegs(db: Database, { requests, reported }: TortureCarrier): string[] {
  const rows = db
    .query(`SELECT DISTINCT hex(issue_id) AS issue, leg, ${UUID_OF('message_id')} AS messageId FROM attempts`)
    .all() as Array<{ issue: string; leg: string; messageId: string }>
  const legs = new Map(rows.map((row) => [row.messageId, row]))
  const found: string[] = []
  for (const [leg, messages] of Map.groupBy(rows, ({ issue, leg: name }) => `${name} of ${issue}`))
    if (messages.length > 1) found.push(`${leg} was started ${messages.length} times`)
  const byIssue = Map.groupBy(requests, ({ messageId }) => legs.get(plainUuid(messageId))?.issue ?? messageId)
  for (const [issue, calls] of byIssue) {
    if (new Set(calls.map(({ code }) => code)).size > 1) found.push(`legs of ${issue} had several codes`)
    const last = calls.at(-1)?.messageId
    const left = calls.find(
      ({ messageId, plan }) => messageId !== last && AMBIGUOUS.has(plan) && !reported.has(messageId),
    )
    if (left) found.push(`another leg of ${issue} was started after "${left.plan}"`)
  }
  return found
}

/** A leg that was taken is left after its wait, or when its carrier has reported on it. */
function leftTooEarly(db: Database, plans: readonly PlanOfApp[], { reported }: TortureCarrier): string[] {
  const reports = new Map([...reported].map(([messageId, at]) => [plainUuid(messageId), at]))
  const rows = db
    .query(
      `SELECT i.app_id AS appId, i.channel, hex(issue_id) AS issue, a.leg, ${UUID_OF('a.message_id')} AS messageId,
         a.answered_at AS answeredAt, b.called_at AS leftAt FROM attempts a JOIN attempts b USING (app_id, mode, issue_id)
         JOIN issues i USING (app_id, mode, issue_id)
       WHERE a.outcome = 'accepted' AND b.number = a.number + 1 AND b.leg <> a.leg`,
    )
    .all() as Array<
    Record<'appId' | 'channel' | 'issue' | 'leg' | 'messageId', string> & Record<'answeredAt' | 'leftAt', number>
  >
  return rows.flatMap(({ appId, channel, issue, leg, messageId, answeredAt, leftAt }) => {
    const { legs } = plans.find((plan) => plan.appId === appId && plan.channel === channel) ?? { legs: [] }
    const { waitSec = Number.POSITIVE_INFINITY } = legs.find((one) => one.channel === leg) ?? {}
    const isReported = (reports.get(messageId) ?? Number.POSITIVE_INFINITY) <= leftAt
    const isEarly = !isReported && leftAt - answeredAt < waitSec * 1_000
    return isEarly ? [`${leg} of ${issue} was left after ${leftAt - answeredAt} ms, not after ${waitSec} s`] : []
  })
}

/**
 * Nothing is sent of an issue after its code has expired, after a client was told that it cannot be used any more, or after its
 * carrier was told that its delivery was heard of.
 */
export function startedTooLate(
  db: Database,
  {
    carrier,
    clients,
  }: { carrier: Pick<TortureCarrier, 'delivered'>; clients: { issues: Pick<KnownIssue, 'answer' | 'endedAt'>[] } },
): string[] {
  const calls = db
    .query(
      `SELECT ${UUID_OF('issue_id')} AS issue, a.leg, ${UUID_OF('a.message_id')} AS messageId, called_at AS calledAt,
         expires_at AS expiresAt FROM attempts a JOIN issues USING (app_id, mode, issue_id) ORDER BY number`,
    )
    .all() as Array<{ issue: string; leg: string; messageId: string; calledAt: number; expiresAt: number }>
  const ended = new Map(clients.issues.map(({ answer, endedAt }) => [plainUuid(answer.issueId), endedAt]))
  const issueOf = new Map(calls.map(({ messageId, issue }) => [messageId, issue]))
  // The first of its messages that was delivered ends an issue.
  const delivered = new Map([...carrier.delivered].toReversed().map(([id, at]) => [issueOf.get(plainUuid(id)), at]))
  return calls.flatMap(({ issue, leg, calledAt, expiresAt }) => {
    const isLate = (at: number | undefined) => at !== undefined && calledAt > at
    if (calledAt >= expiresAt) return [`${leg} of ${issue} was started when the code had expired`]
    if (isLate(ended.get(issue))) return [`${leg} of ${issue} was started when the code had ended`]
    return isLate(delivered.get(issue)) ? [`${leg} of ${issue} was started when the code was delivered`] : []
  })
}

interface StoredIssue {
  issueId: string
  status: string
  used: number
}

/** An answer that a client read is on disk, whatever happened after it. */
function forgottenAnswers(db: Database, known: readonly KnownIssue[]): string[] {
  const rows = db
    .query(`SELECT ${UUID_OF('issue_id')} AS issueId, verification_status AS status, attempts_used AS used FROM issues`)
    .all() as StoredIssue[]
  const stored = new Map(rows.map((row) => [row.issueId, row]))
  return known.flatMap(({ request, answer, isVerified, mismatches, unansweredVerifies }) => {
    const name = `${request.idempotencyKey} (${answer.issueId})`
    const row = stored.get(plainUuid(answer.issueId))
    if (!row) return [`${name} was answered and is not stored`]
    if (isVerified && row.status !== 'verified') return [`${name} was verified and is stored as ${row.status}`]
    const isCounted = row.used >= mismatches && row.used <= mismatches + unansweredVerifies + 1
    return isCounted ? [] : [`${name} has used ${row.used} attempts, and ${mismatches} wrong codes were answered`]
  })
}

/** When every client has an answer for each of its keys, a key stands for one issue. */
function countedTwice(db: Database, expected: number): string[] {
  const { issues, keys } = db.query('SELECT count(*) AS issues, count(key_hash) AS keys FROM issues').get() as {
    issues: number
    keys: number
  }
  return issues === expected && keys === expected ? [] : [`${expected} idempotency keys made ${issues} issues`]
}

/**
 * When nothing moves any more, credit is still reserved for exactly those messages whose fate nobody knows and nobody
 * will tell: the call was interrupted, and the carrier did not take the message. A day later they are charged.
 */
export function wronglyReserved(db: Database, { requests }: TortureCarrier): { expected: number; found: string[] } {
  const taken = new Set(requests.filter(({ isTaken }) => isTaken).map(({ messageId }) => plainUuid(messageId)))
  const rows = db
    .query(
      `SELECT ${UUID_OF('message_id')} AS messageId, billing_status AS billing, delivery_status AS delivery,
        outcome_ambiguous AS ambiguous,
        EXISTS (SELECT 1 FROM attempts a WHERE a.issue_id = i.issue_id AND provider = '${SILENT_PROVIDER}'
          AND (outcome = 'ambiguous' OR provider_message_id IS NOT NULL)) AS silent
       FROM issues i`,
    )
    .all() as Array<{ messageId: string; billing: string; delivery: string; ambiguous: 0 | 1; silent: 0 | 1 }>
  let expected = 0
  const found = rows.flatMap(({ messageId, billing, delivery, ambiguous, silent }) => {
    const isOpen = delivery === 'sent' && ambiguous === 1 && !taken.has(messageId) && silent === 0
    if (isOpen) expected++
    const isRight = isOpen ? billing === 'reserved' : billing === 'debited' || billing === 'released'
    return isRight ? [] : [`${messageId} is ${delivery}${ambiguous ? ', ambiguous' : ''} and ${billing}`]
  })
  const { reserved } = db.query('SELECT sum(reserved) AS reserved FROM wallets').get() as { reserved: number }
  if (reserved !== expected) found.push(`${reserved} credits are reserved for ${expected} messages of unknown fate`)
  return { expected, found }
}

/**
 * The carrier that is not set up to report: its answer ends the processing, and tells its id of the message. A report that
 * overtakes the answer does not: if it failed, the next leg goes on with the credit reserved.
 */
export const SILENT_PROVIDER = 'backup'

/** Identifiers may hold any digits by chance, and how long it took until a report came. */
const BY_CHANCE = /"ms":[\d.]+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:app|key|org)_\w+/g

/** Numbers and codes that a log holds, with the line. */
export function leaks(log: string, { requests }: TortureCarrier): string[] {
  const lines = new Map<string, string>()
  for (const line of log.split('\n'))
    for (const [run] of line.replace(BY_CHANCE, '').matchAll(/\d{6,}/g)) lines.set(run, line)
  const codes = requests
    .filter(({ code }) => lines.has(code))
    .map(({ code }) => `the log holds the code ${code}: ${lines.get(code)}`)
  const numbers = [...lines].filter(([run]) => requests.some(({ to }) => run.includes(to.slice(-8))))
  return [...codes, ...numbers.map(([number, line]) => `the log holds the number ${number}: ${line}`)]
}

/** What a data folder may hold; drafts of a process that was killed are not cleared away by the next. */
export const strayFiles = (dataFolder: string): string[] =>
  readdirSync(dataFolder).filter((name) => !/^(watchword\.(db|db-wal|db-shm|secret|audit)|serve\.lock)$/.test(name))
