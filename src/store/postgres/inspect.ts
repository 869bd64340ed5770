/** Read-only looks into a PostgreSQL database, on a connection of their own and without the master secret. */
import type { SQL } from 'bun'
import type { Clock } from '../../ports/clock'
import { type Name, type NamedKind, namesQuery } from '../names'
import { type Applied, applied, assertKnownServer } from './connection/migrate'
import { nameOf } from './connection/name'
import { connect, end, type TlsVerification, tlsVerificationOf, withAddress } from './connection/pool'

export interface ServerReport {
  /** The display name, without a password. */
  name: string
  /** Version of PostgreSQL, such as `15.14`. */
  version: string
  /** False for a standby, which cannot be written. */
  isPrimary: boolean
  /** Replication lag of a standby. */
  behindMs: number
  /** TLS version, such as `TLSv1.3`; undefined without encryption. */
  encryption: string | undefined
  checking: TlsVerification
  /** How many connections this user may open. */
  connections: number
  /** Whether something like PgBouncer is in between: it drops the settings of a connection. */
  isPooled: boolean
  /** Undefined where there are no tables of Watchword. */
  schema: Applied | undefined
  /** How far the local clock is ahead of the database's in milliseconds, and how exact that is. */
  clockLead: { ms: number; within: number }
  archive: Archive
}

/** State of WAL archiving, which point-in-time recovery needs. */
export interface Archive {
  isOn: boolean
  /** Whether archiving has failed since the last segment that was archived. */
  isFailing: boolean
}

/** Throws `UnreachableError` where no server answers, and `OldServerError`. */
export async function inspectServer(url: string, clock: Pick<Clock, 'now' | 'elapsed'>): Promise<ServerReport> {
  const sql = connect({ url, size: 1 }, 'watchword doctor')
  try {
    await assertKnownServer(sql)
    const [server] = await sql.unsafe(SERVER)
    return {
      ...{ name: nameOf(url), version: server.version.split(' ')[0], isPrimary: server.primary },
      behindMs: Number(server.behind),
      ...{ encryption: server.encryption ?? undefined, checking: tlsVerificationOf(url) },
      ...{ connections: Number(server.connections), isPooled: server.pooled },
      archive: { isOn: server.archiving, isFailing: server.failing },
      schema: await applied(sql),
      clockLead: await clockLead(sql, clock),
    }
  } catch (error) {
    throw withAddress(url, error)
  } finally {
    await sql.close()
  }
}

/** `connections` is the lowest limit of server, database and role; -1 stands for no limit. */
const SERVER = `
  SELECT current_setting('server_version') AS version,
    NOT pg_is_in_recovery() AS primary,
    CASE WHEN pg_last_wal_receive_lsn() <> pg_last_wal_replay_lsn()
      THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000 ELSE 0 END AS behind,
    (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS encryption,
    least(
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        - coalesce(current_setting('reserved_connections', true), '0')::integer,
      (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
      (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user)
    ) AS connections,
    (SELECT source <> 'client' FROM pg_settings WHERE name = 'statement_timeout') AS pooled,
    current_setting('archive_mode') <> 'off' AS archiving,
    coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS failing
  FROM pg_stat_archiver`

async function clockLead(sql: SQL, clock: Pick<Clock, 'now' | 'elapsed'>): Promise<ServerReport['clockLead']> {
  const [sentAt, sent] = [clock.elapsed(), clock.now()]
  const [row] = await sql`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS there`
  const roundTrip = clock.elapsed() - sentAt
  return { ms: Math.round(sent + roundTrip / 2 - Number(row.there)), within: Math.ceil(roundTrip / 2) }
}

/** How many more connections a pooler gives at the moment, up to `wanted`. It takes them for three seconds at most. */
export async function roomFor(url: string, wanted: number, clock: Pick<Clock, 'after'>): Promise<number> {
  const sql = connect({ url, size: wanted }, 'watchword doctor')
  const late = Promise.withResolvers<void>()
  const cancel = clock.after(GIVEN_WITHIN_MS, () => late.resolve())
  let given = 0
  const taken = Array.from({ length: wanted }, async () => {
    // A pooler signs a client in before it has a connection for it.
    await (await sql.reserve()).unsafe('SELECT 1')
    given++
  })
  await Promise.race([Promise.allSettled(taken), late.promise])
  cancel()
  end(sql)
  return given
}

const GIVEN_WITHIN_MS = 3_000

/** A person who presses Tab does not wait longer. */
const WITHIN_MS = 1_000

/**
 * Names for completion; `appId` restricts kinds that belong to an app. Empty where the database does not answer soon or
 * lacks the tables.
 */
export async function readNames(
  { url, clock }: { url: string; clock: Pick<Clock, 'after'> },
  what: NamedKind,
  appId?: string,
): Promise<Name[]> {
  const { text, isOfApp } = namesQuery(what, '$1::text')
  const late = Promise.withResolvers<Name[]>()
  const cancel = clock.after(WITHIN_MS, () => late.resolve([]))
  const sql = connect({ url, size: 1 }, 'watchword complete')
  try {
    return await Promise.race([sql.unsafe(text, isOfApp ? [appId ?? null] : []), late.promise])
  } catch {
    return []
  } finally {
    cancel()
    end(sql)
  }
}
