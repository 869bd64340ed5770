/**
 * Rows of half a year, for a database that is about to be asked. Half of the issues belong to one app and the rest to
 * thousands, as installations grow. Each INSERT is written once; where the dialects differ, `Dialect` says how.
 */

import { NEW_APP } from '../../src/abuse/rules/protection'

export interface Size {
  apps: number
  issues: number
  ledgerEntries: number
}

/** An installation at which slow statements hurt. */
export const LARGE: Size = { apps: 3_000, issues: 3_000_000, ledgerEntries: 10_000_000 }

export interface Dialect {
  /** The numbers from `first` to `last`, as a table of one column `n`. */
  series(first: number, last: number): string
  /** A UUIDv7 of the millisecond `at`, by the expression `n`. */
  id(at: string, n: string): string
  /** Bytes that follow from the expression `n`; up to 32 of them. */
  bytes(n: string, length: number): string
  condition(expression: string): string
  appId(n: string): string
  /** A text as bytes. */
  encoded(text: string): string
}

export const SQLITE: Dialect = {
  series: (first, last) =>
    `(WITH RECURSIVE s (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM s WHERE n < ${last}) SELECT n FROM s)`,
  id: (at, n) =>
    `unhex(printf('%012X', ${at}) || '7' || printf('%03X', (${n}) % 4096) || '8' || printf('%015X', ${n}))`,
  bytes: (_, length) => `randomblob(${length})`,
  condition: (expression) => `(${expression})`,
  appId: (n) => `printf('app_%05d', ${n})`,
  encoded: (text) => `CAST('${text}' AS BLOB)`,
}

export const POSTGRES: Dialect = {
  series: (first, last) => `(SELECT n FROM generate_series(${first}::bigint, ${last}::bigint) AS s (n))`,
  id: (at, n) =>
    `(lpad(to_hex(${at}), 12, '0') || '7' || lpad(to_hex((${n}) % 4096), 3, '0') || '8' || lpad(to_hex(${n}), 15, '0'))::uuid`,
  bytes: (n, length) => `substring(sha256(int8send((${n})::bigint)) for ${length})`,
  condition: (expression) => `(${expression})::boolean`,
  appId: (n) => `('app_' || lpad((${n})::text, 5, '0'))`,
  encoded: (text) => `convert_to('${text}', 'UTF8')`,
}

const DAY_MS = 86_400_000
export const DAYS = 180
/** Of today, and for none of the organizations as many as it may have. */
const TEST_ISSUES = 90_000
const ORGANIZATIONS = 20
const JOBS = 200_000
const INTERVALS = 500_000
const HOUR_MS = 3_600_000
const EVENTS = 200_000
const AUDIT = 50_000
/** Rows of one INSERT, so that the log of changes stays small. */
const BATCH = 250_000

/** The app that has half of the issues. */
export const LARGEST = 'app_00000'

