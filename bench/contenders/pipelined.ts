/**
 * The floor on PostgreSQL: the rows of an issue and of a verify by hand-written statements in our tables, those that do not
 * wait for each other sent together. A bare Bun route, zod, and nothing else: no key check, no limits, no templates.
 *
 *   --apps ID,ID,…   whose issues they are, in turns
 */
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { createVault } from '../../src/system/vault'
import { SECRET } from '../secret'
import { type IssueInput, issueInput, type VerifyInput, verifyInput } from './inputs'
import { LIFETIME_MS, MAX_ATTEMPTS, newCode } from './tables'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    apps: { type: 'string', default: '' },
    pool: { type: 'string', default: '16' },
  },
})
const apps = values.apps.split(',')
const vault = createVault(Buffer.from(SECRET))
const sql = new SQL(values.url, { max: Number(values.pool) })

const CLAIM = "SELECT issue_id, fingerprint FROM issues WHERE app_id = $1 AND mode = 'live' AND key_hash = $2"
const LIVE = `SELECT issue_id FROM issues WHERE app_id = $1 AND mode = 'live' AND phone_hash = $2 AND purpose = $3
  AND verification_status = 'issued' FOR UPDATE`
const REPLACE = `UPDATE issues SET verification_status = 'replaced', updated_at = $3
  WHERE app_id = $1 AND mode = 'live' AND issue_id = $2`
const ERASE = 'DELETE FROM outbox WHERE issue_id = $1'
const ADD_ISSUE = `INSERT INTO issues (app_id, mode, issue_id, message_id, purpose, template_id, channel, key_kind,
    sms_fallback, phone_hash, code_hash, country, created_at, expires_at, max_attempts, verification_status, attempts_used,
    delivery_status, leg, send_pending, outcome_ambiguous, billing_status, price, debited_amount, updated_at,
    key_hash, fingerprint)
  VALUES ($1, 'live', $2, $3, $4, 'otp_default_kr', 'sms', 'sk', true, $5, $6, 'KR', $7, $8, ${MAX_ATTEMPTS}, 'issued', 0,
    'queued', 'sms', true, false, 'reserved', 1, 0, $7, $9, $10)`
const ADD_OUTBOX = 'INSERT INTO outbox (issue_id, sealed, expires_at) VALUES ($1, $2, $3)'
const ADD_JOB = `INSERT INTO jobs (kind, app_id, mode, subject_id, run_at, attempt, queue, leased)
  VALUES ('deliver', $1, 'live', $2, $3, 0, 'main', false)`
const RESERVE = `UPDATE wallets SET reserved = reserved + 1, updated_at = $2
  WHERE app_id = $1 AND balance - reserved >= 1`
const LOCK = "SELECT code_hash, expires_at FROM issues WHERE app_id = $1 AND mode = 'live' AND issue_id = $2 FOR UPDATE"
const VERIFIED = `UPDATE issues SET verification_status = 'verified', verified_at = $3, updated_at = $3
  WHERE app_id = $1 AND mode = 'live' AND issue_id = $2`

async function issue(appId: string, { phoneNumber, purpose, idempotencyKey }: IssueInput) {
  const now = Date.now()
  const keyHash = vault.claimHash(idempotencyKey)
  const phoneHash = vault.phoneHash(phoneNumber)
  const connection = await sql.reserve()
  try {
    const [, [known], [previous]] = await Promise.all([
      connection`BEGIN`,
      connection.unsafe(CLAIM, [appId, keyHash]).values(),
      connection.unsafe(LIVE, [appId, phoneHash, purpose]).values(),
    ])
    if (known) {
      await connection`COMMIT`
      return { issueId: String(known[0]) }
    }
    const issueId = Bun.randomUUIDv7('hex', now)
    const code = newCode()
    const expiresAt = now + LIFETIME_MS
    const fingerprint = vault.fingerprint(JSON.stringify([phoneNumber, purpose]))
    const rendered = { to: phoneNumber, text: `[Watchword] ${code} is your verification code.`, code }
    const sealed = vault.seal(`outbox:${issueId}`, JSON.stringify(rendered))
    const replaced = previous
      ? [connection.unsafe(REPLACE, [appId, previous[0], now]), connection.unsafe(ERASE, [previous[0]])]
      : []
    await Promise.all([
      ...replaced,
      connection.unsafe(ADD_ISSUE, [
        ...[appId, issueId, Bun.randomUUIDv7('hex', now), purpose, phoneHash],
        ...[vault.codeHash(issueId, code), now, expiresAt, keyHash, fingerprint],
      ]),
      connection.unsafe(ADD_OUTBOX, [issueId, sealed, expiresAt]),
      connection.unsafe(ADD_JOB, [appId, issueId, now]),
      // Last: everybody of the app waits for this row.
      connection.unsafe(RESERVE, [appId, now]),
      connection`COMMIT`,
    ])
    return { issueId, expiresAt: new Date(expiresAt), queuedAt: new Date(now), attemptsRemaining: MAX_ATTEMPTS }
  } finally {
    connection.release()
  }
}

async function verify(appId: string, { issueId, code }: VerifyInput) {
  const now = Date.now()
  const connection = await sql.reserve()
  try {
    const [, [row]] = await Promise.all([connection`BEGIN`, connection.unsafe(LOCK, [appId, issueId]).values()])
    const verified = row !== undefined && Buffer.from(vault.codeHash(issueId, code)).equals(row[0])
    await Promise.all([...(verified ? [connection.unsafe(VERIFIED, [appId, issueId, now])] : []), connection`COMMIT`])
    return { issueId, verified, attemptsRemaining: MAX_ATTEMPTS, expiresAt: new Date(Number(row?.[1] ?? now)) }
  } finally {
    connection.release()
  }
}

let turn = 0
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  routes: {
    '/v1/issue': {
      POST: async (request) => {
        const input = issueInput.parse(await request.json())
        return Response.json(await issue(apps[turn++ % apps.length] as string, input))
      },
    },
    '/v1/verify': {
      POST: async (request) => Response.json(await verify(apps[0] as string, verifyInput.parse(await request.json()))),
    },
  },
})
process.stdout.write(`${JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${server.port}` })}\n`)
