/**
 * `bun bench/contenders/better-auth.ts --data DIR`: better-auth's login by phone number on SQLite, to be measured
 * against. Prints one line with its address; `GET /codes` tells and forgets the codes it would have sent. With
 * `--carrier URL` it sends them there instead.
 *
 * As fast as it fairly gets: the built-in Kysely adapter straight on bun:sqlite, its own schema with its own indexes,
 * a fixed base URL, connections to the carrier that are kept, or an SMS that costs nothing; no rate limit, telemetry or log. Everything else is its default. Commits
 * reach the disk before they are answered (`synchronous = FULL`), as ours do.
 */
import { Database } from 'bun:sqlite'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { phoneNumber } from 'better-auth/plugins/phone-number'

const { values } = parseArgs({ options: { data: { type: 'string' }, carrier: { type: 'string' } } })
if (values.data === undefined) throw new Error('--data DIR is missing')

mkdirSync(values.data, { recursive: true })
const database = new Database(join(values.data, 'better-auth.db'))
database.run('PRAGMA journal_mode = WAL')
database.run('PRAGMA synchronous = FULL')

/** By phone number, the newest since they were last asked for. */
const codes = new Map<string, string>()

async function send(carrier: string, to: string, code: string): Promise<void> {
  const answer = await fetch(carrier, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to, code, text: `${code} is your verification code.` }),
  })
  await answer.arrayBuffer()
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  routes: {
    '/api/auth/*': (request): Promise<Response> => auth.handler(request),
    '/codes': {
      GET: () => {
        const told = Object.fromEntries(codes)
        codes.clear()
        return Response.json(told)
      },
    },
  },
})
const url = server.url.origin

const auth = betterAuth({
  database,
  baseURL: url,
  secret: randomBytes(32).toString('base64url'),
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
  plugins: [
    phoneNumber({
      sendOTP: ({ phoneNumber, code }) => {
        if (values.carrier !== undefined) return send(values.carrier, phoneNumber, code)
        codes.set(phoneNumber, code)
      },
      signUpOnVerification: {
        getTempEmail: (phoneNumber) => `${phoneNumber}@phone.example`,
        getTempName: (phoneNumber) => phoneNumber,
      },
    }),
  ],
})
const { runMigrations } = await getMigrations(auth.options)
await runMigrations()

process.stdout.write(`${JSON.stringify({ event: 'listening', url })}\n`)
