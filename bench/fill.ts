/** Fills a database with issues that have run their course, as months of traffic would have left them. */
import { Database } from 'bun:sqlite'
import type { Past } from './load/workloads'

export interface Fill {
  file: string
  appId: string
  issues: number
  /** Spread evenly over these, ending at `until`, Unix milliseconds. */
  days: number
  until: number
}

const BATCH = 100_000
const DAY_MS = 86_400_000

/** The `n`-th id of a series: UUIDv7 of that millisecond. */
const ID = `unhex(printf('%012X', at) || '7' || printf('%03X', n % 4096) || '8' || printf('%015X', n))`

const SERIES = `
  WITH RECURSIVE series (n) AS (SELECT $first UNION ALL SELECT n + 1 FROM series WHERE n < $last),
  happened AS (SELECT n, $start + CAST(n * $stepMs AS INTEGER) AS at FROM series)`

const ISSUES = `${SERIES}
  INSERT INTO issues SELECT $appId, 'live', ${ID}, randomblob(16), 'purpose-' || (n % 7), 'otp_default_kr',
    iif(n % 10 = 0, 'alimtalk', 'sms'), 1, randomblob(32), randomblob(32), iif(n % 5 = 0, 'US', 'KR'), NULL,
    at, at + 180000, 5, iif(n % 20 < 17, 'verified', 'expired'), n % 3, iif(n % 20 < 17, at + 20000, NULL),
    iif(n % 25 = 0, 'failed', 'delivered'), iif(n % 10 = 0, 'alimtalk', 'sms'), 0, 0,
    iif(n % 25 = 0, 'EXPIRED', NULL), 'debited', 1, 1, at + 20000, 'sk', NULL, unhex(printf('%016X', abs(random()) % 10000)), randomblob(8), NULL, NULL, NULL, NULL,
    iif(at >= $lastWeek, randomblob(16), NULL), iif(at >= $lastWeek, randomblob(16), NULL), NULL, NULL, NULL
    FROM happened`

const ATTEMPTS = `${SERIES}
  INSERT INTO attempts SELECT $appId, 'live', ${ID}, 1, iif(n % 10 = 0, 'alimtalk', 'sms'),
    iif(n % 10 = 0, 'kakao', 'main'), randomblob(16), at + 5, at + 5 + (n % 900), 'accepted', NULL, NULL,
    NULL, '인증번호는 [••••••]입니다. 타인에게 알려주지 마세요.', 'delivered', at + 2000, 'carrier-' || n, NULL FROM happened`

const LEDGER = `${SERIES}
  INSERT INTO ledger_entries SELECT $appId, at + 20000, n + 1, 'debit', -1, $balance - n - 1, ${ID}, NULL FROM happened`

export function fill({ file, appId, issues, days, until }: Fill): Past {
  const db = new Database(file, { strict: true })
  db.run('PRAGMA synchronous = OFF')
  const balance = issues + 1_000_000
  const common = { appId, start: until - days * DAY_MS, stepMs: (days * DAY_MS) / issues }
  db.query(
    `INSERT INTO ledger_entries VALUES ($appId, $start - 1, 1000000000, 'credit', $balance, $balance, NULL, NULL)`,
  ).run({ appId, start: common.start, balance })
  const inserts = [
    { sql: ISSUES, values: { lastWeek: until - 7 * DAY_MS } },
    { sql: ATTEMPTS },
    { sql: LEDGER, values: { balance } },
  ].map(({ sql, values = {} }) => ({ insert: db.query(sql), values }))
  for (let first = 0; first < issues; first += BATCH) {
    const last = Math.min(first + BATCH, issues) - 1
    db.run('BEGIN')
    for (const { insert, values } of inserts) insert.run({ ...common, first, last, ...values })
    db.run('COMMIT')
  }
  db.query(
    `INSERT OR REPLACE INTO wallets (app_id, balance, reserved, overdraft_limit, entries, updated_at)
     VALUES ($appId, $left, 0, 0, 1000000000, $until)`,
  ).run({ appId, left: balance - issues, until })
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.run('ANALYZE')
  db.close()
  return { start: common.start, stepMs: common.stepMs, count: issues }
}
