/**
 * supabase/auth (https://github.com/supabase/auth) on PostgreSQL, signing in by phone. It sends a code to its SMS hook
 * before it answers. As fast as it fairly gets: its users are there and confirmed (a new one has a password hashed each
 * time), its connections to the database are kept, no limits of its own.
 */
import { tmpdir } from 'node:os'
import { SQL } from 'bun'
import { Postgres } from '../../test/support/postgres'
import type { Sender } from '../code-round'
import { PEERS } from '../load/peers'
import { phone } from '../load/workloads'
import { SETTINGS } from '../nodes'
import type { Service } from '../processes'
import { AT_FIRST, type Site } from '../senders'
import { programNamed, startProgram } from './program'

const USER = 'supabase_auth_admin'
const CONNECTIONS = '64'

/** Undefined where the machine has not got it. PostgreSQL is the tests'. */
export async function supabase(started: Service[], { carrier }: Pick<Site, 'carrier'>): Promise<Sender | undefined> {
  const program = programNamed('gotrue', 'auth')
  if (!program) return undefined
  const postgres = await Postgres.start({ isDurable: true, on: tmpdir(), settings: SETTINGS })
  started.push({ url: postgres.url(), pid: postgres.pid, stop: () => postgres.stop() })
  const sql = new SQL(postgres.url(), { max: 1 })
  await sql.unsafe(`CREATE USER ${USER} NOINHERIT CREATEROLE LOGIN NOREPLICATION;
    CREATE SCHEMA auth AUTHORIZATION ${USER};
    GRANT CREATE ON DATABASE postgres TO ${USER};
    ALTER USER ${USER} SET search_path = 'auth'`)
  const databaseUrl = postgres.url().replace('postgres@', `${USER}@`)
  const server = await startProgram(program, (port) => ({ env: settingsOf({ port, databaseUrl, carrier }) }))
  started.push(server)
  await addUsers(sql, PEERS.supabase.known ?? 0)
  await sql.close()
  const target = { url: server.url, wire: 'supabase', key: '' } as const
  return { ...AT_FIRST, target, carrier, pids: [server.pid, postgres.pid] }
}

const settingsOf = ({ port, databaseUrl, carrier }: { port: number; databaseUrl: string; carrier: Service }) => ({
  GOTRUE_API_HOST: '127.0.0.1',
  PORT: String(port),
  API_EXTERNAL_URL: `http://127.0.0.1:${port}`,
  GOTRUE_SITE_URL: `http://127.0.0.1:${port}`,
  GOTRUE_JWT_SECRET: 'the secret of the benchmark, which guards nothing',
  GOTRUE_JWT_AUD: 'authenticated',
  GOTRUE_DB_DRIVER: 'postgres',
  DATABASE_URL: databaseUrl,
  GOTRUE_DB_MAX_POOL_SIZE: CONNECTIONS,
  GOTRUE_DB_MAX_IDLE_POOL_SIZE: CONNECTIONS,
  GOTRUE_EXTERNAL_PHONE_ENABLED: 'true',
  GOTRUE_SMS_AUTOCONFIRM: 'false',
  GOTRUE_SMS_MAX_FREQUENCY: '1ns',
  GOTRUE_SMS_OTP_EXP: '3600',
  GOTRUE_RATE_LIMIT_SMS_SENT: '1000000000',
  GOTRUE_HOOK_SEND_SMS_ENABLED: 'true',
  GOTRUE_HOOK_SEND_SMS_URI: `${carrier.url}/send/supabase`,
  GOTRUE_HOOK_SEND_SMS_SECRETS: `v1,whsec_${Buffer.from('signs nothing that matters here.').toString('base64')}`,
})

/** Empty where there are none. */
const TOKENS = [
  ...['confirmation_token', 'recovery_token', 'reauthentication_token', 'phone_change', 'phone_change_token'],
  ...['email_change', 'email_change_token_new', 'email_change_token_current'],
]

/** As signing up and verifying would have left them. */
async function addUsers(sql: SQL, count: number): Promise<void> {
  const phones = Array.from({ length: count }, (_, n) => phone(n).slice(1))
  await sql.unsafe(
    `INSERT INTO auth.users (instance_id, id, aud, role, phone, phone_confirmed_at, encrypted_password,
       raw_app_meta_data, raw_user_meta_data, created_at, updated_at, ${TOKENS.join(', ')})
     SELECT '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', phone, now(), '',
       '{"provider": "phone", "providers": ["phone"]}', '{}', now(), now(), ${TOKENS.map(() => "''").join(', ')} FROM unnest($1::text[]) AS known (phone)`,
    [`{${phones.join(',')}}`],
  )
  await sql.unsafe('VACUUM ANALYZE')
}