/** Statements that fill an empty database, ending at the instant `until`, Unix milliseconds. */
export function* filling(d: Dialect, { apps, issues, ledgerEntries }: Size, until: number): Generator<string> {
  const start = until - DAYS * DAY_MS
  const half = issues / 2
  const perApp = Math.ceil(half / (apps - 1))
  const q = d.condition
  /** The app of row `n` of `all`, and when it happened: rows of an app lie together, in the order of time. */
  const appOf = (n: string, all: number, each: number) =>
    d.appId(`CASE WHEN ${n} < ${all} THEN 0 ELSE 1 + (${n} - ${all}) / ${each} END`)
  const atOf = (n: string, all: number, each: number) => {
    const [step, stepOfSmall] = [Math.floor((until - start) / all), Math.floor((until - start) / each)]
    return `(${start} + CASE WHEN ${n} < ${all} THEN ${n} * ${step} ELSE ((${n} - ${all}) % ${each}) * ${stepOfSmall} END)`
  }
  function* batches(rows: number, insert: (from: string) => string): Generator<string> {
    for (let first = 0; first < rows; first += BATCH) yield insert(d.series(first, Math.min(rows, first + BATCH) - 1))
  }

  yield `INSERT INTO organizations SELECT 'org_' || n, 'Large', ${start} FROM ${d.series(0, ORGANIZATIONS - 1)} AS s`
  yield `INSERT INTO apps (app_id, organization_id, name, created_at, protection)
    SELECT ${d.appId('n')}, 'org_' || (n % ${ORGANIZATIONS}), 'App ' || n, ${start}, '${JSON.stringify(NEW_APP)}' FROM ${d.series(0, apps - 1)} AS s`
  yield `INSERT INTO wallets (app_id, balance, reserved, overdraft_limit, entries, updated_at)
    SELECT ${d.appId('n')}, 1000000000, 0, 0, 1000000000, ${until} FROM ${d.series(0, apps - 1)} AS s`
  yield `INSERT INTO api_keys (key_id, app_id, kind, mode, hash, prefix, last_four, scopes, allowed_origins, allowed_cidrs,
      limits, created_at, allows, created_by)
    SELECT 'key_' || n, ${d.appId('n')}, 'sk', 'live', ${d.bytes('n', 32)}, 'sk_0000', '0000', '["*"]', '[]', '[]', '{}',
      ${start}, '[]', 'cli' FROM ${d.series(0, apps - 1)} AS s`
  const issueColumns = `app_id, mode, issue_id, message_id, purpose, template_id, channel, sms_fallback, phone_hash,
    code_hash, country, created_at, expires_at, max_attempts, verification_status, attempts_used, verified_at,
    delivery_status, leg, send_pending, outcome_ambiguous, outcome_code, billing_status, price, debited_amount,
    updated_at, key_kind, prefix_hash, network_hash`
  const issueRow = (mode: string, app: string, at: string) => `${app}, '${mode}', ${d.id(at, 'n')}, ${d.id(at, 'n')},
    'purpose-' || (n % 7), 'otp_default_kr', 'sms', ${q('1=1')}, ${d.bytes('n / 3', 32)}, ${d.bytes('n', 32)},
    CASE WHEN n % 5 = 0 THEN 'US' ELSE 'KR' END, ${at}, ${at} + 180000, 5,
    CASE WHEN n % 20 < 17 THEN 'verified' ELSE 'expired' END, n % 3, CASE WHEN n % 20 < 17 THEN ${at} + 20000 END,
    CASE WHEN n % 25 = 0 THEN 'failed' ELSE 'delivered' END, 'sms', ${q('1=0')}, ${q('1=0')},
    CASE WHEN n % 25 = 0 THEN 'EXPIRED' END, '${mode === 'live' ? 'debited' : 'released'}', 1,
    ${mode === 'live' ? 1 : 0}, ${at} + 20000, 'sk', ${d.bytes('n % 10000', 8)}, ${d.bytes('n', 8)}`
  const issueApp = appOf('n', half, perApp)
  const issueAt = atOf('n', half, perApp)
  yield* batches(
    issues,
    (from) => `INSERT INTO issues (${issueColumns}) SELECT ${issueRow('live', issueApp, issueAt)} FROM ${from} AS s`,
  )
  yield* batches(
    issues,
    (from) => `INSERT INTO attempts (app_id, mode, issue_id, number, leg, provider, message_id, called_at, answered_at,
      outcome, text, report, reported_at, provider_message_id)
    SELECT ${issueApp}, 'live', ${d.id(issueAt, 'n')}, 1, 'sms', 'main', ${d.id(issueAt, 'n')}, ${issueAt} + 5,
      ${issueAt} + 5 + (n % 900), 'accepted', 'Your code is [......].', 'delivered', ${issueAt} + 2000, 'carrier-' || n
    FROM ${from} AS s`,
  )
  const testAt = `(${until} - n * ${Math.floor(DAY_MS / TEST_ISSUES)})`
  yield `INSERT INTO issues (${issueColumns}) SELECT ${issueRow('test', d.appId(`n % ${apps}`), testAt)}
    FROM ${d.series(1, TEST_ISSUES)} AS s`
  yield `UPDATE issues SET key_hash = ${d.bytes('created_at', 16)}, fingerprint = ${d.bytes('created_at + 1', 16)}
    WHERE mode = 'live' AND created_at >= ${until - 7 * DAY_MS}
      AND created_at NOT IN (SELECT created_at FROM issues GROUP BY created_at, app_id HAVING count(*) > 1)`
  const entryHalf = ledgerEntries / 2
  const entriesPerApp = Math.ceil(entryHalf / (apps - 1))
  const entryAt = atOf('n', entryHalf, entriesPerApp)
  yield* batches(
    ledgerEntries,
    (from) => `INSERT INTO ledger_entries (app_id, created_at, seq, entry_type, amount_delta, balance_after, issue_id)
    SELECT ${appOf('n', entryHalf, entriesPerApp)}, ${entryAt}, n + 1, 'debit', -1, 1000000000 - n, ${d.id(entryAt, 'n')}
    FROM ${from} AS s`,
  )
  yield `INSERT INTO failures (app_id, key_kind, phone_hash, state, last_at)
    SELECT ${d.appId(`n % ${apps}`)}, 'sk', ${d.bytes('n', 32)}, '{"inARow":1,"byDay":{}}', ${until} - n * 10000
    FROM ${d.series(0, EVENTS - 1)} AS s`
  yield `INSERT INTO decisions SELECT ${d.appId('n % 50')}, ${until} - (n % 40000) * 60000, 'sk', 'KR',
      CASE n % 3 WHEN 0 THEN 'prefix_unverified' WHEN 1 THEN 'limit' ELSE 'no_credit' END, ${q('1=1')}, ${d.bytes('n', 8)},
      ${d.bytes('n + 1', 8)}, 1, 1 FROM ${d.series(0, EVENTS - 1)} AS s`
  // Messages of the last days whose reports are awaited.
  const jobId = d.id(`${until} - n`, `n`)
  yield `INSERT INTO jobs (kind, app_id, mode, subject_id, run_at, attempt, queue, leased)
    SELECT 'await-report', ${d.appId('0')}, 'live', ${jobId}, ${until} + ${DAY_MS} + n, 0, '', ${q('1=0')}
    FROM ${d.series(1, JOBS)} AS s`
  yield `INSERT INTO attempts (app_id, mode, issue_id, number, leg, provider, message_id, called_at, answered_at, outcome,
      provider_message_id, awaited_at)
    SELECT ${d.appId('0')}, 'live', ${jobId}, 1, 'sms', 'main', ${jobId}, ${until} - n, ${until} - n, 'accepted', 'awaited-' || n, ${until} - n
    FROM ${d.series(1, JOBS)} AS s`
  yield `INSERT INTO traffic_hours SELECT ${d.appId('n % 1000')}, 'sk', 'KR', ${start} + (n / 1000) * 3600000, 9, 9, 8, 1
    FROM ${d.series(0, EVENTS - 1)} AS s`
  yield `INSERT INTO usage_intervals SELECT ${until - 30 * HOUR_MS} - (n / ${apps}) * 900000, ${d.appId(`n % ${apps}`)}, 'live', 'sms',
      'main', 'KR', 'purpose-0', 9, 9, 8, 1, 8, 9, 9, '[0,9,0,0,0,0,0,0,0,0,0,0,0,0,0,0]' FROM ${d.series(0, INTERVALS - 1)} AS s`
  yield `INSERT INTO facts (name, value) VALUES ('usage_rolled_until', ${d.encoded(String(until - 29 * HOUR_MS))})`
  yield `INSERT INTO audit_entries SELECT n, ${start} + n * 1000, 'cli', NULL, 'app.rename', ${d.appId('n % 100')}, '{}',
      ${d.bytes('n', 32)} FROM ${d.series(1, AUDIT)} AS s`
}

