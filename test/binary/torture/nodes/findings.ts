/** What several servers left in their database, held against what was done to them. */
import { Database } from 'bun:sqlite'
import { LEASE_MS } from '../../../../src/domain/operations/job'
import { PROVIDER_TIMEOUT_MS } from '../carrier'
import { PER_PHONE } from './crowd'

const TEN_MINUTES_MS = 600_000
/** How long an answer of a carrier may wait to be recorded: as long as the database is kept away. */
const RECORDED_WITHIN_MS = PROVIDER_TIMEOUT_MS + 6_000
/** A call is written down by the database's clock before it is made. */
const BEFORE_MS = 500
/** For who takes over what nobody holds any more. */
const TAKEN_OVER_WITHIN_MS = 10_000

/** A job that the test claimed as if it were a server of its own. */
export interface Stolen {
  jobId: number
  attempt: number
  issueId: string
  /** The leg that the issue was on. */
  leg: string
}

/** When a server was killed, or the database did not know what became of commits; Unix milliseconds. */
export interface Span {
  from: number
  to: number
}

/** What may leave a call without an answer that is recorded. */
export interface Causes {
  spans: readonly Span[]
  /** Issues of stolen jobs. */
  stolen: ReadonlySet<string>
  /** Unix milliseconds from which the story counts. */
  begunAt: number
}

/** Calls that were taken for interrupted and were not: whoever made them lived, and nobody had taken their job. */
export function falselyInterrupted(file: string, { spans, stolen, begunAt }: Causes): string[] {
  const rows = read<{ issue: string; at: number }>(
    file,
    "SELECT lower(hex(issue_id)) AS issue, called_at AS at FROM attempts WHERE code = 'INTERRUPTED'",
  )
  return rows.flatMap(({ issue, at }) => {
    const hasCause = spans.some(({ from, to }) => to >= at - BEFORE_MS && from <= at + RECORDED_WITHIN_MS)
    return hasCause || stolen.has(issue)
      ? []
      : [`the call of ${issue} at ${at - begunAt} ms was taken for interrupted, and no server was killed`]
  })
}

/** Counted over all servers. */
export function tooManyPerPhone(file: string): string[] {
  return read<{ phone: string }>(
    file,
    `SELECT DISTINCT phone FROM (SELECT hex(phone_hash) AS phone, created_at,
       lag(created_at, ${PER_PHONE}) OVER (PARTITION BY app_id, phone_hash ORDER BY created_at) AS before FROM issues)
     WHERE before > created_at - ${TEN_MINUTES_MS}`,
  ).map(({ phone }) => `a phone got more than ${PER_PHONE} codes in ten minutes: ${phone}`)
}

/** Jobs that nobody has looked at for longer than a lease. */
export function stuck(file: string, now: number): string[] {
  return read<{ kind: keyof typeof LEASE_MS; at: number }>(file, 'SELECT kind, run_at AS at FROM jobs').flatMap(
    ({ kind, at }) =>
      at < now - LEASE_MS[kind] - TAKEN_OVER_WITHIN_MS ? [`a job has been due for ${now - at} ms: ${kind}`] : [],
  )
}

/** Under a lease of somebody else nobody ends a job; one that has gone on to another leg is another job. */
export function takenBack(file: string, stolen: readonly Stolen[]): string[] {
  const rows = read<{ job: number; attempt: number }>(file, 'SELECT job_id AS job, attempt FROM jobs')
  const attempts = new Map(rows.map(({ job, attempt }) => [job, attempt]))
  const issues = read<{ issue: string; leg: string }>(file, 'SELECT lower(hex(issue_id)) AS issue, leg FROM issues')
  const legs = new Map(issues.map(({ issue, leg }) => [issue, leg]))
  return stolen.flatMap(({ jobId, attempt, issueId, leg }) => {
    const isThere = (attempts.get(jobId) ?? 0) >= attempt
    return isThere || legs.get(issueId) !== leg ? [] : [`the job of ${issueId} was ended by who held it no more`]
  })
}

/** What servers said had gone wrong, with when. */
export function complaints(log: string, begunAt: number): string[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: string; time: string; msg: string })
    .filter(({ level }) => level === 'warn' || level === 'error')
    .map((line) => `${Date.parse(line.time) - begunAt} ms: ${JSON.stringify(line)}`)
}

function read<Row>(file: string, query: string): Row[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.query(query).all() as Row[]
  } finally {
    db.close()
  }
}
