/** Supabase Auth: sign-in by phone, by its "Send SMS" hook. */
import { expect } from 'bun:test'
import { createHmac } from 'node:crypto'
import { SQL } from 'bun'
import { freePort } from '../support/free-port'
import { Postgres } from '../support/postgres'
import { ask, built, type GoSource, Running, relayed } from './support'

export const SUPABASE: GoSource = {
  repository: 'https://github.com/supabase/auth',
  commit: 'bc32168e13fdc928c98b449fc76bc3fdb9a293c5',
  program: 'auth',
  build: [],
}

const [PHONE, OTHER] = ['+821012345678', '+821087654321']

export async function supabase(given: string | undefined, into: string, kept: (promise: string) => void) {
  const folder = await built(SUPABASE, given, into)
  const postgres = await Postgres.start()
  const sql = new SQL(postgres.url(), { max: 1 })
  await sql.unsafe(await Bun.file(`${folder}/hack/init_postgres.sql`).text())
  const relay = await relayed('supabase')
  const port = String(freePort())
  const auth = await Running.start(
    [`${folder}/auth`],
    folder,
    {
      GOTRUE_DB_DRIVER: 'postgres',
      DB_NAMESPACE: 'auth',
      DATABASE_URL: `postgres://supabase_auth_admin@127.0.0.1:${postgres.port}/postgres?sslmode=disable`,
      GOTRUE_API_HOST: '127.0.0.1',
      PORT: port,
      API_EXTERNAL_URL: `http://127.0.0.1:${port}`,
      GOTRUE_SITE_URL: 'http://localhost:3000',
      GOTRUE_JWT_SECRET: 'a secret of Supabase for this run alone',
      GOTRUE_EXTERNAL_PHONE_ENABLED: 'true',
      GOTRUE_SMS_AUTOCONFIRM: 'false',
      GOTRUE_HOOK_SEND_SMS_ENABLED: 'true',
      GOTRUE_HOOK_SEND_SMS_URI: relay.url,
      GOTRUE_HOOK_SEND_SMS_SECRETS: relay.secret,
    },
    `http://127.0.0.1:${port}/health`,
  )
  const url = `http://127.0.0.1:${port}`
  try {
    expect(await ask(`${url}/otp`, { phone: PHONE })).toMatchObject({ status: 200 })
    const token = await relay.code(PHONE, 1)
    expect(
      await ask(`${url}/verify`, { type: 'sms', phone: PHONE, token: token === '000000' ? '000001' : '000000' }),
    ).toMatchObject({ status: 403 })
    const session = await ask(`${url}/verify`, { type: 'sms', phone: PHONE, token })
    expect(session.body).toMatchObject({ access_token: expect.any(String), user: { phone: PHONE.slice(1) } })
    kept('a user signs in by phone with the code that the carrier got')

    const body = JSON.stringify({
      user: { id: session.body.user.id, phone: PHONE.slice(1) },
      sms: { otp: token, phone: PHONE.slice(1) },
    })
    const again = await fetch(relay.url, { method: 'POST', body, headers: signed(body, relay.secret) })
    expect(again.status).toBe(200)
    kept('the same body twice sends one text')

    await relay.block()
    const refused = await ask(`${url}/otp`, { phone: OTHER })
    expect(refused).toMatchObject({ status: 429, body: { msg: expect.stringMatching(/[a-z]{4}/) } })
    kept('a refusal reaches the user with its own status and words')
  } finally {
    await auth.stop()
    await relay.stop()
    await sql.close()
    await postgres.stop()
  }
}

/** As its hooks are signed, with an id of the try. */
function signed(body: string, secret: string) {
  const [id, at] = [crypto.randomUUID(), Math.floor(Date.now() / 1_000)]
  const key = Buffer.from(secret.replace('v1,whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${signature}`,
  }
}