/** Events of an endpoint, which has to be there: PostgreSQL looks. */
export function* fillingEvents(
  d: Dialect,
  { appId, endpointId }: { appId: string; endpointId: string },
  until: number,
): Generator<string> {
  const eventAt = `(${until} - (${EVENTS} - n) * 1000)`
  yield `INSERT INTO webhook_events (event_id, app_id, mode, type, issue_id, body, created_at)
    SELECT ${d.id(eventAt, 'n')}, '${appId}', 'live', 'otp.sent', ${d.id(eventAt, 'n')},
      ${d.bytes('n', 32)}, ${eventAt} FROM ${d.series(0, EVENTS - 1)} AS s`
  yield `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_id, issue_id, status, attempts, tries, created_at)
    SELECT ${d.id(eventAt, 'n')}, '${endpointId}', ${d.id(eventAt, 'n')}, ${d.id(eventAt, 'n')},
      CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'delivered' END, 1, 1, ${eventAt} FROM ${d.series(0, EVENTS - 1)} AS s`
  yield `INSERT INTO webhook_attempts (delivery_id, number, called_at, answered_at, status)
    SELECT ${d.id(eventAt, 'n')}, 1, ${eventAt}, ${eventAt} + 20, 200 FROM ${d.series(0, EVENTS - 1)} AS s`
}
